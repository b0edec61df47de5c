//! The end of a session, as the server sees it, and what its answer does to the connection.

use mcp_http::Tls;
use mcp_testkit::loopback::Step;
use mcp_testkit::{ReplyEnd, ScriptedPeer};
use mcp_wire::{Delivery, Message, ProtocolVersion, SessionId};

use crate::support::{Outcome, Pings, peer_saying, say, send, serve, target, tcp_transport, transport_over};

const URL: &str = "http://srv.example/mcp?a=b";

fn end() -> Message {
    Message::end_session(ProtocolVersion::OFFERED, SessionId::parse(b"s~!1").unwrap())
}

/// Sends the end of a session to a peer that answers with this, then once more.
async fn end_twice(reply: &str, end_of_reply: ReplyEnd) -> (Outcome, ScriptedPeer) {
    let peer = peer_saying(reply, end_of_reply);
    let transport = transport_over(peer.clone(), Tls::platform());
    let outcome = send(&transport, &target(URL), end()).await;
    send(&transport, &target(URL), end()).await;
    (outcome, peer)
}

#[tokio::test]
async fn the_end_of_a_session_is_a_delete_without_a_body() {
    let server = serve(&[&[Step::Read, say("HTTP/1.1 204 No Content\r\n\r\n")]]).await;
    let outcome = send(&tcp_transport(), &target(&server.http_url()), end()).await;
    assert_eq!(outcome.verdict(), "accepted");
    let request = server.seen(|seen| seen.requests.concat());
    let (head, body) = request.split_once("\r\n\r\n").unwrap();
    assert_eq!(body, "");
    let mut lines = head.lines();
    assert_eq!(lines.next(), Some("DELETE /mcp HTTP/1.1"));
    let mut names: Vec<_> = lines.filter_map(|line| line.split_once(": ")).collect();
    names.retain(|(name, _)| !["host", "user-agent"].contains(name));
    names.sort_unstable();
    let expected = [
        ("accept-encoding", "identity"),
        ("mcp-protocol-version", "2025-11-25"),
        ("mcp-session-id", "s~!1"),
    ];
    assert_eq!(names, expected);
}

#[tokio::test(start_paused = true)]
async fn every_status_will_do_and_keeps_the_connection() {
    let json = "content-type: application/json\r\ncontent-length: $LEN\r\n\r\n{\"error\":\"no\"}";
    let replies = [
        "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n".to_owned(),
        "HTTP/1.1 204 No Content\r\n\r\n".to_owned(),
        format!("HTTP/1.1 302 Found\r\nlocation: /x\r\n{json}"),
        format!("HTTP/1.1 401 Unauthorized\r\n{json}"),
        format!("HTTP/1.1 404 Not Found\r\n{json}"),
        format!("HTTP/1.1 500 Failed\r\n{json}"),
        "HTTP/1.1 405 Method Not Allowed\r\ncontent-type: text/html\r\ncontent-length: $LEN\r\n\r\n<p>no</p>"
            .to_owned(),
    ];
    for reply in replies {
        let (outcome, peer) = end_twice(&reply, ReplyEnd::KeepOpen).await;
        assert_eq!(outcome.verdict(), "accepted", "{reply}");
        let log = peer.log();
        assert_eq!((log.requests.len(), log.connections), (2, 1), "{reply}");
        for request in log.requests {
            assert_eq!((&*request.http_method, &*request.target), ("DELETE", "/mcp?a=b"));
        }
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_is_none_fails_and_is_not_repeated() {
    for (end_of_reply, reply, verdict) in [
        (ReplyEnd::Reset, "", "connection-lost"),
        (ReplyEnd::Close, "hello\r\n\r\n", "invalid-http"),
    ] {
        let (outcome, peer) = end_twice(reply, end_of_reply).await;
        assert_eq!(
            (outcome.verdict(), outcome.delivery),
            (verdict, Delivery::Unknown)
        );
        assert_eq!(peer.log().requests.len(), 2);
    }
}

#[tokio::test(start_paused = true)]
async fn a_body_without_end_is_given_up_with_its_connection() {
    let reply = "HTTP/1.1 405 No\r\ntransfer-encoding: chunked\r\n\r\n2\r\nno\r\n";
    let (outcome, peer) = end_twice(reply, ReplyEnd::KeepOpen).await;
    assert_eq!(outcome.verdict(), "accepted");
    assert_eq!(peer.log().connections, 2);
}

#[tokio::test(start_paused = true)]
async fn the_end_of_a_session_goes_over_the_connection_of_the_call() {
    let peer = peer_saying(crate::support::PLAIN, ReplyEnd::KeepOpen);
    let transport = transport_over(peer.clone(), Tls::platform());
    send(&transport, &target(URL), Pings::new().next()).await;
    send(&transport, &target(URL), end()).await;
    send(&transport, &target(URL), Pings::new().next()).await;
    assert_eq!(peer.log().connections, 1);
    let methods: Vec<_> = peer.log().requests.into_iter().map(|r| r.http_method).collect();
    assert_eq!(methods, ["POST", "DELETE", "POST"]);
}
