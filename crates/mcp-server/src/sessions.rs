//! The sessions of a server: opened by `initialize`, found by their caller, gone when they expire.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mcp_wire::context::SessionLookup;
use mcp_wire::{Entropy, ProtocolVersion};

use crate::caller::Caller;
use crate::clock::Clock;
use crate::options::SessionRules;
use crate::refusal::Refusal;
use crate::session::{Expiry, Session, SessionKey};

/// All live sessions.
pub(crate) struct Sessions {
    rules: SessionRules,
    versions: Vec<ProtocolVersion>,
    entropy: Arc<dyn Entropy>,
    clock: Arc<dyn Clock>,
    table: Mutex<HashMap<SessionKey, Arc<Session>>>,
}

impl Sessions {
    pub(crate) fn new(
        rules: SessionRules,
        versions: Vec<ProtocolVersion>,
        entropy: Arc<dyn Entropy>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self {
            rules,
            versions,
            entropy,
            clock,
            table: Mutex::default(),
        }
    }

    pub(crate) fn versions(&self) -> &[ProtocolVersion] {
        &self.versions
    }

    /// Opens a session; `None` when the server issues none.
    pub(crate) fn open(
        &self,
        caller: &Caller,
        version: ProtocolVersion,
        expiry: Expiry,
    ) -> Result<Option<Arc<Session>>, Refusal> {
        let SessionRules::Issued { count, .. } = self.rules else {
            return Ok(None);
        };
        let mut random = [0; 16];
        self.entropy
            .fill(&mut random)
            .map_err(|_unavailable| Refusal::Unable)?;
        let key = SessionKey::from_random(random);
        if self.lock().len() >= count {
            self.sweep();
        }
        let mut table = self.lock();
        if table.len() >= count {
            return Err(Refusal::SessionsFull);
        }
        let session = Arc::new(Session::open(
            key,
            caller.clone(),
            version,
            expiry,
            self.clock.now(),
        ));
        // 128 random bits that are taken already mean a random source that repeats itself.
        match table.insert(key, Arc::clone(&session)) {
            None => Ok(Some(session)),
            Some(earlier) => {
                table.insert(key, earlier);
                Err(Refusal::Unable)
            }
        }
    }

    /// Ends a session and what is live in it.
    pub(crate) fn end(&self, session: &Session) {
        self.lock().remove(&session.key());
        session.live.cancel_all();
    }

    /// Ends the sessions that have expired, and gives their memory back.
    pub(crate) fn sweep(&self) {
        let SessionRules::Issued { idle, absolute, .. } = self.rules else {
            return;
        };
        let now = self.clock.now();
        let mut expired = Vec::new();
        let mut table = self.lock();
        table.retain(|_, session| {
            let live = !session.has_expired(now, idle, absolute);
            if !live {
                expired.push(Arc::clone(session));
            }
            live
        });
        if table.len() < table.capacity() / 4 {
            table.shrink_to_fit();
        }
        drop(table);
        for session in expired {
            session.live.cancel_all();
        }
    }

    /// Sessions that are kept, those included that have expired since the last sweep.
    pub(crate) fn count(&self) -> usize {
        self.lock().len()
    }

    /// What this caller may see.
    pub(crate) const fn of<'a>(&'a self, caller: &'a Caller) -> CallersSessions<'a> {
        CallersSessions {
            sessions: self,
            caller,
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<SessionKey, Arc<Session>>> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The sessions of one caller; those of others are not there.
pub(crate) struct CallersSessions<'a> {
    sessions: &'a Sessions,
    caller: &'a Caller,
}

impl SessionLookup for CallersSessions<'_> {
    type Session = Arc<Session>;

    fn issues_sessions(&self) -> bool {
        match self.sessions.rules {
            SessionRules::Issued { .. } => true,
            SessionRules::None => false,
        }
    }

    /// A session that is found lives on from now; one that has expired ends here.
    fn find(&self, id: &[u8]) -> Option<Arc<Session>> {
        let SessionRules::Issued { idle, absolute, .. } = self.sessions.rules else {
            return None;
        };
        let session = Arc::clone(self.sessions.lock().get(&SessionKey::parse(id)?)?);
        let now = self.sessions.clock.now();
        if session.has_expired(now, idle, absolute) {
            self.sessions.end(&session);
            return None;
        }
        if session.caller() != self.caller {
            return None;
        }
        session.touch(now);
        Some(session)
    }

    fn versions(&self) -> &[ProtocolVersion] {
        &self.sessions.versions
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use mcp_wire::EntropyUnavailable;
    use mcp_wire::context::{ContextResult, create_context};

    use super::*;

    /// A source that counts, and a clock that stands still.
    #[derive(Default)]
    struct Fixed(Mutex<u128>);

    impl Entropy for Fixed {
        fn fill(&self, target: &mut [u8]) -> Result<(), EntropyUnavailable> {
            let mut count = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            *count += 1;
            target.copy_from_slice(&count.to_be_bytes());
            Ok(())
        }
    }

    impl Clock for Fixed {
        fn now(&self) -> Duration {
            Duration::ZERO
        }
    }

    #[test]
    fn an_id_that_nobody_was_given_allocates_nothing() -> Result<(), Refusal> {
        let fixed = Arc::new(Fixed::default());
        let versions = ProtocolVersion::ACCEPTED.to_vec();
        let sessions = Sessions::new(SessionRules::default(), versions, fixed.clone(), fixed);
        let caller = Caller::new("somebody");
        sessions.open(&caller, ProtocolVersion::V2025_11_25, Expiry::ByRule)?;
        // An odd factor scatters the numbers over all of 128 bits; none of them is 1, the one that is known.
        let strangers: Vec<String> = (2..10_002_u128)
            .map(|n| {
                format!(
                    "{:032x}",
                    n.wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835)
                )
            })
            .collect();
        let mut not_found = 0;
        let cost = allocation_counter::measure(|| {
            for id in &strangers {
                let result = create_context(&sessions.of(&caller), Some(id.as_bytes()), None);
                not_found += usize::from(matches!(result, ContextResult::SessionNotFound(_)));
            }
        });
        assert_eq!((not_found, sessions.count()), (10_000, 1));
        assert_eq!((cost.count_total, cost.bytes_total), (0, 0));
        Ok(())
    }
}
