//! Secrets go to the server and nowhere else. Every run of these tests is searched for the canary when it ends, and
//! every server's URL holds one in its query.

use std::path::PathBuf;

use crate::support::{CANARY, Fault, Form, Invocation, Server, at};

/// A literal in the place of a reference is not repeated, and nothing is sent with it.
#[test]
fn literal_secrets() {
    let unknown = (
        "credential-form-unknown",
        "the credential reference is of an unknown form; use env:NAME, file:PATH or exec:/PROGRAM ARGUMENTS",
    );
    let reserved = (
        "header-reserved",
        "the header's name is reserved; a bearer credential has its own option",
    );
    let invalid = (
        "header-invalid",
        "--header takes NAME=REF, such as X-Api-Key=env:KEY",
    );
    let name = (
        "header-invalid",
        "the header's name is not a valid HTTP field name",
    );
    for (option, value, (kind, message)) in [
        ("--bearer", "canary", unknown),
        ("--bearer", "Bearer canary", unknown),
        ("--bearer", "vault:canary", unknown),
        ("--header", "X-Key=canary", unknown),
        ("--header", "Authorization=Bearer canary", reserved),
        ("--header", "X-Key: canary", invalid),
        ("--header", "X-Key: canary=", name),
    ] {
        let server = Server::start(&[]);
        let (url, origin) = (server.url(), server.origin());
        Fault {
            kind,
            delivery: "not-sent",
            message,
            server: Some(&origin),
        }
        .check(|form| Invocation::new(at(&url, &["ping", "URL", option, value], form)).run());
        assert_eq!(server.log().connections, 0);
    }
}

#[test]
fn user_info_in_a_url() {
    for url in ["https://user:canary@127.0.0.1/", "http://canary@127.0.0.1/mcp"] {
        Fault {
            kind: "url-user-info",
            delivery: "not-sent",
            message: "the URL must not hold a user or password; give the credential as a reference",
            server: None,
        }
        .check(|form: Form| Invocation::new(at(url, &["tools", "URL"], form)).run());
    }
}

/// A command line that cannot be read may hold a secret anywhere.
#[test]
fn misplaced_secrets() {
    for arguments in [
        &["https://srv.example/?token=canary"][..],
        &["tools", "ping", "https://srv.example/?token=canary"],
        &["ping", "https://srv.example/", "canary"],
        &["ping", "https://srv.example/", "--json=canary"],
        &["ping", "https://srv.example/", "--heder=X-Key=canary"],
        &["ping", "https://srv.example/", "--output", "canary"],
        &["call", "https://srv.example/", "echo", "{}", "<canary"],
    ] {
        for form in [&[][..], &["--output=json"]] {
            let ended = Invocation::new(arguments.iter().chain(form)).run();
            assert_eq!(ended.exit, Some(2), "{ended:?}");
        }
    }
}

/// References are read and sent on every leg; what they name is not printed, whether the server takes it or not.
#[test]
fn resolved_references() {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("reference");
    std::fs::write(&path, "canary-of-a-file\n").unwrap();
    let header = format!("X-Key=file:{}", path.to_str().unwrap());
    let arguments = ["ping", "URL", "--bearer", "env:TOKEN", "--header", &header];
    for form in [&[][..], &["--json"]] {
        let server = Server::start(&[]);
        let url = server.url();
        let run = Invocation::new(at(&url, &arguments, form)).env("TOKEN", "canary-of-the-environment");
        assert_eq!(run.run().exit, Some(0));
        let log = server.log();
        assert_eq!(log.requests.len(), 2);
        for (head, _) in log.requests {
            let head = head.to_ascii_lowercase();
            assert!(
                head.starts_with(&format!("post /mcp?token={CANARY} http/1.1\r\n")),
                "{head}"
            );
            assert!(
                head.contains("\r\nauthorization: bearer canary-of-the-environment\r\n"),
                "{head}"
            );
            assert!(head.contains("\r\nx-key: canary-of-a-file\r\n"), "{head}");
        }
    }
}

#[test]
fn secrets_that_cannot_stand_in_a_header() {
    let server = Server::start(&[]);
    let (url, origin) = (server.url(), server.origin());
    for secret in ["", "canary\r\nX-Other: 1", "canary\u{e4}"] {
        Fault {
            kind: "credential-unusable",
            delivery: "not-sent",
            message: "the credential env:TOKEN is empty or cannot stand in a header",
            server: Some(&origin),
        }
        .check(|form| {
            let arguments = at(&url, &["ping", "URL", "--bearer", "env:TOKEN"], form);
            Invocation::new(arguments).env("TOKEN", secret).run()
        });
    }
    assert!(server.log().requests.is_empty());
}
