//! Where the time of an operation went.

use std::time::Duration;

use mcp_wire::Stage;

/// The time of one operation, split by what it was spent on. The legs of the operation are added up; its farewells are
/// not counted.
///
/// It is taken by the host's clock at each poll of an exchange. What passes between two polls was spent waiting at the
/// stage that the exchange had reached. What passes inside a poll was spent working: a poll that reaches the body counts
/// as [`Timing::decode`], one before belongs to the stage at which it began.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Timing {
    /// Nanoseconds; an operation lasts a day at most.
    stages: [u64; STAGES],
    decode: u64,
}

const STAGES: usize = 9;

impl Timing {
    /// The parts of an account as a store keeps it.
    pub const PARTS: usize = STAGES + 1;

    /// The time spent at one stage.
    #[must_use]
    pub fn at(&self, stage: Stage) -> Duration {
        let spent = self.stages.get(position(stage)).copied();
        Duration::from_nanos(spent.unwrap_or_default())
    }

    /// What no leg spent: waiting for the gate, the approvals, the ledger and a cancellation, and this client's own work.
    #[must_use]
    pub fn policy(&self) -> Duration {
        self.at(Stage::Start)
    }

    /// Waiting for a place among the exchanges with the server.
    #[must_use]
    pub fn queue(&self) -> Duration {
        self.at(Stage::Queue)
    }

    /// Looking the name up, connecting, and the TLS handshake.
    #[must_use]
    pub fn connect(&self) -> Duration {
        self.at(Stage::Resolve) + self.at(Stage::Connect) + self.at(Stage::Tls)
    }

    /// From the reading of the credential, over the writing of the message, to the head of the answer.
    #[must_use]
    pub fn first_byte(&self) -> Duration {
        self.at(Stage::Credential) + self.at(Stage::Send) + self.at(Stage::FirstByte)
    }

    /// Waiting for the body of the answer.
    #[must_use]
    pub fn body(&self) -> Duration {
        self.at(Stage::Body)
    }

    /// Reading and judging what had arrived of the body.
    #[must_use]
    pub const fn decode(&self) -> Duration {
        Duration::from_nanos(self.decode)
    }

    /// All of it.
    #[must_use]
    pub fn total(&self) -> Duration {
        Duration::from_nanos(self.stages.iter().sum::<u64>() + self.decode)
    }

    /// The account that a store kept: the nanoseconds of each part, in the order of [`Timing::parts`].
    #[must_use]
    pub fn from_parts(parts: [u64; Self::PARTS]) -> Self {
        let [stages @ .., decode] = parts;
        Self { stages, decode }
    }

    /// The account as a store keeps it: the nanoseconds of each stage in the order of the stages, then of decoding.
    #[must_use]
    pub fn parts(&self) -> [u64; Self::PARTS] {
        let mut parts = [self.decode; Self::PARTS];
        parts
            .iter_mut()
            .zip(self.stages)
            .for_each(|(part, spent)| *part = spent);
        parts
    }

    /// Time that passed between two polls.
    pub(crate) fn waited(&mut self, stage: Stage, length: Duration) {
        if let Some(spent) = self.stages.get_mut(position(stage)) {
            *spent = spent.saturating_add(nanos(length));
        }
    }

    /// Time that passed inside a poll which began at one stage and ended at another.
    pub(crate) fn worked(&mut self, began: Stage, ended: Stage, length: Duration) {
        if ended == Stage::Body {
            self.decode = self.decode.saturating_add(nanos(length));
        } else {
            self.waited(began, length);
        }
    }
}

fn nanos(length: Duration) -> u64 {
    u64::try_from(length.as_nanos()).unwrap_or(u64::MAX)
}

const fn position(stage: Stage) -> usize {
    match stage {
        Stage::Start => 0,
        Stage::Queue => 1,
        Stage::Resolve => 2,
        Stage::Connect => 3,
        Stage::Tls => 4,
        Stage::Credential => 5,
        Stage::Send => 6,
        Stage::FirstByte => 7,
        Stage::Body => 8,
    }
}
