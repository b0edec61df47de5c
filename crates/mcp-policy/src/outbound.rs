//! Where this host's clients may send bytes.

use std::net::{IpAddr, SocketAddr};

use mcp_wire::{Endpoint, Host, OutboundPolicy, OutboundRefusal, Scheme};

/// The rules for targets that a person typed: `https` to anywhere, `http` to this machine.
///
/// An address that cannot be a server's (unspecified, multicast, broadcast) is never dialled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct OutboundRules {
    /// Whether plain `http` may leave this machine. Off by default.
    pub plain_http: bool,
}

impl OutboundRules {
    /// These rules, with plain `http` allowed to leave this machine.
    #[must_use]
    pub const fn allowing_plain_http() -> Self {
        Self { plain_http: true }
    }
}

impl OutboundPolicy for OutboundRules {
    fn admit_target(&self, endpoint: &Endpoint) -> Result<(), OutboundRefusal> {
        if self.plain_http || endpoint.scheme() == Scheme::Https || names_this_machine(endpoint.host()) {
            Ok(())
        } else {
            Err(OutboundRefusal::PlainHttp)
        }
    }

    fn admit_address(&self, endpoint: &Endpoint, address: SocketAddr) -> Result<(), OutboundRefusal> {
        let ip = address.ip().to_canonical();
        if !can_be_a_server(ip) {
            return Err(OutboundRefusal::Address);
        }
        if self.plain_http || endpoint.scheme() == Scheme::Https || ip.is_loopback() {
            Ok(())
        } else {
            Err(OutboundRefusal::PlainHttp)
        }
    }
}

/// Whether the host is written as this machine: a loopback literal, or `localhost` ([RFC 6761, section 6.3]). What a name
/// resolves to is judged again before it is dialled.
///
/// [RFC 6761, section 6.3]: https://www.rfc-editor.org/rfc/rfc6761#section-6.3
fn names_this_machine(host: &Host) -> bool {
    match host {
        Host::Address(address) => address.to_canonical().is_loopback(),
        Host::Name(name) => name == "localhost" || name.ends_with(".localhost"),
    }
}

fn can_be_a_server(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => !(ip.is_unspecified() || ip.is_multicast() || ip.is_broadcast()),
        IpAddr::V6(ip) => !(ip.is_unspecified() || ip.is_multicast()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judge(rules: OutboundRules, url: &str, address: &str) -> Result<(), OutboundRefusal> {
        let endpoint = Endpoint::parse(url).unwrap();
        rules.admit_target(&endpoint)?;
        rules.admit_address(&endpoint, address.parse().unwrap())
    }

    #[test]
    fn plain_http_stays_on_this_machine() {
        let refused = Err(OutboundRefusal::PlainHttp);
        let strict = OutboundRules::default();
        for (url, address, verdict) in [
            ("http://localhost/", "127.0.0.1:80", Ok(())),
            ("http://LOCALHOST/", "[::1]:80", Ok(())),
            ("http://a.localhost/", "127.0.0.1:80", Ok(())),
            ("http://127.8.8.8/", "127.8.8.8:80", Ok(())),
            ("http://[::ffff:127.0.0.1]/", "[::ffff:127.0.0.1]:80", Ok(())),
            ("https://srv.example/", "203.0.113.7:443", Ok(())),
            ("http://srv.example/", "203.0.113.7:80", refused),
            ("http://notlocalhost/", "127.0.0.1:80", refused),
            ("http://localhost/", "203.0.113.7:80", refused),
            ("http://203.0.113.7/", "203.0.113.7:80", refused),
        ] {
            assert_eq!(judge(strict, url, address), verdict, "{url} at {address}");
        }
        let open = OutboundRules::allowing_plain_http();
        assert_eq!(judge(open, "http://srv.example/", "203.0.113.7:80"), Ok(()));
    }

    #[test]
    fn addresses_that_are_no_server_are_refused() {
        let open = OutboundRules::allowing_plain_http();
        for address in [
            "0.0.0.0:80",
            "224.0.0.1:80",
            "255.255.255.255:80",
            "[::]:80",
            "[ff02::1]:80",
        ] {
            assert_eq!(
                judge(open, "https://srv.example/", address),
                Err(OutboundRefusal::Address),
                "{address}"
            );
        }
    }
}
