//! Claims on how imports went: the last success, and a failure after it.

use mcp_policy::port::{ImportFailure, Imports};

use super::bench::{Bench, Held, same};
use super::samples::{change, rows, server_name, success, time};

pub(super) fn a_success_comes_back_as_it_was(bench: &mut Bench<'_>) -> Held {
    let name = server_name("a")?;
    bench.add(&[&name])?;
    same("before any import", bench.imports(&name)?, Imports::default())?;
    let long = "n".repeat(1_024);
    let set_aside = [
        (Some("z"), "schema-missing"),
        (None, "not-object"),
        (Some(long.as_str()), ""),
        (Some("a"), "name-ambiguous"),
        (Some("a"), "name-ambiguous"),
    ];
    for list in [set_aside.as_slice(), set_aside.get(..2).unwrap_or_default(), &[]] {
        let success = success(5, list)?;
        bench.import(&name, success.clone())?;
        let expected = Imports {
            success: Some(success),
            failure: None,
        };
        same("after an import", bench.imports(&name)?, expected)?;
    }
    Ok(())
}

pub(super) fn a_change_without_an_import_leaves_imports_as_they_are(bench: &mut Bench<'_>) -> Held {
    let name = server_name("a")?;
    bench.add(&[&name])?;
    bench.import(&name, success(5, &[(None, "not-object")])?)?;
    bench.note_failure(&name, failure())?;
    let before = bench.imports(&name)?;
    bench.commit(change(&name, rows(&name)?))?;
    same("the imports", bench.imports(&name)?, before)
}

pub(super) fn a_failure_leaves_rows_and_generation(bench: &mut Bench<'_>) -> Held {
    let (name, other) = (server_name("a")?, server_name("b")?);
    bench.add(&[&name, &other])?;
    let mut first = change(&name, rows(&name)?);
    first.import = Some(success(5, &[(None, "not-object")])?);
    bench.commit(first)?;
    let mut expected = bench.snapshot()?;
    for server in [&name, &other] {
        let early = ImportFailure {
            reason: "server-busy".to_owned(),
            ..failure()
        };
        bench.note_failure(server, early)?;
        bench.note_failure(server, failure())?;
        let part = expected.servers.entry(server.clone()).or_default();
        part.imports.failure = Some(failure());
    }
    same("the catalogue", bench.snapshot()?, expected)
}

pub(super) fn a_success_ends_a_failure(bench: &mut Bench<'_>) -> Held {
    let name = server_name("a")?;
    bench.add(&[&name])?;
    bench.note_failure(&name, failure())?;
    let noted = Imports {
        success: None,
        failure: Some(failure()),
    };
    same("after the failure", bench.imports(&name)?, noted)?;
    // Earlier than the failure by the clock: the order is that of the store.
    bench.import(&name, success(1, &[])?)?;
    let ended = Imports {
        success: Some(success(1, &[])?),
        failure: None,
    };
    same("after the success", bench.imports(&name)?, ended)
}

pub(super) fn a_failure_of_an_unknown_server_is_nothing(bench: &mut Bench<'_>) -> Held {
    let (name, unknown) = (server_name("a")?, server_name("b")?);
    bench.add(&[&name])?;
    let before = bench.snapshot()?;
    bench.note_failure(&unknown, failure())?;
    same("the catalogue", bench.snapshot()?, before)?;
    bench.add(&[&unknown])?;
    same(
        "once it has a record",
        bench.imports(&unknown)?,
        Imports::default(),
    )
}

fn failure() -> ImportFailure {
    ImportFailure {
        at: time(9),
        reason: "cursor-loop".to_owned(),
    }
}
