//! Where a server is: an `http` or `https` URL, kept as its owner wrote it.

use alloc::borrow::Cow;
use alloc::string::String;
use core::fmt;
use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The URL of an MCP endpoint.
///
/// The path and query are sent unchanged: nothing is decoded, normalised or added. A query may hold a secret, so
/// `Debug` and [`Endpoint::origin`] leave it out. There is no user information and no fragment.
///
/// Syntax: [RFC 3986], narrowed to what an HTTP request target can carry.
///
/// [RFC 3986]: https://www.rfc-editor.org/rfc/rfc3986
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Endpoint {
    scheme: Scheme,
    host: Host,
    port: Option<u16>,
    path_and_query: String,
    /// Scheme and authority, written once.
    origin: String,
}

/// The schemes of an endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "named as the URLs name them")]
pub enum Scheme {
    Http,
    Https,
}

impl Scheme {
    /// The scheme as URLs spell it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Https => "https",
        }
    }

    const fn default_port(self) -> u16 {
        match self {
            Self::Http => 80,
            Self::Https => 443,
        }
    }
}

/// The host of an endpoint: an address literal or a name.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Host {
    /// An address that was written out in its usual form. Other spellings of addresses are names, and are judged by
    /// the address that they resolve to.
    Address(IpAddr),
    /// A name in lower case: letters, digits, `-`, `_` and `.`.
    Name(String),
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Address(IpAddr::V4(address)) => address.fmt(f),
            Self::Address(IpAddr::V6(address)) => write!(f, "[{address}]"),
            Self::Name(name) => f.write_str(name),
        }
    }
}

impl Endpoint {
    /// The longest accepted URL, in bytes.
    pub const MAX_BYTES: usize = 8_192;

    /// Reads a URL.
    ///
    /// # Errors
    ///
    /// [`EndpointError`]; the caller is at fault. The error holds no part of the URL.
    pub fn parse(url: &str) -> Result<Self, EndpointError> {
        if url.len() > Self::MAX_BYTES {
            return Err(EndpointError::TooLong);
        }
        let (scheme, rest) = parse_scheme(url)?;
        if !url.bytes().all(is_url_byte) {
            return Err(EndpointError::Character);
        }
        if rest.contains('#') {
            return Err(EndpointError::Fragment);
        }
        let (authority, path_and_query) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
        if authority.contains('@') {
            return Err(EndpointError::UserInfo);
        }
        let (host, port) = split_port(authority)?;
        let host = parse_host(host)?;
        let origin = match port {
            Some(port) if port != scheme.default_port() => {
                alloc::format!("{}://{host}:{port}", scheme.as_str())
            }
            Some(_) | None => alloc::format!("{}://{host}", scheme.as_str()),
        };
        Ok(Self {
            scheme,
            host,
            port,
            path_and_query: String::from(path_and_query),
            origin,
        })
    }

    /// The scheme.
    #[must_use]
    pub const fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// The host.
    #[must_use]
    pub const fn host(&self) -> &Host {
        &self.host
    }

    /// The port: the written one, or the scheme's own.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port.unwrap_or(self.scheme.default_port())
    }

    /// The request target: path and query as they were written, with a leading `/`.
    #[must_use]
    pub fn request_target(&self) -> Cow<'_, str> {
        if self.path_and_query.starts_with('/') {
            Cow::Borrowed(&self.path_and_query)
        } else {
            Cow::Owned(alloc::format!("/{}", self.path_and_query))
        }
    }

    /// The value of the `Host` header: the port is left out when it is the scheme's own.
    #[must_use]
    pub fn authority(&self) -> &str {
        let scheme = self.scheme.as_str().len() + "://".len();
        self.origin.get(scheme..).unwrap_or_default()
    }

    /// The whole URL, as a store keeps it. A query may hold a secret, so it is not for messages.
    #[must_use]
    pub fn to_url(&self) -> String {
        let port = self
            .port
            .map(|port| alloc::format!(":{port}"))
            .unwrap_or_default();
        alloc::format!(
            "{}://{}{port}{}",
            self.scheme.as_str(),
            self.host,
            self.path_and_query
        )
    }

    /// Scheme, host and port, for messages and as the key of a connection. Holds no secret.
    #[must_use]
    pub fn origin(&self) -> &str {
        &self.origin
    }
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Endpoint({})", self.origin())
    }
}

/// Visible ASCII without the characters that [RFC 3986, section 2] gives no place in a URL.
///
/// [RFC 3986, section 2]: https://www.rfc-editor.org/rfc/rfc3986#section-2
fn is_url_byte(byte: u8) -> bool {
    (0x21..=0x7e).contains(&byte) && !b"\"<>\\^`{|}".contains(&byte)
}

fn parse_scheme(url: &str) -> Result<(Scheme, &str), EndpointError> {
    let (scheme, rest) = url.split_once("://").ok_or(EndpointError::Scheme)?;
    if scheme.eq_ignore_ascii_case("https") {
        Ok((Scheme::Https, rest))
    } else if scheme.eq_ignore_ascii_case("http") {
        Ok((Scheme::Http, rest))
    } else {
        Err(EndpointError::Scheme)
    }
}

fn split_port(authority: &str) -> Result<(&str, Option<u16>), EndpointError> {
    let after_literal = match (authority.starts_with('['), authority.rfind(']')) {
        (true, None) => return Err(EndpointError::Host),
        (true, Some(end)) => end + 1,
        (false, _) => 0,
    };
    let tail = authority.get(after_literal..).unwrap_or_default();
    match tail.split_once(':') {
        None => Ok((authority, None)),
        Some((name, port)) => {
            let digits = !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
            let port = port
                .parse()
                .ok()
                .filter(|port| digits && *port > 0)
                .ok_or(EndpointError::Port)?;
            let host = authority.get(..after_literal + name.len()).unwrap_or_default();
            Ok((host, Some(port)))
        }
    }
}

fn parse_host(host: &str) -> Result<Host, EndpointError> {
    if let Some(literal) = host.strip_prefix('[') {
        let literal = literal.strip_suffix(']').ok_or(EndpointError::Host)?;
        return literal
            .parse::<Ipv6Addr>()
            .map(|address| Host::Address(IpAddr::V6(address)))
            .map_err(|_not_an_address| EndpointError::Host);
    }
    if let Ok(address) = host.parse::<Ipv4Addr>() {
        return Ok(Host::Address(IpAddr::V4(address)));
    }
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    if host.is_empty() || host.len() > 253 || host.starts_with('.') || !host.bytes().all(allowed) {
        return Err(EndpointError::Host);
    }
    Ok(Host::Name(host.to_ascii_lowercase()))
}

/// Why a text is no endpoint. The caller is at fault, and nothing was contacted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EndpointError {
    /// The scheme is neither `http` nor `https`, or there is none.
    #[error("the URL must start with https:// or http://")]
    Scheme,
    /// The URL holds a character that has no place in one: a space, a control character, one outside ASCII, or one
    /// of `"<>\^{|}` and the grave accent.
    #[error("the URL holds a character that must be percent-encoded; write names in punycode")]
    Character,
    /// The URL is longer than [`Endpoint::MAX_BYTES`].
    #[error("the URL is longer than 8,192 bytes")]
    TooLong,
    /// The URL holds user information.
    #[error("the URL must not hold a user or password; give the credential as a reference")]
    UserInfo,
    /// The URL holds a fragment.
    #[error("the URL must not hold a fragment")]
    Fragment,
    /// The host is missing or malformed.
    #[error("the URL's host is missing or malformed")]
    Host,
    /// The port is malformed.
    #[error("the URL's port must be a number from 1 to 65535")]
    Port,
}

impl EndpointError {
    /// The stable kebab-case kind.
    #[must_use]
    pub const fn kind(self) -> &'static str {
        match self {
            Self::Scheme => "url-scheme-unknown",
            Self::Character => "url-character-invalid",
            Self::TooLong => "url-too-long",
            Self::UserInfo => "url-user-info",
            Self::Fragment => "url-fragment",
            Self::Host => "url-host-invalid",
            Self::Port => "url-port-invalid",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kept_url_is_read_back_as_the_same_endpoint() {
        for url in [
            "https://srv.example",
            "https://srv.example/",
            "https://srv.example:443/mcp",
            "http://[::1]:8080/a?b=c",
            "http://127.0.0.1?x",
        ] {
            let endpoint = Endpoint::parse(url).unwrap();
            assert_eq!(endpoint.to_url(), url);
            assert_eq!(Endpoint::parse(&endpoint.to_url()), Ok(endpoint));
        }
    }
    use alloc::format;
    use alloc::string::ToString;

    fn check(url: &str, origin: &str, port: u16, target: &str) {
        let endpoint = Endpoint::parse(url).unwrap();
        assert_eq!(
            (endpoint.origin(), endpoint.port(), &*endpoint.request_target()),
            (origin, port, target),
            "{url}"
        );
        let (_, authority) = origin.split_once("://").unwrap();
        assert_eq!(endpoint.authority(), authority, "{url}");
    }

    #[test]
    fn what_was_written_is_what_is_sent() {
        check("https://srv.example/mcp", "https://srv.example", 443, "/mcp");
        check("https://srv.example/mcp/", "https://srv.example", 443, "/mcp/");
        check("HTTPS://Srv.Example:443", "https://srv.example", 443, "/");
        check(
            "http://127.0.0.1:8080/a/../b?x=%20",
            "http://127.0.0.1:8080",
            8080,
            "/a/../b?x=%20",
        );
        check("http://[::1]:9/?q", "http://[::1]:9", 9, "/?q");
        check("http://[::]:9/", "http://[::]:9", 9, "/");
        check("https://h?q=1", "https://h", 443, "/?q=1");
        check("http://0x7f.1/", "http://0x7f.1", 80, "/");
    }

    #[test]
    fn each_bad_url_has_its_own_reason() {
        use EndpointError::{Character, Fragment, Host, Port, Scheme, UserInfo};
        for (url, error) in [
            ("", Scheme),
            ("srv.example/mcp", Scheme),
            ("ftp://srv.example", Scheme),
            ("https://srv example", Character),
            ("https://srv.example/\r\nX: y", Character),
            ("https://dömain.example", Character),
            ("https://srv.example/{id}", Character),
            ("https://user:pw@srv.example", UserInfo),
            ("https://srv.example/#top", Fragment),
            ("https://", Host),
            ("https:///mcp", Host),
            ("https://[::1", Host),
            ("https://[zz]/", Host),
            ("https://a$b/", Host),
            ("https://.example/", Host),
            ("https://srv.example:", Port),
            ("https://srv.example:0", Port),
            ("https://srv.example:65536", Port),
            ("https://srv.example:+80", Port),
            ("https://[::1]x:80", Host),
        ] {
            assert_eq!(Endpoint::parse(url), Err(error), "{url}");
        }
    }

    #[test]
    fn the_longest_url_and_host() {
        let url = |bytes: usize| format!("https://h/{}", "a".repeat(bytes - "https://h/".len()));
        assert!(Endpoint::parse(&url(8_192)).is_ok());
        assert_eq!(Endpoint::parse(&url(8_193)), Err(EndpointError::TooLong));
        let host = |bytes: usize| format!("https://{}/", "h".repeat(bytes));
        assert!(Endpoint::parse(&host(253)).is_ok());
        assert_eq!(Endpoint::parse(&host(254)), Err(EndpointError::Host));
    }

    #[test]
    fn debug_and_errors_hold_no_secret() {
        let endpoint = Endpoint::parse("https://srv.example/mcp?token=canary").unwrap();
        assert_eq!(format!("{endpoint:?}"), "Endpoint(https://srv.example)");
        let error = Endpoint::parse("https://user:canary@srv.example").unwrap_err();
        assert!(!error.to_string().contains("canary"));
    }
}
