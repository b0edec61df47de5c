//! What a comparison found, as JUnit XML: a suite for each server, with a case for the server and one for each tool.

use mcp_policy::ServerName;
use mcp_policy::catalogue::LocalName;
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use super::shown::said;
use super::verify::Verified;
use crate::failed::{Failed, Local};
use crate::printable::printable_line;

/// The text of the file. It holds no time: the same comparison gives the same file.
pub(super) fn write(verified: &Verified) -> Result<String, Failed> {
    let mut report = Report::new("catalogue");
    for (server, tools) in &verified.compared {
        let mut suite = TestSuite::new(server.as_str());
        suite.add_test_case(case(verified, server, None));
        suite.add_test_cases(tools.iter().map(|tool| case(verified, server, Some(tool))));
        report.add_test_suite(suite);
    }
    let written = report.to_string();
    written.map_err(|_error| {
        Failed::local(
            Local::OutputUnwritable,
            "the file of --junit could not be written",
        )
    })
}

/// A difference is a failure. What could not be looked at is an error, also where the store says what the lock file does.
fn case(verified: &Verified, server: &ServerName, tool: Option<&LocalName>) -> TestCase {
    let own = verified.drift.iter();
    let own = own.filter(|(difference, _)| difference.server == *server && difference.tool.as_ref() == tool);
    let differences: Vec<String> = own
        .map(|(difference, place)| said(difference, *place).replace('\t', " "))
        .collect();
    let status = if let Some(failed) = verified.unchecked.get(server) {
        let message = format!(
            "not checked: {} ({})",
            printable_line(&failed.message),
            failed.kind
        );
        let messages = differences.into_iter().chain([message]);
        non_success(NonSuccessKind::Error, &messages.collect::<Vec<_>>())
    } else if differences.is_empty() {
        TestCaseStatus::success()
    } else {
        non_success(NonSuccessKind::Failure, &differences)
    };
    let name = tool.map_or_else(|| format!("server {server}"), ToString::to_string);
    let mut case = TestCase::new(name, status);
    case.set_classname(server.as_str());
    case
}

fn non_success(kind: NonSuccessKind, messages: &[String]) -> TestCaseStatus {
    let mut status = TestCaseStatus::non_success(kind);
    status.set_message(messages.join("; "));
    status
}
