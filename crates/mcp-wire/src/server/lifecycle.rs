//! What a session must have heard before a message in it is handled.

use core::fmt;
use core::sync::atomic::{AtomicBool, Ordering};

use super::ClientMessage;
use crate::code::ErrorCode;

/// Whether a session's client has sent `notifications/initialized`.
///
/// Asked where a message is handled, not where its context is made: a ping is answered at any time. A request that
/// overtakes the notification is refused at once; it neither waits nor ends the session.
///
/// [MCP 2025-11-25, Lifecycle, Initialization](https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#initialization).
#[derive(Debug, Default)]
pub struct Lifecycle {
    initialized: AtomicBool,
}

impl Lifecycle {
    /// The lifecycle of a session whose `initialize` has been answered.
    #[must_use]
    pub const fn answered() -> Self {
        Self {
            initialized: AtomicBool::new(false),
        }
    }

    /// Whether this message may be handled now. `notifications/initialized` itself is what is waited for.
    ///
    /// # Errors
    ///
    /// [`LifecycleRefusal`]; the client is at fault, and nothing was done.
    pub fn admit(&self, message: &ClientMessage<'_>) -> Result<(), LifecycleRefusal> {
        match message {
            ClientMessage::Request(request) => match &*request.method {
                "initialize" => Err(LifecycleRefusal::AlreadyInitialized),
                "ping" => Ok(()),
                _ => self.require_initialized(),
            },
            ClientMessage::Notification(notification) => match &*notification.method {
                "notifications/initialized" => {
                    self.initialized.store(true, Ordering::Release);
                    Ok(())
                }
                _ => self.require_initialized(),
            },
            ClientMessage::Response => Ok(()),
        }
    }

    fn require_initialized(&self) -> Result<(), LifecycleRefusal> {
        if self.initialized.load(Ordering::Acquire) {
            Ok(())
        } else {
            Err(LifecycleRefusal::NotInitialized)
        }
    }
}

/// A message that comes at the wrong time of its session. The client is at fault, and nothing was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LifecycleRefusal {
    /// `notifications/initialized` has not arrived yet.
    NotInitialized,
    /// `initialize` in a session that exists.
    AlreadyInitialized,
}

impl LifecycleRefusal {
    /// The code of the JSON-RPC error: `-32600`.
    #[must_use]
    pub const fn code(self) -> ErrorCode {
        match self {
            Self::NotInitialized | Self::AlreadyInitialized => ErrorCode::INVALID_REQUEST,
        }
    }

    /// The message of the JSON-RPC error.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::NotInitialized => "the session is not initialized yet",
            Self::AlreadyInitialized => "the session is initialized already",
        }
    }
}

impl fmt::Display for LifecycleRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

impl core::error::Error for LifecycleRefusal {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::RequestLimits;
    use alloc::format;
    use alloc::string::ToString;

    #[test]
    fn a_refusal_says_what_is_wrong() {
        for (refusal, text) in [
            (
                LifecycleRefusal::NotInitialized,
                "the session is not initialized yet",
            ),
            (
                LifecycleRefusal::AlreadyInitialized,
                "the session is initialized already",
            ),
        ] {
            assert_eq!(refusal.to_string(), text);
            assert_eq!(refusal.code(), ErrorCode::INVALID_REQUEST);
        }
    }

    #[test]
    fn a_session_is_initialized_once_and_before_anything_else() {
        let lifecycle = Lifecycle::answered();
        let admit = |method: &str, id: &str| {
            let text = format!(r#"{{"jsonrpc":"2.0",{id}"method":"{method}"}}"#);
            let message = ClientMessage::parse(text.as_bytes(), &RequestLimits::default()).unwrap();
            lifecycle.admit(&message).err()
        };
        let (asks, tells) = (r#""id":1,"#, "");
        assert_eq!(admit("ping", asks), None);
        assert_eq!(admit("tools/call", asks), Some(LifecycleRefusal::NotInitialized));
        assert_eq!(
            admit("notifications/cancelled", tells),
            Some(LifecycleRefusal::NotInitialized)
        );
        assert_eq!(
            admit("initialize", asks),
            Some(LifecycleRefusal::AlreadyInitialized)
        );
        assert_eq!(admit("notifications/initialized", tells), None);
        assert_eq!(admit("tools/call", asks), None);
        assert_eq!(admit("notifications/cancelled", tells), None);
        assert_eq!(
            admit("initialize", asks),
            Some(LifecycleRefusal::AlreadyInitialized)
        );
    }
}
