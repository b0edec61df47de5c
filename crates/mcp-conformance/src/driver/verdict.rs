//! What a client in another process says of its call, judged by class, not by our kinds.

use std::fmt;

use serde_json::Value;

use super::answer::Answer;
use crate::oracle::Expected;

/// How a client did on one oracle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Judgement {
    AsExpected,
    /// As expected, but only because the client's own deadline struck.
    AsExpectedLate,
    /// An answer was taken from what had to be refused.
    AcceptedAFault,
    /// No answer was taken from what had to be accepted.
    RefusedAHealthy,
    /// An answer was taken, but another one than the server gave.
    WrongValue,
    /// The client did not end in time.
    Hang,
    /// The client ended without an answer that can be read.
    Unreadable,
    /// The case means nothing for this client.
    NotApplicable,
}

impl Judgement {
    pub(super) const ALL: [Self; 8] = [
        Self::AsExpected,
        Self::AsExpectedLate,
        Self::AcceptedAFault,
        Self::RefusedAHealthy,
        Self::WrongValue,
        Self::Hang,
        Self::Unreadable,
        Self::NotApplicable,
    ];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::AsExpected => "as-expected",
            Self::AsExpectedLate => "as-expected-late",
            Self::AcceptedAFault => "accepted-a-fault",
            Self::RefusedAHealthy => "refused-a-healthy",
            Self::WrongValue => "wrong-value",
            Self::Hang => "hang",
            Self::Unreadable => "unreadable",
            Self::NotApplicable => "not-applicable",
        }
    }

    /// Whether nothing is to be said against the client.
    pub(super) const fn holds(self) -> bool {
        match self {
            Self::AsExpected | Self::AsExpectedLate | Self::NotApplicable => true,
            Self::AcceptedAFault
            | Self::RefusedAHealthy
            | Self::WrongValue
            | Self::Hang
            | Self::Unreadable => false,
        }
    }
}

impl Judgement {
    /// Whether a client that has too little time could come to this.
    pub(super) const fn may_be_haste(self) -> bool {
        match self {
            Self::Hang | Self::RefusedAHealthy => true,
            Self::AsExpected
            | Self::AsExpectedLate
            | Self::AcceptedAFault
            | Self::WrongValue
            | Self::Unreadable
            | Self::NotApplicable => false,
        }
    }
}

impl fmt::Display for Judgement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Compares an answer with what an oracle expects of a call.
pub(super) fn judge(expected: &Expected, answer: &Answer) -> Judgement {
    match (expected, answer) {
        (Expected::Failed { .. }, Answer::Failed { kind, .. }) => {
            if kind.contains("deadline") {
                Judgement::AsExpectedLate
            } else {
                Judgement::AsExpected
            }
        }
        (
            Expected::Failed { .. },
            Answer::Result { .. } | Answer::ToolError { .. } | Answer::RpcError { .. },
        ) => Judgement::AcceptedAFault,
        (_, Answer::Failed { .. }) => Judgement::RefusedAHealthy,
        (
            Expected::Result { text, structured },
            Answer::Result {
                text: found,
                structured: printed,
            },
        ) => {
            let agree = structured.as_deref().zip(printed.as_deref());
            same(
                plain(text) == plain(found)
                    && agree.is_none_or(|(expected, printed)| equal(expected, printed)),
            )
        }
        (Expected::ToolError { text }, Answer::ToolError { text: found }) => {
            same(plain(text) == plain(found))
        }
        (Expected::RpcError { code, .. }, Answer::RpcError { code: found }) => {
            same(found.as_i64() == Some(*code))
        }
        (
            Expected::Result { .. }
            | Expected::ToolError { .. }
            | Expected::RpcError { .. }
            | Expected::Pong { .. }
            | Expected::Tools { .. }
            | Expected::Imported { .. }
            | Expected::Offered { .. },
            Answer::Result { .. } | Answer::ToolError { .. } | Answer::RpcError { .. },
        ) => Judgement::WrongValue,
    }
}

const fn same(same: bool) -> Judgement {
    if same {
        Judgement::AsExpected
    } else {
        Judgement::WrongValue
    }
}

/// Whether two texts are the same JSON. A number that fits no type of ours is compared as it is spelled.
fn equal(left: &str, right: &str) -> bool {
    let value = |text: &str| serde_json::from_str::<Value>(text).ok();
    left == right || value(left).is_some_and(|left| value(right) == Some(left))
}

/// A text without the note that this client puts in front of it when blocks are left out.
fn plain(text: &str) -> &str {
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    let is_note = first.starts_with('[') && first.contains(" omitted: ") && first.ends_with(']');
    if is_note { rest } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(line: &str) -> Answer {
        Answer::parse(line.as_bytes()).unwrap()
    }

    fn failed() -> Expected {
        Expected::Failed {
            kind: "foreign-id".to_owned(),
            delivery: None,
            says: None,
        }
    }

    fn result(text: &str) -> Expected {
        Expected::Result {
            text: text.to_owned(),
            structured: None,
        }
    }

    #[test]
    fn a_fault_has_to_be_refused_and_the_kind_is_free() {
        let judged = |line| judge(&failed(), &answer(line));
        assert_eq!(
            judged(r#"{"outcome":"failed","kind":"other"}"#),
            Judgement::AsExpected
        );
        let late = r#"{"outcome":"failed","kind":"deadline-exceeded"}"#;
        assert_eq!(judged(late), Judgement::AsExpectedLate);
        for line in [
            r#"{"outcome":"result","text":""}"#,
            r#"{"outcome":"tool_error","text":""}"#,
            r#"{"outcome":"rpc_error","code":"-1","message":""}"#,
        ] {
            assert_eq!(judged(line), Judgement::AcceptedAFault);
        }
    }

    #[test]
    fn a_healthy_answer_has_to_be_taken_as_it_is() {
        let judged = |line| judge(&result("[1 content block omitted: 1 image]\na"), &answer(line));
        assert_eq!(
            judged(r#"{"outcome":"result","text":"a"}"#),
            Judgement::AsExpected
        );
        assert_eq!(
            judged(r#"{"outcome":"result","text":"b"}"#),
            Judgement::WrongValue
        );
        assert_eq!(
            judged(r#"{"outcome":"tool_error","text":"a"}"#),
            Judgement::WrongValue
        );
        assert_eq!(judged(r#"{"outcome":"failed"}"#), Judgement::RefusedAHealthy);
    }

    #[test]
    fn structured_content_counts_when_the_client_prints_it() {
        let expected = |structured: &str| Expected::Result {
            text: String::new(),
            structured: Some(structured.to_owned()),
        };
        let judged = |structured, printed: &str| {
            let line = format!(r#"{{"outcome":"result","text":""{printed}}}"#);
            judge(&expected(structured), &answer(&line))
        };
        let big = r#"{"n":9007199254740993}"#;
        assert_eq!(judged(big, ""), Judgement::AsExpected);
        assert_eq!(
            judged(big, r#","structured":{ "n": 9007199254740993 }"#),
            Judgement::AsExpected
        );
        for printed in [r#","structured":{"n":9007199254740992}"#, r#","structured":null"#] {
            assert_eq!(judged(big, printed), Judgement::WrongValue, "{printed}");
        }
        let beyond = r#"{"n":1e400}"#;
        assert_eq!(
            judged(beyond, r#","structured":{"n":1e400}"#),
            Judgement::AsExpected
        );
        assert_eq!(
            judged(beyond, r#","structured":{"n":1e401}"#),
            Judgement::WrongValue
        );
    }

    #[test]
    fn a_code_is_compared_as_an_integer() {
        let expected = Expected::RpcError {
            code: -32_602,
            message: Some("ours, and not compared".to_owned()),
            http_status: None,
        };
        let judged = |code| {
            judge(
                &expected,
                &answer(&format!(r#"{{"outcome":"rpc_error","code":{code}}}"#)),
            )
        };
        assert_eq!(judged("-32602"), Judgement::AsExpected);
        for code in ["-32603", r#""-32602""#, "true"] {
            assert_eq!(judged(code), Judgement::WrongValue);
        }
    }
}
