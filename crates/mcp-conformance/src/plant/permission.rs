//! Plants on permission, fence and results: on what gate, approvals, denials and ledger keep, and on what a model is told.

use mcp_wire::Delivery;

use super::left::{kept, seen};
use super::{Fault, Plant};
use crate::evidence::{Done, Evidence};
use crate::outcome::Outcome;
use crate::told::Told;

pub(super) const PLANTS: &[Plant] = &[
    kept(
        "R-161-2g",
        "approvals are asked about the remote name",
        |evidence| {
            for asked in &mut evidence.kept.asked {
                asked.local_name = Some(asked.remote_name.clone());
            }
        },
    ),
    kept("R-161-2g", "the gate is asked about the local name", |evidence| {
        for judged in &mut evidence.kept.judged {
            judged.remote_name.insert_str(0, "mcp_peer_");
        }
    }),
    kept(
        "R-161-2k",
        "the gate judges the class of an annotation",
        |evidence| {
            for judged in &mut evidence.kept.judged {
                judged.class = "publicContent".to_owned();
            }
        },
    ),
    kept(
        "R-161-2k",
        "an annotation switches the approval off",
        |evidence| {
            evidence.kept.asked.clear();
            for judged in &mut evidence.kept.judged {
                judged.approval = "off".to_owned();
            }
        },
    ),
    kept("R-161-2k", "a grant counts again and again", |evidence| {
        for asked in &mut evidence.kept.asked {
            asked.word = asked.word.replace("pending", "granted");
        }
    }),
    kept(
        "R-161-2l",
        "a remote tool above the ceiling is only observed",
        |evidence| {
            let kept = &mut evidence.kept;
            kept.denials.retain(|(_, reason)| reason != "trustZone");
            for judged in &mut kept.judged {
                judged.denied.take_if(|reason| reason == "trustZone");
            }
            on_failures(evidence, "above-trust-zone", |done| done.outcome = hello());
        },
    ),
    kept(
        "R-161-2l",
        "the ceiling is asked about before the administrator",
        |evidence| {
            for (_, reason) in &mut evidence.kept.denials {
                *reason = reason.replace("requiresAdmin", "trustZone");
            }
            for reason in evidence
                .kept
                .judged
                .iter_mut()
                .filter_map(|judged| judged.denied.as_mut())
            {
                *reason = reason.replace("requiresAdmin", "trustZone");
            }
            on_failures(evidence, "admin-required", |done| {
                if let Outcome::Failed { kind, .. } = &mut done.outcome {
                    "above-trust-zone".clone_into(kind);
                }
            });
        },
    ),
    kept(
        "R-161-3",
        "the stamp of a cancelled call is taken off",
        |evidence| {
            let cancelled = evidence
                .done
                .iter()
                .any(|done| done.outcome.kind() == Some("cancelled"));
            if cancelled {
                evidence.kept.steps.pop();
            }
        },
    ),
    seen("R-161-3", "a cancelled call is repeated", |log| {
        let call = log
            .requests
            .iter()
            .find(|request| request.member("method") == Some("tools/call"));
        let call = call.cloned();
        log.requests.extend(call);
    }),
    kept(
        "R-161-4a",
        "a tool that calls itself a read leaves no step",
        |evidence| {
            evidence.kept.steps.clear();
        },
    ),
    Plant {
        name: "a hint makes an imported tool idempotent",
        requirement: "R-161-4a",
        fault: Fault::Offered(|tool| "idempotent_write".clone_into(&mut tool.effect)),
    },
    kept("R-161-4b", "a call without a run is sent", |evidence| {
        on_failures(evidence, "no-run", |done| done.outcome = hello());
    }),
    kept("R-161-4b", "the handshake comes before the fence", |evidence| {
        if evidence.kept.steps.is_empty() {
            evidence.log.connections += 1;
        }
    }),
    kept("R-161-4b", "a run has no end of its calls", |evidence| {
        on_failures(evidence, "run-limit", |done| done.outcome = hello());
    }),
    kept(
        "R-161-4c",
        "an outcome that is not stored is given out",
        |evidence| {
            on_failures(evidence, "outcome-not-recorded", |done| done.outcome = hello());
        },
    ),
    kept(
        "R-161-4c",
        "the run goes on after a step that is not stored",
        |evidence| {
            evidence.kept.run = Some("open".to_owned());
        },
    ),
    kept(
        "R-161-4c",
        "the stamp of a step that is not stored is taken off",
        |evidence| {
            on_failures(evidence, "outcome-not-recorded", |_| {});
            evidence.kept.steps.retain(|step| step.outcome().is_some());
        },
    ),
    kept(
        "R-161-4d",
        "an executed call is kept among the denials",
        |evidence| {
            let calls = evidence.done.iter().filter(|done| done.is_call);
            let calls = calls.map(|_| ("a".to_owned(), "executed".to_owned()));
            evidence.kept.denials = calls.collect();
        },
    ),
    kept("R-161-4d", "a denial is not kept", |evidence| {
        evidence.kept.denials.clear()
    }),
    kept(
        "R-161-4d",
        "an approval that is denied is kept as a denial of the gate",
        |evidence| {
            let denied = evidence
                .done
                .iter()
                .filter(|done| done.outcome.kind() == Some("approval-denied"));
            let denied = denied.map(|_| ("a".to_owned(), "approvalDenied".to_owned()));
            evidence.kept.denials.extend(denied.collect::<Vec<_>>());
        },
    ),
    kept("R-161-4d", "a denial is a contact", |evidence| {
        evidence.contacts += evidence.kept.denials.len();
    }),
    told(
        "R-161-3",
        "a cancelled call is settled as one that was sent, and told as one that was not",
        |told, outcome| {
            if outcome.kind() == Some("cancelled") {
                told.delivery = Delivery::NotSent;
            }
        },
    ),
    told("R-161-4e", "isError is told as an answer", |told, outcome| {
        if let Outcome::ToolError { .. } = outcome {
            told.is_error = false;
        }
    }),
    told("R-161-4e", "a failure is told as an answer", |told, outcome| {
        if let Outcome::Failed { .. } = outcome {
            told.is_error = false;
        }
    }),
    told("R-161-4e", "a failure does not name the server", |told, _| {
        told.lead = told.lead.replace("[server peer] ", "");
    }),
    told(
        "R-161-4e",
        "a failure of the transport ends the run",
        |told, _| {
            if told.is_error {
                told.run = "ends";
            }
        },
    ),
    told(
        "R-161-2j",
        "a body beyond the bound is told to the model",
        |told, _| {
            told.text.push_str(&"x".repeat(1_000));
        },
    ),
    told("R-161-5a", "the note stands last", |told, _| {
        if let Some(note) = &told.note {
            told.text = told.text.replacen(note, "", 1) + note;
        }
    }),
    told("R-161-5a", "the note is cut off with the text", |told, _| {
        if told.text.len() > 49_000 {
            told.text = "é".repeat(25_000);
        }
    }),
    told("R-161-5a", "the bound counts characters", |told, _| {
        if let Some(marker) = told.text.rfind("\n[cut") {
            told.text.insert_str(marker, &"é".repeat(10_000));
        }
    }),
    told(
        "R-161-5a",
        "a word of the server stands in the note",
        |told, _| {
            told.note = told.note.take().map(|note| note.replace("other", "CANARY"));
        },
    ),
    kept("R-161-5a", "a block is not counted", |evidence| {
        for done in &mut evidence.done {
            if let Outcome::Result { text, .. } = &mut done.outcome {
                *text = text.replace("2 image", "1 image");
            }
        }
    }),
];

const fn told(requirement: &'static str, name: &'static str, alter: fn(&mut Told, &Outcome)) -> Plant {
    Plant {
        name,
        requirement,
        fault: Fault::Told(alter),
    }
}

/// Alters the operations that ended in a failure of this kind.
fn on_failures(evidence: &mut Evidence, kind: &str, alter: fn(&mut Done)) {
    let failed = evidence
        .done
        .iter_mut()
        .filter(|done| done.outcome.kind() == Some(kind));
    failed.for_each(alter);
}

/// What a call comes to that nothing stood against.
fn hello() -> Outcome {
    Outcome::Result {
        text: "hello".to_owned(),
        structured: None,
    }
}
