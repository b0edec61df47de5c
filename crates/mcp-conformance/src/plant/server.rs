//! Plants on conversations with the server: what it hears, what it says, and the sources of its transports.

use serde_json::Value;

use super::{Fault, Plant};
use crate::server::{Heard, Said};

const fn said(requirement: &'static str, name: &'static str, alter: fn(&mut Said)) -> Plant {
    Plant {
        name,
        requirement,
        fault: Fault::Said(alter),
    }
}

const fn heard(requirement: &'static str, name: &'static str, alter: fn(&mut Heard)) -> Plant {
    Plant {
        name,
        requirement,
        fault: Fault::Heard(alter),
    }
}

pub(super) const PLANTS: &[Plant] = &[
    Plant {
        name: "a transport answers every other variant alike",
        requirement: "R-0009-1",
        fault: Fault::Text(|text| text.replace("ContextResult::ProtocolVersionMismatch(refusal)", "_")),
    },
    heard(
        "R-0009-2",
        "an unknown session is answered like a missing one",
        |heard| {
            if heard.status == Some(404) {
                heard.status = Some(400);
            }
        },
    ),
    heard(
        "R-0009-2",
        "the code of an unknown session is that of a missing one",
        |heard| {
            codes(heard, -32_001, -32_000);
        },
    ),
    said("R-0009-2", "a message without a session gets one", |said| {
        said.fields
            .entry("mcp-session-id".into())
            .or_insert_with(|| "00000000000000000000000000000000".into());
    }),
    said("R-0009-2", "the revision is judged before the look-up", |said| {
        let foreign = said
            .fields
            .get("mcp-protocol-version")
            .is_some_and(|version| version == "1999-01-01");
        if foreign {
            said.fields.remove("mcp-session-id");
        }
    }),
    Plant {
        name: "a transport knows ping by name",
        requirement: "R-0009-3",
        fault: Fault::Text(|text| text.replace("\"initialize\"", "\"ping\"")),
    },
    Plant {
        name: "a message besides initialize gets the empty context",
        requirement: "R-0009-3",
        fault: Fault::Text(|text| text + "\nContext::empty()\n"),
    },
    said(
        "R-0009-4",
        "an absent revision is taken for an unsupported one",
        |said| {
            said.fields
                .entry("mcp-protocol-version".into())
                .or_insert_with(|| "2024-10-07".into());
        },
    ),
    said("R-0009-4", "an unsupported revision is passed over", |said| {
        said.fields.remove("mcp-protocol-version");
    }),
    said(
        "R-0009-5",
        "a request before the notification is handled",
        |said| {
            if said.text.contains("\"id\":1,") && said.text.contains("\"echo\"") {
                said.text = said.text.replace("\"echo\"", "\"ping\"");
            }
        },
    ),
    said("R-0009-5", "a ping needs the notification", |said| {
        said.text = said.text.replace("\"method\":\"ping\"", "\"method\":\"echo\"");
    }),
    heard("R-0009-6", "stdio has codes of its own", |heard| {
        codes(heard, -32_000, -32_602);
    }),
    heard("R-0009-6", "stdio is silent about a refused request", |heard| {
        if heard.status.is_none() {
            heard.answers.retain(|answer| answer.get("error").is_none());
        }
    }),
    heard("R-0009-7", "a refusal says why", |heard| {
        for answer in &mut heard.answers {
            if let Some(Value::String(message)) = answer.pointer_mut("/error/message") {
                message.push_str(": it expired");
            }
        }
    }),
    heard("R-0009-7", "a refusal lists the revisions", |heard| {
        for answer in &mut heard.answers {
            if let Some(Value::Object(error)) = answer.get_mut("error") {
                error.insert("data".into(), "2025-11-25".into());
            }
        }
    }),
    Plant {
        name: "a transport has a text of its own",
        requirement: "R-0009-7",
        fault: Fault::Text(|text| text + "\n// \"2025-11-25\" there is no such session\n"),
    },
];

fn codes(heard: &mut Heard, from: i64, to: i64) {
    for answer in &mut heard.answers {
        if let Some(code) = answer.pointer_mut("/error/code")
            && *code == from
        {
            *code = to.into();
        }
    }
}
