//! Credentials: referred to by name, read at the last moment.

use alloc::string::String;
use core::fmt;

use super::PortFuture;
use crate::secret::Secret;

/// Resolves a reference to a secret.
///
/// An adapter asks at most once for each credential of a leg, and only after the target and the address were admitted; and
/// once for that of a proxy, on each connection through it. A leg whose credential cannot be read is refused; it is never
/// sent without.
///
/// Implementations may be asked from several threads at once.
///
/// # Cancel safety
///
/// A dropped answer must leave nothing behind; the next question starts anew.
pub trait CredentialSource: Send + Sync {
    /// Reads the secret that `reference` names. How long it may take is bounded by the operation's deadline.
    ///
    /// # Errors
    ///
    /// [`CredentialError`]; the caller or its vault is at fault, and the leg is not sent. An error names the reference only where
    /// its form says that it is none of a secret itself.
    fn read(&self, reference: &CredentialRef) -> PortFuture<Result<Secret, CredentialError>>;
}

/// The name of a secret in the host's vault, such as `env:API_TOKEN`. Never the secret itself.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CredentialRef(pub String);

impl fmt::Display for CredentialRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A secret that goes with every leg to a server: its name, and where it stands.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Credential {
    /// The secret's name.
    pub reference: CredentialRef,
    /// The header that carries it.
    pub placement: CredentialPlacement,
}

/// Which header carries a secret, and how.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum CredentialPlacement {
    /// `Authorization: Bearer <secret>`.
    Bearer,
    /// A header of the host's choice, the secret being its whole value.
    Header(CredentialHeader),
}

/// The name of a header that may carry a credential, in lower case.
///
/// The names that HTTP, MCP or this client give a meaning to are not among them: `authorization`, `host`, `accept*`,
/// `content-*`, `mcp-*`, `last-event-id`, `user-agent`, `cookie` and the hop-by-hop names of [RFC 9110, section 7.6.1].
///
/// [RFC 9110, section 7.6.1]: https://www.rfc-editor.org/rfc/rfc9110#section-7.6.1
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CredentialHeader(String);

impl CredentialHeader {
    /// Reads a name.
    ///
    /// # Errors
    ///
    /// [`CredentialHeaderError`]; the caller is at fault.
    pub fn parse(name: &str) -> Result<Self, CredentialHeaderError> {
        const RESERVED: [&str; 14] = [
            "authorization",
            "connection",
            "cookie",
            "expect",
            "host",
            "keep-alive",
            "last-event-id",
            "proxy-authorization",
            "proxy-connection",
            "te",
            "trailer",
            "transfer-encoding",
            "upgrade",
            "user-agent",
        ];
        const RESERVED_PREFIXES: [&str; 3] = ["accept", "content-", "mcp-"];
        let token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
        if name.is_empty() || name.len() > 128 || !name.bytes().all(token) {
            return Err(CredentialHeaderError::Invalid);
        }
        let name = name.to_ascii_lowercase();
        let reserved = RESERVED.contains(&name.as_str())
            || RESERVED_PREFIXES.iter().any(|prefix| name.starts_with(prefix));
        if reserved {
            Err(CredentialHeaderError::Reserved)
        } else {
            Ok(Self(name))
        }
    }

    /// The name, in lower case.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Why a name cannot be that of a credential's header.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CredentialHeaderError {
    /// The name is no token of HTTP, or longer than 128 bytes.
    #[error("the header's name is not a valid HTTP field name")]
    Invalid,
    /// The name belongs to HTTP, to MCP or to this client.
    #[error("the header's name is reserved; a bearer credential has its own option")]
    Reserved,
}

/// A credential could not be read. Nothing was sent. The text names the reference, never the secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CredentialError {
    /// There is nothing under this reference.
    #[error("the credential {0} does not exist")]
    Missing(CredentialRef),
    /// The vault could not be asked or refused.
    #[error("the credential {0} could not be read")]
    Unreadable(CredentialRef),
    /// What was read is empty or cannot be the value of a header.
    #[error("the credential {0} is empty or cannot stand in a header")]
    Unusable(CredentialRef),
    /// Another credential stands in the same header.
    #[error("the credential {0} and another one claim the same header")]
    Conflict(CredentialRef),
    /// The reference is of a form that this vault does not know.
    #[error(
        "the credential reference is of an unknown form; use env:NAME, file:PATH or exec:/PROGRAM ARGUMENTS"
    )]
    UnknownForm,
}

impl CredentialError {
    /// The stable kebab-case kind.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Missing(_) => "credential-missing",
            Self::Unreadable(_) => "credential-unreadable",
            Self::Unusable(_) => "credential-unusable",
            Self::Conflict(_) => "credential-conflict",
            Self::UnknownForm => "credential-form-unknown",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn a_header_is_a_token_in_lower_case_that_nobody_else_uses() {
        let invalid = Err(CredentialHeaderError::Invalid);
        let reserved = Err(CredentialHeaderError::Reserved);
        for (name, read) in [
            ("X-API-Key", Ok("x-api-key")),
            ("k", Ok("k")),
            ("!#$%&'*+-.^_`|~9", Ok("!#$%&'*+-.^_`|~9")),
            (&"k".repeat(128), Ok(&*"k".repeat(128))),
            (&"k".repeat(129), invalid),
            ("", invalid),
            ("x y", invalid),
            ("x:", invalid),
            ("\u{e4}", invalid),
            ("Authorization", reserved),
            ("TE", reserved),
            ("user-agent", reserved),
            ("Accept", reserved),
            ("accept-language", reserved),
            ("Content-Type", reserved),
            ("mcp-session-id", reserved),
            ("x-accept", Ok("x-accept")),
        ] {
            let header = CredentialHeader::parse(name);
            assert_eq!(
                header.as_ref().map(CredentialHeader::as_str),
                read.as_ref().copied(),
                "{name}"
            );
        }
    }

    #[test]
    fn an_error_names_the_reference() {
        let error = CredentialError::Missing(CredentialRef(String::from("env:TOKEN")));
        assert_eq!(error.to_string(), "the credential env:TOKEN does not exist");
    }
}
