//! Over HTTP/2, chosen under TLS: exchanges side by side, and what the end of a stream proves.

use std::future::poll_fn;
use std::sync::{Arc, Mutex};
use std::task::Poll;

use http::Response;
use mcp_testkit::loopback::{Authority, Frame, Step};
use mcp_wire::Delivery;
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;

use crate::support::{Pings, ToLoopback, say, send, serve_tls, target, transport_over};

const NAME: &str = "srv.example";

const BODY: &str = "{\"jsonrpc\":\"2.0\",\"id\":\"$ID\",\"result\":{}}";

/// Reasons: [RFC 9113, section 7](https://www.rfc-editor.org/rfc/rfc9113#section-7).
const NO_ERROR: u32 = 0;
const INTERNAL_ERROR: u32 = 2;
const REFUSED_STREAM: u32 = 7;
const CANCEL: u32 = 8;

#[tokio::test]
async fn the_end_of_a_stream_is_proven_by_its_flag_alone() {
    let head = |length: &[(&str, &str)]| {
        Step::head(200, &[&[("content-type", "application/json")], length].concat())
    };
    let begun = |last: Step| vec![head(&[]), Step::body(BODY), last];
    let under = |length: &str| {
        vec![
            head(&[("content-length", length)]),
            Step::body(BODY),
            Step::Finish,
        ]
    };
    let stream = vec![
        Step::head(200, &[("content-type", "text/event-stream")]),
        Step::body("data: {\"jsonrpc\":\"2.0\",\n"),
        Step::body("data: \"id\":\"$ID\",\"result\":{}}\n\n"),
        Step::Finish,
    ];
    let cases = [
        ("a body", begun(Step::Finish), "result", Delivery::Answered),
        ("events, cut at a line end", stream, "result", Delivery::Answered),
        ("the right length", under("$LEN"), "result", Delivery::Answered),
        (
            "a length too long",
            under("$LEN+1"),
            "incomplete",
            Delivery::Unknown,
        ),
        (
            "reset without an error",
            begun(Step::reset_stream(NO_ERROR)),
            "incomplete",
            Delivery::Unknown,
        ),
        (
            "reset with an error",
            begun(Step::reset_stream(INTERNAL_ERROR)),
            "incomplete",
            Delivery::Unknown,
        ),
        (
            "given up without an error",
            begun(Step::go_away(1, NO_ERROR)),
            "incomplete",
            Delivery::Unknown,
        ),
        (
            "given up with an error",
            begun(Step::go_away(1, INTERNAL_ERROR)),
            "incomplete",
            Delivery::Unknown,
        ),
        (
            "data before a head",
            vec![Step::Frame(Frame::on_stream(0, 1, b"{}"))],
            "invalid-http",
            Delivery::Unknown,
        ),
        (
            "no frames at all",
            vec![say("HTTP/1.1 400 Bad Request\r\n\r\n")],
            "invalid-http",
            Delivery::Unknown,
        ),
        (
            "a head without end",
            vec![
                Step::Frame(Frame::on_stream(1, 0, &[0x88])),
                Step::EndlessFrame(Frame::on_stream(9, 0, &b"\0\x01x\x011".repeat(2_000))),
            ],
            "head-too-large",
            Delivery::Unknown,
        ),
        // A head counts as RFC 9113, section 6.5.2, says: 32 bytes for each field beside its name and value.
        (
            "a head at its edge",
            [vec![long_head(65_535)], vec![Step::body(BODY), Step::Finish]].concat(),
            "result",
            Delivery::Answered,
        ),
        (
            "a head one byte beyond its edge",
            [vec![long_head(65_536)], vec![Step::body(BODY), Step::Finish]].concat(),
            "invalid-http",
            Delivery::Unknown,
        ),
        (
            "refused unseen",
            vec![Step::reset_stream(REFUSED_STREAM)],
            "connection-lost",
            Delivery::NotSent,
        ),
        (
            "failed without an answer",
            vec![Step::reset_stream(INTERNAL_ERROR)],
            "connection-lost",
            Delivery::Unknown,
        ),
        (
            "ended without an answer",
            vec![Step::reset_stream(CANCEL)],
            "connection-lost",
            Delivery::Unknown,
        ),
    ];
    let authority = Authority::new().unwrap();
    let transport = transport_over(ToLoopback, authority.tls().unwrap());
    let pings = Pings::new();
    for (name, steps, verdict, delivery) in cases {
        // A server that gives a connection up closes it when all has left.
        let closes = name.starts_with("given up").then_some(Step::Shutdown);
        let script = [
            vec![Step::Read],
            steps,
            closes.into_iter().collect(),
            vec![Step::AwaitEnd],
        ]
        .concat();
        let server = serve_tls(&[&script], authority.http2_server(NAME).unwrap()).await;
        let outcome = send(&transport, &target(&server.https_url(NAME)), pings.next()).await;
        assert_eq!(
            (outcome.verdict(), outcome.delivery),
            (verdict, delivery),
            "{name}"
        );
    }
}

/// A head that counts this many bytes.
fn long_head(bytes: usize) -> Step {
    let rest = ":status200".len() + "content-typeapplication/json".len() + "x".len() + 3 * 32;
    let value = "x".repeat(bytes - rest);
    Step::head(200, &[("content-type", "application/json"), ("x", &value)])
}

#[tokio::test]
async fn exchanges_share_one_connection_while_one_of_them_waits() {
    let authority = Authority::new().unwrap();
    let script = [
        Step::Read,
        Step::Respond,
        Step::Read,
        Step::Read,
        Step::Respond,
        Step::Read,
        Step::Respond,
        Step::AwaitEnd,
    ];
    let server = serve_tls(&[&script], authority.http2_server(NAME).unwrap()).await;
    let transport = transport_over(ToLoopback, authority.tls().unwrap());
    let (target, pings) = (target(&server.https_url(NAME)), Pings::new());
    assert_eq!(send(&transport, &target, pings.next()).await.verdict(), "result");

    // One exchange waits; the others pass it on the same connection.
    let mut waiting = mcp_wire::Transport::open(&transport, &Arc::new(target.clone()), pings.next());
    let first = poll_fn(|cx| Poll::Ready(waiting.poll_event(cx).is_pending())).await;
    assert!(first);
    for _ in 0..2 {
        assert_eq!(send(&transport, &target, pings.next()).await.verdict(), "result");
    }
    drop(waiting);
    assert_eq!(server.seen(|seen| seen.accepts), 1);
}

/// A server that decodes what it is sent: h2's own.
#[tokio::test]
async fn the_target_names_the_host_and_no_field_does() {
    let authority = Authority::new().unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let seen = Arc::new(Mutex::new(None));
    let (acceptor, log) = (authority.http2_server(NAME).unwrap(), seen.clone());
    tokio::spawn(async move {
        let (socket, _) = listener.accept().await.unwrap();
        read_head(acceptor, socket, &log).await
    });
    let url = format!("https://{NAME}:{port}/mcp?x=1");
    let transport = transport_over(ToLoopback, authority.tls().unwrap());
    let outcome = send(&transport, &target(&url), Pings::new().next()).await;
    assert_eq!(outcome.verdict(), "unexpected-success");
    assert_eq!(*seen.lock().unwrap(), Some((url, false)));
}

async fn read_head(
    acceptor: TlsAcceptor,
    socket: TcpStream,
    seen: &Mutex<Option<(String, bool)>>,
) -> Option<()> {
    let mut connection = h2::server::handshake(acceptor.accept(socket).await.ok()?)
        .await
        .ok()?;
    while let Some(accepted) = connection.accept().await {
        let (request, mut respond) = accepted.ok()?;
        let has_host = request.headers().contains_key("host");
        *seen.lock().unwrap() = Some((request.uri().to_string(), has_host));
        let head = Response::builder().status(204).body(()).unwrap();
        respond.send_response(head, true).ok()?;
    }
    Some(())
}
