//! Trust zones: where a model runs, and which data may be shown to it.

use crate::server::DataClass;

/// Where a model runs, from the closest to the farthest.
///
/// What a tool answers is shown to the models of the run, so a zone has a ceiling: the most sensitive class of data that
/// may go there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TrustZone {
    /// On this machine.
    Local,
    /// On machines that the operator rents or owns.
    PrivateHosted,
    /// With a provider under the law of the European Union.
    ExternalEu,
    /// With any other provider.
    ExternalGlobal,
}

impl TrustZone {
    /// Every zone, from the closest to the farthest.
    pub const ALL: [Self; 4] = [
        Self::Local,
        Self::PrivateHosted,
        Self::ExternalEu,
        Self::ExternalGlobal,
    ];

    /// The stable name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Local => "local",
            Self::PrivateHosted => "privateHosted",
            Self::ExternalEu => "externalEu",
            Self::ExternalGlobal => "externalGlobal",
        }
    }

    /// The zone of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|zone| zone.name() == name)
    }

    /// The zone that a store holds as this text; one that nobody knows counts as the farthest.
    #[must_use]
    pub fn from_stored(text: &str) -> Self {
        Self::named(text).unwrap_or(Self::ExternalGlobal)
    }

    /// The most sensitive class that may go there.
    #[must_use]
    pub const fn ceiling(self) -> DataClass {
        match self {
            Self::Local => DataClass::SecretAdjacent,
            Self::PrivateHosted => DataClass::SystemDiagnostics,
            Self::ExternalEu => DataClass::InternalConfiguration,
            Self::ExternalGlobal => DataClass::EditorContent,
        }
    }

    /// Whether data of this class may go there.
    #[must_use]
    pub fn admits(self, class: DataClass) -> bool {
        class <= self.ceiling()
    }
}

/// The zones of the models that may see what a tool answers: the one that was asked for, and those that stand in for it
/// when it fails.
///
/// There is one level of stand-ins. What a stand-in would fall back to by its own configuration does not count, as nobody
/// asks it to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelZones {
    /// The zone of the model that was asked for.
    pub primary: TrustZone,
    /// The zones of its stand-ins.
    pub fallbacks: Vec<TrustZone>,
}

impl ModelZones {
    /// The zone of a model without a stand-in.
    #[must_use]
    pub const fn of(primary: TrustZone) -> Self {
        Self {
            primary,
            fallbacks: Vec::new(),
        }
    }

    /// The farthest of them, which is the one that counts: it is not known beforehand which model will answer.
    #[must_use]
    pub fn worst(&self) -> TrustZone {
        self.fallbacks.iter().copied().fold(self.primary, TrustZone::max)
    }
}
