//! Plants on what a run left behind: outcomes, stores and the server's log.

use mcp_testkit::RecordedRequest;

use super::{Fault, Plant};
use crate::check::CANARY;
use crate::evidence::Evidence;
use crate::outcome::Outcome;

const fn on(requirement: &'static str, name: &'static str, alter: fn(&mut Evidence)) -> Plant {
    Plant {
        name,
        requirement,
        fault: Fault::Evidence(alter),
    }
}

pub(super) const PLANTS: &[Plant] = &[
    Plant {
        name: "the challenge is counted with the probe",
        requirement: "R-227-0",
        fault: Fault::Set(|set| if set == "challenge" { "reconstruction" } else { set }),
    },
    Plant {
        name: "a document calls ids unique",
        requirement: "R-227-1h",
        fault: Fault::Text(|text| text + "\nRequest ids are guaranteed unique.\n"),
    },
    Plant {
        name: "cancellation moves to the front",
        requirement: "R-227-4a",
        fault: Fault::Text(|text| {
            text.replace(", cancellation: &dyn Cancellation)", ")").replace(
                "call_tool(&self, ",
                "call_tool(&self, cancellation: &dyn Cancellation, ",
            )
        }),
    },
    on("R-227-1a", "a notification carries an id", |evidence| {
        edit_bodies(evidence, |body| {
            body.replace(
                "\"method\":\"notifications/",
                "\"id\":\"x-9\",\"method\":\"notifications/",
            )
        });
    }),
    on("R-227-1a", "ids are numbers", |evidence| {
        edit_bodies(evidence, |body| {
            body.replacen("\"id\":\"", "\"id\":7,\"was\":\"", 1)
        });
    }),
    on("R-227-1b", "every client has the same namespace", |evidence| {
        with_namespace(evidence, |_| "0")
    }),
    on("R-227-1c", "every leg has the same id", |evidence| {
        edit_ids(evidence, |_| "x-1".to_owned())
    }),
    on(
        "R-227-1c",
        "the sequence starts anew with each operation",
        |evidence| {
            let mut turn = 0;
            edit_ids(evidence, |id| {
                turn += 1;
                let namespace = id.rsplit_once('-').map_or(id, |(namespace, _)| namespace);
                format!("{namespace}-{}", 1 + turn % 2)
            });
        },
    ),
    on(
        "R-227-1d",
        "a child goes on in its parent's namespace",
        |evidence| with_namespace(evidence, |_| "0"),
    ),
    on("R-227-1e", "a name is looked up before the refusal", |evidence| {
        evidence.log.look_ups.push("peer.example".to_owned());
    }),
    on(
        "R-227-1e",
        "the credential is read before the refusal",
        |evidence| evidence.credential_reads += 1,
    ),
    on("R-227-1f", "the sequence wraps", |evidence| {
        for outcome in &mut evidence.outcomes {
            *outcome = Outcome::Result {
                text: "hello".to_owned(),
                structured: None,
            };
        }
    }),
    on(
        "R-227-1f",
        "a connection is made before the refusal",
        |evidence| evidence.log.connections += 1,
    ),
    on("R-227-1g", "a session outlives its operation", |evidence| {
        let mut seen = false;
        evidence.log.requests.retain(|request| {
            let initialize = request.member("method") == Some("initialize");
            let again = initialize && seen;
            seen |= initialize;
            !again
        });
    }),
    on("R-227-2f", "the server's own no is malformed", |evidence| {
        replace(evidence, "invalid-json", |outcome| {
            matches!(outcome, Outcome::RpcError { .. })
        });
    }),
    on(
        "R-227-2h",
        "a wire fault counts as a failure of the network",
        |evidence| {
            replace(evidence, "connection-lost", |outcome| {
                matches!(outcome, Outcome::Failed { .. })
            });
        },
    ),
    on("R-227-3b", "a server request is answered", |evidence| {
        let answer = evidence
            .log
            .requests
            .last()
            .cloned()
            .map(|request| RecordedRequest {
                body: "{\"jsonrpc\":\"2.0\",\"id\":\"s-1\",\"result\":{}}".to_owned(),
                ..request
            });
        evidence.log.requests.extend(answer);
    }),
    on("R-227-3i", "a stream is opened beside the answer", |evidence| {
        let stream = evidence
            .log
            .requests
            .last()
            .cloned()
            .map(|request| RecordedRequest {
                http_method: "GET".to_owned(),
                body: String::new(),
                ..request
            });
        evidence.log.requests.extend(stream);
    }),
    on("R-227-4c", "the refused reply is quoted", |evidence| {
        for outcome in &mut evidence.outcomes {
            if let Outcome::Failed { shown, .. } = outcome {
                shown.push_str(CANARY);
            }
        }
    }),
    on("R-227-4d", "a refusal counts as a contact", |evidence| {
        evidence.contacts += evidence
            .outcomes
            .iter()
            .filter(|outcome| !outcome.is_completed())
            .count();
    }),
    on("R-227-5a", "one id serves the whole connection", |evidence| {
        edit_ids(evidence, |_| "x-1".to_owned())
    }),
    on(
        "R-227-5c",
        "the credential goes with the first leg only",
        |evidence| {
            for request in evidence.log.requests.iter_mut().skip(1) {
                request.fields.retain(|(name, _)| name != "authorization");
            }
        },
    ),
    on("R-227-5c", "a call leaves no step", |evidence| {
        evidence.steps.clear()
    }),
    on("R-181-1", "only JSON is offered", |evidence| {
        for request in &mut evidence.log.requests {
            for (_, value) in request.fields.iter_mut().filter(|(name, _)| name == "accept") {
                *value = "application/json".to_owned();
            }
        }
    }),
    on(
        "R-181-2c",
        "no message and no response are one kind",
        |evidence| {
            replace(evidence, "no-response", |outcome| {
                is_failed(outcome, "no-message")
            });
        },
    ),
    on("R-181-3", "a server request is answered", |evidence| {
        let answer = evidence.log.requests.last().cloned();
        evidence.log.requests.extend(answer);
    }),
    on("R-181-4", "an unreadable media type loses its kind", |evidence| {
        replace(evidence, "invalid-json", |outcome| {
            is_failed(outcome, "unreadable-media-type")
        });
    }),
    on("R-161-7a", "the session is left open", |evidence| {
        evidence
            .log
            .requests
            .retain(|request| request.http_method != "DELETE");
    }),
    on("R-161-7a", "the end of a session names none", |evidence| {
        for request in &mut evidence.log.requests {
            let ends = request.http_method == "DELETE";
            request
                .fields
                .retain(|(name, _)| !(ends && name == "mcp-session-id"));
        }
    }),
    on("R-161-7b", "a cancelled request is not named", |evidence| {
        evidence
            .log
            .requests
            .retain(|request| request.member("method") != Some("notifications/cancelled"));
    }),
    on("R-161-7b", "a cancelled handshake is named", |evidence| {
        let notice = evidence.log.requests.first().cloned();
        let notice = notice.map(|request| RecordedRequest {
            body: "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\"}".to_owned(),
            ..request
        });
        evidence.log.requests.extend(notice);
    }),
    on("R-161-7c", "a farewell that fails is a failure", |evidence| {
        replace(evidence, "connection-lost", |_| true);
    }),
    on("R-161-7d", "a call in a lost session is repeated", |evidence| {
        let call = evidence.log.requests.last().cloned();
        evidence.log.requests.extend(call);
    }),
];

/// Makes each outcome that `is` picks a failure of another kind.
fn replace(evidence: &mut Evidence, kind: &str, is: impl Fn(&Outcome) -> bool) {
    for outcome in evidence.outcomes.iter_mut().filter(|outcome| is(outcome)) {
        let (kind, delivery) = (kind.to_owned(), "unknown".to_owned());
        *outcome = Outcome::Failed {
            kind,
            delivery,
            shown: String::new(),
        };
    }
}

fn is_failed(outcome: &Outcome, with: &str) -> bool {
    matches!(outcome, Outcome::Failed { kind, .. } if kind == with)
}

fn edit_bodies(evidence: &mut Evidence, edit: impl Fn(&str) -> String) {
    for request in &mut evidence.log.requests {
        request.body = edit(&request.body);
    }
}

fn edit_ids(evidence: &mut Evidence, mut edit: impl FnMut(&str) -> String) {
    for request in &mut evidence.log.requests {
        if let Some(id) = request.member("id").map(str::to_owned) {
            request.body = request.body.replace(&id, &edit(&id));
        }
    }
}

fn with_namespace(evidence: &mut Evidence, namespace: fn(&str) -> &'static str) {
    let mut turn = 0;
    edit_ids(evidence, |id| {
        turn += 1;
        format!("{}-{turn}", namespace(id))
    });
}
