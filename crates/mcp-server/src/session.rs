//! One session: whose it is, what was negotiated, and what is live in it.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::time::Duration;

use mcp_wire::ProtocolVersion;
use mcp_wire::server::Lifecycle;

use crate::caller::Caller;
use crate::handler::LogLevel;
use crate::live::LiveRequests;

/// What ends a session besides its client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Expiry {
    /// The rules of the server.
    ByRule,
    /// Nothing: it lives as long as its connection.
    Never,
}

/// A session that `initialize` opened.
pub(crate) struct Session {
    key: SessionKey,
    caller: Caller,
    version: ProtocolVersion,
    expiry: Expiry,
    opened: Duration,
    /// Milliseconds of the clock at the last message.
    seen: AtomicU64,
    level: AtomicU8,
    pub(crate) lifecycle: Lifecycle,
    pub(crate) live: Arc<LiveRequests>,
}

impl Session {
    pub(crate) fn open(
        key: SessionKey,
        caller: Caller,
        version: ProtocolVersion,
        expiry: Expiry,
        now: Duration,
    ) -> Self {
        Self {
            key,
            caller,
            version,
            expiry,
            opened: now,
            seen: AtomicU64::new(millis(now)),
            level: AtomicU8::new(LogLevel::Info as u8),
            lifecycle: Lifecycle::answered(),
            live: Arc::default(),
        }
    }

    pub(crate) const fn key(&self) -> SessionKey {
        self.key
    }

    pub(crate) const fn caller(&self) -> &Caller {
        &self.caller
    }

    pub(crate) const fn version(&self) -> ProtocolVersion {
        self.version
    }

    /// Notes a message.
    pub(crate) fn touch(&self, now: Duration) {
        self.seen.fetch_max(millis(now), Ordering::Relaxed);
    }

    pub(crate) fn has_expired(&self, now: Duration, idle: Duration, absolute: Duration) -> bool {
        match self.expiry {
            Expiry::ByRule => {}
            Expiry::Never => return false,
        }
        let seen = Duration::from_millis(self.seen.load(Ordering::Relaxed));
        now.saturating_sub(seen) > idle || now.saturating_sub(self.opened) > absolute
    }

    pub(crate) fn log_from(&self, level: LogLevel) {
        self.level.store(level as u8, Ordering::Relaxed);
    }

    pub(crate) fn logs(&self, level: LogLevel) -> bool {
        level as u8 >= self.level.load(Ordering::Relaxed)
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").finish_non_exhaustive()
    }
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// 128 random bits: what tells one session from another. On the wire they are 32 digits of base 16, in lower case.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct SessionKey(u128);

impl SessionKey {
    pub(crate) const fn from_random(bytes: [u8; 16]) -> Self {
        Self(u128::from_be_bytes(bytes))
    }

    /// Reads the id of a message. Another spelling of the same number is another id, so it is none.
    pub(crate) fn parse(id: &[u8]) -> Option<Self> {
        let canonical = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        if id.len() != 32 || !id.iter().all(canonical) {
            return None;
        }
        let digits = std::str::from_utf8(id).ok()?;
        u128::from_str_radix(digits, 16).ok().map(Self)
    }
}

impl fmt::Display for SessionKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl fmt::Debug for SessionKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SessionKey(redacted)")
    }
}
