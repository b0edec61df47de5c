//! The oracles of this specification, and the drive of what has nothing to wait for.

use crate::oracles;
pub(crate) use crate::oracles::Case;

const SPECIFICATION: &str = "030-permission";

pub(crate) fn spec() -> String {
    oracles::read(SPECIFICATION, "spec.md")
}

pub(crate) fn cases(set: &str) -> Vec<Case> {
    oracles::cases(SPECIFICATION, set)
}

/// The output of a future that has nothing to wait for.
#[track_caller]
pub(crate) fn now<T>(future: impl Future<Output = T>) -> T {
    let waker = std::task::Waker::noop();
    match std::pin::pin!(future).poll(&mut std::task::Context::from_waker(waker)) {
        std::task::Poll::Ready(output) => output,
        std::task::Poll::Pending => panic!("it waits for something"),
    }
}
