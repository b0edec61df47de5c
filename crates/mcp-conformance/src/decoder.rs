//! The same bytes on the decoder itself, in every cutting that could matter.

use mcp_wire::{BodyEnd, Framing, Malformed, Reply, ReplyDecoder, ReplyLimits, RequestId};

use crate::check::Miss;
use crate::chunking::Chunking;

/// Bodies up to this many bytes are also cut in two at every line end and character boundary.
const CUT_IN_TWO: usize = 4 * 1_024;

/// Bodies of more bytes are cut at random twice, others four times.
const CUT_TWICE: usize = 64 * 1_024;

/// Checks that the verdict on `body` is the same however it is cut.
pub(crate) fn compare_cuttings(body: &[u8], framing: Framing, id: RequestId, misses: &mut Vec<Miss>) {
    let whole = verdict(&[body.to_vec()], framing, id);
    for (name, pieces) in cuttings(body) {
        let found = verdict(&pieces, framing, id);
        if found != whole {
            misses.push(Miss(format!(
                "cut {name}, the decoder gives {found:?}, not {whole:?}"
            )));
        }
    }
}

/// What can be compared of a verdict: the server messages on the way, and its end.
type Seen = (Vec<String>, Result<String, Malformed>);

fn verdict(pieces: &[Vec<u8>], framing: Framing, id: RequestId) -> Seen {
    let mut decoder = ReplyDecoder::new(id, framing, ReplyLimits::default());
    let mut messages = Vec::new();
    for piece in pieces {
        let mut input = &piece[..];
        loop {
            match decoder.push(&mut input) {
                Ok(Some(message)) => messages.push(message.text().to_owned()),
                Ok(None) => break,
                Err(fault) => return (messages, Err(fault)),
            }
        }
    }
    let end = decoder.finish(BodyEnd::Complete).map(|reply| match reply {
        Reply::Result(result) => result.as_str().to_owned(),
        Reply::Error(error) => format!("{error} {:?}", error.data()),
    });
    (messages, end)
}

fn cuttings(body: &[u8]) -> Vec<(String, Vec<Vec<u8>>)> {
    let seeds = if body.len() > CUT_TWICE { 1..=2 } else { 1..=4 };
    let mut cuttings: Vec<(String, Vec<Vec<u8>>)> = [Chunking::Bytes]
        .into_iter()
        .chain(seeds.map(Chunking::Random))
        .map(|chunking| (chunking.name().to_owned(), chunking.cut(body)))
        .collect();
    if body.len() <= CUT_IN_TWO {
        for at in (1..body.len()).filter(|at| matters(body, *at)) {
            let (front, back) = body.split_at(at);
            cuttings.push((format!("at byte {at}"), vec![front.to_vec(), back.to_vec()]));
        }
    }
    cuttings
}

/// Whether a cut before `at` falls next to a line end or inside a character.
fn matters(body: &[u8], at: usize) -> bool {
    let around = [body.get(at - 1), body.get(at)];
    around
        .into_iter()
        .flatten()
        .any(|byte| matches!(byte, b'\n' | b'\r' | 0x80..))
}
