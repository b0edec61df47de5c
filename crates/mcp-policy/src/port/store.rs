//! How a store fails.

/// A store could not read or write. Nothing that it was asked to change is changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The store did not answer, or failed in a way that has no other name here.
    #[error("the store did not answer or refused the write")]
    Unavailable,
    /// Another process held the store for longer than it was waited for.
    #[error("the store is held by another process")]
    Busy,
    /// What is there is no store, or a damaged one.
    #[error("the store is damaged, or the file is none; restore it from a backup")]
    Corrupt,
    /// The store was written by a later version of the program.
    #[error("the store is of version {found}, and this program knows {known}; use a newer one")]
    Newer {
        /// The version of the store.
        found: u32,
        /// The latest version that this program knows.
        known: u32,
    },
    /// There is no room left where the store is.
    #[error("there is no room left for the store")]
    Full,
    /// The store may not be opened or written.
    #[error("the store may not be opened or written; check the path and its permissions")]
    Denied,
}

impl StoreError {
    /// The stable kebab-case kind.
    #[must_use]
    pub const fn kind(self) -> &'static str {
        match self {
            Self::Unavailable => "store-unavailable",
            Self::Busy => "store-busy",
            Self::Corrupt => "store-corrupt",
            Self::Newer { .. } => "store-newer",
            Self::Full => "store-full",
            Self::Denied => "store-denied",
        }
    }
}
