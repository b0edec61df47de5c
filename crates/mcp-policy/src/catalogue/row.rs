//! One tool as the catalogue keeps it, and what an operator may do with it.

use super::definition::{Definition, ImportedTool};
use super::fingerprint::Fingerprint;
use super::name::LocalName;
use crate::port::UnixTime;
use crate::server::ServerName;
use mcp_wire::ToolName;

/// One tool of one server. A store keeps it under its local name and never deletes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CatalogueRow {
    /// Whose tool it is.
    pub server: ServerName,
    /// Its name on the wire.
    pub remote_name: ToolName,
    /// Its name before gate and model; unique in the whole catalogue.
    pub local_name: LocalName,
    /// What the server last offered.
    pub definition: Definition,
    /// The operator's word on it.
    pub standing: Standing,
    /// Since when the server no longer offers it; `None` while it does.
    pub orphaned_since: Option<UnixTime>,
    /// The import that first saw it.
    pub first_seen: UnixTime,
    /// The import that last saw it.
    pub last_seen: UnixTime,
}

/// The operator's word on a tool. No import sets it to [`Standing::On`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Standing {
    /// Not switched on. New tools stand so.
    Off,
    /// Switched on, in the definition of this fingerprint and no other.
    On {
        /// The definition that the operator saw.
        confirmed: Fingerprint,
    },
    /// Was on when its definition changed, and is off until the operator confirms the new one. It stays so when the
    /// server goes back to the old one.
    Drifted {
        /// The definition that the operator saw last.
        confirmed: Fingerprint,
    },
}

impl Standing {
    /// The text by which a store holds the standing, and the definition that goes with it.
    #[must_use]
    pub const fn as_stored(self) -> (&'static str, Option<Fingerprint>) {
        match self {
            Self::Off => ("off", None),
            Self::On { confirmed } => ("on", Some(confirmed)),
            Self::Drifted { confirmed } => ("drifted", Some(confirmed)),
        }
    }

    /// The standing that a store holds as this text with this definition: off unless the text is `on` or `drifted`,
    /// exactly, and there is a definition.
    #[must_use]
    pub fn from_stored(text: &str, confirmed: Option<Fingerprint>) -> Self {
        match (text, confirmed) {
            ("on", Some(confirmed)) => Self::On { confirmed },
            ("drifted", Some(confirmed)) => Self::Drifted { confirmed },
            _ => Self::Off,
        }
    }
}

/// Why an operator's act on a row does not take place. The row is as it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum ActRefused {
    /// The server does not offer the tool.
    #[error("the server no longer offers the tool")]
    Orphaned,
    /// The definition has changed since it was switched on; only a confirmation that names it may do that again.
    #[error("the definition has changed and must be confirmed")]
    MustBeConfirmed,
    /// The fingerprint is not that of the row's definition: it changed after it was shown.
    #[error("the definition is not the one that was shown")]
    NotTheOneShown,
}

impl ActRefused {
    /// The stable kebab-case kind.
    #[must_use]
    pub const fn kind(self) -> &'static str {
        match self {
            Self::Orphaned => "tool-orphaned",
            Self::MustBeConfirmed => "tool-must-be-confirmed",
            Self::NotTheOneShown => "tool-not-the-one-shown",
        }
    }
}

impl CatalogueRow {
    /// The row of a tool that was never seen before: off.
    pub(super) fn first(server: ServerName, tool: ImportedTool, now: UnixTime) -> Self {
        Self {
            server,
            remote_name: tool.remote_name,
            local_name: tool.local_name,
            definition: tool.definition,
            standing: Standing::Off,
            orphaned_since: None,
            first_seen: now,
            last_seen: now,
        }
    }

    /// The server offers the tool, in this definition. The first sight and the operator's word stay, but that a tool
    /// which is on in another definition drifts.
    pub(super) fn see(&mut self, definition: Definition, now: UnixTime) {
        if let Standing::On { confirmed } = self.standing
            && confirmed != definition.fingerprint
        {
            self.standing = Standing::Drifted { confirmed };
        }
        self.definition = definition;
        self.orphaned_since = None;
        self.last_seen = now;
    }

    /// The server does not offer the tool. The first date counts.
    pub(super) fn miss(&mut self, now: UnixTime) {
        self.orphaned_since.get_or_insert(now);
    }

    /// Whether the server no longer offers it.
    #[must_use]
    pub const fn is_orphaned(&self) -> bool {
        self.orphaned_since.is_some()
    }

    /// Whether the operator has switched on exactly what the row holds. Says nothing of the server.
    #[must_use]
    pub fn is_on(&self) -> bool {
        match self.standing {
            Standing::On { confirmed } => confirmed == self.definition.fingerprint,
            Standing::Off | Standing::Drifted { .. } => false,
        }
    }

    /// Switches the tool on as it stands in the row.
    ///
    /// # Errors
    ///
    /// [`ActRefused`] when it is orphaned, or when it has changed since it was last switched on.
    pub fn enable(&mut self) -> Result<(), ActRefused> {
        match self.standing {
            Standing::On { .. } if self.is_on() => Ok(()),
            Standing::On { .. } | Standing::Drifted { .. } => Err(ActRefused::MustBeConfirmed),
            Standing::Off => self.confirm(self.definition.fingerprint),
        }
    }

    /// Switches the tool off. Always possible; for a tool that drifted it is the operator's no.
    pub const fn disable(&mut self) {
        self.standing = Standing::Off;
    }

    /// Switches the tool on in the definition that was `shown`, whether it was off or drifted.
    ///
    /// # Errors
    ///
    /// [`ActRefused`] when it is orphaned, or when the row holds another definition.
    pub fn confirm(&mut self, shown: Fingerprint) -> Result<(), ActRefused> {
        if self.is_orphaned() {
            Err(ActRefused::Orphaned)
        } else if shown != self.definition.fingerprint {
            Err(ActRefused::NotTheOneShown)
        } else {
            self.standing = Standing::On { confirmed: shown };
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_standing_that_nobody_knows_is_off() {
        let confirmed = Fingerprint::parse(&format!("mcp1:{}", "0".repeat(64))).unwrap();
        for standing in [
            Standing::Off,
            Standing::On { confirmed },
            Standing::Drifted { confirmed },
        ] {
            let (text, with) = standing.as_stored();
            assert_eq!(Standing::from_stored(text, with), standing);
            assert_eq!(Standing::from_stored(text, None), Standing::Off);
        }
        for unknown in ["", "ON", "on ", "enabled"] {
            assert_eq!(Standing::from_stored(unknown, Some(confirmed)), Standing::Off);
        }
    }
}
