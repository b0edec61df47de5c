//! What legitimately differs between two servers: configuration, and session state.

use mcp_policy::{ApprovalRule, DataClass, ServerName, ServerRecord};
use mcp_wire::{Credential, CredentialPlacement, CredentialRef, Endpoint};
use serde::Deserialize;

use crate::connection::{Carrier, Outside};
use crate::oracle::Oracle;
use crate::reply::Values;
use crate::suite::LoadError;

/// The reference of the credential that a server may be configured with.
pub(crate) const CREDENTIAL: &str = "env:TOKEN";

/// The host of the server's address.
pub(crate) const HOST: &str = "peer.example";

/// The name of the server.
pub(crate) const SERVER: &str = "peer";

/// One connection that the whole list must hold for.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    /// For the table only; no check reads it.
    pub name: String,
    /// The session id that the server issues with `initialize`, if any. That of our own server has 32 digits of base 16.
    pub session: Option<String>,
    /// What the connection is made of.
    #[serde(default)]
    pub(crate) carrier: Carrier,
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
    /// Whether an oracle can be asked on this connection.
    pub(crate) fn can_ask(&self, oracle: &Oracle) -> bool {
        match self.carrier {
            Carrier::Http => true,
            Carrier::Messages | Carrier::Outside(_) => !oracle.needs_http(),
            Carrier::Server => oracle.is_sayable(),
        }
    }

    /// Whether the other side is a script that answers in HTTP, whatever it is told to answer.
    pub(crate) const fn is_scripted_in_http(&self) -> bool {
        match self.carrier {
            Carrier::Http => true,
            Carrier::Messages | Carrier::Server | Carrier::Outside(_) => false,
        }
    }

    /// Whether the server sees header fields, and the client statuses.
    pub(crate) const fn has_fields(&self) -> bool {
        match self.carrier {
            Carrier::Http | Carrier::Server => true,
            Carrier::Messages | Carrier::Outside(_) => false,
        }
    }

    /// The same server over a transport that is under test.
    pub(crate) fn over(&self, outside: Outside) -> Self {
        Self {
            carrier: Carrier::Outside(outside),
            ..self.clone()
        }
    }

    /// The record of the server as the operator configured it.
    pub(crate) fn record(&self, credential: bool) -> Result<ServerRecord, LoadError> {
        let name = ServerName::parse(SERVER).map_err(|_| LoadError::Profile)?;
        let endpoint = Endpoint::parse(&format!("http://{HOST}/mcp")).map_err(|_| LoadError::Profile)?;
        let mut record = ServerRecord::new(name, Some(endpoint));
        if credential {
            let reference = CredentialRef(CREDENTIAL.to_owned());
            record.credentials.push(Credential {
                reference,
                placement: CredentialPlacement::Bearer,
            });
        }
        record.class = Some(self.class());
        record.approval = self.approval();
        Ok(record)
    }

    /// What stands for the placeholders of an expectation.
    pub(crate) fn values(&self) -> Values {
        Values::from([
            ("session".to_owned(), self.session.clone().unwrap_or_default()),
            ("class".to_owned(), self.class().name().to_owned()),
            ("approval".to_owned(), self.approval().as_stored().to_owned()),
        ])
    }

    const fn class(&self) -> DataClass {
        match self.class {
            Class::PublicContent => DataClass::PublicContent,
            Class::EditorContent => DataClass::EditorContent,
            Class::SourceCode => DataClass::SourceCode,
            Class::InternalConfiguration => DataClass::InternalConfiguration,
            Class::SystemDiagnostics => DataClass::SystemDiagnostics,
            Class::SecretAdjacent => DataClass::SecretAdjacent,
        }
    }

    const fn approval(&self) -> ApprovalRule {
        if self.approval {
            ApprovalRule::Required
        } else {
            ApprovalRule::NotRequired
        }
    }
}
