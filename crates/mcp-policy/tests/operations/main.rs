//! The operations of a client in memory: their order, their deadline, their cancellation and what is kept of them.

#![cfg(test)]

mod audit;
mod cancellation;
mod deadline;
mod farewells;
mod health;
mod ids;
mod ledger;
mod list;
mod order;
mod registry;
mod registry_faults;
mod session;
mod sources;
mod support;
mod telemetry;
mod timing;
mod world;
