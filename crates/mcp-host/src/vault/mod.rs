//! Credentials from the environment, from files, from commands and, with the feature `keyring`, from the system's keyring.

mod exec;
#[cfg(feature = "keyring")]
mod keyring;

use std::fs::File;
use std::io::Read;

use mcp_wire::{CredentialError, CredentialRef, CredentialSource, PortFuture, Secret};
use zeroize::Zeroizing;

/// Reads `env:NAME`, `file:PATH` and `exec:/PROGRAM ARGUMENTS`, anew for every leg; with the feature `keyring` also
/// `keyring:SERVICE/ACCOUNT`.
///
/// A command is an absolute path and its arguments, with one space between each; no shell reads it, nothing in it is
/// expanded, and an argument cannot hold a space. It has no input, its error output goes nowhere, and the secret is what it
/// prints, if it ends with status 0. It is killed when the operation does not wait for it any longer. Whoever can write a
/// reference can run a command: references are configuration, never remote text.
///
/// An entry of a keyring is looked up in the default store that the program has given to `keyring-core`.
///
/// A file is read up to 64 KiB on a blocking thread of the runtime, a command's output to the same bound; one line end at its end does
/// not belong to the secret. Nothing is expanded, and nothing falls back to an empty secret.
///
/// # Cancel safety
///
/// The reading of a file goes on beyond a dropped answer, on its thread; what it has read is erased.
#[derive(Debug, Clone, Copy, Default)]
pub struct Vault;

const FILE_BYTES: usize = 64 * 1_024;

impl Vault {
    /// Reads the text of a reference, without reading the secret.
    ///
    /// # Errors
    ///
    /// [`CredentialError::UnknownForm`]: a text of another form could be a secret itself, so it is not repeated.
    pub fn reference(text: &str) -> Result<CredentialRef, CredentialError> {
        match text.split_once(':') {
            Some(("env" | "file", name)) if !name.is_empty() => Ok(CredentialRef(text.to_owned())),
            Some(("exec", command)) if exec::Argv::of(command).is_some() => {
                Ok(CredentialRef(text.to_owned()))
            }
            #[cfg(feature = "keyring")]
            Some(("keyring", entry)) if keyring::Entry::of(entry).is_some() => {
                Ok(CredentialRef(text.to_owned()))
            }
            Some(_) | None => Err(CredentialError::UnknownForm),
        }
    }
}

impl CredentialSource for Vault {
    fn read(&self, reference: &CredentialRef) -> PortFuture<Result<Secret, CredentialError>> {
        match reference.0.split_once(':') {
            Some(("env", name)) => PortFuture::ready(read_environment(name, reference)),
            Some(("file", path)) => {
                let (path, reference) = (path.to_owned(), reference.clone());
                PortFuture::pending(async move {
                    let failed = CredentialError::Unreadable(reference.clone());
                    let reading = tokio::task::spawn_blocking(move || read_file(&path, &reference));
                    reading.await.unwrap_or(Err(failed))
                })
            }
            Some(("exec", command)) => match exec::Argv::of(command) {
                Some(argv) => PortFuture::pending(argv.read(reference.clone())),
                None => PortFuture::ready(Err(CredentialError::UnknownForm)),
            },
            #[cfg(feature = "keyring")]
            Some(("keyring", entry)) => match keyring::Entry::of(entry) {
                Some(entry) => PortFuture::pending(entry.read(reference.clone())),
                None => PortFuture::ready(Err(CredentialError::UnknownForm)),
            },
            Some(_) | None => PortFuture::ready(Err(CredentialError::UnknownForm)),
        }
    }
}

fn read_environment(name: &str, reference: &CredentialRef) -> Result<Secret, CredentialError> {
    match std::env::var(name) {
        Ok(value) => Ok(Secret::new(value)),
        Err(std::env::VarError::NotPresent) => Err(CredentialError::Missing(reference.clone())),
        Err(std::env::VarError::NotUnicode(_)) => Err(CredentialError::Unreadable(reference.clone())),
    }
}

fn read_file(path: &str, reference: &CredentialRef) -> Result<Secret, CredentialError> {
    let unreadable = |_error| CredentialError::Unreadable(reference.clone());
    let file = File::open(path).map_err(|error| {
        if error.kind() == std::io::ErrorKind::NotFound {
            CredentialError::Missing(reference.clone())
        } else {
            CredentialError::Unreadable(reference.clone())
        }
    })?;
    // Large enough from the start, so that growing leaves no copies behind; erased when it is dropped.
    let mut bytes = Zeroizing::new(Vec::with_capacity(FILE_BYTES + 2));
    file.take(FILE_BYTES as u64 + 1)
        .read_to_end(&mut bytes)
        .map_err(unreadable)?;
    secret(&bytes, reference)
}

/// The secret in what was read, which is without one line end at its end.
fn secret(bytes: &[u8], reference: &CredentialRef) -> Result<Secret, CredentialError> {
    if bytes.len() > FILE_BYTES {
        return Err(CredentialError::Unusable(reference.clone()));
    }
    let text = std::str::from_utf8(bytes).map_err(|_error| CredentialError::Unreadable(reference.clone()))?;
    let text = text
        .strip_suffix('\n')
        .map_or(text, |line| line.strip_suffix('\r').unwrap_or(line));
    Ok(Secret::new(text.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<String, CredentialError> {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let secret = runtime.block_on(Vault.read(&CredentialRef(text.to_owned())))?;
        Ok(secret.expose().to_owned())
    }

    #[test]
    fn references_have_few_forms_and_literals_are_not_repeated() {
        assert!(Vault::reference("env:TOKEN").is_ok());
        assert!(Vault::reference("exec:/usr/bin/pass show demo").is_ok());
        assert!(Vault::reference("file:/run/secret").is_ok());
        for other in [
            "",
            "env:",
            "file:",
            "ENV:TOKEN",
            "vault:x",
            "exec:",
            "exec:pass show demo",
            "exec:/bin/echo  s3cret",
            "exec:/bin/echo ",
            "s3cret",
            "Bearer s3cret",
        ] {
            let error = Vault::reference(other).unwrap_err();
            assert_eq!(error, CredentialError::UnknownForm);
            assert!(!error.to_string().contains("s3cret"));
        }
    }

    #[test]
    fn the_environment_is_read() {
        assert_eq!(read("env:CARGO_PKG_NAME").unwrap(), "mcp-host");
        let missing = "env:MCP_HOST_TEST_NO_SUCH_NAME";
        assert_eq!(
            read(missing),
            Err(CredentialError::Missing(CredentialRef(missing.to_owned())))
        );
    }

    #[test]
    fn files_lose_one_line_end_and_are_bounded() {
        let path = std::env::temp_dir().join(format!("mcp-host-vault-{}", std::process::id()));
        let reference = format!("file:{}", path.display());
        for (content, secret) in [("s", "s"), ("s\n", "s"), ("s\r\n", "s"), ("s\n\n", "s\n")] {
            std::fs::write(&path, content).unwrap();
            assert_eq!(read(&reference).unwrap(), secret);
        }
        std::fs::write(&path, "s".repeat(64 * 1_024)).unwrap();
        assert_eq!(read(&reference).unwrap().len(), 64 * 1_024);
        std::fs::write(&path, "s".repeat(64 * 1_024 + 1)).unwrap();
        assert_eq!(
            read(&reference),
            Err(CredentialError::Unusable(CredentialRef(reference.clone())))
        );
        std::fs::write(&path, b"\xff").unwrap();
        assert_eq!(
            read(&reference),
            Err(CredentialError::Unreadable(CredentialRef(reference.clone())))
        );
        std::fs::remove_file(&path).unwrap();
        assert_eq!(
            read(&reference),
            Err(CredentialError::Missing(CredentialRef(reference.clone())))
        );
    }
}
