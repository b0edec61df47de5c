//! Plants on imports: on the definitions that are read, on what the store holds, and on what gate and model see.

use super::answer::{edit, on};
use super::left::{kept, seen};
use super::{Fault, Plant};
use crate::catalogue::{Catalogue, OfferedTool, Row};
use crate::evidence::{Done, Evidence};
use crate::outcome::Outcome;

pub(super) const PLANTS: &[Plant] = &[
    seen(
        "R-161-2d",
        "the next page is asked for without its cursor",
        |log| {
            for request in &mut log.requests {
                request.body = request.body.replace("\"cursor\"", "\"page\"");
            }
        },
    ),
    kept(
        "R-161-2d",
        "a list without end is cut off and stored",
        |evidence| {
            for done in failed_imports(evidence) {
                done.outcome = Outcome::Imported {
                    added: vec!["mcp_peer_t".to_owned()],
                    changed: Vec::new(),
                    drifted: Vec::new(),
                    returned: Vec::new(),
                    orphaned: Vec::new(),
                };
            }
        },
    ),
    kept(
        "R-161-2e",
        "a schema is stored as the server wrote it",
        |evidence| {
            each_row(evidence, |row| {
                row.schema = row
                    .schema
                    .replacen('{', "{\"title\":\"T\",\"readOnlyHint\":true,", 1);
            });
        },
    ),
    on("R-161-2e", "a member that is kept is lost", |reply, _| {
        edit(reply, |text| text.replace(",\"additionalProperties\":false", ""));
    }),
    on("R-161-2e", "the filter goes below the root", |reply, _| {
        edit(reply, |text| text.replace(",\"default\":\"x\"", ""));
    }),
    offered("R-161-2e", "the model sees what was not kept", |tool| {
        tool.schema = tool.schema.replacen('{', "{\"title\":\"T\",", 1);
    }),
    on("R-161-2f", "a reference is repaired", |reply, _| {
        edit(reply, |text| text.replace("\"$ref\":\"#/x\"", "\"title\":\"x\""));
    }),
    on(
        "R-161-2f",
        "a union is narrowed to the object in it",
        |reply, _| {
            edit(reply, |text| text.replace("[\"object\",\"null\"]", "\"object\""));
        },
    ),
    on("R-161-2f", "a conditional is left out", |reply, _| {
        edit(reply, |text| {
            text.replace("\"if\":", "\"examples\":")
                .replace("\"then\":", "\"default\":")
        });
    }),
    kept("R-161-2f", "what is refused is stored too", |evidence| {
        each_after(evidence, |_, after| {
            let refused = after.set_aside.iter().filter_map(|(name, _)| name.clone());
            after
                .rows
                .extend(refused.map(|name| row(&format!("mcp_peer_{name}"))));
        });
    }),
    kept("R-161-2f", "one bad schema refuses the whole list", |evidence| {
        each_after(evidence, |_, after| {
            if !after.set_aside.is_empty() {
                after.rows.clear();
            }
        });
    }),
    kept("R-161-2f", "a definition is dropped without a word", |evidence| {
        each_after(evidence, |_, after| {
            after.set_aside.clear();
            after.status = after.status.replace("partial", "ok");
        });
    }),
    kept("R-161-2f", "every refusal has one kind", |evidence| {
        each_after(evidence, |_, after| {
            for (_, kind) in &mut after.set_aside {
                *kind = "schema-refused".to_owned();
            }
        });
    }),
    kept(
        "R-161-2f",
        "a stored text that is no object is offered",
        |evidence| {
            for done in &mut evidence.done {
                if let Outcome::Offered { tools } = &mut done.outcome {
                    let spoilt = done.after.rows.iter().find(|row| !row.schema.starts_with('{'));
                    let neighbour = tools.first().cloned();
                    let tool = spoilt.zip(neighbour).map(|(row, tool)| OfferedTool {
                        name: row.name.clone(),
                        schema: row.schema.clone(),
                        ..tool
                    });
                    tools.splice(0..0, tool);
                }
            }
        },
    ),
    kept(
        "R-161-2f",
        "a row whose schema is spoilt is deleted",
        |evidence| {
            each_after(evidence, |_, after| {
                after.rows.retain(|row| row.schema.starts_with('{'))
            });
        },
    ),
    seen("R-161-2g", "the local name goes on the wire", |log| {
        for request in &mut log.requests {
            request.body = request
                .body
                .replace("\"name\":\"fetch-URL_2\"", "\"name\":\"mcp_peer_fetch-URL_2\"");
        }
    }),
    offered("R-161-2g", "gate and model see the remote name", |tool| {
        tool.name.clone_from(&tool.remote_name);
    }),
    offered("R-161-2k", "an annotation makes the class public", |tool| {
        tool.class = "publicContent".to_owned();
    }),
    offered("R-161-2k", "an annotation takes the approval away", |tool| {
        tool.approval = "off".to_owned();
    }),
    offered("R-161-2k", "every imported tool needs an approval", |tool| {
        tool.approval = "on".to_owned();
    }),
    offered("R-161-2k", "a hint makes a write a read", |tool| {
        tool.effect = "read_only".to_owned();
    }),
    offered("R-161-2k", "a tool is for everybody", |tool| tool.admin = false),
    offered("R-161-2k", "a tool is on by default", |tool| {
        tool.on_by_default = true
    }),
    offered("R-161-2k", "an imported tool counts as the host's own", |tool| {
        tool.remote = false
    }),
    kept("R-161-8a", "an import is no contact", |evidence| {
        let imports = evidence
            .done
            .iter()
            .filter(|done| matches!(done.outcome, Outcome::Imported { .. }));
        evidence.contacts -= imports.count();
    }),
    kept("R-161-8a", "every page is a contact", |evidence| {
        let pages = evidence.log.requests.iter();
        let pages = pages.filter(|request| request.member("method") == Some("tools/list"));
        evidence.contacts += pages.count().saturating_sub(1);
    }),
    kept("R-161-8a", "isError is no contact", |evidence| {
        let errors = evidence
            .done
            .iter()
            .filter(|done| matches!(done.outcome, Outcome::ToolError { .. }));
        evidence.contacts -= errors.count();
    }),
    kept("R-161-8a", "a failure is a contact", |evidence| {
        evidence.contacts += failed_imports(evidence).count();
    }),
    kept("R-161-8b", "the pages before a failure are stored", |evidence| {
        for done in failed_imports(evidence) {
            done.after.rows.push(row("mcp_peer_t"));
        }
    }),
    kept(
        "R-161-8b",
        "a failed import leaves an empty catalogue",
        |evidence| {
            for done in failed_imports(evidence) {
                done.after.rows.clear();
            }
        },
    ),
    kept("R-161-8b", "a failed import is not noted", |evidence| {
        for done in failed_imports(evidence) {
            done.after.status.clone_from(&done.before.status);
            done.after.reason = None;
        }
    }),
    kept(
        "R-161-8b",
        "the reason of a failed import is the server's",
        |evidence| {
            for done in failed_imports(evidence) {
                done.after.reason = Some("CANARY".to_owned());
            }
        },
    ),
    kept("R-161-8b", "the server is asked before a refusal", |evidence| {
        let refused =
            |done: &Done| matches!(&done.outcome, Outcome::Failed { delivery, .. } if delivery == "not-sent");
        if evidence.done.iter().any(refused) {
            evidence.log.connections += 1;
            let first = evidence.log.requests.first().cloned();
            evidence.log.requests.extend(first);
        }
    }),
    kept(
        "R-161-8c",
        "a ping notes its failure in the catalogue",
        |evidence| {
            each_after(evidence, |outcome, after| {
                if matches!(outcome, Outcome::Failed { .. }) {
                    after.status = "error".to_owned();
                }
            });
        },
    ),
    kept("R-161-8c", "a ping counts as an import", |evidence| {
        each_after(evidence, |_, after| {
            after.status = after.status.replace("never_imported", "ok");
        });
    }),
    kept("R-029-5c", "a tool that drifted stays on", |evidence| {
        each_row(evidence, |row| row.on = true);
    }),
    kept("R-029-5d", "an orphaned row is deleted", |evidence| {
        each_after(evidence, |_, after| {
            after.rows.retain(|row| row.orphaned_ms.is_none())
        });
    }),
    kept("R-029-5d", "the last absence counts", |evidence| {
        each_row(evidence, |row| {
            row.orphaned_ms = row.orphaned_ms.map(|since| since + 20)
        });
    }),
    kept("R-029-5e", "a tool that returns is another one", |evidence| {
        for done in &mut evidence.done {
            if let Outcome::Imported { returned, .. } = &done.outcome {
                for row in done
                    .after
                    .rows
                    .iter_mut()
                    .filter(|row| returned.contains(&row.name))
                {
                    row.first_seen_ms += 1;
                }
            }
        }
    }),
    kept("R-029-5h", "an import switches a tool on", |evidence| {
        for done in &mut evidence.done {
            if let Outcome::Imported { .. } = &done.outcome {
                done.after.rows.iter_mut().for_each(|row| row.on = true);
            }
        }
    }),
];

const fn offered(requirement: &'static str, name: &'static str, alter: fn(&mut OfferedTool)) -> Plant {
    Plant {
        name,
        requirement,
        fault: Fault::Offered(alter),
    }
}

/// The imports that did not complete, refused ones among them.
fn failed_imports(evidence: &mut Evidence) -> impl Iterator<Item = &mut Done> {
    let failed = |done: &&mut Done| done.is_import && !done.outcome.is_completed();
    evidence.done.iter_mut().filter(failed)
}

fn each_after(evidence: &mut Evidence, alter: impl Fn(&Outcome, &mut Catalogue)) {
    for done in &mut evidence.done {
        alter(&done.outcome, &mut done.after);
    }
}

fn each_row(evidence: &mut Evidence, alter: impl Fn(&mut Row)) {
    each_after(evidence, |_, after| after.rows.iter_mut().for_each(&alter));
}

/// A row that no oracle expects.
fn row(name: &str) -> Row {
    Row {
        name: name.to_owned(),
        on: false,
        orphaned_ms: None,
        first_seen_ms: 0,
        schema: "{\"type\":\"object\"}".to_owned(),
        annotations: None,
    }
}
