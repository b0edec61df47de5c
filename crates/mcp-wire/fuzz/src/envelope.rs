//! One frame: the verdict on it, against a second reading.

use mcp_wire::{ReplyLimits, Response};

use super::frame::{self, RpcError, Verdict};
use super::input::{Input, request_id};

pub fn run(bytes: &[u8]) {
    let mut input = Input::new(bytes);
    let mut limits = ReplyLimits::default();
    // All choices but one are tight.
    let choice = input.byte();
    if choice > 0 {
        limits.depth = usize::from(choice);
    }
    let (text, id) = (input.rest(), request_id());
    let expected = frame::judge(text, id.as_str(), limits.depth);
    let found = match Response::parse(text, &id, &limits) {
        Ok(Response::Result(result)) => Verdict::Result(result.to_owned()),
        Ok(Response::Error(error)) => {
            let (code, message) = (error.code().get(), error.message().to_owned());
            assert_eq!(error.to_string(), format!("RPC error {code}: {message}"));
            let data = error.data().map(str::to_owned);
            Verdict::Error(RpcError { code, message, data })
        }
        Err(fault) => {
            // The text is of our own words only, and short.
            assert!(fault.to_string().len() < 200, "{fault}");
            assert!(
                fault.offset().is_none_or(|offset| offset <= text.len()),
                "{fault}"
            );
            let no_response = fault.kind() == mcp_wire::MalformedKind::NoResponse;
            let is_server = matches!(expected, Verdict::Server { .. });
            assert!(
                if is_server {
                    no_response
                } else {
                    expected.is_refusal(fault.kind())
                },
                "{:?}: {fault:?}, not {expected:?}",
                String::from_utf8_lossy(text)
            );
            return;
        }
    };
    assert_eq!(found, expected, "{:?}", String::from_utf8_lossy(text));
}
