//! What the contract tests share: the binary, the servers that it talks to, the two checks, and the search for secrets.

mod authority;
mod check;
mod http2;
mod run;
mod search;
mod server;

pub(crate) use self::authority::Authority;
pub(crate) use self::check::{Case, Fault, Form, at, run_against};
pub(crate) use self::http2::Window;
pub(crate) use self::run::{Ended, Invocation, await_end, finish, interrupt, without_times};
pub(crate) use self::search::search;
pub(crate) use self::server::{Answer, Log, Script, Server};

/// How a server looks in what a test expects and in the guide, whatever its port.
pub(crate) const ORIGIN: &str = "http://127.0.0.1:3001";

/// What no run may print, in no spelling: it stands for a secret wherever a test has one.
pub(crate) const CANARY: &str = "canary";

/// After this long nothing that a test waits for will come. No test waits that long when all is well.
pub(crate) const LIMIT: std::time::Duration = std::time::Duration::from_secs(120);
