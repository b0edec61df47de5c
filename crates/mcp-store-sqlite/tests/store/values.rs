//! Stored values that this program did not write: words of policy to the strict side, an opaque schema as it is, anything
//! else is damage.

use std::time::Duration;

use mcp_policy::catalogue::{RemoteTool, Standing, Withheld};
use mcp_policy::port::{
    CatalogueChange, CatalogueStore, Contact, Generation, HealthStore, ImportSuccess, ServerStore, SetAside,
    StoreError,
};
use mcp_policy::{ApprovalRule, DataClass, ServerRecord, Switch};
use mcp_testkit::block_on;
use mcp_testkit::store_suite::{row, tool_name};
use mcp_wire::{Credential, CredentialPlacement, CredentialRef, Endpoint};

use crate::support::{Directory, at, name};

/// A store with a server `a` under its laxest settings, its tool `x`, an import and a contact; then this is done to it.
fn with(statement: &str) -> Directory {
    let directory = Directory::new();
    let store = directory.open();
    let mut record = ServerRecord::new(name("a"), Endpoint::parse("https://srv.example/mcp").ok());
    record.class = Some(DataClass::PublicContent);
    record.approval = ApprovalRule::NotRequired;
    record.credentials.push(Credential {
        reference: CredentialRef("env:TOKEN".to_owned()),
        placement: CredentialPlacement::Bearer,
    });
    assert_eq!(block_on(store.add(record)), Ok(true));
    let mut tool = row(&name("a"), "x", "").unwrap();
    tool.confirm(tool.definition.fingerprint).unwrap();
    let change = CatalogueChange {
        server: name("a"),
        rows: vec![tool],
        import: Some(ImportSuccess {
            at: at(5),
            set_aside: vec![SetAside {
                name: Some(tool_name("y").unwrap()),
                reason: "schema-missing".to_owned(),
            }],
        }),
    };
    block_on(store.commit(Generation(0), change)).unwrap();
    let contact = Contact {
        at: at(5),
        latency: Duration::ZERO,
    };
    block_on(store.record(&name("a"), contact)).unwrap();
    assert_eq!(directory.raw().execute(statement, []), Ok(1), "{statement}");
    directory
}

fn record_of(directory: &Directory) -> ServerRecord {
    block_on(directory.open().server(&name("a"))).unwrap().unwrap()
}

#[test]
fn a_word_that_nobody_knows_is_read_to_the_strict_side() {
    let untouched = record_of(&with("UPDATE meta SET generation = 9"));
    assert_eq!(untouched.approval, ApprovalRule::NotRequired);
    for word in ["", "public", "OFF", "On", "future"] {
        let directory = with(&format!(
            "UPDATE servers SET class = '{word}', approval = '{word}', switch = '{word}'"
        ));
        let record = record_of(&directory);
        assert_eq!(record.class, Some(DataClass::SecretAdjacent), "{word}");
        assert_eq!(record.approval, ApprovalRule::Required, "{word}");
        assert_eq!(record.switch, Switch::Off, "{word}");
        let directory = with(&format!("UPDATE tools SET standing = '{word}'"));
        let snapshot = block_on(directory.open().catalogue()).unwrap();
        let tool = &snapshot.servers[&name("a")].rows[&tool_name("x").unwrap()];
        assert_eq!(tool.standing, Standing::Off, "{word}");
    }
    let unconfirmed = with("UPDATE tools SET confirmed = NULL");
    let snapshot = block_on(unconfirmed.open().catalogue()).unwrap();
    let tool = &snapshot.servers[&name("a")].rows[&tool_name("x").unwrap()];
    assert_eq!(tool.standing, Standing::Off);
}

#[test]
fn a_schema_that_cannot_be_used_leaves_its_row_alive() {
    for schema in ["''", "'{'", "'[]'", "'no json'", "CAST(x'7bff7d' AS TEXT)"] {
        let directory = with(&format!("UPDATE tools SET input_schema = {schema}"));
        let store = directory.open();
        let record = block_on(store.server(&name("a"))).unwrap().unwrap();
        let snapshot = block_on(store.catalogue()).unwrap();
        let tool = &snapshot.servers[&name("a")].rows[&tool_name("x").unwrap()];
        let withheld = RemoteTool::of_row(tool, record.terms()).unwrap_err();
        assert!(matches!(withheld, Withheld::Schema(_)), "{schema}: {withheld:?}");
    }
}

#[test]
fn a_record_that_cannot_be_read_is_damage() {
    for set in [
        "name = 'A B'",
        "url = 'ftp://srv.example/'",
        "url = ''",
        "url = CAST(x'ff' AS TEXT)",
        "tool_group = 'A'",
        "budget = 0",
        "budget = -1",
        "budget = 9223372036854775807",
        "walk_tools = -1",
        "walk_pages = -1",
        "reply_depth = -1",
        "reply_error_body_bytes = -1",
    ] {
        // The name's own children would hold it in place.
        let directory = with("DELETE FROM credentials");
        let raw = directory.raw();
        raw.execute_batch("PRAGMA foreign_keys = OFF").unwrap();
        raw.execute(&format!("UPDATE servers SET {set}"), []).unwrap();
        assert_eq!(
            block_on(directory.open().servers()),
            Err(StoreError::Corrupt),
            "{set}"
        );
    }
    for set in [
        "header = 'host'",
        "header = ''",
        "reference = CAST(x'ff' AS TEXT)",
    ] {
        let directory = with(&format!("UPDATE credentials SET {set}"));
        assert_eq!(
            block_on(directory.open().servers()),
            Err(StoreError::Corrupt),
            "{set}"
        );
    }
}

#[test]
fn a_row_that_cannot_be_read_is_damage() {
    for statement in [
        "UPDATE tools SET remote_name = ''",
        "UPDATE tools SET remote_name = char(10)",
        "UPDATE tools SET local_name = 'a b'",
        "UPDATE tools SET title = CAST(x'ff' AS TEXT)",
        "UPDATE tools SET fingerprint = ''",
        "UPDATE tools SET schema_fingerprint = upper(schema_fingerprint)",
        "UPDATE tools SET confirmed = 'mcp2:'",
        "UPDATE tools SET first_seen = -1",
        "UPDATE tools SET last_seen = -1",
        "UPDATE tools SET orphaned_since = -1",
        "UPDATE imports SET succeeded_at = -1",
        "UPDATE imports SET succeeded_at = NULL",
        "UPDATE set_aside SET name = ''",
        "UPDATE meta SET generation = -1",
        "DELETE FROM meta",
    ] {
        let directory = with(statement);
        assert_eq!(
            block_on(directory.open().catalogue()),
            Err(StoreError::Corrupt),
            "{statement}"
        );
    }
    for statement in ["UPDATE contacts SET at = -1", "UPDATE contacts SET latency = -1"] {
        let directory = with(statement);
        let last = block_on(directory.open().last(&name("a")));
        assert_eq!(last, Err(StoreError::Corrupt), "{statement}");
    }
}
