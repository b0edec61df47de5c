//! On whose behalf a message comes.

use std::fmt;
use std::sync::Arc;

use http::HeaderValue;
use http::request::Parts;

/// Who sends a message: whatever tells one principal from another. A session belongs to the caller that opened it.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Caller(Arc<str>);

impl Caller {
    /// The principal of this name, which need not be readable. It is not shown in errors or logs.
    #[must_use]
    pub fn new(name: &str) -> Self {
        Self(name.into())
    }

    /// The principal's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Caller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Caller(redacted)")
    }
}

/// Tells who sends a request, by its head. Asked for every request, before its body is read.
pub trait Callers: Send + Sync + 'static {
    /// The caller of the request with this head.
    ///
    /// # Errors
    ///
    /// [`Unidentified`] when nobody may call like this. The request is answered with 401.
    fn identify(&self, head: &Parts) -> Result<Caller, Unidentified>;
}

/// A request of nobody who is known.
#[derive(Debug, Clone)]
pub struct Unidentified {
    /// The value of `WWW-Authenticate`: what a client would have to show.
    ///
    /// [RFC 9110, section 11.6.1](https://www.rfc-editor.org/rfc/rfc9110#section-11.6.1).
    pub challenge: HeaderValue,
}

/// Everybody is one and the same caller: for a server that only this machine can reach.
#[derive(Debug, Clone, Copy, Default)]
pub struct Anyone;

impl Callers for Anyone {
    fn identify(&self, _head: &Parts) -> Result<Caller, Unidentified> {
        Ok(Caller::new("anyone"))
    }
}
