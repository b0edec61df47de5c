//! What a request's head must say before its body is read.

use http::header::{ACCEPT, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, HOST, HeaderName, ORIGIN};
use http::request::Parts;
use http::{HeaderMap, HeaderValue, Method};

use super::HttpOptions;
use super::refusal::HttpRefusal;

/// The methods of the endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EndpointMethod {
    /// One message.
    Post,
    /// The end of a session.
    Delete,
}

/// What a head says about session and revision.
#[derive(Debug, Clone, Copy)]
pub(super) struct Named<'a> {
    pub(super) session: Option<&'a [u8]>,
    pub(super) version: Option<&'a [u8]>,
}

/// Host, origin and declared size: what is judged before anybody asks who is there.
pub(super) fn admit(head: &Parts, options: &HttpOptions, body_bytes: usize) -> Result<(), HttpRefusal> {
    let host = match (head.uri.authority(), once(&head.headers, &HOST)) {
        (_, Err(_)) | (None, Ok(None)) => return Err(HttpRefusal::Host),
        (Some(authority), Ok(None)) => authority.as_str(),
        (None, Ok(Some(host))) => host.to_str().map_err(|_not_text| HttpRefusal::Host)?,
        // A target in absolute form must name the host that the field names.
        (Some(authority), Ok(Some(host))) if host.as_bytes() == authority.as_str().as_bytes() => {
            authority.as_str()
        }
        (Some(_), Ok(Some(_))) => return Err(HttpRefusal::Host),
    };
    if !options.hosts.allows_host(host) {
        return Err(HttpRefusal::Host);
    }
    let origin = once(&head.headers, &ORIGIN).map_err(|_repeated| HttpRefusal::Origin)?;
    if let Some(origin) = origin
        && !origin
            .to_str()
            .is_ok_and(|origin| options.origins.allows_origin(origin))
    {
        return Err(HttpRefusal::Origin);
    }
    let declared =
        once(&head.headers, &CONTENT_LENGTH)?.and_then(|length| length.to_str().ok()?.parse().ok());
    if declared.is_some_and(|length: u64| length > body_bytes as u64) {
        return Err(HttpRefusal::TooLarge);
    }
    Ok(())
}

/// Path, method, and for a POST the media types.
pub(super) fn route(head: &Parts, path: &str) -> Result<EndpointMethod, HttpRefusal> {
    if head.uri.path() != path {
        return Err(HttpRefusal::Path);
    }
    match head.method {
        Method::DELETE => Ok(EndpointMethod::Delete),
        Method::POST => {
            if once(&head.headers, &CONTENT_ENCODING)?
                .is_some_and(|coding| !is(coding.as_bytes(), "identity"))
            {
                return Err(HttpRefusal::MediaType);
            }
            let media = once(&head.headers, &CONTENT_TYPE).map_err(|_repeated| HttpRefusal::MediaType)?;
            if !media.is_some_and(|media| is(essence(media.as_bytes()), "application/json")) {
                return Err(HttpRefusal::MediaType);
            }
            if ["application/json", "text/event-stream"]
                .iter()
                .all(|media| accepts(&head.headers, media))
            {
                Ok(EndpointMethod::Post)
            } else {
                Err(HttpRefusal::Accept)
            }
        }
        _ => Err(HttpRefusal::Method),
    }
}

/// The session and the revision that a head names.
pub(super) fn named(headers: &HeaderMap) -> Result<Named<'_>, HttpRefusal> {
    let value =
        |name| once(headers, &HeaderName::from_static(name)).map(|value| value.map(HeaderValue::as_bytes));
    Ok(Named {
        session: value("mcp-session-id")?,
        version: value("mcp-protocol-version")?,
    })
}

/// The value of a field that may stand once.
fn once<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Result<Option<&'a HeaderValue>, HttpRefusal> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (value, None) => Ok(value),
        (_, Some(_)) => Err(HttpRefusal::Repeated),
    }
}

/// Whether some range of `Accept` holds this media type and does not weigh it zero.
///
/// [RFC 9110, section 12.5.1](https://www.rfc-editor.org/rfc/rfc9110#section-12.5.1).
fn accepts(headers: &HeaderMap, media: &str) -> bool {
    let (kind, _) = media.split_once('/').unwrap_or_default();
    let ranges = headers
        .get_all(ACCEPT)
        .iter()
        .flat_map(|value| value.as_bytes().split(|byte| *byte == b','));
    ranges.into_iter().any(|range| {
        let name = essence(range);
        let holds =
            is(name, media) || name == b"*/*" || name.strip_suffix(b"/*").is_some_and(|name| is(name, kind));
        holds && !weighs_nothing(range)
    })
}

/// Whether a media range has the parameter `q` with the value zero.
fn weighs_nothing(range: &[u8]) -> bool {
    range.split(|byte| *byte == b';').skip(1).any(|parameter| {
        let parameter = parameter.trim_ascii();
        let weight = parameter.strip_prefix(b"q=").or(parameter.strip_prefix(b"Q="));
        weight.is_some_and(|weight| weight.iter().all(|byte| matches!(byte, b'0' | b'.')))
    })
}

/// A media type without its parameters.
fn essence(value: &[u8]) -> &[u8] {
    value
        .split(|byte| *byte == b';')
        .next()
        .unwrap_or_default()
        .trim_ascii()
}

fn is(value: &[u8], name: &str) -> bool {
    value.trim_ascii().eq_ignore_ascii_case(name.as_bytes())
}
