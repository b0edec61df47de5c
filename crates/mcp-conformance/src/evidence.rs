//! What one run of an oracle left behind: outcomes, stores and the server's log.

use std::sync::Arc;

use mcp_policy::port::{Clock as _, ServerStore as _, StoreError, UnixTime};
use mcp_policy::{GroupNameError, RegistryError};
use mcp_testkit::{FakeClock, PeerLog};

use crate::catalogue::Catalogue;
use crate::chunking::Chunking;
use crate::connection::Connection;
use crate::governance::{Governance, Kept};
use crate::host::{ActFailed, Host};
use crate::oracle::{Operation, Oracle};
use crate::outcome::Outcome;
use crate::plant::Plant;
use crate::profile::Profile;
use crate::script::{OracleScript, Stage};
use crate::step::Turn;
use crate::subject::{Caller, Subject, Surroundings};
use crate::suite::LoadError;
use crate::told::Told;

/// Everything that is judged.
#[derive(Debug)]
pub(crate) struct Evidence {
    pub(crate) done: Vec<Done>,
    /// Sessions that were opened to be held.
    pub(crate) opened: usize,
    pub(crate) contacts: usize,
    /// Whether there was a client at all.
    pub(crate) has_client: bool,
    /// What gate, approvals, denials and ledger were asked and keep.
    pub(crate) kept: Kept,
    pub(crate) log: PeerLog,
    pub(crate) credential_reads: usize,
}

/// One operation that was carried out.
#[derive(Debug)]
pub(crate) struct Done {
    pub(crate) outcome: Outcome,
    /// What the model is told of it, if it is a call.
    pub(crate) told: Option<Told>,
    /// Whether it is a call that came to its first step.
    pub(crate) is_call: bool,
    pub(crate) is_import: bool,
    /// The catalogue before and after it.
    pub(crate) before: Catalogue,
    pub(crate) after: Catalogue,
}

impl Done {
    /// Carries one operation out, after what happens on this side before it.
    async fn of(
        turn: Turn<'_>,
        host: Option<&Host<'_>>,
        subject: &mut Subject<'_>,
        caller: &Caller,
        governance: &Governance,
        start: UnixTime,
    ) -> Result<Self, ActFailed> {
        let catalogue = async || match host {
            Some(host) => host.catalogue(start).await,
            None => Catalogue::default(),
        };
        if let Some(host) = host {
            for act in turn.acts {
                host.act(act).await?;
            }
        }
        let before = catalogue().await;
        let is_call = turn.operation == Operation::CallTool && subject.can_begin(turn).await;
        let ended = subject.carry_out(turn, caller, governance).await;
        Ok(Self {
            outcome: ended.outcome,
            told: ended.told,
            is_call,
            is_import: turn.operation == Operation::Import,
            before,
            after: catalogue().await,
        })
    }
}

/// The suite itself could not be set up.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SetUpError {
    #[error(transparent)]
    Profile(#[from] LoadError),
    #[error(transparent)]
    Runtime(#[from] std::io::Error),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Registry(#[from] RegistryError),
    #[error(transparent)]
    Group(#[from] GroupNameError),
    #[error(transparent)]
    Act(#[from] ActFailed),
}

/// Runs an oracle under a profile, with a plant between the client and what is judged.
pub(crate) fn gather(
    oracle: &Oracle,
    profile: &Profile,
    chunking: Chunking,
    plant: Plant,
) -> Result<Evidence, SetUpError> {
    let clock = FakeClock::new();
    let (caller, stage) = (Arc::<Caller>::default(), Arc::<Stage>::default());
    let script = OracleScript::new(
        oracle,
        profile,
        clock.clone(),
        caller.clone(),
        stage.clone(),
        chunking,
        plant,
    );
    let connection = Connection::new(profile.carrier.clone(), script);
    let start = clock.wall();
    let record = profile.record(oracle.client.credential)?;
    let name = record.name.clone();
    let surroundings = Surroundings::new(oracle, connection.clone(), clock)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()?;
    let (mut done, mut opened, mut has_client) = (Vec::new(), 0, false);
    let ran: Result<Kept, SetUpError> = runtime.block_on(async {
        surroundings.store.add(record).await?;
        for _ in 0..oracle.client.clients {
            let client = surroundings.client().await;
            has_client |= client.is_ok();
            let host = client.as_ref().map(|client| Host {
                client,
                store: &surroundings.store,
                name: &name,
                approvals: &surroundings.governance.approvals,
            });
            let server;
            let mut subject = match (&host, oracle.held) {
                (Err(refused), _) => Subject::None((*refused).clone()),
                (Ok(host), false) => Subject::Client(*host),
                (Ok(host), true) => {
                    server = host.server(oracle.operation).await?;
                    Subject::hold(host.client, &server).await
                }
            };
            opened += usize::from(subject.is_held());
            for turn in oracle.turns() {
                if oracle.client.fork_after == Some(done.len()) {
                    surroundings.process.fork();
                }
                stage.enter(turn.stage);
                let host = host.as_ref().ok();
                let governance = &surroundings.governance;
                done.push(Done::of(turn, host, &mut subject, &caller, governance, start).await?);
            }
            subject.close().await;
        }
        Ok(surroundings.governance.kept().await?)
    });
    let kept = ran?;
    let mut evidence = Evidence {
        done,
        opened,
        contacts: surroundings.store.contacts(&name),
        has_client,
        kept,
        log: connection.log(),
        credential_reads: surroundings.credentials.reads(),
    };
    plant.alter_evidence(&mut evidence);
    Ok(evidence)
}
