//! Which hosts and origins may be named: what keeps a page in a browser from calling a server on its user's machine.
//!
//! [MCP 2025-11-25, Transports, Security Warning](https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#security-warning).

use http::uri::Authority;

/// Names that are allowed. There is no way to allow everything by leaving it empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AllowList {
    /// Every name: for a server behind something else that judges them.
    Any,
    /// These names: `name` with any port, or `name:port`. An IPv6 address stands in brackets. An empty list denies all.
    Only(Vec<String>),
}

impl AllowList {
    /// `localhost`, `127.0.0.1` and `[::1]`, with any port.
    #[must_use]
    pub fn loopback() -> Self {
        Self::Only(["localhost", "127.0.0.1", "[::1]"].map(String::from).into())
    }

    /// Whether the value of a `Host` field is allowed.
    pub(super) fn allows_host(&self, host: &str) -> bool {
        match (self, host.parse::<Authority>()) {
            (Self::Any, _) => true,
            // User information has no place in a host; taking it off would judge another name than was sent.
            (Self::Only(_), Ok(authority)) if authority.as_str().contains('@') => false,
            (Self::Only(names), Ok(authority)) => names.iter().any(|name| is(name, &authority)),
            (Self::Only(_), Err(_)) => false,
        }
    }

    /// Whether the value of an `Origin` field is allowed: `http` or `https`, and an allowed name.
    pub(super) fn allows_origin(&self, origin: &str) -> bool {
        let lower = origin.to_ascii_lowercase();
        let host = lower
            .strip_prefix("http://")
            .or_else(|| lower.strip_prefix("https://"));
        match (self, host) {
            (Self::Any, _) => true,
            (Self::Only(_), Some(host)) => self.allows_host(host),
            (Self::Only(_), None) => false,
        }
    }
}

fn is(name: &str, authority: &Authority) -> bool {
    name.eq_ignore_ascii_case(authority.as_str()) || name.eq_ignore_ascii_case(authority.host())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_is_allowed_with_any_port_and_nothing_that_looks_like_it() {
        let list = AllowList::loopback();
        for host in [
            "localhost",
            "LOCALHOST:80",
            "127.0.0.1:3000",
            "[::1]",
            "[::1]:8080",
        ] {
            assert!(list.allows_host(host), "{host}");
            assert!(list.allows_origin(&format!("http://{host}")), "{host}");
        }
        for host in [
            "",
            "localhost.evil.example",
            "evil.example",
            "127.0.0.1.evil.example",
            "evil.example@localhost",
            "localhost@evil.example",
            "::1",
            "localhost/",
            "0.0.0.0",
        ] {
            assert!(!list.allows_host(host), "{host}");
        }
        for origin in [
            "null",
            "localhost",
            "file://localhost",
            "http://localhost/",
            "http://",
        ] {
            assert!(!list.allows_origin(origin), "{origin}");
        }
    }

    #[test]
    fn an_empty_list_denies_and_a_port_binds() {
        assert!(!AllowList::Only(Vec::new()).allows_host("localhost"));
        let list = AllowList::Only(vec![String::from("srv.example:443")]);
        assert!(list.allows_host("srv.example:443") && !list.allows_host("srv.example"));
        assert!(!list.allows_host("srv.example:444"));
        assert!(AllowList::Any.allows_host("anything") && AllowList::Any.allows_origin("null"));
    }
}
