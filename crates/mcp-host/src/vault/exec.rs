//! The secret that a command prints.

use std::path::Path;
use std::process::Stdio;

use mcp_wire::{CredentialError, CredentialRef, Secret};
use tokio::io::AsyncReadExt;
use tokio::process::Command;
use zeroize::Zeroizing;

use super::{FILE_BYTES, secret};

/// A program, by its absolute path, and its arguments. No shell comes near it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Argv {
    program: String,
    arguments: Vec<String>,
}

impl Argv {
    /// Reads words with one space between each. A relative path would run what the search path finds, so it is none.
    pub(super) fn of(command: &str) -> Option<Self> {
        let mut words = command.split(' ').map(str::to_owned);
        let program = words.next().filter(|program| Path::new(program).is_absolute())?;
        let arguments: Vec<String> = words.collect();
        let whole = !arguments.iter().any(String::is_empty) && !command.contains('\0');
        whole.then_some(Self { program, arguments })
    }

    /// Runs the program and gives what it prints.
    pub(super) async fn read(self, reference: CredentialRef) -> Result<Secret, CredentialError> {
        let mut command = Command::new(&self.program);
        command
            .args(&self.arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true);
        let mut child = command.spawn().map_err(|error| {
            if error.kind() == std::io::ErrorKind::NotFound {
                CredentialError::Missing(reference.clone())
            } else {
                CredentialError::Unreadable(reference.clone())
            }
        })?;
        let unreadable = || CredentialError::Unreadable(reference.clone());
        let output = child.stdout.take().ok_or_else(unreadable)?;
        // Large enough from the start, so that growing leaves no copies behind; erased when it is dropped.
        let mut bytes = Zeroizing::new(Vec::with_capacity(FILE_BYTES + 2));
        let read = output.take(FILE_BYTES as u64 + 1).read_to_end(&mut bytes).await;
        read.map_err(|_error| unreadable())?;
        if bytes.len() > FILE_BYTES {
            return Err(CredentialError::Unusable(reference));
        }
        let status = child.wait().await.map_err(|_error| unreadable())?;
        if status.success() {
            secret(&bytes, &reference)
        } else {
            Err(unreadable())
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use mcp_wire::CredentialSource;

    use super::super::Vault;
    use super::*;

    async fn read(command: &str) -> Result<String, CredentialError> {
        let secret = Vault.read(&CredentialRef(format!("exec:{command}"))).await?;
        Ok(secret.expose().to_owned())
    }

    fn refused(
        command: &str,
        error: fn(CredentialRef) -> CredentialError,
    ) -> Result<String, CredentialError> {
        Err(error(CredentialRef(format!("exec:{command}"))))
    }

    #[tokio::test]
    async fn what_a_command_prints_is_the_secret() {
        assert_eq!(read("/bin/echo s3cret").await.unwrap(), "s3cret");
        // Nothing is expanded, joined or run besides.
        let words = "$HOME `id` $(id) ; id | id * \"a\" 'b'";
        assert_eq!(read(&format!("/bin/echo {words}")).await.unwrap(), words);
    }

    #[tokio::test]
    async fn a_command_that_does_not_give_one_is_told_apart() {
        for (command, error) in [
            ("/nowhere/program", CredentialError::Missing as fn(_) -> _),
            ("/bin/false", CredentialError::Unreadable),
            ("/etc/passwd", CredentialError::Unreadable),
            ("/bin/cat /dev/zero", CredentialError::Unusable),
            ("/usr/bin/head -c 65537 /dev/zero", CredentialError::Unusable),
        ] {
            assert_eq!(read(command).await, refused(command, error), "{command}");
        }
        assert_eq!(
            read("/usr/bin/head -c 65536 /dev/zero").await.unwrap().len(),
            65_536
        );
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn a_command_that_is_not_waited_for_any_longer_is_killed() {
        let place = std::env::temp_dir().join(format!("mcp-host-exec-{}", std::process::id()));
        // Ends when its reader does: the file is there as long as the command is.
        let script = format!("#!/bin/sh\necho $$ > {0}\nexec sleep 1000\n", place.display());
        let program = place.with_extension("sh");
        std::fs::write(&program, script).unwrap();
        std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o700)).unwrap();
        let reading = tokio::spawn(async move { read(&program.display().to_string()).await });
        let process = loop {
            let written = std::fs::read_to_string(&place).unwrap_or_default();
            if let Ok(process) = written.trim().parse::<u32>() {
                break process;
            }
            tokio::task::yield_now().await;
        };
        reading.abort();
        assert!(reading.await.is_err());
        let alive = || {
            let status = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
            // A process that has ended and was not reaped yet is a zombie.
            !status.is_empty() && !status.contains(") Z")
        };
        while alive() {
            tokio::task::yield_now().await;
        }
        std::fs::remove_file(&place).unwrap();
        std::fs::remove_file(place.with_extension("sh")).unwrap();
    }
}
