//! The adapter as its users meet it: on real sockets, under real TLS, and on in-memory streams.

#![cfg(test)]

mod bounds;
mod connections;
mod endless;
mod examine;
mod farewell;
mod framing;
mod http2;
mod order;
mod progress;
mod proxy;
mod proxy_answers;
mod support;
mod tcp;
mod tls;
mod tunnel;
