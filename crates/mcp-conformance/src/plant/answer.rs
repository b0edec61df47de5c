//! Plants on the bytes of an answer: each makes the client read what a client with the fault would make of them.

use super::{Fault, Leg, Plant};
use crate::reply::{HttpFraming, ScriptedReply};

pub(super) const fn on(
    requirement: &'static str,
    name: &'static str,
    alter: fn(&mut ScriptedReply, &Leg<'_>),
) -> Plant {
    Plant {
        name,
        requirement,
        fault: Fault::Reply(alter),
    }
}

pub(super) const PLANTS: &[Plant] = &[
    on("R-227-2a", "a batch of one is unwrapped", |reply, _| {
        edit(reply, |text| unwrap_batch(&text).unwrap_or(text));
    }),
    on("R-227-2b", "a missing version is supplied", |reply, _| {
        edit(reply, |text| {
            if text.contains("\"jsonrpc\"") {
                text
            } else {
                text.replacen('{', "{\"jsonrpc\":\"2.0\",", 1)
            }
        });
    }),
    on("R-227-2b", "any version is accepted", |reply, _| {
        edit(reply, |text| {
            text.replace("\"jsonrpc\":\"1.0\"", "\"jsonrpc\":\"2.0\"")
        });
    }),
    on("R-227-2c", "any id is accepted", |reply, leg| {
        edit(reply, |text| with_member(&text, "id", leg.id()));
    }),
    on("R-227-2c", "a missing id is supplied", |reply, leg| {
        edit(reply, |text| {
            if text.contains("\"id\"") {
                text
            } else {
                text.replacen('{', &format!("{{\"id\":{},", leg.id()), 1)
            }
        });
    }),
    on(
        "R-227-2c",
        "a null id is taken for the issued one",
        |reply, leg| {
            edit(reply, |text| {
                text.replace("\"id\":null", &format!("\"id\":{}", leg.id()))
            });
        },
    ),
    on(
        "R-227-2c",
        "ids of another type are taken for the issued one",
        |reply, leg| {
            edit(reply, |text| {
                text.replace("\"id\":1,", &format!("\"id\":{},", leg.id()))
            });
        },
    ),
    on("R-227-2d", "a null error counts as absent", |reply, _| {
        edit(reply, |text| text.replace(",\"error\":null", ""));
    }),
    on("R-227-2d", "a result hides an error", |reply, _| {
        edit(reply, |text| {
            match (text.find("\"result\""), text.find(",\"error\"")) {
                (Some(_), Some(at)) => text
                    .get(..at)
                    .map(|front| front.to_owned() + "}")
                    .unwrap_or_default(),
                (_, _) => text,
            }
        });
    }),
    on("R-227-2e", "a list is taken for an object", |reply, _| {
        edit(reply, |text| {
            text.replace("\"result\":[{}]", "\"result\":{}")
                .replace("\"result\":[]", "\"result\":{}")
        });
    }),
    on("R-227-2g", "a missing code becomes 0", |reply, _| {
        edit(reply, |text| {
            if text.contains("\"code\"") {
                text
            } else {
                text.replace("\"error\":{", "\"error\":{\"code\":0,")
            }
        });
    }),
    on("R-227-2g", "a missing message is invented", |reply, _| {
        edit(reply, |text| {
            if text.contains("\"message\"") {
                text
            } else {
                text.replace("\"error\":{", "\"error\":{\"message\":\"unknown\",")
            }
        });
    }),
    on("R-227-2g", "a code in a string is read", |reply, _| {
        edit(reply, |text| {
            text.replace("\"code\":\"-32601\"", "\"code\":-32601")
        });
    }),
    on(
        "R-227-2i",
        "the code is read as an integer's spelling only",
        |reply, _| {
            edit(reply, |text| {
                text.replace("\"code\":1.0", "\"code\":0")
                    .replace("\"code\":1e0", "\"code\":0")
            });
        },
    ),
    on(
        "R-227-2i",
        "the code goes through a floating-point number",
        |reply, _| {
            edit(reply, |text| {
                with_code(&text, |code| {
                    code.parse().ok().map(|code: f64| format!("{code:.0}"))
                })
            });
        },
    ),
    on("R-227-2j", "a fraction is cut off", |reply, _| {
        edit(reply, |text| {
            with_code(&text, |code| {
                code.split_once('.').map(|(whole, _)| whole.to_owned())
            })
        });
    }),
    on("R-227-2j", "a code out of range is clamped", |reply, _| {
        edit(reply, |text| {
            text.replace("9223372036854775808", "9223372036854775807")
        });
    }),
    on("R-227-2k", "every number is checked", |reply, _| {
        edit(reply, |text| text.replace("9007199254740993", "9007199254740992"));
    }),
    on("R-227-3a", "what follows the answer is not judged", |reply, _| {
        keep_events(reply, Keep::ToFirstResponse)
    }),
    on("R-227-3b", "a server message refuses the answer", |reply, _| {
        edit(reply, |text| {
            text.replace("\"method\":\"notifications/message\"", "\"result\":{}")
        });
    }),
    on("R-227-3c", "foreign responses are passed over", |reply, leg| {
        keep_events(reply, Keep::OnlyWith(leg.id()));
    }),
    on("R-227-3d", "the first response wins", |reply, _| {
        keep_events(reply, Keep::ToFirstResponse)
    }),
    on("R-227-3e", "a missing last chunk is no matter", |reply, _| {
        if reply.framing == HttpFraming::ChunkedOpen {
            reply.framing = HttpFraming::Chunked;
        }
    }),
    on("R-227-3f", "what lies beyond the bound is cut off", |reply, _| {
        if reply.body.len() > BOUND {
            keep_events(reply, Keep::ToFirstResponse);
        }
    }),
    on("R-227-3f", "the bound is one byte too small", |reply, _| {
        if reply.body.len() == BOUND {
            reply.body.push(b' ');
        }
    }),
    on("R-227-3g", "a body that ends early is complete", |reply, leg| {
        if !leg.method().starts_with("notifications/") {
            reply.overstate = 0;
            reply.cut = 0;
        }
    }),
    on(
        "R-227-3h",
        "the answer to a notification is parsed",
        |reply, leg| {
            if leg.method().starts_with("notifications/") && !reply.body.is_empty() {
                reply.status = 500;
            }
        },
    ),
    on(
        "R-227-5b",
        "a healthy answer has an id of its own",
        |reply, leg| {
            edit(reply, |text| text.replace(leg.id(), "\"fixed-1\""));
        },
    ),
    on("R-181-2a", "only LF ends a line", |reply, _| {
        edit(reply, |text| text.replace("\r\n", "\u{b7}\n"))
    }),
    on("R-181-2a", "data lines do not join", |reply, _| {
        edit(reply, |text| text.replace(",\r\ndata: ", ",\r\n\r\ndata: "));
    }),
    on("R-181-2b", "a frame with a method is a response", |reply, _| {
        edit(reply, |text| text.replace("\"method\":\"ping\"", "\"result\":{}"));
    }),
    on(
        "R-181-5",
        "a stream without end is cut off and accepted",
        |reply, _| {
            if reply.framing == HttpFraming::ChunkedOpen && reply.body.len() > BOUND {
                keep_events(reply, Keep::ToFirstResponse);
                reply.framing = HttpFraming::Chunked;
            }
        },
    ),
    on("R-181-6", "a framed answer is not read", |reply, _| {
        if reply.media_type.as_deref() == Some("text/event-stream") {
            reply.media_type = Some("text/plain".to_owned());
        }
    }),
    Plant {
        name: "what a refusal asks for is lost",
        requirement: "R-161-7e",
        fault: Fault::ReplyWording(|reply, _| {
            reply
                .fields
                .retain(|(name, _)| !matches!(name.as_str(), "WWW-Authenticate" | "Retry-After"));
        }),
    },
    Plant {
        name: "the budget lasts twice as long",
        requirement: "R-227-4b",
        fault: Fault::Time(|elapsed| elapsed / 2),
    },
];

const BOUND: usize = 2 * 1_024 * 1_024;

/// Bodies that are edited; larger ones are left alone.
const EDITED_BYTES: usize = 256 * 1_024;

pub(super) fn edit(reply: &mut ScriptedReply, edit: impl FnOnce(String) -> String) {
    if reply.body.len() <= EDITED_BYTES
        && let Ok(text) = String::from_utf8(reply.body.clone())
    {
        reply.body = edit(text).into_bytes();
    }
}

/// The text inside a batch of one message, be it framed as an event.
fn unwrap_batch(text: &str) -> Option<String> {
    let (front, batch) = text.split_at(text.find('[')?);
    let start = front.is_empty() || front == "data: ";
    let inner = batch.strip_prefix('[')?.trim_end().strip_suffix(']')?;
    (start && inner.starts_with('{'))
        .then(|| format!("{front}{inner}{}", if front.is_empty() { "" } else { "\n\n" }))
}

/// The text with the value of the first string member `name` replaced.
fn with_member(text: &str, name: &str, value: &str) -> String {
    let mark = format!("\"{name}\":");
    let replaced = text.split_once(&mark).and_then(|(front, rest)| {
        let rest = rest.trim_start();
        let end = rest.find([',', '}'])?;
        Some(format!("{front}{mark}{value}{}", rest.get(end..)?))
    });
    replaced.unwrap_or_else(|| text.to_owned())
}

/// The text with its error code read and spelled anew.
fn with_code(text: &str, respell: impl FnOnce(&str) -> Option<String>) -> String {
    let respelled = text.split_once("\"code\":").and_then(|(front, rest)| {
        let end = rest.find([',', '}'])?;
        let (code, rest) = rest.split_at(end);
        Some(format!("{front}\"code\":{}{rest}", respell(code)?))
    });
    respelled.unwrap_or_else(|| text.to_owned())
}

/// Which events of a stream are kept.
enum Keep<'a> {
    ToFirstResponse,
    OnlyWith(&'a str),
}

fn keep_events(reply: &mut ScriptedReply, keep: Keep<'_>) {
    if reply.media_type.as_deref() != Some("text/event-stream") {
        return;
    }
    let Ok(text) = String::from_utf8(reply.body.clone()) else {
        return;
    };
    let is_response = |event: &str| event.contains("\"result\"") || event.contains("\"error\"");
    let mut kept = String::new();
    for event in text.split_inclusive("\n\n") {
        match keep {
            Keep::ToFirstResponse => {
                kept += event;
                if is_response(event) {
                    break;
                }
            }
            Keep::OnlyWith(id) => {
                if !is_response(event) || event.contains(id) {
                    kept += event;
                }
            }
        }
    }
    reply.body = kept.into_bytes();
}
