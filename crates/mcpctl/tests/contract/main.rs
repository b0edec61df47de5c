//! The public contract of `mcpctl`, on the built binary: what it prints, in which form, and how it ends. The contract in
//! words is `docs/mcpctl.md`.

// `cfg(test)` tells clippy that the helpers are tests too.
#[cfg(test)]
mod audit;
#[cfg(test)]
mod canary;
#[cfg(test)]
mod catalogue;
#[cfg(test)]
mod demo;
#[cfg(test)]
mod doctor;
#[cfg(test)]
mod ending;
#[cfg(test)]
mod faults;
#[cfg(test)]
mod guide;
#[cfg(test)]
mod hostile;
#[cfg(test)]
mod input;
#[cfg(test)]
mod manual;
#[cfg(test)]
mod observing;
#[cfg(test)]
mod page;
#[cfg(test)]
mod permission;
#[cfg(test)]
mod secrets;
#[cfg(test)]
mod several;
#[cfg(test)]
mod shapes;
#[cfg(test)]
mod stdin;
#[cfg(test)]
mod store;
#[cfg(test)]
#[path = "../support/mod.rs"]
mod support;
#[cfg(test)]
#[path = "../../src/kinds/table.rs"]
mod table;
#[cfg(test)]
mod tls;
#[cfg(test)]
mod walk_through;
