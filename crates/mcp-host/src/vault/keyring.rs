//! The secret of an entry in the system's keyring.

use mcp_wire::{CredentialError, CredentialRef, Secret};

/// An entry, by service and account.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Entry {
    service: String,
    account: String,
}

impl Entry {
    /// Reads `SERVICE/ACCOUNT`. The account may hold further slashes.
    pub(super) fn of(text: &str) -> Option<Self> {
        let (service, account) = text.split_once('/')?;
        (!service.is_empty() && !account.is_empty()).then(|| Self {
            service: service.to_owned(),
            account: account.to_owned(),
        })
    }

    /// Asks the default store, on a blocking thread of the runtime.
    pub(super) async fn read(self, reference: CredentialRef) -> Result<Secret, CredentialError> {
        let failed = CredentialError::Unreadable(reference.clone());
        let asking = tokio::task::spawn_blocking(move || {
            let entry = keyring_core::Entry::new(&self.service, &self.account);
            match entry.and_then(|entry| entry.get_password()) {
                Ok(secret) => Ok(Secret::new(secret)),
                Err(keyring_core::Error::NoEntry) => Err(CredentialError::Missing(reference)),
                Err(_) => Err(CredentialError::Unreadable(reference)),
            }
        });
        asking.await.unwrap_or(Err(failed))
    }
}

#[cfg(test)]
mod tests {
    use mcp_wire::CredentialSource;

    use super::super::Vault;
    use super::*;

    async fn read(text: &str) -> Result<String, CredentialError> {
        let secret = Vault.read(&CredentialRef(text.to_owned())).await?;
        Ok(secret.expose().to_owned())
    }

    /// One test: the default store is one for the whole process.
    #[tokio::test]
    async fn an_entry_is_looked_up_in_the_default_store() {
        let reference = "keyring:demo/alice/work";
        let refused =
            |error: fn(CredentialRef) -> CredentialError| Err(error(CredentialRef(reference.to_owned())));
        assert_eq!(
            read(reference).await,
            refused(CredentialError::Unreadable),
            "there is no store"
        );
        keyring_core::set_default_store(keyring_core::mock::Store::new().unwrap());
        assert_eq!(read(reference).await, refused(CredentialError::Missing));
        keyring_core::Entry::new("demo", "alice/work")
            .unwrap()
            .set_password("s3cret")
            .unwrap();
        assert_eq!(read(reference).await.unwrap(), "s3cret");
        for other in ["keyring:demo", "keyring:/alice", "keyring:demo/"] {
            assert_eq!(
                Vault::reference(other),
                Err(CredentialError::UnknownForm),
                "{other}"
            );
        }
    }
}
