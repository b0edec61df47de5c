//! A host that links `mcp-wire` alone: it has a transport of its own and wants the verdict on an answer.
//!
//! Reads the body of a JSON answer to one request from standard input and says what it is.

use std::io::Read;
use std::sync::Arc;

use mcp_wire::{
    BodyEnd, Entropy, EntropyUnavailable, Framing, Message, ProcessId, ProcessIdentity, Reply, ReplyDecoder,
    ReplyLimits, RequestIds,
};

struct Zeroes;

impl Entropy for Zeroes {
    fn fill(&self, target: &mut [u8]) -> Result<(), EntropyUnavailable> {
        target.fill(0);
        Ok(())
    }
}

struct ThisProcess;

impl ProcessIdentity for ThisProcess {
    fn current(&self) -> ProcessId {
        ProcessId(u64::from(std::process::id()))
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // The ids of a demonstration; a client needs real entropy.
    let id = RequestIds::new(Arc::new(Zeroes), Arc::new(ThisProcess))?.allocate()?;
    println!("request: {}", String::from_utf8_lossy(Message::ping(id).body()));
    let mut decoder = ReplyDecoder::new(id, Framing::Json, ReplyLimits::default());
    let mut body = Vec::new();
    std::io::stdin().read_to_end(&mut body)?;
    let mut input = &body[..];
    while decoder.push(&mut input)?.is_some() {}
    match decoder.finish(BodyEnd::Complete)? {
        Reply::Result(result) => println!("result: {}", result.as_str()),
        Reply::Error(error) => println!("error: {error}"),
    }
    Ok(())
}
