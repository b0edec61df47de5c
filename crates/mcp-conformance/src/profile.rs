//! What legitimately differs between two servers: configuration, and session state.

use mcp_policy::{ApprovalRule, DataClass, Server, ServerName};
use mcp_wire::{Credential, CredentialPlacement, CredentialRef, Endpoint, Target};

use serde::Deserialize;

use crate::suite::LoadError;

/// The reference of the credential that a server may be configured with.
pub(crate) const CREDENTIAL: &str = "env:TOKEN";

/// One connection that the whole list must hold for.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    /// For the table only; no check reads it.
    pub name: String,
    /// The session id that the server issues with `initialize`, if any.
    pub session: Option<String>,
    class: Class,
    approval: bool,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "camelCase")]
enum Class {
    PublicContent,
    EditorContent,
    SourceCode,
    InternalConfiguration,
    SystemDiagnostics,
    SecretAdjacent,
}

impl Profile {
    /// The server as the operator configured it.
    pub(crate) fn server(&self, credential: bool) -> Result<Server, LoadError> {
        let name = ServerName::parse("peer").map_err(|_| LoadError::Profile)?;
        let endpoint = Endpoint::parse("http://peer.example/mcp").map_err(|_| LoadError::Profile)?;
        let mut target = Target::new(endpoint);
        if credential {
            let reference = CredentialRef(CREDENTIAL.to_owned());
            target.credentials.push(Credential {
                reference,
                placement: CredentialPlacement::Bearer,
            });
        }
        let mut server = Server::new(name, target);
        server.class = match self.class {
            Class::PublicContent => DataClass::PublicContent,
            Class::EditorContent => DataClass::EditorContent,
            Class::SourceCode => DataClass::SourceCode,
            Class::InternalConfiguration => DataClass::InternalConfiguration,
            Class::SystemDiagnostics => DataClass::SystemDiagnostics,
            Class::SecretAdjacent => DataClass::SecretAdjacent,
        };
        server.approval = if self.approval {
            ApprovalRule::Required
        } else {
            ApprovalRule::NotRequired
        };
        Ok(server)
    }
}
