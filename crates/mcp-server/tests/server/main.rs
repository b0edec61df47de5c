//! The server on its transports: bounds at their edges, the life of requests and sessions, callers, tools.
//!
//! Connections are in memory unless a test is about accepting them, and the clock moves when nobody has anything to do.

mod bounds;
mod callers;
mod ending;
mod life;
mod scripted;
mod stdio;
mod tools;
mod wire;
