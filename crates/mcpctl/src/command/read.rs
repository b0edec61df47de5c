//! From words of the command line to values: each word is read once, and what cannot be meant has a kind of its own.

use std::io::Read;
use std::time::Duration;

use mcp_host::{Budget, Proxy, ProxyCredential, Vault};
use mcp_policy::{DataClass, GroupName, Refusal, ServerName};
use mcp_wire::{
    Arguments, Credential, CredentialHeader, CredentialHeaderError, CredentialPlacement, CredentialRef,
    Endpoint,
};

use crate::arguments::Options;
use crate::failed::{Failed, Local};

/// The most that is read from standard input, in bytes.
const STDIN_BYTES: u64 = 8 * 1_024 * 1_024;

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

/// The proxy that was given, if one was.
pub(crate) fn proxy(options: &Options) -> Result<Option<Proxy>, Failed> {
    let Some(url) = &options.proxy else {
        return Ok(None);
    };
    let proxy = Proxy::parse(url).map_err(|error| Failed::local(Local::ProxyInvalid, error))?;
    let credential = match (&options.proxy_bearer, &options.proxy_basic) {
        (Some(bearer), _) => ProxyCredential::Bearer(reference(bearer)?),
        (None, Some(basic)) => ProxyCredential::Basic(reference(basic)?),
        (None, None) => return Ok(Some(proxy)),
    };
    Ok(Some(proxy.with_credential(credential)))
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

/// The arguments of a call; `-` reads them from standard input, which comes last: nobody waits for it when something else is
/// wrong.
pub(crate) fn arguments(text: &str) -> Result<Arguments, Failed> {
    let mut piped = String::new();
    let text = if text == "-" {
        let read = std::io::stdin()
            .lock()
            .take(STDIN_BYTES + 1)
            .read_to_string(&mut piped);
        let read = read.map_err(|_error| {
            Failed::local(
                Local::ArgumentsUnreadable,
                "standard input could not be read as UTF-8 text",
            )
        })?;
        if read as u64 > STDIN_BYTES {
            return Err(Failed::local(
                Local::ArgumentsTooLarge,
                "the arguments are larger than 8 MiB",
            ));
        }
        &piped
    } else {
        text
    };
    Arguments::parse(text).map_err(|error| Failed::typed(error.kind(), error))
}
