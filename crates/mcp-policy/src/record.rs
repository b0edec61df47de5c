//! The record of a server: everything that an operator decided about it.

use std::sync::Arc;

use mcp_wire::{Credential, Endpoint, ReplyLimits, Target};

use crate::budget::Budget;
use crate::catalogue::ServerTerms;
use crate::server::{ApprovalRule, DataClass, Server, ServerName};
use crate::walk::WalkLimits;

/// One server as an operator configured it. It may be incomplete: what is missing is asked for by [`ServerRecord::server`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServerRecord {
    /// Its identifier.
    pub name: ServerName,
    /// Where it is.
    pub endpoint: Option<Endpoint>,
    /// What goes with every request, by reference.
    pub credentials: Vec<Credential>,
    /// How sensitive the data is that its tools handle.
    pub class: Option<DataClass>,
    /// Whether a call needs an approval.
    pub approval: ApprovalRule,
    /// Whether it may be used.
    pub switch: Switch,
    /// The group that its tools are switched by.
    pub group: GroupName,
    /// The time for one operation.
    pub budget: Budget,
    /// The bounds of its catalogue.
    pub walk: WalkLimits,
    /// The bounds of each reply.
    pub limits: ReplyLimits,
}

impl ServerRecord {
    /// A record under the strict settings: no class yet, approval required, enabled, its own group, default bounds.
    #[must_use]
    pub fn new(name: ServerName, endpoint: Option<Endpoint>) -> Self {
        Self {
            group: GroupName::of(&name),
            name,
            endpoint,
            credentials: Vec::new(),
            class: None,
            approval: ApprovalRule::Required,
            switch: Switch::On,
            budget: Budget::DEFAULT,
            walk: WalkLimits::default(),
            limits: ReplyLimits::default(),
        }
    }

    /// The server, ready to be asked for its tools and to have them called.
    ///
    /// # Errors
    ///
    /// [`RecordGap`]: the record is switched off, or lacks something that only its operator can give.
    pub fn server(&self) -> Result<Server, RecordGap> {
        match self.switch {
            Switch::On => {}
            Switch::Off => return Err(RecordGap::Disabled),
        }
        let class = self.class.ok_or(RecordGap::NoClass)?;
        self.with_class(class)
    }

    /// The server, to see whether it is there. That needs no class.
    ///
    /// # Errors
    ///
    /// [`RecordGap::NoUrl`].
    pub fn reachable(&self) -> Result<Server, RecordGap> {
        self.with_class(self.class.unwrap_or(DataClass::SecretAdjacent))
    }

    /// What its tools take over from it.
    #[must_use]
    pub const fn terms(&self) -> ServerTerms<'_> {
        ServerTerms {
            server: &self.name,
            enabled: matches!(self.switch, Switch::On),
            class: self.class,
            approval: self.approval,
            group: &self.group,
        }
    }

    fn with_class(&self, class: DataClass) -> Result<Server, RecordGap> {
        let mut target = Target::new(self.endpoint.clone().ok_or(RecordGap::NoUrl)?);
        target.credentials.clone_from(&self.credentials);
        target.limits = self.limits;
        Ok(Server {
            name: self.name.clone(),
            target: Arc::new(target),
            class,
            approval: self.approval,
            budget: self.budget,
        })
    }
}

/// Whether something may be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Switch {
    /// It may.
    On,
    /// It may not.
    Off,
}

impl Switch {
    /// The text by which a store holds the switch.
    #[must_use]
    pub const fn as_stored(self) -> &'static str {
        match self {
            Self::On => "on",
            Self::Off => "off",
        }
    }

    /// The switch that a store holds as this text: off unless the text is `on`, exactly.
    #[must_use]
    pub fn from_stored(text: &str) -> Self {
        if text == "on" { Self::On } else { Self::Off }
    }
}

/// The name of a group of tools: 1 to 64 of lower-case letters, digits and underscore.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GroupName(String);

impl GroupName {
    /// The group of one server's tools: `mcp_` and its name.
    #[must_use]
    pub fn of(server: &ServerName) -> Self {
        Self(format!("mcp_{server}"))
    }

    /// Reads a name.
    ///
    /// # Errors
    ///
    /// [`GroupNameError`] when the text is not wholly of the form.
    pub fn parse(text: &str) -> Result<Self, GroupNameError> {
        let allowed = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
        if (1..=64).contains(&text.len()) && text.bytes().all(allowed) {
            Ok(Self(text.to_owned()))
        } else {
            Err(GroupNameError)
        }
    }

    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Display for GroupName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// A text that cannot be a group's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a group's name is 1 to 64 of a-z, 0-9 and _")]
pub struct GroupNameError;

/// What a record lacks. Nothing was contacted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum RecordGap {
    /// The server is switched off.
    #[error("the server is disabled")]
    Disabled,
    /// Nobody said how sensitive its data is.
    #[error("the server has no data class; classify it first")]
    NoClass,
    /// Nobody said where it is.
    #[error("the server has no URL")]
    NoUrl,
}

impl RecordGap {
    /// The stable kebab-case kind.
    #[must_use]
    pub const fn kind(self) -> &'static str {
        match self {
            Self::Disabled => "server-disabled",
            Self::NoClass => "server-unclassified",
            Self::NoUrl => "server-without-url",
        }
    }
}

#[cfg(test)]
mod tests {
    use mcp_wire::{CredentialPlacement, CredentialRef};

    use super::*;

    fn record() -> ServerRecord {
        let endpoint = Endpoint::parse("https://srv.example/mcp").unwrap();
        ServerRecord::new(ServerName::parse("demo").unwrap(), Some(endpoint))
    }

    #[test]
    fn what_a_record_lacks_is_told_in_this_order() {
        let mut record = record();
        record.endpoint = None;
        record.switch = Switch::Off;
        assert_eq!(record.server(), Err(RecordGap::Disabled));
        record.switch = Switch::On;
        assert_eq!(record.server(), Err(RecordGap::NoClass));
        record.class = Some(DataClass::PublicContent);
        assert_eq!(record.server(), Err(RecordGap::NoUrl));
        assert_eq!(record.reachable(), Err(RecordGap::NoUrl));
    }

    #[test]
    fn a_server_is_what_its_record_says() {
        let mut record = record();
        assert_eq!(record.reachable().unwrap().class, DataClass::SecretAdjacent);
        record.class = Some(DataClass::SourceCode);
        record.approval = ApprovalRule::NotRequired;
        record.budget = Budget::new(std::time::Duration::from_secs(3)).unwrap();
        record.limits.body_bytes = 7;
        record.credentials = vec![Credential {
            reference: CredentialRef("env:TOKEN".to_owned()),
            placement: CredentialPlacement::Bearer,
        }];
        let server = record.server().unwrap();
        assert_eq!(server.class, DataClass::SourceCode);
        assert_eq!(server.approval, ApprovalRule::NotRequired);
        assert_eq!(
            (server.budget, server.target.limits.body_bytes),
            (record.budget, 7)
        );
        assert_eq!(server.target.credentials, record.credentials);
        assert_eq!(record.reachable().unwrap(), server);
        record.switch = Switch::Off;
        assert!(record.reachable().is_ok());
    }

    #[test]
    fn a_switch_that_nobody_knows_is_off() {
        for switch in [Switch::On, Switch::Off] {
            assert_eq!(Switch::from_stored(switch.as_stored()), switch);
        }
        for unknown in ["", "1", "yes", "true", "ON", "on "] {
            assert_eq!(Switch::from_stored(unknown), Switch::Off, "{unknown}");
        }
    }

    #[test]
    fn the_edges_of_a_group_name() {
        assert_eq!(record().group.as_str(), "mcp_demo");
        for (text, good) in [
            ("a", true),
            (&*"a".repeat(64), true),
            (&*"a".repeat(65), false),
            ("", false),
            ("a_z09", true),
            ("_", true),
            ("0", true),
            ("A", false),
            ("a-b", false),
            ("a\u{e4}", false),
        ] {
            let read = GroupName::parse(text).map(|name| name.to_string());
            assert_eq!(
                read.as_deref(),
                good.then_some(text).ok_or(&GroupNameError),
                "{text}"
            );
        }
    }
}
