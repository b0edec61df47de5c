//! Paths that end before a request leaves, or on its way: names, addresses, connections, TLS, credentials, deadlines.

use super::path::{Interrupt, Path, Reach};
use super::peer::Peer;
use super::run::HELD;

const PING: &[&str] = &["ping", "URL"];
const CALL: &[&str] = &["call", "URL", "echo"];
const SHORT: &[&str] = &["call", "URL", "echo", "--budget", "2"];

pub(crate) fn paths() -> Vec<Path> {
    let mut paths = not_connected();
    paths.extend(credentials_read());
    paths.extend(credentials_not_read());
    paths.extend(ended_by_time());
    paths
}

fn ended_by_time() -> Vec<Path> {
    let path = |kind, reach, arguments, peer: fn() -> Peer| Path::new(kind, reach, arguments, peer);
    vec![
        path(
            "connect-timeout",
            Reach::Reached,
            &["ping", "URL", "--budget", "60"],
            Peer::mute,
        ),
        path("deadline-exceeded", Reach::Reached, SHORT, Peer::mute),
        path("deadline-exceeded", Reach::TakenIn, SHORT, Peer::deaf),
        path("deadline-exceeded", Reach::Sent, SHORT, Peer::narrow),
    ]
}

fn not_connected() -> Vec<Path> {
    let mut paths = Vec::new();
    for arguments in [PING, CALL, &["tools", "URL"]] {
        paths.push(Path::new(
            "connect-refused",
            Reach::Reached,
            arguments,
            Peer::closed,
        ));
        for (kind, peer) in [
            ("tls-name-mismatch", Peer::other_name as fn() -> Peer),
            ("tls-untrusted", Peer::unknown_authority),
            ("tls-expired", Peer::expired),
            ("tls-failed", Peer::other_protocol),
        ] {
            paths.push(Path::new(kind, Reach::Reached, arguments, peer));
        }
    }
    paths.push(Path {
        trust: "../given/nobody.pem",
        ..Path::new("tls-trust-missing", Reach::Reached, PING, || Peer::http2(&[]))
    });
    paths.push(Path {
        ends: &["resolve-failed", "deadline-exceeded"],
        ..Path::new("resolve-failed", Reach::TakenIn, SHORT, || {
            Peer::nowhere("no name", "https://no-such-host.invalid".to_owned())
        })
    });
    for origin in ["http://203.0.113.7", "http://srv.example:8080"] {
        paths.push(Path::new("plain-http-refused", Reach::TakenIn, PING, move || {
            Peer::nowhere("plain", origin.to_owned())
        }));
    }
    for origin in [
        "https://169.254.169.254",
        "https://[64:ff9b::a9fe:a9fe]",
        "https://203.0.113.7",
    ] {
        paths.push(Path::new("address-refused", Reach::TakenIn, PING, move || {
            Peer::nowhere("refused", origin.to_owned())
        }));
    }
    paths
}

const PIPED: &str = "file:../given/pipe";

/// A credential that was read, and a reason why nothing was sent: it or the next one cannot be used.
fn credentials_read() -> Vec<Path> {
    let rows: [(&'static str, &'static [&'static str], Vec<u8>); 8] = [
        (
            "credential-unusable",
            &["--bearer", PIPED],
            b"canary-bearer\r\nX-Other: 1".to_vec(),
        ),
        (
            "credential-unusable",
            &["--bearer", PIPED],
            "canary-b\u{e4}rer".into(),
        ),
        (
            "credential-unusable",
            &["--bearer", PIPED],
            b"canary".repeat(20_000),
        ),
        (
            "credential-unusable",
            &["--header", "X-Key=file:../given/pipe"],
            b"canary\0".to_vec(),
        ),
        (
            "credential-unreadable",
            &["--bearer", PIPED],
            b"canary-bearer\xff".to_vec(),
        ),
        (
            "credential-conflict",
            &[
                "--header",
                "X-Key=file:../given/pipe",
                "--header",
                "x-key=file:../given/key",
            ],
            b"canary-bearer".to_vec(),
        ),
        (
            "credential-missing",
            &["--bearer", PIPED, "--header", "X-Key=file:../given/none"],
            b"canary-bearer".to_vec(),
        ),
        (
            "deadline-exceeded",
            &["--bearer", PIPED, "--header", HELD],
            b"canary-bearer".to_vec(),
        ),
    ];
    let mut paths = Vec::new();
    let mut add = |kind, credentials, piped: Vec<u8>, interrupt| {
        for peer in [|| Peer::http1(&[]), || Peer::http2(&[])] {
            let arguments = if kind == "deadline-exceeded" { SHORT } else { CALL };
            paths.push(Path {
                credentials,
                piped: Some(piped.clone()),
                interrupt,
                ..Path::new(kind, Reach::Read, arguments, peer as fn() -> Peer)
            });
        }
    };
    for (kind, credentials, piped) in rows {
        add(kind, credentials, piped, Interrupt::Never);
    }
    let credentials = &["--bearer", PIPED, "--header", HELD];
    add(
        "cancelled",
        credentials,
        b"canary-bearer".to_vec(),
        Interrupt::AtCredential,
    );
    paths
}

/// A credential that is not there; the URL was taken in, and a connection made.
fn credentials_not_read() -> Vec<Path> {
    let rows: [(&'static str, &'static [&'static str], &'static [u8]); 5] = [
        ("credential-missing", &["--bearer", "env:NO_SUCH_NAME"], b"canary"),
        (
            "credential-missing",
            &["--bearer", "file:../given/none"],
            b"canary",
        ),
        ("credential-unreadable", &["--bearer", "file:../given"], b"canary"),
        (
            "credential-unreadable",
            &["--bearer", "env:BEARER"],
            b"canary-bearer\xff",
        ),
        (
            "credential-unusable",
            &["--bearer", "env:BEARER"],
            b"canary-bearer\r\nX-Other: 1",
        ),
    ];
    let mut paths = Vec::new();
    for (kind, credentials, bearer) in rows {
        for peer in [|| Peer::http1(&[]), || Peer::http2(&[])] {
            paths.push(Path {
                credentials,
                bearer,
                ..Path::new(kind, Reach::Reached, CALL, peer as fn() -> Peer)
            });
        }
    }
    paths
}
