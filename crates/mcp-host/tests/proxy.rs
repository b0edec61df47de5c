//! A host goes through the proxy that it was wired with, and through no other: none is taken from the environment.

#![cfg(test)]

use std::process::Command;
use std::time::Duration;

use mcp_host::{Budget, Host, Proxy, Wiring};
use mcp_testkit::loopback::{Authority, Relay, Server, Step};

/// Where the server of the child is, and the authority that it trusts.
const URL: &str = "MCP_HOST_TEST_URL";
const AUTHORITY: &str = "MCP_HOST_TEST_CA";

/// A handshake and a call.
fn healthy() -> Vec<Step> {
    let leg = [Step::Read, Step::Respond];
    leg.iter().cloned().cycle().take(6).collect()
}

async fn call(wiring: Wiring, url: &str) -> &'static str {
    let host = Host::wire(wiring).unwrap();
    let mut server = host.server("peer", url).unwrap();
    server.budget = Budget::new(Duration::from_secs(60)).unwrap();
    let ended = host.call(&server, "echo", "{}").await;
    match ended {
        Ok(_) => "answered",
        Err(mcp_host::HostError::Failure(failure)) => failure.kind(),
        Err(error) => panic!("{error}"),
    }
}

#[tokio::test]
async fn a_host_goes_through_its_proxy() {
    let authority = Authority::new().unwrap();
    let acceptor = authority.server("srv.example", 2999).unwrap();
    for (acceptor, url, authority_of_url) in [
        (None, "http://nowhere.localhost/mcp", "nowhere.localhost:80"),
        (Some(acceptor), "https://srv.example/mcp", "srv.example:443"),
    ] {
        let server = Server::repeat(healthy(), acceptor).await.unwrap();
        let relay = Relay::start(server.port()).await.unwrap();
        let mut wiring = Wiring::default();
        wiring.tls = authority.tls().unwrap();
        wiring.proxy = Some(Proxy::parse(&relay.url()).unwrap());
        assert_eq!(call(wiring, url).await, "answered");
        let head = format!("CONNECT {authority_of_url} HTTP/1.1\r\nHost: {authority_of_url}\r\n\r\n");
        assert_eq!(relay.seen().heads, [head]);
    }
}

/// Plain `http` to this machine is allowed because it stays here; to a proxy elsewhere it would not.
#[tokio::test]
async fn plain_http_to_this_machine_does_not_leave_it_for_a_proxy() {
    for (proxy, rules) in [
        ("http://proxy.example:3128", mcp_host::OutboundRules::typed()),
        ("http://192.168.0.1:3128", mcp_host::OutboundRules::public_only()),
    ] {
        let mut wiring = Wiring::default();
        wiring.outbound = rules;
        wiring.proxy = Some(Proxy::parse(proxy).unwrap());
        assert_eq!(call(wiring, "http://localhost:9/mcp").await, "plain-http-refused");
    }
}

#[tokio::test]
async fn no_proxy_is_taken_from_the_environment() {
    const NAMES: [&str; 6] = [
        "HTTP_PROXY",
        "HTTPS_PROXY",
        "ALL_PROXY",
        "http_proxy",
        "https_proxy",
        "all_proxy",
    ];
    if let (Ok(url), Ok(pem)) = (std::env::var(URL), std::env::var(AUTHORITY)) {
        let mut wiring = Wiring::default();
        wiring.tls = mcp_host::Tls::with_authorities(pem.as_bytes()).unwrap();
        assert_eq!(call(wiring, &url).await, "answered");
        return;
    }
    let authority = Authority::new().unwrap();
    for acceptor in [None, Some(authority.server("localhost", 2999).unwrap())] {
        let scheme = if acceptor.is_none() { "http" } else { "https" };
        let server = Server::repeat(healthy(), acceptor).await.unwrap();
        // Whoever goes through it gets an answer as well, but is seen.
        let trap = Relay::start(server.port()).await.unwrap();
        for value in [trap.url(), trap.url().replace("http://", "")] {
            let mut child = Command::new(std::env::current_exe().unwrap());
            child
                .args(["--exact", "no_proxy_is_taken_from_the_environment"])
                .env(URL, format!("{scheme}://localhost:{}/mcp", server.port()))
                .env(AUTHORITY, authority.pem())
                .envs(NAMES.map(|name| (name, &value)))
                .env_remove("NO_PROXY")
                .env_remove("no_proxy");
            let before = server.seen(|seen| seen.requests.len());
            let ended = tokio::task::spawn_blocking(move || child.output()).await.unwrap();
            let ended = ended.unwrap();
            assert!(
                ended.status.success(),
                "{}",
                String::from_utf8_lossy(&ended.stdout)
            );
            assert_eq!(server.seen(|seen| seen.requests.len()), before + 3);
            assert_eq!(trap.seen().accepts, 0, "{value}");
        }
    }
}
