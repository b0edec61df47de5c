//! Claims on records: each is added, replaced and removed as a whole.

use std::time::Duration;

use super::bench::{Bench, Held, same};
use super::samples::{change, contact, record, records, rows, server_name, success};

pub(super) fn a_record_comes_back_as_it_was(bench: &mut Bench<'_>) -> Held {
    let records = records()?;
    for record in &records {
        same("adding", bench.add_record(record.clone())?, true)?;
    }
    same("all records", bench.servers()?, records.clone())?;
    bench.reopen()?;
    same("all records after reopening", bench.servers()?, records.clone())?;
    for record in records {
        same("one record", bench.server(&record.name)?, Some(record))?;
    }
    same(
        "a record that is not there",
        bench.server(&server_name("server")?)?,
        None,
    )
}

pub(super) fn records_come_by_name(bench: &mut Bench<'_>) -> Held {
    let names = [server_name("b")?, server_name("a_b")?, server_name("a1")?];
    bench.add(&names.each_ref())?;
    let mut expected = names.to_vec();
    expected.sort();
    let found: Vec<_> = bench.servers()?.into_iter().map(|record| record.name).collect();
    same("the order", found, expected.clone())?;
    let found: Vec<_> = bench.snapshot()?.servers.into_keys().collect();
    same("the servers of the catalogue", found, expected)
}

pub(super) fn a_name_is_added_once(bench: &mut Bench<'_>) -> Held {
    let name = server_name("a")?;
    let mut other = record(&name);
    bench.add(&[&name])?;
    other.class = Some(mcp_policy::DataClass::PublicContent);
    same("adding the name again", bench.add_record(other)?, false)?;
    bench.reopen()?;
    same("the records", bench.servers()?, vec![record(&name)])
}

pub(super) fn only_what_is_there_is_replaced(bench: &mut Bench<'_>) -> Held {
    let records = records()?;
    for record in &records {
        same("replacing nothing", bench.replace(record.clone())?, false)?;
    }
    same("the records", bench.servers()?, Vec::new())?;
    let name = server_name("a")?;
    let other = record(&server_name("other")?);
    bench.add(&[&name, &other.name])?;
    for mut record in records.into_iter().rev() {
        record.name = name.clone();
        same("replacing", bench.replace(record.clone())?, true)?;
        bench.reopen()?;
        same("the records", bench.servers()?, vec![record, other.clone()])?;
    }
    Ok(())
}

pub(super) fn a_replaced_record_keeps_its_catalogue(bench: &mut Bench<'_>) -> Held {
    let name = server_name("a")?;
    bench.add(&[&name])?;
    let mut change = change(&name, rows(&name)?);
    change.import = Some(success(5, &[(Some("x"), "schema-missing")])?);
    bench.commit(change)?;
    bench.record_contact(&name, contact(6, Duration::ZERO))?;
    let before = bench.snapshot()?;
    let mut record = record(&name);
    record.approval = mcp_policy::ApprovalRule::NotRequired;
    same("replacing", bench.replace(record)?, true)?;
    same("the catalogue", bench.snapshot()?, before)?;
    let kept = Some(contact(6, Duration::ZERO));
    same("the contact", bench.last_contact(&name)?, kept)
}

pub(super) fn removing_takes_catalogue_and_contact_along(bench: &mut Bench<'_>) -> Held {
    let (name, other) = (server_name("a")?, server_name("b")?);
    bench.add(&[&name, &other])?;
    for server in [&name, &other] {
        let mut change = change(server, rows(server)?);
        change.import = Some(success(5, &[(None, "not-object")])?);
        bench.commit(change)?;
        bench.record_contact(server, contact(6, Duration::ZERO))?;
    }
    let mut expected = bench.snapshot()?;
    same("removing", bench.remove(&name)?, true)?;
    expected.servers.remove(&name);
    expected.generation.0 += 1;
    same("the catalogue", bench.snapshot()?, expected.clone())?;
    same("the records", bench.servers()?, vec![record(&other)])?;
    same("the contact", bench.last_contact(&name)?, None)?;
    let kept = Some(contact(6, Duration::ZERO));
    same("the other's contact", bench.last_contact(&other)?, kept)?;
    same("removing it again", bench.remove(&name)?, false)?;
    same("the catalogue", bench.snapshot()?, expected.clone())?;
    bench.add(&[&name])?;
    expected.servers.insert(name, Default::default());
    same(
        "the catalogue of one that comes anew",
        bench.snapshot()?,
        expected,
    )
}
