//! Under which name a tool is known here, and who holds that name already.

use mcp_wire::ToolName;

use crate::server::ServerName;

/// The name before gate and model: `mcp_<server>_<remote name>`, 1 to 64 of letters, digits, `_` and `-`.
///
/// The remote name is never rewritten to fit, so one server's tools cannot meet in one local name. Nothing parses a local
/// name: which server and which remote name it stands for is known from its row.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LocalName(String);

impl LocalName {
    /// The longest name, in bytes.
    pub const MAX_BYTES: usize = 64;

    /// The name of a server's tool.
    ///
    /// # Errors
    ///
    /// [`LocalNameFault`] when it is not wholly of the form. The server chose a name that does not fit.
    pub fn compose(server: &ServerName, remote: &ToolName) -> Result<Self, LocalNameFault> {
        Self::parse(&format!("mcp_{server}_{}", remote.as_str()))
    }

    /// Takes a name that was composed before.
    ///
    /// # Errors
    ///
    /// [`LocalNameFault`] when it is not wholly of the form.
    pub fn parse(text: &str) -> Result<Self, LocalNameFault> {
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
        if !text.bytes().all(allowed) {
            Err(LocalNameFault::Character)
        } else if text.len() > Self::MAX_BYTES {
            Err(LocalNameFault::TooLong)
        } else if text.is_empty() {
            Err(LocalNameFault::Empty)
        } else {
            Ok(Self(text.to_owned()))
        }
    }

    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Display for LocalName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// Why a tool has no local name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum LocalNameFault {
    /// The name holds anything but letters, digits, `_` and `-`.
    #[error("the name holds a character other than A-Z, a-z, 0-9, _ and -")]
    Character,
    /// The local name is longer than [`LocalName::MAX_BYTES`].
    #[error("the local name is longer than 64 bytes")]
    TooLong,
    /// The local name is empty; no composed one is.
    #[error("the local name is empty")]
    Empty,
}

impl LocalNameFault {
    /// The stable kebab-case kind.
    #[must_use]
    pub const fn kind(self) -> &'static str {
        match self {
            Self::Character => "local-name-character",
            Self::TooLong => "local-name-too-long",
            Self::Empty => "local-name-empty",
        }
    }
}

/// Who holds a local name already. The newcomer is set aside.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum NameTaken {
    /// A tool of the host itself.
    #[error("a tool of the host itself has the local name")]
    Builtin,
    /// A tool of another server: server `a` with tool `b_c` and server `a_b` with tool `c` meet in `mcp_a_b_c`. An
    /// orphaned row of the other server still holds its name.
    #[error("a tool of another server has the local name")]
    OtherServer,
}

impl NameTaken {
    /// The stable kebab-case kind.
    #[must_use]
    pub const fn kind(self) -> &'static str {
        match self {
            Self::Builtin => "name-of-builtin",
            Self::OtherServer => "name-of-other-server",
        }
    }
}
