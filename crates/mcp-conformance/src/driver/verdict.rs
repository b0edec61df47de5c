//! What a client in another process says of its call, and how that is judged: by class, not by our kinds.

use std::fmt;

use serde::Deserialize;
use serde_json::Value;

use crate::oracle::Expected;

/// The one line of a client, in the form of `mcpctl --json`.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Answer {
    Result {
        text: String,
    },
    ToolError {
        text: String,
    },
    RpcError {
        /// Any JSON: a client may accept a code that is no integer.
        code: Value,
    },
    Failed {
        kind: String,
        message: String,
    },
}

/// The members of the line. Others are passed over unread: a number in them need not fit any type of ours.
#[derive(Deserialize)]
struct Line {
    outcome: Outcome,
    text: Option<String>,
    code: Option<Value>,
    #[serde(default)]
    kind: String,
    #[serde(default)]
    message: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Outcome {
    Result,
    ToolError,
    RpcError,
    Failed,
}

/// Why standard output holds no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Unreadable(pub(super) String);

impl Answer {
    /// Reads standard output: one line, one JSON object.
    pub(super) fn parse(stdout: &[u8]) -> Result<Self, Unreadable> {
        let line = stdout.strip_suffix(b"\n").unwrap_or(stdout);
        if line.is_empty() || line.contains(&b'\n') {
            return Err(Unreadable("standard output is not one line".to_owned()));
        }
        let line: Line = serde_json::from_slice(line).map_err(|error| Unreadable(error.to_string()))?;
        let lacks = |member: &str| Unreadable(format!("the line lacks {member}"));
        let text = line.text.ok_or_else(|| lacks("text"));
        Ok(match line.outcome {
            Outcome::Result => Self::Result { text: text? },
            Outcome::ToolError => Self::ToolError { text: text? },
            Outcome::RpcError => Self::RpcError {
                code: line.code.ok_or_else(|| lacks("code"))?,
            },
            Outcome::Failed => Self::Failed {
                kind: line.kind,
                message: line.message,
            },
        })
    }
}

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
        (Expected::Result { text, .. }, Answer::Result { text: found })
        | (Expected::ToolError { text }, Answer::ToolError { text: found }) => {
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
            | Expected::Tools { .. },
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
    fn an_answer_is_one_line_in_the_form_of_mcpctl() {
        let line = r#"{"outcome":"result","text":"a","structured":{"n":1e400},"omitted":{}}"#;
        let text = "a".to_owned();
        assert_eq!(Answer::parse(line.as_bytes()), Ok(Answer::Result { text }));
        assert_eq!(answer(&format!("{line}\n")), answer(line));
        for stdout in [
            "",
            "\n",
            "text",
            "{}\n",
            "{}\n{}\n",
            r#"{"outcome":"other"}"#,
            r#"{"outcome":"result"}"#,
        ] {
            assert!(Answer::parse(stdout.as_bytes()).is_err(), "{stdout:?}");
        }
        let other = r#"{"outcome":"failed","message":"m"}"#;
        assert_eq!(
            answer(other),
            Answer::Failed {
                kind: String::new(),
                message: "m".to_owned()
            }
        );
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
