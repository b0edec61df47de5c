//! Claims on contacts: the last one is kept, of any server.

use std::time::Duration;

use super::bench::{Bench, Held, same};
use super::samples::{contact, server_name};

pub(super) fn the_last_contact_wins(bench: &mut Bench<'_>) -> Held {
    let (name, other) = (server_name("a")?, server_name("b")?);
    bench.add(&[&name, &other])?;
    same("before any contact", bench.last_contact(&name)?, None)?;
    // The second one is earlier by the clock: the order is that of the store.
    let latest = contact(3, Duration::new(86_400, 999_999_999));
    for contact in [contact(9, Duration::from_nanos(1)), latest] {
        bench.record_contact(&name, contact)?;
        same("the contact", bench.last_contact(&name)?, Some(contact))?;
        bench.reopen()?;
        same("after reopening", bench.last_contact(&name)?, Some(contact))?;
    }
    same("the other's contact", bench.last_contact(&other)?, None)
}

pub(super) fn a_contact_needs_no_record(bench: &mut Bench<'_>) -> Held {
    let name = server_name("a")?;
    let contact = contact(3, Duration::ZERO);
    bench.record_contact(&name, contact)?;
    bench.reopen()?;
    same("the contact", bench.last_contact(&name)?, Some(contact))?;
    same("the records", bench.servers()?, Vec::new())?;
    same("the catalogue", bench.snapshot()?, Default::default())?;
    bench.add(&[&name])?;
    same(
        "once there is a record",
        bench.last_contact(&name)?,
        Some(contact),
    )
}
