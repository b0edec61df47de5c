//! Claims on the rows of tools and on the generation that a change must name.

use mcp_policy::port::{CatalogueChange, Committed, Generation, StoreError};

use super::bench::{Bench, Held, same};
use super::samples::{change, contact, record, row, rows, server_name, success, time};

pub(super) fn a_row_comes_back_as_it_was(bench: &mut Bench<'_>) -> Held {
    let name = server_name("a")?;
    bench.add(&[&name])?;
    let rows = rows(&name)?;
    bench.commit(change(&name, rows.clone()))?;
    for row in &rows {
        same("one row", bench.row(&name, &row.remote_name)?, Some(row.clone()))?;
        let elsewhere = bench.row(&server_name("b")?, &row.remote_name)?;
        same("a row of another server", elsewhere, None)?;
    }
    let expected = rows.into_iter().map(|row| (row.remote_name.clone(), row));
    same("the rows", bench.of_server(&name)?.rows, expected.collect())
}

pub(super) fn a_change_of_another_generation_changes_nothing(bench: &mut Bench<'_>) -> Held {
    let name = server_name("a")?;
    bench.add(&[&name])?;
    bench.commit(change(&name, vec![row(&name, "x", "first")?]))?;
    let before = bench.snapshot()?;
    let current = before.generation.0;
    for other in [current.wrapping_sub(1), current.wrapping_add(1), u64::MAX] {
        let mut stale = change(&name, vec![row(&name, "x", "second")?, row(&name, "y", "")?]);
        stale.import = Some(success(5, &[])?);
        let committed = bench.commit_on(Generation(other), stale)?;
        same("the change", committed, Ok(Committed::Stale))?;
        same("the catalogue", bench.snapshot()?, before.clone())?;
    }
    Ok(())
}

pub(super) fn a_change_of_an_unknown_server_changes_nothing(bench: &mut Bench<'_>) -> Held {
    let (name, unknown) = (server_name("a")?, server_name("b")?);
    bench.add(&[&name])?;
    let before = bench.snapshot()?;
    let mut change = change(&unknown, vec![row(&unknown, "x", "")?]);
    change.import = Some(success(5, &[])?);
    let committed = bench.commit_on(before.generation, change)?;
    same("the change", committed, Ok(Committed::Stale))?;
    same("the catalogue", bench.snapshot()?, before)
}

pub(super) fn a_change_touches_its_server_only(bench: &mut Bench<'_>) -> Held {
    let (name, other) = (server_name("a")?, server_name("b")?);
    bench.add(&[&name, &other])?;
    bench.commit(change(&other, rows(&other)?))?;
    bench.import(&other, success(5, &[(None, "not-object")])?)?;
    let before = bench.of_server(&other)?;
    let mut change = change(&name, rows(&name)?);
    change.import = Some(success(6, &[])?);
    bench.commit(change)?;
    same("the other server's part", bench.of_server(&other)?, before)
}

pub(super) fn rows_are_put_and_never_deleted(bench: &mut Bench<'_>) -> Held {
    let name = server_name("a")?;
    bench.add(&[&name])?;
    bench.commit(change(
        &name,
        vec![row(&name, "x", "old")?, row(&name, "y", "old")?],
    ))?;
    let mut put = row(&name, "y", "new")?;
    put.orphaned_since = Some(time(9));
    let mut second = change(&name, vec![put.clone(), row(&name, "z", "new")?]);
    second.import = Some(success(9, &[])?);
    bench.commit(second)?;
    let expected = [row(&name, "x", "old")?, put, row(&name, "z", "new")?];
    let expected = expected.into_iter().map(|row| (row.remote_name.clone(), row));
    same("the rows", bench.of_server(&name)?.rows, expected.collect())
}

pub(super) fn a_change_counts_once_and_nothing_else_counts(bench: &mut Bench<'_>) -> Held {
    let name = server_name("a")?;
    let first = bench.generation()?;
    bench.add(&[&name])?;
    bench.replace(record(&name))?;
    bench.record_contact(&name, contact(5, Default::default()))?;
    same("the generation before a change", bench.generation()?, first)?;
    bench.commit(change(&name, Vec::new()))?;
    same(
        "after one of no row",
        bench.generation()?,
        Generation(first.0 + 1),
    )?;
    let mut of_many = change(&name, rows(&name)?);
    of_many.import = Some(success(5, &[])?);
    bench.commit(of_many)?;
    same(
        "after one of many rows",
        bench.snapshot()?.generation,
        Generation(first.0 + 2),
    )
}

pub(super) fn a_change_that_breaks_its_terms_changes_nothing(bench: &mut Bench<'_>) -> Held {
    let (name, other) = (server_name("a")?, server_name("a_b")?);
    bench.add(&[&name, &other])?;
    bench.commit(change(&other, vec![row(&other, "c", "holds mcp_a_b_c")?]))?;
    let before = bench.snapshot()?;
    let of_another = change(&name, vec![row(&name, "x", "")?, row(&other, "x", "")?]);
    let taken = change(&name, vec![row(&name, "x", "")?, row(&name, "b_c", "")?]);
    for broken in [of_another, taken] {
        let broken = CatalogueChange {
            import: Some(success(5, &[])?),
            ..broken
        };
        let committed = bench.commit_on(before.generation, broken)?;
        same("the change", committed, Err(StoreError::Unavailable))?;
        same("the catalogue", bench.snapshot()?, before.clone())?;
    }
    Ok(())
}
