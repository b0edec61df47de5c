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

impl DataClass {
    /// Every class, from open to closely held.
    pub const ALL: [Self; 6] = [
        Self::PublicContent,
        Self::EditorContent,
        Self::SourceCode,
        Self::InternalConfiguration,
        Self::SystemDiagnostics,
        Self::SecretAdjacent,
    ];

    /// The stable name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::PublicContent => "publicContent",
            Self::EditorContent => "editorContent",
            Self::SourceCode => "sourceCode",
            Self::InternalConfiguration => "internalConfiguration",
            Self::SystemDiagnostics => "systemDiagnostics",
            Self::SecretAdjacent => "secretAdjacent",
        }
    }

    /// The class of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|class| class.name() == name)
    }

    /// The class that a store holds as this text; one that nobody knows counts as the most sensitive.
    #[must_use]
    pub fn from_stored(text: &str) -> Self {
        Self::named(text).unwrap_or(Self::SecretAdjacent)
    }
}

/// Whether a call to a server's tools needs an approval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ApprovalRule {
    /// Each call is put before [`Approvals`](crate::port::Approvals).
    Required,
    /// The operator switched approval off for this server.
    NotRequired,
}

impl ApprovalRule {
    /// The text by which a store holds the rule.
    #[must_use]
    pub const fn as_stored(self) -> &'static str {
        match self {
            Self::Required => "on",
            Self::NotRequired => "off",
        }
    }

    /// The rule that a store holds as this text: an approval is required unless the text is `off`, exactly.
    #[must_use]
    pub fn from_stored(text: &str) -> Self {
        if text == "off" {
            Self::NotRequired
        } else {
            Self::Required
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_edges_of_a_server_name() {
        for (text, good) in [
            ("a", true),
            (&*"a".repeat(32), true),
            (&*"a".repeat(33), false),
            ("a_z09", true),
            ("_", true),
            ("0", true),
            ("", false),
            ("A", false),
            ("a-b", false),
            ("a\u{e4}", false),
        ] {
            let name = ServerName::parse(text);
            let read = name.as_ref().map(|name| (name.as_str(), name.to_string()));
            let expected = (text, text.to_owned());
            assert_eq!(read, good.then_some(expected).ok_or(&ServerNameError), "{text}");
        }
    }

    #[test]
    fn what_a_store_holds_is_read_to_the_strict_side() {
        for class in DataClass::ALL {
            assert_eq!(DataClass::from_stored(class.name()), class);
        }
        for unknown in [
            "",
            "publiccontent",
            "public-content",
            "PublicContent",
            " publicContent",
        ] {
            assert_eq!(
                DataClass::from_stored(unknown),
                DataClass::SecretAdjacent,
                "{unknown}"
            );
        }
        for rule in [ApprovalRule::Required, ApprovalRule::NotRequired] {
            assert_eq!(ApprovalRule::from_stored(rule.as_stored()), rule);
        }
        for on in ["", "0", "no", "false", "OFF", "off ", "on"] {
            assert_eq!(ApprovalRule::from_stored(on), ApprovalRule::Required, "{on}");
        }
    }
}
