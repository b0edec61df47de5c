//! Plants on what a run left behind: outcomes, stores, the server's log and the project's own files.

use mcp_testkit::{PeerLog, RecordedRequest};

use super::{Fault, Plant};
use crate::check::CANARY;
use crate::evidence::Evidence;
use crate::outcome::Outcome;

const fn outcome(requirement: &'static str, name: &'static str, alter: fn(&mut Outcome)) -> Plant {
    plant(requirement, name, Fault::Outcome(alter))
}

const fn wording(requirement: &'static str, name: &'static str, alter: fn(&mut Outcome)) -> Plant {
    plant(requirement, name, Fault::Wording(alter))
}

pub(super) const fn seen(requirement: &'static str, name: &'static str, alter: fn(&mut PeerLog)) -> Plant {
    plant(requirement, name, Fault::Seen(alter))
}

pub(super) const fn kept(requirement: &'static str, name: &'static str, alter: fn(&mut Evidence)) -> Plant {
    plant(requirement, name, Fault::Kept(alter))
}

const fn plant(requirement: &'static str, name: &'static str, fault: Fault) -> Plant {
    Plant {
        name,
        requirement,
        fault,
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
    seen("R-227-1a", "a notification carries an id", |log| {
        edit_bodies(log, |body| {
            body.replace(
                "\"method\":\"notifications/",
                "\"id\":\"x-9\",\"method\":\"notifications/",
            )
        });
    }),
    seen("R-227-1a", "ids are numbers", |log| {
        edit_bodies(log, |body| body.replacen("\"id\":\"", "\"id\":7,\"was\":\"", 1));
    }),
    seen("R-227-1b", "every client has the same namespace", |log| {
        with_namespace(log, |_| "0")
    }),
    seen("R-227-1c", "every leg has the same id", |log| {
        edit_ids(log, |_| "x-1".to_owned())
    }),
    seen(
        "R-227-1c",
        "the sequence starts anew with each operation",
        |log| {
            let mut turn = 0;
            edit_ids(log, |id| {
                turn += 1;
                let namespace = id.rsplit_once('-').map_or(id, |(namespace, _)| namespace);
                format!("{namespace}-{}", 1 + turn % 2)
            });
        },
    ),
    seen("R-227-1d", "a child goes on in its parent's namespace", |log| {
        with_namespace(log, |_| "0")
    }),
    seen("R-227-1e", "a name is looked up before the refusal", |log| {
        log.look_ups.push("peer.example".to_owned());
    }),
    kept(
        "R-227-1e",
        "the credential is read before the refusal",
        |evidence| evidence.credential_reads += 1,
    ),
    outcome("R-227-1f", "the sequence wraps", |outcome| {
        *outcome = Outcome::Result {
            text: "hello".to_owned(),
            structured: None,
        };
    }),
    seen("R-227-1f", "a connection is made before the refusal", |log| {
        log.connections += 1
    }),
    seen("R-227-1g", "a session outlives its operation", |log| {
        let mut seen = false;
        log.requests.retain(|request| {
            let initialize = request.member("method") == Some("initialize");
            let again = initialize && seen;
            seen |= initialize;
            !again
        });
    }),
    outcome("R-227-2f", "the server's own no is malformed", |outcome| {
        if matches!(outcome, Outcome::RpcError { .. }) {
            fail(outcome, "invalid-json");
        }
    }),
    wording(
        "R-227-2h",
        "a wire fault counts as a failure of the network",
        |outcome| {
            if matches!(outcome, Outcome::Failed { .. }) {
                fail(outcome, "connection-lost");
            }
        },
    ),
    seen("R-227-3b", "a server request is answered", |log| {
        let answer = log.requests.last().cloned().map(|request| RecordedRequest {
            body: "{\"jsonrpc\":\"2.0\",\"id\":\"s-1\",\"result\":{}}".to_owned(),
            ..request
        });
        log.requests.extend(answer);
    }),
    seen("R-227-3i", "a stream is opened beside the answer", |log| {
        let stream = log.requests.last().cloned().map(|request| RecordedRequest {
            http_method: "GET".to_owned(),
            body: String::new(),
            ..request
        });
        log.requests.extend(stream);
    }),
    wording("R-227-4c", "the refused reply is quoted", |outcome| {
        if let Outcome::Failed { shown, .. } = outcome {
            shown.push_str(CANARY);
        }
    }),
    kept("R-227-4d", "a refusal counts as a contact", |evidence| {
        evidence.contacts += evidence
            .done
            .iter()
            .filter(|done| !done.outcome.is_completed())
            .count();
    }),
    seen("R-227-5a", "one id serves the whole connection", |log| {
        edit_ids(log, |_| "x-1".to_owned())
    }),
    seen("R-227-5c", "the credential goes with the first leg only", |log| {
        for request in log.requests.iter_mut().skip(1) {
            request.fields.retain(|(name, _)| name != "authorization");
        }
    }),
    kept("R-227-5c", "a call leaves no step", |evidence| {
        evidence.kept.steps.clear()
    }),
    seen("R-181-1", "only JSON is offered", |log| {
        for request in &mut log.requests {
            for (_, value) in request.fields.iter_mut().filter(|(name, _)| name == "accept") {
                *value = "application/json".to_owned();
            }
        }
    }),
    wording("R-181-2c", "no message and no response are one kind", |outcome| {
        if is_failed(outcome, "no-message") {
            fail(outcome, "no-response");
        }
    }),
    seen("R-181-3", "a server request is answered", |log| {
        let answer = log.requests.last().cloned();
        log.requests.extend(answer);
    }),
    wording("R-181-4", "an unreadable media type loses its kind", |outcome| {
        if is_failed(outcome, "unreadable-media-type") {
            fail(outcome, "invalid-json");
        }
    }),
    seen("R-161-7a", "the session is left open", |log| {
        log.requests.retain(|request| request.http_method != "DELETE");
    }),
    seen("R-161-7a", "the end of a session names none", |log| {
        for request in &mut log.requests {
            let ends = request.http_method == "DELETE";
            request
                .fields
                .retain(|(name, _)| !(ends && name == "mcp-session-id"));
        }
    }),
    seen("R-161-7b", "a cancelled request is not named", |log| {
        log.requests
            .retain(|request| request.member("method") != Some("notifications/cancelled"));
    }),
    seen("R-161-7b", "a cancelled handshake is named", |log| {
        let notice = log.requests.first().cloned();
        let notice = notice.map(|request| RecordedRequest {
            body: "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\"}".to_owned(),
            ..request
        });
        log.requests.extend(notice);
    }),
    outcome("R-161-7c", "a farewell that fails is a failure", |outcome| {
        fail(outcome, "connection-lost");
    }),
    seen("R-161-7d", "a call in a lost session is repeated", |log| {
        let call = log.requests.last().cloned();
        log.requests.extend(call);
    }),
];

/// Makes an outcome a failure of this kind.
fn fail(outcome: &mut Outcome, kind: &str) {
    *outcome = Outcome::Failed {
        kind: kind.to_owned(),
        delivery: "unknown".to_owned(),
        shown: String::new(),
    };
}

fn is_failed(outcome: &Outcome, with: &str) -> bool {
    matches!(outcome, Outcome::Failed { kind, .. } if kind == with)
}

fn edit_bodies(log: &mut PeerLog, edit: impl Fn(&str) -> String) {
    for request in &mut log.requests {
        request.body = edit(&request.body);
    }
}

fn edit_ids(log: &mut PeerLog, mut edit: impl FnMut(&str) -> String) {
    for request in &mut log.requests {
        if let Some(id) = request.member("id").map(str::to_owned) {
            request.body = request.body.replace(&id, &edit(&id));
        }
    }
}

fn with_namespace(log: &mut PeerLog, namespace: fn(&str) -> &'static str) {
    let mut turn = 0;
    edit_ids(log, |id| {
        turn += 1;
        format!("{}-{turn}", namespace(id))
    });
}
