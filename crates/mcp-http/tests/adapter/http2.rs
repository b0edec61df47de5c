//! Over HTTP/2, chosen under TLS: exchanges side by side, and what the end of a stream proves.

use std::future::poll_fn;
use std::sync::{Arc, Mutex};
use std::task::Poll;

use h2::Reason;
use h2::server::SendResponse;
use http::{Request, Response};
use hyper::body::Bytes;
use mcp_wire::Delivery;
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;

use crate::authority::Authority;
use crate::support::{Outcome, Pings, ToLoopback, send, target, transport_over};

const NAME: &str = "srv.example";

/// What the server does with one request.
#[derive(Debug, Clone, Copy)]
enum Act {
    /// Answers in one body.
    Answer,
    /// Answers in an event stream, cut at a line end.
    Stream,
    /// Answers under a length that is this much longer than the body.
    Overstate(usize),
    /// Answers, but ends the stream by a reset with this reason instead of its flag.
    Reset(Reason),
    /// Answers, but gives the connection up with this reason before the end of the stream.
    GiveUp(Reason),
    /// Resets the stream without an answer.
    Refuse(Reason),
    /// Never answers.
    Silence,
}

/// What the server saw.
#[derive(Debug, Default)]
struct Seen {
    connections: usize,
    /// Scheme, authority and path of each request, and whether it has a `host` field.
    requests: Vec<(String, bool)>,
}

/// A server on loopback that goes through `acts`, one for each request.
struct Server {
    port: u16,
    seen: Arc<Mutex<Seen>>,
}

impl Server {
    async fn start(acceptor: TlsAcceptor, acts: &'static [Act]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let seen = Arc::<Mutex<Seen>>::default();
        let (log, acts) = (seen.clone(), Arc::new(Mutex::new(acts.iter())));
        tokio::spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                log.lock().unwrap().connections += 1;
                let (acceptor, log, acts) = (acceptor.clone(), log.clone(), acts.clone());
                tokio::spawn(async move { serve(acceptor, socket, &log, &acts).await });
            }
        });
        Self { port, seen }
    }

    fn url(&self) -> String {
        format!("https://{NAME}:{}/mcp?x=1", self.port)
    }
}

async fn serve(
    acceptor: TlsAcceptor,
    socket: TcpStream,
    log: &Mutex<Seen>,
    acts: &Mutex<std::slice::Iter<'static, Act>>,
) {
    let Ok(tls) = acceptor.accept(socket).await else {
        return;
    };
    let Ok(mut connection) = h2::server::handshake(tls).await else {
        return;
    };
    let mut kept = Vec::new();
    while let Some(Ok((request, mut respond))) = connection.accept().await {
        let has_host = request.headers().contains_key("host");
        log.lock()
            .unwrap()
            .requests
            .push((request.uri().to_string(), has_host));
        let act = acts.lock().unwrap().next().copied();
        match act {
            None | Some(Act::Silence) => kept.push((request.into_body(), respond)),
            Some(Act::Refuse(reason)) => respond.send_reset(reason),
            Some(Act::GiveUp(reason)) => {
                let _stream = begin(request, &mut respond, None).await;
                // Head and data must have left before the connection is given up.
                for _ in 0..16 {
                    poll_fn(|cx| Poll::Ready(connection.poll_closed(cx).is_ready())).await;
                    tokio::task::yield_now().await;
                }
                connection.abrupt_shutdown(reason);
            }
            Some(act) => {
                tokio::spawn(answer(act, request, respond));
            }
        }
    }
}

async fn answer(act: Act, request: Request<h2::RecvStream>, mut respond: SendResponse<Bytes>) {
    let overstate = if let Act::Overstate(bytes) = act {
        Some(bytes)
    } else {
        None
    };
    if let Act::Stream = act {
        let id = id_of(request).await;
        let head = Response::builder()
            .header("content-type", "text/event-stream")
            .body(())
            .unwrap();
        let mut stream = respond.send_response(head, false).unwrap();
        stream
            .send_data(Bytes::from_static(b"data: {\"jsonrpc\":\"2.0\",\n"), false)
            .unwrap();
        let rest = format!("data: \"id\":\"{id}\",\"result\":{{}}}}\n\n");
        stream.send_data(Bytes::from(rest), true).unwrap();
        return;
    }
    let mut stream = begin(request, &mut respond, overstate).await;
    if let Act::Reset(reason) = act {
        // The data must have left before the reset overtakes it.
        tokio::task::yield_now().await;
        stream.send_reset(reason);
    } else {
        stream.send_data(Bytes::new(), true).unwrap();
    }
}

/// Sends the head and the whole body of a healthy answer, but not the end of the stream.
async fn begin(
    request: Request<h2::RecvStream>,
    respond: &mut SendResponse<Bytes>,
    overstate: Option<usize>,
) -> h2::SendStream<Bytes> {
    let body = format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":\"{}\",\"result\":{{}}}}",
        id_of(request).await
    );
    let mut head = Response::builder().header("content-type", "application/json");
    if let Some(bytes) = overstate {
        head = head.header("content-length", body.len() + bytes);
    }
    let mut stream = respond.send_response(head.body(()).unwrap(), false).unwrap();
    stream.send_data(Bytes::from(body), false).unwrap();
    stream
}

async fn id_of(request: Request<h2::RecvStream>) -> String {
    let mut body = request.into_body();
    let mut text = Vec::new();
    while let Some(Ok(piece)) = body.data().await {
        text.extend_from_slice(&piece);
    }
    let text = String::from_utf8(text).unwrap();
    text.split("\"id\":\"")
        .nth(1)
        .and_then(|rest| rest.split('"').next())
        .unwrap_or_default()
        .to_owned()
}

async fn outcome_of(acts: &'static [Act]) -> (Outcome, Server) {
    let authority = Authority::new();
    let server = Server::start(authority.http2_server(NAME), acts).await;
    let transport = transport_over(ToLoopback, authority.tls());
    (
        send(&transport, &target(&server.url()), Pings::new().next()).await,
        server,
    )
}

#[tokio::test]
async fn the_end_of_a_stream_is_proven_by_its_flag_alone() {
    let cases: [(&'static [Act], &str, Delivery); 11] = [
        (&[Act::Answer], "result", Delivery::Answered),
        (&[Act::Stream], "result", Delivery::Answered),
        (&[Act::Overstate(0)], "result", Delivery::Answered),
        (&[Act::Overstate(1)], "incomplete", Delivery::Unknown),
        (&[Act::Reset(Reason::NO_ERROR)], "incomplete", Delivery::Unknown),
        (
            &[Act::Reset(Reason::INTERNAL_ERROR)],
            "incomplete",
            Delivery::Unknown,
        ),
        (&[Act::GiveUp(Reason::NO_ERROR)], "incomplete", Delivery::Unknown),
        (
            &[Act::GiveUp(Reason::INTERNAL_ERROR)],
            "incomplete",
            Delivery::Unknown,
        ),
        (
            &[Act::Refuse(Reason::REFUSED_STREAM)],
            "connection-lost",
            Delivery::NotSent,
        ),
        (
            &[Act::Refuse(Reason::INTERNAL_ERROR)],
            "connection-lost",
            Delivery::Unknown,
        ),
        (
            &[Act::Refuse(Reason::CANCEL)],
            "connection-lost",
            Delivery::Unknown,
        ),
    ];
    for (acts, verdict, delivery) in cases {
        let (outcome, _server) = outcome_of(acts).await;
        assert_eq!(
            (outcome.verdict(), outcome.delivery),
            (verdict, delivery),
            "{acts:?}"
        );
    }
}

#[tokio::test]
async fn exchanges_share_one_connection_and_name_the_host_in_the_target() {
    let authority = Authority::new();
    let server = Server::start(
        authority.http2_server(NAME),
        &[Act::Answer, Act::Silence, Act::Answer, Act::Answer],
    )
    .await;
    let (transport, pings) = (transport_over(ToLoopback, authority.tls()), Pings::new());
    let target = target(&server.url());
    assert_eq!(send(&transport, &target, pings.next()).await.verdict(), "result");

    // One exchange waits; the others pass it on the same connection.
    let mut waiting = mcp_wire::Transport::open(&transport, &Arc::new(target.clone()), pings.next());
    let first = poll_fn(|cx| Poll::Ready(waiting.poll_event(cx).is_pending())).await;
    assert!(first);
    for _ in 0..2 {
        assert_eq!(send(&transport, &target, pings.next()).await.verdict(), "result");
    }
    drop(waiting);

    let seen = server.seen.lock().unwrap();
    let uri = format!("https://{NAME}:{}/mcp?x=1", server.port);
    assert_eq!(seen.connections, 1);
    assert!(
        seen.requests
            .iter()
            .all(|(seen, has_host)| *seen == uri && !has_host),
        "{seen:?}"
    );
}
