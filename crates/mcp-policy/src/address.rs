//! What kind of network an address leads to.

mod blocks;

use std::net::IpAddr;

/// The class of an address. Every address has exactly one; nothing is looked up for it.
///
/// The blocks are those of the registries for special purposes ([IPv4], [IPv6]). An IPv6 address that carries an IPv4
/// address for a translator or a tunnel is judged by the address that it carries. What no rule calls global is reserved.
///
/// [IPv4]: https://www.iana.org/assignments/iana-ipv4-special-registry
/// [IPv6]: https://www.iana.org/assignments/iana-ipv6-special-registry
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AddressClass {
    /// The public internet.
    Global,
    /// This machine ([RFC 1122, section 3.2.1.3], [RFC 4291, section 2.5.3]).
    ///
    /// [RFC 1122, section 3.2.1.3]: https://www.rfc-editor.org/rfc/rfc1122#section-3.2.1.3
    /// [RFC 4291, section 2.5.3]: https://www.rfc-editor.org/rfc/rfc4291#section-2.5.3
    Loopback,
    /// A private network ([RFC 1918]), or a translator's prefix for local use ([RFC 8215]).
    ///
    /// [RFC 1918]: https://www.rfc-editor.org/rfc/rfc1918
    /// [RFC 8215]: https://www.rfc-editor.org/rfc/rfc8215
    Private,
    /// A private network of IPv6 ([RFC 4193]).
    ///
    /// [RFC 4193]: https://www.rfc-editor.org/rfc/rfc4193
    UniqueLocal,
    /// Behind a carrier's translator ([RFC 6598]); overlay networks use it as well.
    ///
    /// [RFC 6598]: https://www.rfc-editor.org/rfc/rfc6598
    SharedAddressSpace,
    /// The own link ([RFC 3927], [RFC 4291, section 2.5.6]).
    ///
    /// [RFC 3927]: https://www.rfc-editor.org/rfc/rfc3927
    /// [RFC 4291, section 2.5.6]: https://www.rfc-editor.org/rfc/rfc4291#section-2.5.6
    LinkLocal,
    /// Examples in documents ([RFC 5737], [RFC 3849], [RFC 9637]).
    ///
    /// [RFC 5737]: https://www.rfc-editor.org/rfc/rfc5737
    /// [RFC 3849]: https://www.rfc-editor.org/rfc/rfc3849
    /// [RFC 9637]: https://www.rfc-editor.org/rfc/rfc9637
    Documentation,
    /// Measurements of network devices ([RFC 2544], [RFC 5180]); some local proxies invent addresses of it.
    ///
    /// [RFC 2544]: https://www.rfc-editor.org/rfc/rfc2544
    /// [RFC 5180]: https://www.rfc-editor.org/rfc/rfc5180
    Benchmarking,
    /// The service of a cloud that hands credentials to whoever asks from inside.
    Metadata,
    /// No address; some systems take it for this machine.
    Unspecified,
    /// A group of machines ([RFC 5771], [RFC 4291, section 2.7]).
    ///
    /// [RFC 5771]: https://www.rfc-editor.org/rfc/rfc5771
    /// [RFC 4291, section 2.7]: https://www.rfc-editor.org/rfc/rfc4291#section-2.7
    Multicast,
    /// All machines of the link ([RFC 919]).
    ///
    /// [RFC 919]: https://www.rfc-editor.org/rfc/rfc919
    Broadcast,
    /// Set aside for protocols, tunnels or the future: no server's.
    Reserved,
}

impl AddressClass {
    /// All classes.
    pub const ALL: [Self; 13] = [
        Self::Global,
        Self::Loopback,
        Self::Private,
        Self::UniqueLocal,
        Self::SharedAddressSpace,
        Self::LinkLocal,
        Self::Documentation,
        Self::Benchmarking,
        Self::Metadata,
        Self::Unspecified,
        Self::Multicast,
        Self::Broadcast,
        Self::Reserved,
    ];

    /// The class of an address.
    #[must_use]
    pub fn of(address: IpAddr) -> Self {
        match address {
            IpAddr::V4(address) => blocks::class_of_v4(address),
            IpAddr::V6(address) => blocks::class_of_v6(address),
        }
    }

    /// The stable kebab-case name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Global => "global",
            Self::Loopback => "loopback",
            Self::Private => "private",
            Self::UniqueLocal => "unique-local",
            Self::SharedAddressSpace => "shared-address-space",
            Self::LinkLocal => "link-local",
            Self::Documentation => "documentation",
            Self::Benchmarking => "benchmarking",
            Self::Metadata => "metadata",
            Self::Unspecified => "unspecified",
            Self::Multicast => "multicast",
            Self::Broadcast => "broadcast",
            Self::Reserved => "reserved",
        }
    }

    /// Whether a host may allow the class at all. No MCP server is at the others.
    #[must_use]
    pub const fn may_be_allowed(self) -> bool {
        match self {
            Self::Global
            | Self::Loopback
            | Self::Private
            | Self::UniqueLocal
            | Self::SharedAddressSpace
            | Self::LinkLocal
            | Self::Documentation
            | Self::Benchmarking => true,
            Self::Metadata | Self::Unspecified | Self::Multicast | Self::Broadcast | Self::Reserved => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::AddressClass;

    #[test]
    fn every_class_has_a_name_of_its_own() {
        let names: BTreeSet<_> = AddressClass::ALL.iter().map(|class| class.name()).collect();
        assert_eq!(names.len(), AddressClass::ALL.len());
    }
}
