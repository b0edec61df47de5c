//! The one line in which a client in another process says what its call came to.

use serde::{Deserialize, Deserializer};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::outcome::Outcome;
use crate::plant::Plant;

/// The one line of a client, in the form of `mcpctl --json`.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Answer {
    Result {
        text: String,
        /// The raw text of the structured content; `None` when the client does not say.
        structured: Option<String>,
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
    outcome: Word,
    text: Option<String>,
    code: Option<Value>,
    #[serde(default, deserialize_with = "raw")]
    structured: Option<String>,
    #[serde(default)]
    kind: String,
    #[serde(default)]
    message: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Word {
    Result,
    ToolError,
    RpcError,
    Failed,
}

/// The text of a member that is there, be it null.
fn raw<'de, D: Deserializer<'de>>(member: D) -> Result<Option<String>, D::Error> {
    Box::<RawValue>::deserialize(member).map(|raw| Some(raw.get().to_owned()))
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
            Word::Result => Self::Result {
                text: text?,
                structured: line.structured,
            },
            Word::ToolError => Self::ToolError { text: text? },
            Word::RpcError => Self::RpcError {
                code: line.code.ok_or_else(|| lacks("code"))?,
            },
            Word::Failed => Self::Failed {
                kind: line.kind,
                message: line.message,
            },
        })
    }
}

impl Answer {
    /// The answer of a client with this fault.
    pub(super) fn planted(self, plant: Plant) -> Self {
        let Some(outcome) = self.outcome() else {
            return self;
        };
        let mut altered = outcome.clone();
        plant.alter_outcome(&mut altered);
        if altered == outcome {
            return self;
        }
        match altered {
            Outcome::Result { text, structured } => Self::Result { text, structured },
            Outcome::ToolError { text } => Self::ToolError { text },
            Outcome::RpcError { code, .. } => Self::RpcError { code: code.into() },
            Outcome::Failed { kind, shown, .. } => Self::Failed { kind, message: shown },
            Outcome::Pong { .. }
            | Outcome::Tools { .. }
            | Outcome::Imported { .. }
            | Outcome::Offered { .. } => self,
        }
    }

    /// The same as the suite has it for a client in its own process; `None` for a code that no such outcome holds.
    fn outcome(&self) -> Option<Outcome> {
        Some(match self.clone() {
            Self::Result { text, structured } => Outcome::Result { text, structured },
            Self::ToolError { text } => Outcome::ToolError { text },
            Self::RpcError { code } => Outcome::RpcError {
                code: code.as_i64()?,
                message: String::new(),
                http_status: None,
            },
            Self::Failed { kind, message } => Outcome::Failed {
                kind,
                delivery: String::new(),
                shown: message,
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plant::all;

    fn answer(line: &str) -> Answer {
        Answer::parse(line.as_bytes()).unwrap()
    }

    #[test]
    fn an_answer_is_one_line_in_the_form_of_mcpctl() {
        let line = r#"{"outcome":"result","text":"a","structured":{"n":1e400},"omitted":{}}"#;
        let (text, structured) = ("a".to_owned(), Some(r#"{"n":1e400}"#.to_owned()));
        let result = Answer::Result { text, structured };
        assert_eq!(Answer::parse(line.as_bytes()), Ok(result));
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
    fn a_plant_alters_the_class_or_nothing() {
        let named = |name: &str| all().find(|plant| plant.name == name).unwrap();
        let malformed = named("the server's own no is malformed");
        let no = answer(r#"{"outcome":"rpc_error","code":-1,"message":"m"}"#);
        let refused = no.clone().planted(malformed);
        assert!(matches!(refused, Answer::Failed { .. }), "{refused:?}");
        assert_eq!(no.clone().planted(Plant::NONE), no);
        let result = answer(r#"{"outcome":"result","text":"a","structured":{"n":1}}"#);
        assert_eq!(result.clone().planted(malformed), result);
    }
}
