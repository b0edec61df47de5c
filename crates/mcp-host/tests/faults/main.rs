//! Every fault of a server or of the way to it, over real sockets, on each carrier: which verdict follows, and how soon.
//!
//! The expectations are written by hand. The time to a verdict is printed and never judged:
//! `cargo test -p mcp-host --test faults -- --nocapture`.

#![cfg(test)]

mod body;
mod connection;
mod head;
mod size;
mod table;
mod time;
mod world;

use crate::table::Table;
use crate::world::World;

#[tokio::test]
async fn each_fault_has_its_verdict_on_every_carrier() {
    let world = World::new().await;
    let mut table = Table::default();
    for rows in [
        connection::rows(),
        head::rows(),
        body::rows(),
        size::rows(),
        time::rows(),
    ] {
        table.run(&world, rows).await;
    }
    println!("{table}");
    let wrong = table.wrong();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
