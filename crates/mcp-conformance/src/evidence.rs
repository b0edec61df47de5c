//! What one run of an oracle left behind: outcomes, stores and the server's log.

use std::sync::Arc;

use mcp_policy::port::Step;
use mcp_testkit::{FakeClock, PeerLog, ScriptedPeer};

use crate::chunking::Chunking;
use crate::oracle::Oracle;
use crate::outcome::Outcome;
use crate::plant::Plant;
use crate::profile::Profile;
use crate::script::OracleScript;
use crate::subject::{Caller, Subject, Surroundings};
use crate::suite::LoadError;

/// Everything that is judged.
#[derive(Debug)]
pub(crate) struct Evidence {
    pub(crate) outcomes: Vec<Outcome>,
    /// How many operations had a client to run on.
    pub(crate) begun: usize,
    /// Sessions that were opened to be held.
    pub(crate) opened: usize,
    pub(crate) contacts: usize,
    pub(crate) steps: Vec<Step>,
    pub(crate) log: PeerLog,
    pub(crate) credential_reads: usize,
}

/// The suite itself could not be set up.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SetUpError {
    #[error(transparent)]
    Profile(#[from] LoadError),
    #[error(transparent)]
    Runtime(#[from] std::io::Error),
}

/// Runs an oracle under a profile, with a plant between the client and what is judged.
pub(crate) fn gather(
    oracle: &Oracle,
    profile: &Profile,
    chunking: Chunking,
    plant: Plant,
) -> Result<Evidence, SetUpError> {
    let clock = FakeClock::new();
    let caller = Arc::<Caller>::default();
    let script = OracleScript::new(oracle, profile, clock.clone(), caller.clone(), chunking, plant);
    let peer = ScriptedPeer::new(script);
    let server = profile.server(oracle.client.credential)?;
    let surroundings = Surroundings::new(oracle.client.clone(), peer.clone(), clock);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()?;
    let (mut outcomes, mut begun, mut opened) = (Vec::new(), 0, 0);
    runtime.block_on(async {
        for _ in 0..oracle.client.clients {
            let client = surroundings.client();
            let mut subject = match &client {
                Ok(client) => Subject::new(client, &server, oracle.held).await,
                Err(refused) => Subject::None(refused.clone()),
            };
            opened += usize::from(subject.is_held());
            for _ in 0..oracle.repeat {
                if oracle.client.fork_after == Some(outcomes.len()) {
                    surroundings.process.fork();
                }
                begun += usize::from(subject.can_begin());
                outcomes.push(subject.carry_out(oracle.operation, &caller).await);
            }
            subject.close().await;
        }
    });
    let mut evidence = Evidence {
        outcomes,
        begun,
        opened,
        contacts: surroundings.health.contacts(&server.name),
        steps: surroundings.ledger.steps(),
        log: peer.log(),
        credential_reads: surroundings.credentials.reads(),
    };
    plant.alter_evidence(&mut evidence);
    Ok(evidence)
}
