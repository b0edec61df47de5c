//! One failure path: the server or its absence, the command line, how it ends, and what proves that secrets were at
//! stake.

use crate::support::{Answer, Script};

use super::peer::Peer;

/// What becomes of the secrets on a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// The server saw all three.
    Sent,
    /// The program took in the URL and read a credential, and no request left.
    Read,
    /// The program took in the URL, or refused it, and read no credential. When there is a server, it was reached.
    Reached,
    /// The same, without a connection.
    TakenIn,
}

impl Reach {
    /// The class in which the path is counted.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Sent => "sent",
            Self::Read => "read",
            Self::Reached | Self::TakenIn => "taken in",
        }
    }
}

/// Whether a person interrupts the run, and when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Interrupt {
    Never,
    /// Once the server has the request of this key.
    AtRequest(&'static str),
    /// Once the program waits for a credential that never comes.
    AtCredential,
}

pub(crate) struct Path {
    /// The kind of the failure, or the outcome of another end. More than one when the machine decides.
    pub(crate) ends: &'static [&'static str],
    pub(crate) reach: Reach,
    pub(crate) peer: Box<dyn Fn() -> Peer + Send + Sync>,
    /// The command line without credentials; `URL` stands for the URL, `ORIGIN` for what stands before its path.
    pub(crate) arguments: Vec<String>,
    /// The options that name credentials.
    pub(crate) credentials: &'static [&'static str],
    /// What is written once into the pipe of the name `pipe`.
    pub(crate) piped: Option<Vec<u8>>,
    /// The bearer in the environment.
    pub(crate) bearer: &'static [u8],
    pub(crate) input: Vec<u8>,
    pub(crate) interrupt: Interrupt,
    /// The file of the authorities that the platform trusts.
    pub(crate) trust: &'static str,
    /// An answer that echoes the secret is shown, as answers are. The log must not hold it all the same.
    pub(crate) shown: bool,
}

impl Path {
    pub(crate) fn new(
        end: &'static str,
        reach: Reach,
        arguments: &[&str],
        peer: impl Fn() -> Peer + Send + Sync + 'static,
    ) -> Self {
        Self {
            ends: Vec::leak(vec![end]),
            reach,
            peer: Box::new(peer),
            arguments: arguments.iter().map(|word| (*word).to_owned()).collect(),
            credentials: &["--bearer", "env:BEARER", "--header", "X-Key=file:../given/key"],
            piped: None,
            bearer: b"canary-bearer",
            input: vec![],
            interrupt: Interrupt::Never,
            trust: "../given/authority.pem",
            shown: false,
        }
    }

    /// What it is in a report.
    pub(crate) fn name(&self, peer: &Peer) -> String {
        let (peer, reach) = (peer.kind(), self.reach);
        format!("{:?} ({reach:?}, {peer}, {:?})", self.ends, self.arguments)
    }
}

/// The path of a server that answers by this script, once for each version of HTTP. The last entry is the answer that
/// ends the path, and tells the command.
pub(crate) fn answered(end: &'static str, script: Script) -> [Path; 2] {
    [over_http1(end, script), over_http2(end, script)]
}

pub(crate) fn over_http1(end: &'static str, script: Script) -> Path {
    Path::new(end, Reach::Sent, &command(script), move || Peer::http1(script))
}

pub(crate) fn over_http2(end: &'static str, script: Script) -> Path {
    Path::new(end, Reach::Sent, &command(script), move || Peer::http2(script))
}

fn command(script: Script) -> Vec<&'static str> {
    match script.last() {
        Some(("tools/list", _)) => vec!["tools", "URL"],
        Some(("tools/call", _)) => vec!["call", "URL", "echo"],
        _ => vec!["ping", "URL"],
    }
}

/// A script that is made when the test runs.
pub(crate) fn script(entries: Vec<(&'static str, Answer)>) -> Script {
    entries.leak()
}
