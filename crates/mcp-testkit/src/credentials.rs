//! Credentials in memory.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use mcp_wire::{CredentialError, CredentialRef, CredentialSource, PortFuture, Secret};

/// Secrets by reference, and how often any of them was read.
#[derive(Debug, Default)]
pub struct MemoryCredentials {
    secrets: BTreeMap<String, String>,
    reads: AtomicUsize,
}

impl MemoryCredentials {
    /// A source that holds one secret.
    #[must_use]
    pub fn holding(reference: &str, secret: &str) -> Self {
        let secrets = BTreeMap::from([(reference.to_owned(), secret.to_owned())]);
        Self {
            secrets,
            reads: AtomicUsize::new(0),
        }
    }

    /// How often a secret was asked for.
    pub fn reads(&self) -> usize {
        self.reads.load(Ordering::Relaxed)
    }
}

impl CredentialSource for MemoryCredentials {
    fn read(&self, reference: &CredentialRef) -> PortFuture<Result<Secret, CredentialError>> {
        self.reads.fetch_add(1, Ordering::Relaxed);
        let secret = self
            .secrets
            .get(&reference.0)
            .map(|secret| Secret::new(secret.clone()));
        PortFuture::ready(secret.ok_or_else(|| CredentialError::Missing(reference.clone())))
    }
}
