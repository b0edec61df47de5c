//! Servers under TLS: whom `--ca` lets in, and what keeps the others out.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::thread;

use crate::support::{Authority, Fault, Invocation, Server, at};

#[test]
fn an_authority_that_was_given_is_trusted() {
    let authority = Authority::with_server("127.0.0.1");
    let server = Server::start_tls(&[], authority.server);
    let url = server.url();
    let ended = Invocation::new(at(&url, &["ping", "URL", "--ca", &authority.file], &["--json"])).run();
    assert_eq!(ended.exit, Some(0), "{ended:?}");
    assert!(ended.stdout.starts_with(r#"{"outcome":"pong","#), "{ended:?}");
    assert_eq!(server.log().requests.len(), 2);
}

#[test]
fn a_certificate_for_another_name() {
    let authority = Authority::with_server("other.example");
    let arguments = ["ping", "URL", "--ca", &authority.file];
    check(
        &authority,
        &arguments,
        "tls-name-mismatch",
        "the server's certificate is not valid for this host name; check the URL",
    );
}

#[test]
fn an_authority_that_nobody_knows() {
    check(
        &Authority::with_server("localhost"),
        &["ping", "URL"],
        "tls-untrusted",
        "the server's certificate is not trusted; give its authority's certificate if it is private",
    );
}

fn check(authority: &Authority, arguments: &[&str], kind: &str, message: &str) {
    let server = Server::start_tls(&[], authority.server.clone());
    let (url, origin) = (server.url(), server.origin());
    Fault {
        kind,
        delivery: "not-sent",
        message,
        server: Some(&origin),
    }
    .check(|form| Invocation::new(at(&url, arguments, form)).run());
    assert!(server.log().requests.is_empty());
}

#[test]
fn a_server_that_speaks_no_tls() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let origin = format!("https://{}", listener.local_addr().unwrap());
    let server = thread::spawn(move || {
        for stream in listener.incoming().take(2) {
            let mut stream = stream.unwrap();
            stream.read_exact(&mut [0]).unwrap();
            stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").unwrap();
        }
    });
    Fault {
        kind: "tls-failed",
        delivery: "not-sent",
        message: "the TLS handshake with the server failed",
        server: Some(&origin),
    }
    .check(|form| Invocation::new(at(&origin, &["ping", "URL"], form)).run());
    server.join().unwrap();
}
