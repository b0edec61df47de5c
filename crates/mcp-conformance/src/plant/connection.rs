//! Plants on the list for every connection: on its legs, its failures, and the project's own files.

use mcp_testkit::PeerLog;

use super::left::{kept, seen};
use super::{Fault, Plant};
use crate::check::CANARY;
use crate::outcome::Outcome;

pub(super) const PLANTS: &[Plant] = &[
    text("R-161-1a", "a check reads a profile's name", |text| {
        text + "\nif profile.name == \"messages\" { return Vec::new(); }\n"
    }),
    text("R-161-1b", "both profiles go without approvals", |text| {
        text.replace("\"approval\": true", "\"approval\": false")
    }),
    text("R-161-1c", "the suite needs a database", |text| {
        text + "\nmcp-store-sqlite.workspace = true\n"
    }),
    text("R-161-1c", "the suite needs a network", |text| {
        text + "\nuse std::net::TcpStream;\n"
    }),
    seen(
        "R-161-2a",
        "the request comes before the handshake is done",
        |log| {
            if log.requests.len() > 2 {
                log.requests.swap(1, 2);
            }
        },
    ),
    seen(
        "R-161-2a",
        "the server is not told that the handshake is done",
        |log| {
            log.requests
                .retain(|request| request.member("method") != Some("notifications/initialized"));
        },
    ),
    seen("R-161-2b", "the call is made outside of the session", |log| {
        edit_fields(log, "tools/call", |fields| {
            fields.retain(|(name, _)| name != "mcp-session-id");
        });
    }),
    seen("R-161-2b", "a session is named that nobody issued", |log| {
        edit_fields(log, "initialize", |fields| {
            fields.push(("mcp-session-id".to_owned(), "s-0".to_owned()));
        });
    }),
    seen("R-161-2c", "the client declares a capability", |log| {
        for request in &mut log.requests {
            request.body = request
                .body
                .replace("\"capabilities\":{}", "\"capabilities\":{\"roots\":{}}");
        }
    }),
    kept("R-161-2c", "the server's name is not reported", |evidence| {
        for done in &mut evidence.done {
            if let Outcome::Pong { name, .. } = &mut done.outcome {
                name.clear();
            }
        }
    }),
    Plant {
        name: "each leg has the whole budget",
        requirement: "R-161-2h",
        fault: Fault::Time(|_| std::time::Duration::ZERO),
    },
    wording(
        "R-161-2h",
        "a spent budget is a connection that was lost",
        |outcome| {
            rename(outcome, "deadline-exceeded", "connection-lost");
        },
    ),
    seen("R-161-2i", "a failure is tried again", |log| {
        let last = log.requests.last().cloned();
        log.requests.extend(last);
    }),
    kept("R-161-2i", "a failure is a contact", |evidence| {
        let failed = evidence.done.iter().filter(|done| done.outcome.kind().is_some());
        evidence.contacts += failed.count();
    }),
    outcome("R-161-2i", "a failure is an empty answer", |outcome| {
        if let Outcome::Failed { .. } = outcome {
            *outcome = Outcome::Result {
                text: String::new(),
                structured: None,
            };
        }
    }),
    wording("R-161-2j", "a body beyond the bound is shown", |outcome| {
        if let Outcome::Failed { shown, .. } = outcome {
            shown.push_str(CANARY);
        }
    }),
    wording(
        "R-161-2j",
        "a body beyond the bound counts as cut off",
        |outcome| {
            rename(outcome, "too-large", "incomplete");
        },
    ),
    text("R-161-3", "a fourth operation can be cancelled", |text| {
        text + "mcp_policy::Client::list_tools\n"
    }),
    text("R-161-3", "a call cannot be cancelled", |text| {
        text.replace("mcp_policy::Client::call_tool\n", "")
    }),
    text("R-161-3", "a notification cannot be cancelled", |text| {
        text.replacen("cancellation: &dyn Cancellation", "", 1)
    }),
    text("R-161-6", "resources can be read", |text| {
        text + "\nSelf::ResourcesRead => \"resources/read\",\n"
    }),
    text("R-161-6", "there is a policy of retries", |text| {
        text + "\nmcp_policy::RetryPolicy: pub struct RetryPolicy\n"
    }),
    text("R-161-6", "another stream of audit opens", |text| {
        text + "\nmcp_policy::port::CallLog: pub trait CallLog\n"
    }),
];

const fn text(requirement: &'static str, name: &'static str, alter: fn(String) -> String) -> Plant {
    Plant {
        name,
        requirement,
        fault: Fault::Text(alter),
    }
}

const fn outcome(requirement: &'static str, name: &'static str, alter: fn(&mut Outcome)) -> Plant {
    Plant {
        name,
        requirement,
        fault: Fault::Outcome(alter),
    }
}

const fn wording(requirement: &'static str, name: &'static str, alter: fn(&mut Outcome)) -> Plant {
    Plant {
        name,
        requirement,
        fault: Fault::Wording(alter),
    }
}

fn rename(outcome: &mut Outcome, from: &str, to: &str) {
    if let Outcome::Failed { kind, .. } = outcome
        && kind == from
    {
        to.clone_into(kind);
    }
}

fn edit_fields(log: &mut PeerLog, method: &str, edit: fn(&mut Vec<(String, String)>)) {
    for request in &mut log.requests {
        if request.member("method") == Some(method) {
            edit(&mut request.fields);
        }
    }
}
