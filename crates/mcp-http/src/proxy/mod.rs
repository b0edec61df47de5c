//! The one proxy that a transport may be given: where it is, and the credential that it alone is shown.
//!
//! Nothing here looks for a proxy: none is taken from the environment or from the system's settings. How a connection
//! goes through it stands in `tunnel.rs`, what it may answer in `answer.rs`.

mod answer;
mod credential;
mod rewound;
mod tunnel;

use mcp_wire::{CredentialError, Endpoint, EndpointError, Scheme, Secret};

pub(crate) use self::tunnel::tunnel;

pub use self::credential::ProxyCredential;

/// A proxy for `CONNECT`, reached over plain TCP. Every connection of its transport goes through it.
///
/// [RFC 9110, section 9.3.6](https://www.rfc-editor.org/rfc/rfc9110#section-9.3.6).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proxy {
    endpoint: Endpoint,
    credential: Option<ProxyCredential>,
}

/// Why a text is no proxy. The caller is at fault, and nothing was contacted. The error holds no part of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProxyError {
    /// The text is no URL that could be used.
    #[error(transparent)]
    Url(#[from] EndpointError),
    /// The URL says more or less than where a proxy is.
    #[error("a proxy is written as http://host:port, with its port and without a path")]
    Form,
}

impl Proxy {
    /// Reads `http://host:port`; one `/` may follow. The port must be written: there is none that all proxies share.
    ///
    /// # Errors
    ///
    /// [`ProxyError`]; the caller is at fault.
    pub fn parse(url: &str) -> Result<Self, ProxyError> {
        let endpoint = Endpoint::parse(url)?;
        let written = endpoint.to_url();
        let whole = format!("http://{}:{}", endpoint.host(), endpoint.port());
        if endpoint.scheme() != Scheme::Http || written.strip_suffix('/').unwrap_or(&written) != whole {
            return Err(ProxyError::Form);
        }
        Ok(Self {
            endpoint,
            credential: None,
        })
    }

    /// This proxy, with the credential that it asks for. The secret travels to it as plain text.
    #[must_use]
    pub fn with_credential(self, credential: ProxyCredential) -> Self {
        Self {
            credential: Some(credential),
            ..self
        }
    }

    pub(crate) const fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// The bytes that ask for a tunnel to the host and port of `server`; nothing else of it is in them. They may hold the
    /// proxy's secret, so they are one.
    fn request(&self, server: &Endpoint, secret: Option<&Secret>) -> Result<Secret, CredentialError> {
        let authority = format!("{}:{}", server.host(), server.port());
        let mut head = format!("CONNECT {authority} HTTP/1.1\r\nHost: {authority}\r\n");
        if let (Some(credential), Some(secret)) = (&self.credential, secret) {
            let value = credential.value(secret)?;
            // Sized at once: a text that grows leaves copies of itself behind.
            head.reserve_exact(value.expose().len() + "Proxy-Authorization: \r\n\r\n".len());
            head.push_str("Proxy-Authorization: ");
            head.push_str(value.expose());
            head.push_str("\r\n");
        }
        head.push_str("\r\n");
        Ok(Secret::new(head))
    }
}

#[cfg(test)]
mod tests {
    use mcp_wire::CredentialRef;

    use super::*;

    #[test]
    fn a_proxy_is_a_host_and_a_port() {
        for url in [
            "http://127.0.0.1:3128",
            "http://proxy.example:80/",
            "HTTP://[::1]:8080",
        ] {
            assert!(Proxy::parse(url).is_ok(), "{url}");
        }
        let url = |error| Err(ProxyError::Url(error));
        for (text, refused) in [
            ("", url(EndpointError::Scheme)),
            ("proxy.example:3128", url(EndpointError::Scheme)),
            ("socks5://proxy.example:1080", url(EndpointError::Scheme)),
            (
                "http://canary:canary@proxy.example:3128",
                url(EndpointError::UserInfo),
            ),
            ("http://proxy.example:0", url(EndpointError::Port)),
            ("http://proxy.example", Err(ProxyError::Form)),
            ("https://proxy.example:3128", Err(ProxyError::Form)),
            ("http://proxy.example:3128/canary", Err(ProxyError::Form)),
            ("http://proxy.example:3128//", Err(ProxyError::Form)),
            ("http://proxy.example:3128?canary", Err(ProxyError::Form)),
        ] {
            let parsed = Proxy::parse(text);
            assert_eq!(parsed, refused, "{text}");
            assert!(!parsed.unwrap_err().to_string().contains("canary"), "{text}");
        }
    }

    #[test]
    fn the_request_names_host_and_port_and_nothing_else_of_the_server() {
        let proxy = Proxy::parse("http://proxy.example:3128").unwrap();
        for (url, authority) in [
            ("https://SRV.example/a?token=canary", "srv.example:443"),
            ("http://srv.example:8080/a", "srv.example:8080"),
            ("https://[2001:db8::1]/", "[2001:db8::1]:443"),
        ] {
            let server = Endpoint::parse(url).unwrap();
            let head = proxy.request(&server, None).unwrap();
            let expected = format!("CONNECT {authority} HTTP/1.1\r\nHost: {authority}\r\n\r\n");
            assert_eq!(head.expose(), expected);
        }
    }

    #[test]
    fn a_secret_has_its_field_and_no_other_place() {
        let reference = CredentialRef("env:PROXY".to_owned());
        let proxy = Proxy::parse("http://proxy.example:3128").unwrap();
        let proxy = proxy.with_credential(ProxyCredential::Bearer(reference));
        let server = Endpoint::parse("https://srv.example/").unwrap();
        let secret = Secret::new("s3cret".to_owned());
        let head = proxy.request(&server, Some(&secret)).unwrap();
        let (_, fields) = head.expose().split_once("Host: srv.example:443\r\n").unwrap();
        assert_eq!(fields, "Proxy-Authorization: Bearer s3cret\r\n\r\n");
        assert!(!format!("{proxy:?}{head:?}").contains("s3cret"));
    }
}
