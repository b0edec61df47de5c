//! The blocks of addresses, as the registries for special purposes and the clouds give them out.

use std::net::{Ipv4Addr, Ipv6Addr};

use super::AddressClass;

/// Blocks of IPv4: first address, length of the prefix, class. The first row that holds wins; the rest is global.
///
/// Metadata addresses are the well-known ones of each cloud, named beside them. Reserved are "this network"
/// ([RFC 791, section 3.2]), protocol assignments ([RFC 6890, section 2.1]), the withdrawn relays of 6to4 ([RFC 7526]) and
/// the future ([RFC 1112, section 4]).
///
/// [RFC 791, section 3.2]: https://www.rfc-editor.org/rfc/rfc791#section-3.2
/// [RFC 6890, section 2.1]: https://www.rfc-editor.org/rfc/rfc6890#section-2.1
/// [RFC 7526]: https://www.rfc-editor.org/rfc/rfc7526
/// [RFC 1112, section 4]: https://www.rfc-editor.org/rfc/rfc1112#section-4
const V4: [(Ipv4Addr, u32, AddressClass); 25] = {
    use AddressClass::{
        Benchmarking, Broadcast, Documentation, LinkLocal, Loopback, Metadata, Multicast, Private, Reserved,
        SharedAddressSpace, Unspecified,
    };
    [
        // Amazon, Azure, Google, Oracle, OpenStack and most others: the instance metadata service.
        (Ipv4Addr::new(169, 254, 169, 254), 32, Metadata),
        // Amazon: credentials of an ECS task, and those of an EKS pod.
        (Ipv4Addr::new(169, 254, 170, 2), 32, Metadata),
        (Ipv4Addr::new(169, 254, 170, 23), 32, Metadata),
        // Scaleway.
        (Ipv4Addr::new(169, 254, 42, 42), 32, Metadata),
        // Tencent.
        (Ipv4Addr::new(169, 254, 0, 23), 32, Metadata),
        // Alibaba, inside the shared address space.
        (Ipv4Addr::new(100, 100, 100, 200), 32, Metadata),
        // Azure's platform service for its machines, inside the public space.
        (Ipv4Addr::new(168, 63, 129, 16), 32, Metadata),
        // Oracle's older cloud.
        (Ipv4Addr::new(192, 0, 0, 192), 32, Metadata),
        (Ipv4Addr::UNSPECIFIED, 32, Unspecified),
        (Ipv4Addr::new(0, 0, 0, 0), 8, Reserved),
        (Ipv4Addr::new(127, 0, 0, 0), 8, Loopback),
        (Ipv4Addr::new(10, 0, 0, 0), 8, Private),
        (Ipv4Addr::new(172, 16, 0, 0), 12, Private),
        (Ipv4Addr::new(192, 168, 0, 0), 16, Private),
        (Ipv4Addr::new(169, 254, 0, 0), 16, LinkLocal),
        (Ipv4Addr::new(100, 64, 0, 0), 10, SharedAddressSpace),
        (Ipv4Addr::new(192, 0, 0, 0), 24, Reserved),
        (Ipv4Addr::new(192, 0, 2, 0), 24, Documentation),
        (Ipv4Addr::new(198, 51, 100, 0), 24, Documentation),
        (Ipv4Addr::new(203, 0, 113, 0), 24, Documentation),
        (Ipv4Addr::new(198, 18, 0, 0), 15, Benchmarking),
        (Ipv4Addr::new(192, 88, 99, 0), 24, Reserved),
        (Ipv4Addr::new(224, 0, 0, 0), 4, Multicast),
        (Ipv4Addr::BROADCAST, 32, Broadcast),
        (Ipv4Addr::new(240, 0, 0, 0), 4, Reserved),
    ]
};

/// What a block of IPv6 is. The carriers are IPv4-compatible and IPv4-mapped addresses ([RFC 4291, section 2.5.5]), NAT64
/// ([RFC 6052, section 2.1], [RFC 8215]) and 6to4 ([RFC 3056, section 2]).
///
/// [RFC 4291, section 2.5.5]: https://www.rfc-editor.org/rfc/rfc4291#section-2.5.5
/// [RFC 6052, section 2.1]: https://www.rfc-editor.org/rfc/rfc6052#section-2.1
/// [RFC 8215]: https://www.rfc-editor.org/rfc/rfc8215
/// [RFC 3056, section 2]: https://www.rfc-editor.org/rfc/rfc3056#section-2
#[derive(Clone, Copy)]
enum Block {
    Of(AddressClass),
    /// Carries an IPv4 address in its last 32 bits.
    Carrier,
    /// Carries an IPv4 address after its first 16 bits.
    SixToFour,
    /// Carries an IPv4 address where the local network says.
    LocalTranslator,
}

/// Blocks of IPv6, as those of [`V4`]; the rest is reserved. Only 2000::/3 has been given out to servers
/// ([RFC 4291, section 2.4] and the registry of IPv6 unicast).
///
/// Teredo ([RFC 4380]) is one of the protocol assignments ([RFC 2928]): it leads through a server that the address names.
///
/// [RFC 4291, section 2.4]: https://www.rfc-editor.org/rfc/rfc4291#section-2.4
/// [RFC 4380]: https://www.rfc-editor.org/rfc/rfc4380
/// [RFC 2928]: https://www.rfc-editor.org/rfc/rfc2928
const V6: [(Ipv6Addr, u32, Block); 23] = {
    use AddressClass::{
        Benchmarking, Documentation, Global, LinkLocal, Loopback, Metadata, Multicast, Reserved, UniqueLocal,
        Unspecified,
    };
    use Block::{Carrier, LocalTranslator, Of, SixToFour};
    const fn v6(groups: [u16; 8]) -> Ipv6Addr {
        let [a, b, c, d, e, f, g, h] = groups;
        Ipv6Addr::new(a, b, c, d, e, f, g, h)
    }
    [
        // Amazon: instance metadata, and the credentials of an EKS pod.
        (v6([0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254]), 128, Of(Metadata)),
        (v6([0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x23]), 128, Of(Metadata)),
        // Google.
        (v6([0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254]), 128, Of(Metadata)),
        // Oracle.
        (v6([0xfd00, 0xc1, 0, 0, 0, 0, 0xa9fe, 0xa9fe]), 128, Of(Metadata)),
        // Scaleway.
        (v6([0xfd00, 0x42, 0, 0, 0, 0, 0, 0x42]), 128, Of(Metadata)),
        // Akamai.
        (v6([0xfd00, 0xa9fe, 0xa9fe, 0, 0, 0, 0, 1]), 128, Of(Metadata)),
        // Alibaba.
        (v6([0xfd00, 0x100, 0, 0, 0, 0, 0x100, 0x200]), 128, Of(Metadata)),
        // OpenStack and Akamai.
        (v6([0xfe80, 0, 0, 0, 0, 0, 0xa9fe, 0xa9fe]), 128, Of(Metadata)),
        (Ipv6Addr::UNSPECIFIED, 128, Of(Unspecified)),
        (Ipv6Addr::LOCALHOST, 128, Of(Loopback)),
        // IPv4-compatible, IPv4-mapped.
        (v6([0, 0, 0, 0, 0, 0, 0, 0]), 96, Carrier),
        (v6([0, 0, 0, 0, 0, 0xffff, 0, 0]), 96, Carrier),
        // NAT64, and NAT64 for local use.
        (v6([0x64, 0xff9b, 0, 0, 0, 0, 0, 0]), 96, Carrier),
        (v6([0x64, 0xff9b, 1, 0, 0, 0, 0, 0]), 48, LocalTranslator),
        // 6to4.
        (v6([0x2002, 0, 0, 0, 0, 0, 0, 0]), 16, SixToFour),
        (v6([0x2001, 2, 0, 0, 0, 0, 0, 0]), 48, Of(Benchmarking)),
        // Protocol assignments, Teredo among them.
        (v6([0x2001, 0, 0, 0, 0, 0, 0, 0]), 23, Of(Reserved)),
        (v6([0x2001, 0xdb8, 0, 0, 0, 0, 0, 0]), 32, Of(Documentation)),
        (v6([0x3fff, 0, 0, 0, 0, 0, 0, 0]), 20, Of(Documentation)),
        (v6([0xfc00, 0, 0, 0, 0, 0, 0, 0]), 7, Of(UniqueLocal)),
        (v6([0xfe80, 0, 0, 0, 0, 0, 0, 0]), 10, Of(LinkLocal)),
        (v6([0xff00, 0, 0, 0, 0, 0, 0, 0]), 8, Of(Multicast)),
        (v6([0x2000, 0, 0, 0, 0, 0, 0, 0]), 3, Of(Global)),
    ]
};

pub(super) fn class_of_v4(address: Ipv4Addr) -> AddressClass {
    V4.into_iter()
        .find(|(first, length, _)| (address.to_bits() ^ first.to_bits()).leading_zeros() >= *length)
        .map_or(AddressClass::Global, |(_, _, class)| class)
}

pub(super) fn class_of_v6(address: Ipv6Addr) -> AddressClass {
    let block = V6
        .into_iter()
        .find(|(first, length, _)| (address.to_bits() ^ first.to_bits()).leading_zeros() >= *length)
        .map_or(Block::Of(AddressClass::Reserved), |(_, _, block)| block);
    match block {
        Block::Of(class) => class,
        Block::Carrier => {
            let [.., a, b, c, d] = address.octets();
            class_of_v4(Ipv4Addr::new(a, b, c, d))
        }
        Block::SixToFour => {
            let [_, _, a, b, c, d, ..] = address.octets();
            class_of_v4(Ipv4Addr::new(a, b, c, d))
        }
        Block::LocalTranslator => class_behind_a_local_translator(address),
    }
}

/// The prefix says neither where the carried address stands, which depends on the length that the network has chosen
/// ([RFC 6052, section 2.2]), nor that it leads to the internet.
///
/// So a metadata address at any of the four places counts, whatever stands beside it; otherwise the last 32 bits do, and
/// a global address there is still one of the local network's.
///
/// [RFC 6052, section 2.2]: https://www.rfc-editor.org/rfc/rfc6052#section-2.2
fn class_behind_a_local_translator(address: Ipv6Addr) -> AddressClass {
    let [_, _, _, _, _, _, a, b, _, c, d, e, f, g, h, i] = address.octets();
    let shorter = [[a, b, c, d], [b, c, d, e], [c, d, e, f]];
    let is_metadata = |place: [u8; 4]| class_of_v4(Ipv4Addr::from(place)) == AddressClass::Metadata;
    if shorter.into_iter().any(is_metadata) {
        return AddressClass::Metadata;
    }
    let last = class_of_v4(Ipv4Addr::new(f, g, h, i));
    if last == AddressClass::Global {
        AddressClass::Private
    } else {
        last
    }
}

#[cfg(test)]
mod tests {
    use crate::address::AddressClass::{self, *};

    fn check(rows: &[(AddressClass, &[&str])]) {
        for (class, addresses) in rows {
            for address in *addresses {
                assert_eq!(AddressClass::of(address.parse().unwrap()), *class, "{address}");
            }
        }
    }

    #[test]
    fn the_edges_of_every_block_of_ipv4() {
        check(&[
            (Unspecified, &["0.0.0.0"]),
            (Reserved, &["0.0.0.1", "0.255.255.255"]),
            (Global, &["1.0.0.0", "9.255.255.255"]),
            (Private, &["10.0.0.0", "10.255.255.255"]),
            (Global, &["11.0.0.0", "100.63.255.255"]),
            (SharedAddressSpace, &["100.64.0.0", "100.127.255.255"]),
            (SharedAddressSpace, &["100.100.100.199", "100.100.100.201"]),
            (Metadata, &["100.100.100.200"]),
            (Global, &["100.128.0.0", "126.255.255.255"]),
            (Loopback, &["127.0.0.0", "127.0.0.1", "127.255.255.255"]),
            (Global, &["128.0.0.0", "168.63.129.15", "168.63.129.17"]),
            (Metadata, &["168.63.129.16"]),
            (Global, &["169.253.255.255"]),
            (LinkLocal, &["169.254.0.0", "169.254.169.253", "169.254.255.255"]),
            (Metadata, &["169.254.169.254", "169.254.170.2", "169.254.170.23"]),
            (Metadata, &["169.254.0.23", "169.254.42.42"]),
            (Global, &["169.255.0.0", "172.15.255.255"]),
            (Private, &["172.16.0.0", "172.31.255.255"]),
            (Global, &["172.32.0.0", "191.255.255.255"]),
            (Reserved, &["192.0.0.0", "192.0.0.255"]),
            (Metadata, &["192.0.0.192"]),
            (Global, &["192.0.1.0", "192.0.1.255"]),
            (Documentation, &["192.0.2.0", "192.0.2.255"]),
            (Global, &["192.0.3.0", "192.88.98.255"]),
            (Reserved, &["192.88.99.0", "192.88.99.255"]),
            (Global, &["192.88.100.0", "192.167.255.255"]),
            (Private, &["192.168.0.0", "192.168.255.255"]),
            (Global, &["192.169.0.0", "198.17.255.255"]),
            (Benchmarking, &["198.18.0.0", "198.19.255.255"]),
            (Global, &["198.20.0.0", "198.51.99.255"]),
            (Documentation, &["198.51.100.0", "198.51.100.255"]),
            (Global, &["198.51.101.0", "203.0.112.255"]),
            (Documentation, &["203.0.113.0", "203.0.113.255"]),
            (Global, &["203.0.114.0", "223.255.255.255"]),
            (Multicast, &["224.0.0.0", "239.255.255.255"]),
            (Reserved, &["240.0.0.0", "255.255.255.254"]),
            (Broadcast, &["255.255.255.255"]),
        ]);
    }

    #[test]
    fn the_edges_of_every_block_of_ipv6() {
        check(&[
            (Unspecified, &["::"]),
            (Loopback, &["::1"]),
            (
                Reserved,
                &["::2", "::1:0:0:0", "0:1::", "64:ff9a::", "64:ff9b:2::"],
            ),
            (Reserved, &["::ffff:0:8.8.8.8", "100::1", "400::", "1fff:ffff::"]),
            (Global, &["2000::", "2001:200::", "2001:db7::", "2001:db9::"]),
            (
                Reserved,
                &["2001::", "2001::8.8.8.8", "2001:0:ffff::", "2001:1::1"],
            ),
            (Reserved, &["2001:20::1", "2001:1ff:ffff::"]),
            (Benchmarking, &["2001:2::", "2001:2:0:ffff::"]),
            (
                Documentation,
                &["2001:db8::", "2001:db8:ffff::", "3fff::", "3fff:fff::"],
            ),
            (Global, &["2003::", "2606:4700::1", "3ffe::", "3fff:1000::"]),
            (Reserved, &["4000::", "5f00::1", "fbff::", "fe00::", "fec0::1"]),
            (UniqueLocal, &["fc00::", "fd12:3456::1", "fdff:ffff::"]),
            (LinkLocal, &["fe80::", "fe80::1", "febf:ffff::"]),
            (Multicast, &["ff00::", "ff02::1", "ffff:ffff::"]),
            (Metadata, &["fd00:ec2::254", "fd00:ec2::23", "fd20:ce::254"]),
            (
                Metadata,
                &["fd00:c1::a9fe:a9fe", "fd00:42::42", "fe80::a9fe:a9fe"],
            ),
            (Metadata, &["fd00:a9fe:a9fe::1", "fd00:100::100:200"]),
            (UniqueLocal, &["fd00:ec2::253", "fd00:ec2::255", "fd20:ce::"]),
        ]);
    }

    #[test]
    fn an_address_that_carries_another_is_judged_by_it() {
        let carried = [
            ("8.8.8.8", Global),
            ("127.0.0.1", Loopback),
            ("10.1.2.3", Private),
            ("172.16.0.1", Private),
            ("192.168.0.1", Private),
            ("100.64.0.1", SharedAddressSpace),
            ("169.254.1.1", LinkLocal),
            ("169.254.169.254", Metadata),
            ("100.100.100.200", Metadata),
            ("203.0.113.7", Documentation),
            ("198.18.0.1", Benchmarking),
            ("224.0.0.1", Multicast),
            ("255.255.255.255", Broadcast),
            ("240.0.0.1", Reserved),
        ];
        for (text, class) in carried {
            let [a, b, c, d] = text.parse::<std::net::Ipv4Addr>().unwrap().octets();
            let local = if class == Global { Private } else { class };
            let forms = [
                (format!("::ffff:{text}"), class),
                (format!("::{text}"), class),
                (format!("64:ff9b::{text}"), class),
                (format!("64:ff9b:1::{text}"), local),
                (format!("64:ff9b:1:fffe::{text}"), local),
                (format!("2002:{a:02x}{b:02x}:{c:02x}{d:02x}::1"), class),
                (format!("2002:{a:02x}{b:02x}:{c:02x}{d:02x}:8:8:8:808:808"), class),
            ];
            for (form, class) in forms {
                check(&[(class, &[&form])]);
            }
        }
        check(&[(
            Unspecified,
            &["::ffff:0.0.0.0", "64:ff9b::", "2002::", "64:ff9b:1::"],
        )]);
    }

    #[test]
    fn metadata_is_found_wherever_a_local_translator_may_carry_it() {
        // The last 32 bits of the first three are public.
        check(&[
            (Metadata, &["64:ff9b:1:a9fe:a9:fe00:808:808"]),
            (Metadata, &["64:ff9b:1:a9:fe:a9fe:808:808"]),
            (Metadata, &["64:ff9b:1:0:a9:fea9:fe08:808"]),
            (Metadata, &["64:ff9b:1:0:0:0:a9fe:a9fe"]),
            (Private, &["64:ff9b:1:0:0:0:808:808"]),
        ]);
    }
}
