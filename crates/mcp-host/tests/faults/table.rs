//! What a row of the table is, its one check, and how it is printed.

use std::fmt;
use std::time::Duration;

use mcp_testkit::loopback::Step;
use mcp_wire::{Delivery, Stage};
use tokio::task::JoinSet;

use crate::world::{Ended, World};

/// What carries the bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Carrier {
    /// HTTP/1.1 in the clear.
    Plain,
    /// HTTP/1.1 under TLS.
    Tls,
    /// HTTP/2 under TLS.
    Http2,
}

pub(crate) const ALL: &[Carrier] = &[Carrier::Plain, Carrier::Tls, Carrier::Http2];
pub(crate) const HTTP1: &[Carrier] = &[Carrier::Plain, Carrier::Tls];
pub(crate) const PLAIN: &[Carrier] = &[Carrier::Plain];
pub(crate) const TLS: &[Carrier] = &[Carrier::Tls];
pub(crate) const HTTP2: &[Carrier] = &[Carrier::Http2];

/// What the peer does.
#[derive(Debug, Clone)]
pub(crate) enum Peer {
    /// Plays this from the moment that the connection is open.
    Connected(Vec<Step>),
    /// Shakes hands, reads the call, then plays this.
    Called(Vec<Step>),
    /// As `Called`, in a session that it issued.
    CalledInSession(Vec<Step>),
    /// Answers `initialize`, reads the notification after it, then plays this. A further connection is healthy.
    Notified(Vec<Step>),
    /// Shakes hands, reads the call, plays this, and the caller cancels.
    Cancelled(Vec<Step>),
    /// Does not listen.
    Absent,
    /// Listens and lets no connection be made.
    Full,
    /// Plays this without TLS.
    WithoutTls(Vec<Step>),
    /// Presents the certificate of another name.
    Misnamed,
    /// Presents a certificate of an authority that is not trusted.
    Untrusted,
}

/// One fault and the verdict that must follow.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    fault: &'static str,
    on: &'static [Carrier],
    pub(crate) peer: Peer,
    kind: &'static str,
    delivery: Delivery,
    /// How far the leg had come, where the failure says that.
    stage: Option<Stage>,
}

impl Row {
    pub(crate) fn new(
        fault: &'static str,
        on: &'static [Carrier],
        peer: Peer,
        kind: &'static str,
        delivery: Delivery,
    ) -> Self {
        Self {
            fault,
            on,
            peer,
            kind,
            delivery,
            stage: None,
        }
    }

    pub(crate) fn at(mut self, stage: Stage) -> Self {
        self.stage = Some(stage);
        self
    }

    /// The time of the operation: short where it is the deadline that ends it.
    pub(crate) fn budget(&self) -> Duration {
        if self.kind == "deadline-exceeded" {
            Duration::from_secs(1)
        } else {
            Duration::from_secs(20)
        }
    }

    fn is_met_by(&self, ended: &Ended) -> bool {
        let stage = self.stage.is_none() || self.stage == ended.stage;
        stage && (self.kind, self.delivery) == (ended.kind, ended.delivery)
    }
}

/// The rows that ran, each with what came of it on each carrier.
#[derive(Debug, Default)]
pub(crate) struct Table(Vec<(Row, Vec<(Carrier, Ended)>)>);

impl Table {
    /// Runs the rows one after another; those that wait for a deadline beside each other.
    pub(crate) async fn run(&mut self, world: &World, rows: Vec<Row>) {
        let mut waiting = JoinSet::new();
        for row in rows {
            let place = self.0.len();
            self.0.push((row.clone(), Vec::new()));
            for carrier in row.on {
                let (world, row) = (world.clone(), row.clone());
                if row.is_quiet() {
                    waiting.spawn(async move { (place, *carrier, world.run(&row, *carrier).await) });
                } else {
                    self.0[place].1.push((*carrier, world.run(&row, *carrier).await));
                }
            }
        }
        while let Some(ended) = waiting.join_next().await {
            let (place, carrier, ended) = ended.unwrap();
            self.0[place].1.push((carrier, ended));
        }
    }

    /// One line for each verdict that is not the expected one.
    pub(crate) fn wrong(&self) -> Vec<String> {
        let mut wrong = Vec::new();
        for (row, ended) in &self.0 {
            let unmet = ended.iter().filter(|(_, ended)| !row.is_met_by(ended));
            wrong.extend(unmet.map(|(carrier, ended)| {
                let (kind, delivery, stage) = (row.kind, row.delivery, row.stage);
                format!(
                    "{} ({carrier:?}): {ended:?}, not {kind}, {delivery:?}, {stage:?}",
                    row.fault
                )
            }));
        }
        wrong
    }
}

impl Row {
    /// Whether nothing happens until the deadline, so that rows of this sort do not disturb each other.
    fn is_quiet(&self) -> bool {
        let steps = match &self.peer {
            Peer::Connected(steps)
            | Peer::Called(steps)
            | Peer::CalledInSession(steps)
            | Peer::Notified(steps)
            | Peer::Cancelled(steps)
            | Peer::WithoutTls(steps) => steps.as_slice(),
            Peer::Absent | Peer::Full | Peer::Misnamed | Peer::Untrusted => &[],
        };
        let endless = |step: &Step| matches!(step, Step::Endless(_) | Step::EndlessFrame(_));
        self.kind == "deadline-exceeded" && !steps.iter().any(endless)
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "| Fault | Kind | Delivery | Stage | HTTP/1.1 | HTTP/1.1, TLS | HTTP/2, TLS |"
        )?;
        writeln!(f, "|---|---|---|---|---:|---:|---:|")?;
        for (row, ended) in &self.0 {
            let Row {
                fault,
                kind,
                delivery,
                stage,
                ..
            } = row;
            let stage = stage.map_or("-".to_owned(), |stage| stage.to_string());
            write!(f, "| {fault} | `{kind}` | {} | {stage} |", delivery.name())?;
            for carrier in ALL {
                match ended.iter().find(|(on, _)| on == carrier) {
                    Some((_, ended)) => write!(f, " {:.1} |", ended.took.as_secs_f64() * 1_000.0)?,
                    None => write!(f, " |")?,
                }
            }
            writeln!(f)?;
        }
        Ok(())
    }
}
