//! From words of the command line to values: each word is read once, and what cannot be meant has a kind of its own.

use std::time::Duration;

use mcp_host::{Budget, Vault};
use mcp_policy::{DataClass, GroupName, Refusal, ServerName};
use mcp_wire::{
    Credential, CredentialHeader, CredentialHeaderError, CredentialPlacement, CredentialRef, Endpoint,
};

use crate::failed::{Failed, Local};

pub(crate) fn endpoint(url: &str) -> Result<Endpoint, Failed> {
    Endpoint::parse(url).map_err(|error| Failed::typed(error.kind(), error))
}

pub(crate) fn server_name(text: &str) -> Result<ServerName, Failed> {
    ServerName::parse(text).map_err(|error| Failed::local(Local::ServerNameInvalid, error))
}

pub(crate) fn class(text: &str) -> Result<DataClass, Failed> {
    DataClass::named(text).ok_or_else(|| {
        let names: Vec<&str> = DataClass::ALL.iter().map(|class| class.name()).collect();
        Failed::local(
            Local::ClassUnknown,
            format!("the data class is one of {}", names.join(", ")),
        )
    })
}

pub(crate) fn group(text: &str) -> Result<GroupName, Failed> {
    GroupName::parse(text).map_err(|error| Failed::local(Local::GroupInvalid, error))
}

pub(crate) fn budget(text: &str) -> Result<Budget, Failed> {
    let seconds: Option<f64> = text.parse().ok();
    seconds
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .and_then(|length| Budget::new(length).ok())
        .ok_or_else(|| {
            Failed::local(
                Local::BudgetInvalid,
                "--budget takes seconds, from 0.001 to 86400",
            )
        })
}

/// References only. What is not one could be a secret, so no message repeats it.
pub(crate) fn credentials(bearer: Option<&str>, headers: &[String]) -> Result<Vec<Credential>, Failed> {
    let mut credentials = Vec::new();
    if let Some(bearer) = bearer {
        credentials.push(Credential {
            reference: reference(bearer)?,
            placement: CredentialPlacement::Bearer,
        });
    }
    for header in headers {
        let (name, text) = header.split_once('=').ok_or_else(|| {
            Failed::local(
                Local::HeaderInvalid,
                "--header takes NAME=REF, such as X-Api-Key=env:KEY",
            )
        })?;
        credentials.push(Credential {
            placement: CredentialPlacement::Header(header_name(name)?),
            reference: reference(text)?,
        });
    }
    Ok(credentials)
}

fn header_name(name: &str) -> Result<CredentialHeader, Failed> {
    CredentialHeader::parse(name).map_err(|error| {
        if error == CredentialHeaderError::Reserved {
            Failed::local(Local::HeaderReserved, error)
        } else {
            Failed::local(Local::HeaderInvalid, error)
        }
    })
}

fn reference(text: &str) -> Result<CredentialRef, Failed> {
    Vault::reference(text).map_err(|error| Failed::of(&Refusal::Credential(error).into()))
}
