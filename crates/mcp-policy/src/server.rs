//! What an operator configured for one server.

use std::sync::Arc;

use mcp_wire::Target;

use crate::budget::Budget;

/// One configured server. Class and approval are the operator's word; nothing that the server says changes them.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Server {
    /// The name by which the host knows it.
    pub name: ServerName,
    /// Where it is.
    pub target: Arc<Target>,
    /// How sensitive the data is that its tools handle.
    pub class: DataClass,
    /// Whether a call needs an approval.
    pub approval: ApprovalRule,
    /// The time for one operation.
    pub budget: Budget,
}

impl Server {
    /// A server under the strict settings: the most sensitive class, approval required, the default budget.
    #[must_use]
    pub fn new(name: ServerName, target: Target) -> Self {
        Self {
            name,
            target: Arc::new(target),
            class: DataClass::SecretAdjacent,
            approval: ApprovalRule::Required,
            budget: Budget::DEFAULT,
        }
    }
}

/// A server's name: 1 to 32 of lower-case letters, digits and underscore.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ServerName(String);

impl ServerName {
    /// Reads a name.
    ///
    /// # Errors
    ///
    /// [`ServerNameError`] when the text is not wholly of the form.
    pub fn parse(text: &str) -> Result<Self, ServerNameError> {
        let allowed = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
        if (1..=32).contains(&text.len()) && text.bytes().all(allowed) {
            Ok(Self(text.to_owned()))
        } else {
            Err(ServerNameError)
        }
    }

    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Display for ServerName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// A text that cannot be a server's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a server's name is 1 to 32 of a-z, 0-9 and _")]
pub struct ServerNameError;

/// How sensitive data is, from open to closely held.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "the classes name themselves")]
pub enum DataClass {
    PublicContent,
    EditorContent,
    SourceCode,
    InternalConfiguration,
    SystemDiagnostics,
    SecretAdjacent,
}

/// Whether a call to a server's tools needs an approval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ApprovalRule {
    /// Each call is put before [`Approvals`](crate::port::Approvals).
    Required,
    /// The operator switched approval off for this server.
    NotRequired,
}
