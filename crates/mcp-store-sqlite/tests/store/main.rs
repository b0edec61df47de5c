//! The embedded store: the suite of every store, and what is particular to a file that processes share.

#![cfg(test)]

mod approvals;
mod calls;
mod damage;
mod denials;
mod file;
mod kill;
mod ledger;
mod limits;
mod parts;
mod processes;
mod suite;
mod support;
mod tampering;
mod values;
