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
