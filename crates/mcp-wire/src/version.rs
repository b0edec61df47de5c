//! Protocol revisions: which are offered and which are accepted.

use core::fmt;

/// A protocol revision that this client speaks.
///
/// [MCP 2025-11-25, Lifecycle, Version Negotiation]: the client offers the latest revision that it supports and
/// disconnects when the server chooses one that it does not.
///
/// [MCP 2025-11-25, Lifecycle, Version Negotiation]: https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#version-negotiation
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum ProtocolVersion {
    /// 2024-11-05; accepted from servers, never offered.
    V2024_11_05,
    /// 2025-03-26; accepted from servers, never offered.
    V2025_03_26,
    /// 2025-06-18; accepted from servers, never offered.
    V2025_06_18,
    /// 2025-11-25; offered.
    V2025_11_25,
}

impl ProtocolVersion {
    /// Every revision that a server may choose.
    pub const ACCEPTED: &'static [Self] = &[
        Self::V2024_11_05,
        Self::V2025_03_26,
        Self::V2025_06_18,
        Self::V2025_11_25,
    ];

    /// The revision that `initialize` offers.
    pub const OFFERED: Self = Self::V2025_11_25;

    /// Reads the revision that a server chose.
    ///
    /// # Errors
    ///
    /// [`UnsupportedVersion`] for anything that is not exactly one of [`ProtocolVersion::ACCEPTED`].
    pub fn parse(text: &str) -> Result<Self, UnsupportedVersion> {
        Self::ACCEPTED
            .iter()
            .copied()
            .find(|version| version.as_str() == text)
            .ok_or(UnsupportedVersion)
    }

    /// The revision as the wire spells it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::V2024_11_05 => "2024-11-05",
            Self::V2025_03_26 => "2025-03-26",
            Self::V2025_06_18 => "2025-06-18",
            Self::V2025_11_25 => "2025-11-25",
        }
    }
}

impl fmt::Display for ProtocolVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A revision that this client does not speak.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the protocol revision is not supported")]
pub struct UnsupportedVersion;

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn a_revision_is_read_and_printed_as_the_wire_spells_it() {
        for version in ProtocolVersion::ACCEPTED {
            assert_eq!(ProtocolVersion::parse(version.as_str()), Ok(*version));
            assert_eq!(version.to_string(), version.as_str());
        }
        assert_eq!(ProtocolVersion::OFFERED.to_string(), "2025-11-25");
        for text in ["", "2025-11-2", "2025-11-250", "2026-07-28", " 2025-11-25"] {
            assert_eq!(ProtocolVersion::parse(text), Err(UnsupportedVersion), "{text}");
        }
    }
}
