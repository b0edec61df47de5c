//! Every way to write an address into a URL, under both sets of rules.

use std::net::{IpAddr, SocketAddr};

use mcp_host::AddressClass::{self, *};
use mcp_host::OutboundRules;
use mcp_testkit::ReplyEnd;
use mcp_wire::{Delivery, Endpoint, Host};

use crate::world::World;

/// Whether the rules for typed targets, and those for public ones, dial it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Dialled {
    Always,
    WhenTyped,
    Never,
}

use Dialled::{Always, Never, WhenTyped};

/// Addresses that are written in their usual form. Nothing may be looked up for them.
const LITERALS: [(&str, AddressClass, Dialled); 62] = [
    ("1.1.1.1", Global, Always),
    ("[2606:4700:4700::1111]", Global, Always),
    ("127.0.0.1", Loopback, WhenTyped),
    ("127.255.255.254", Loopback, WhenTyped),
    ("[::1]", Loopback, WhenTyped),
    ("[0:0:0:0:0:0:0:1]", Loopback, WhenTyped),
    ("10.0.0.1", Private, WhenTyped),
    ("172.16.0.1", Private, WhenTyped),
    ("172.31.255.255", Private, WhenTyped),
    ("172.32.0.1", Global, Always),
    ("192.168.1.1", Private, WhenTyped),
    ("[fc00::1]", UniqueLocal, WhenTyped),
    ("[fd12:3456:789a::1]", UniqueLocal, WhenTyped),
    ("100.64.0.1", SharedAddressSpace, WhenTyped),
    ("100.127.255.255", SharedAddressSpace, WhenTyped),
    ("169.254.1.1", LinkLocal, Never),
    ("[fe80::1]", LinkLocal, Never),
    ("169.254.169.254", Metadata, Never),
    ("169.254.170.2", Metadata, Never),
    ("169.254.170.23", Metadata, Never),
    ("100.100.100.200", Metadata, Never),
    ("168.63.129.16", Metadata, Never),
    ("192.0.0.192", Metadata, Never),
    ("[fd00:ec2::254]", Metadata, Never),
    ("[fd20:ce::254]", Metadata, Never),
    ("[fd00:c1::a9fe:a9fe]", Metadata, Never),
    ("0.0.0.0", Unspecified, Never),
    ("[::]", Unspecified, Never),
    ("0.1.2.3", Reserved, Never),
    ("192.0.0.8", Reserved, Never),
    ("192.88.99.1", Reserved, Never),
    ("240.0.0.1", Reserved, Never),
    ("[100::1]", Reserved, Never),
    ("[fec0::1]", Reserved, Never),
    ("255.255.255.255", Broadcast, Never),
    ("224.0.0.251", Multicast, Never),
    ("[ff02::1]", Multicast, Never),
    ("192.0.2.1", Documentation, Never),
    ("198.51.100.1", Documentation, Never),
    ("203.0.113.1", Documentation, Never),
    ("[2001:db8::1]", Documentation, Never),
    ("198.18.0.1", Benchmarking, Never),
    // IPv4-mapped, in both spellings.
    ("[::ffff:1.1.1.1]", Global, Always),
    ("[::ffff:127.0.0.1]", Loopback, WhenTyped),
    ("[::ffff:7f00:1]", Loopback, WhenTyped),
    ("[::ffff:10.0.0.1]", Private, WhenTyped),
    ("[::ffff:169.254.169.254]", Metadata, Never),
    ("[::ffff:0.0.0.0]", Unspecified, Never),
    // IPv4-compatible.
    ("[::10.0.0.1]", Private, WhenTyped),
    ("[::169.254.169.254]", Metadata, Never),
    // NAT64.
    ("[64:ff9b::1.1.1.1]", Global, Always),
    ("[64:ff9b::10.0.0.1]", Private, WhenTyped),
    ("[64:ff9b::169.254.169.254]", Metadata, Never),
    ("[64:ff9b:1::1.1.1.1]", Private, WhenTyped),
    ("[64:ff9b:1::169.254.169.254]", Metadata, Never),
    ("[64:ff9b:1:a9fe:a9:fe00::]", Metadata, Never),
    // 6to4.
    ("[2002:101:101::1]", Global, Always),
    ("[2002:c0a8:101::1]", Private, WhenTyped),
    ("[2002:a9fe:a9fe::1]", Metadata, Never),
    // Teredo, with a public server in it.
    ("[2001:0:4136:e378:8000:63bf:3fff:fdd2]", Reserved, Never),
    // SIIT, which no rule of the registry calls global.
    ("[::ffff:0:1.1.1.1]", Reserved, Never),
    ("[64:ff9b:2::1.1.1.1]", Reserved, Never),
];

/// Spellings that a resolver reads as an address, and what it reads. They are names, judged by what came back.
const SPELLINGS: [(&str, &str, AddressClass, Dialled); 17] = [
    ("2130706433", "127.0.0.1", Loopback, WhenTyped),
    ("0x7f000001", "127.0.0.1", Loopback, WhenTyped),
    ("0x7f.0.0.1", "127.0.0.1", Loopback, WhenTyped),
    ("0177.0.0.1", "127.0.0.1", Loopback, WhenTyped),
    ("017700000001", "127.0.0.1", Loopback, WhenTyped),
    ("127.1", "127.0.0.1", Loopback, WhenTyped),
    ("127.0.1", "127.0.0.1", Loopback, WhenTyped),
    ("127.0.0.1.", "127.0.0.1", Loopback, WhenTyped),
    ("127.000.000.001", "127.0.0.1", Loopback, WhenTyped),
    ("010.0.0.1", "8.0.0.1", Global, Always),
    ("0", "0.0.0.0", Unspecified, Never),
    ("2852039166", "169.254.169.254", Metadata, Never),
    ("0xa9.0xfe.0xa9.0xfe", "169.254.169.254", Metadata, Never),
    ("0251.0376.0251.0376", "169.254.169.254", Metadata, Never),
    ("169.16689662", "169.254.169.254", Metadata, Never),
    ("4294967295", "255.255.255.255", Broadcast, Never),
    ("metadata.srv.example", "::ffff:169.254.169.254", Metadata, Never),
];

#[tokio::test]
async fn a_literal_is_judged_as_it_stands_and_never_looked_up() {
    for (host, class, dialled) in LITERALS {
        let Host::Address(address) = *Endpoint::parse(&url(host)).unwrap().host() else {
            panic!("{host} is no literal")
        };
        check(host, address, &[], class, dialled).await;
    }
}

#[tokio::test]
async fn another_spelling_is_a_name_and_judged_by_what_it_resolves_to() {
    for (host, answer, class, dialled) in SPELLINGS {
        let endpoint = Endpoint::parse(&url(host)).unwrap();
        assert_eq!(endpoint.host(), &Host::Name(host.to_owned()));
        check(host, answer.parse().unwrap(), &[host], class, dialled).await;
    }
}

fn url(host: &str) -> String {
    format!("http://{host}:8080/mcp")
}

/// Plain `http` is allowed here, so that nothing but the class decides.
async fn check(host: &str, address: IpAddr, look_ups: &[&str], class: AddressClass, dialled: Dialled) {
    assert_eq!(AddressClass::of(address), class, "{host}");
    for (name, mut rules, admitted) in [
        ("typed", OutboundRules::typed(), dialled != Never),
        ("public only", OutboundRules::public_only(), dialled == Always),
    ] {
        rules.plain_http = true;
        let what = format!("{host}, {name}");
        let world = World::new(rules, &[&[&address.to_string()]], &[], ReplyEnd::KeepOpen);
        let ended = world.send(&url(host)).await;
        assert_eq!(world.look_ups(), look_ups, "{what}");
        if admitted {
            assert_eq!(ended, Ok(()), "{what}");
            assert_eq!(
                world.dialled(),
                [SocketAddr::new(address, 8080).to_string()],
                "{what}"
            );
            let authority = Endpoint::parse(&url(host)).unwrap().authority().to_owned();
            assert_eq!((world.hosts(), world.reads()), (vec![authority], 1), "{what}");
        } else {
            let (kind, message, delivery) = ended.unwrap_err();
            assert_eq!((kind, delivery), ("address-refused", Delivery::NotSent), "{what}");
            let expected = "the server's address is of a class that is not allowed: ";
            assert_eq!(message.strip_prefix(expected), Some(class.name()), "{what}");
            assert_eq!((world.dialled(), world.hosts()), (vec![], vec![]), "{what}");
            assert_eq!(world.reads(), 0, "{what}");
        }
    }
}
