//! Where this host's clients may send bytes.

use std::fmt;
use std::net::SocketAddr;

use mcp_wire::{Endpoint, Host, OutboundPolicy, OutboundRefusal, Scheme};

use crate::address::AddressClass;

/// Which classes of addresses may be dialled, and where plain `http` may go.
///
/// A literal and the answer of a look-up are judged alike, each address by itself. By default these are the rules for
/// targets that a person typed, [`OutboundRules::typed`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct OutboundRules {
    /// Whether plain `http` may leave this machine. Off by default.
    pub plain_http: bool,
    classes: Classes,
}

impl OutboundRules {
    /// For a target that a person typed: the internet, this machine, and private networks of every kind
    /// ([`Private`](AddressClass::Private), [`UniqueLocal`](AddressClass::UniqueLocal),
    /// [`SharedAddressSpace`](AddressClass::SharedAddressSpace)).
    #[must_use]
    pub const fn typed() -> Self {
        let classes = Classes::GLOBAL
            .and(AddressClass::Loopback)
            .and(AddressClass::Private)
            .and(AddressClass::UniqueLocal)
            .and(AddressClass::SharedAddressSpace);
        Self {
            plain_http: false,
            classes,
        }
    }

    /// For a target that somebody else wrote, such as a configured server: the internet only.
    #[must_use]
    pub const fn public_only() -> Self {
        Self {
            plain_http: false,
            classes: Classes::GLOBAL,
        }
    }

    /// The rules for typed targets, with plain `http` allowed to leave this machine.
    #[must_use]
    pub const fn allowing_plain_http() -> Self {
        Self {
            plain_http: true,
            ..Self::typed()
        }
    }

    /// These rules, with one more class.
    ///
    /// # Errors
    ///
    /// [`NeverDialled`] for a class that [cannot be allowed](AddressClass::may_be_allowed).
    pub const fn allowing(self, class: AddressClass) -> Result<Self, NeverDialled> {
        if class.may_be_allowed() {
            let classes = self.classes.and(class);
            Ok(Self { classes, ..self })
        } else {
            Err(NeverDialled(class))
        }
    }

    /// Whether addresses of the class may be dialled.
    #[must_use]
    pub const fn allows(&self, class: AddressClass) -> bool {
        self.classes.contain(class)
    }
}

impl Default for OutboundRules {
    fn default() -> Self {
        Self::typed()
    }
}

/// The class cannot be allowed: no MCP server is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("addresses of the class {} are never dialled", .0.name())]
pub struct NeverDialled(pub AddressClass);

impl OutboundPolicy for OutboundRules {
    fn admit_target(&self, endpoint: &Endpoint) -> Result<(), OutboundRefusal> {
        if self.plain_http || endpoint.scheme() == Scheme::Https || names_this_machine(endpoint.host()) {
            Ok(())
        } else {
            Err(OutboundRefusal::PlainHttp)
        }
    }

    fn admit_address(&self, endpoint: &Endpoint, address: SocketAddr) -> Result<(), OutboundRefusal> {
        let class = AddressClass::of(address.ip());
        if !self.allows(class) {
            return Err(OutboundRefusal::Address { class: class.name() });
        }
        // Not by class: an address that carries a loopback address to a translator leaves this machine.
        let stays_here = address.ip().to_canonical().is_loopback();
        if self.plain_http || endpoint.scheme() == Scheme::Https || stays_here {
            Ok(())
        } else {
            Err(OutboundRefusal::PlainHttp)
        }
    }
}

/// A set of classes.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Classes(u16);

impl Classes {
    const GLOBAL: Self = Self(0).and(AddressClass::Global);

    const fn and(self, class: AddressClass) -> Self {
        Self(self.0 | 1 << class as u16)
    }

    const fn contain(self, class: AddressClass) -> bool {
        self.0 & 1 << class as u16 != 0
    }
}

impl fmt::Debug for Classes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let members = AddressClass::ALL.iter().filter(|class| self.contain(**class));
        f.debug_set().entries(members).finish()
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
            ("https://srv.example/", "1.1.1.1:443", Ok(())),
            ("http://srv.example/", "1.1.1.1:80", refused),
            ("http://notlocalhost/", "127.0.0.1:80", refused),
            ("http://localhost/", "1.1.1.1:80", refused),
            ("http://1.1.1.1/", "1.1.1.1:80", refused),
            ("http://192.168.0.1/", "192.168.0.1:80", refused),
            // A translator's loopback, not this machine's.
            ("http://[64:ff9b::127.0.0.1]/", "[64:ff9b::127.0.0.1]:80", refused),
            ("http://localhost/", "[64:ff9b::127.0.0.1]:80", refused),
            ("http://localhost/", "[2002:7f00:1::1]:80", refused),
        ] {
            assert_eq!(judge(strict, url, address), verdict, "{url} at {address}");
        }
        let open = OutboundRules::allowing_plain_http();
        assert_eq!(judge(open, "http://srv.example/", "1.1.1.1:80"), Ok(()));
    }

    #[test]
    fn the_classes_of_each_set_of_rules() {
        use AddressClass::{Global, Loopback, Private, SharedAddressSpace, UniqueLocal};
        let typed = vec![Global, Loopback, Private, UniqueLocal, SharedAddressSpace];
        for (name, rules, expected) in [
            ("default", OutboundRules::default(), typed.clone()),
            ("typed", OutboundRules::typed(), typed.clone()),
            ("plain http", OutboundRules::allowing_plain_http(), typed),
            ("public only", OutboundRules::public_only(), vec![Global]),
        ] {
            let allowed = AddressClass::ALL.into_iter();
            let allowed: Vec<_> = allowed.filter(|class| rules.allows(*class)).collect();
            assert_eq!(allowed, expected, "{name}");
            assert_eq!(rules.plain_http, name == "plain http", "{name}");
        }
    }

    #[test]
    fn a_class_is_allowed_alone_or_never() {
        use AddressClass::{Broadcast, Global, Metadata, Multicast, Reserved, Unspecified};
        let never = [Metadata, Unspecified, Multicast, Broadcast, Reserved];
        for class in AddressClass::ALL {
            let rules = OutboundRules::public_only().allowing(class);
            if never.contains(&class) {
                let error = rules.unwrap_err();
                assert_eq!(error, NeverDialled(class));
                let text = format!("addresses of the class {} are never dialled", class.name());
                assert_eq!(error.to_string(), text);
            } else {
                let rules = rules.unwrap();
                for other in AddressClass::ALL {
                    let allowed = other == Global || other == class;
                    assert_eq!(rules.allows(other), allowed, "{other:?} beside {class:?}");
                }
            }
        }
    }

    #[test]
    fn a_refused_address_is_named_by_its_class() {
        for (address, class) in [
            ("0.0.0.0:443", "unspecified"),
            ("224.0.0.1:443", "multicast"),
            ("255.255.255.255:443", "broadcast"),
            ("[::]:443", "unspecified"),
            ("[ff02::1]:443", "multicast"),
            ("169.254.169.254:443", "metadata"),
            ("[fe80::1%3]:443", "link-local"),
            ("240.0.0.1:443", "reserved"),
        ] {
            let refusal = judge(OutboundRules::default(), "https://srv.example/", address).unwrap_err();
            assert_eq!(refusal, OutboundRefusal::Address { class }, "{address}");
            assert!(refusal.to_string().ends_with(&format!(": {class}")), "{refusal}");
        }
    }

    #[test]
    fn the_set_of_classes_can_be_read() {
        let rules = OutboundRules::public_only().allowing(AddressClass::Benchmarking);
        let text = "OutboundRules { plain_http: false, classes: {Global, Benchmarking} }";
        assert_eq!(format!("{:?}", rules.unwrap()), text);
    }
}
