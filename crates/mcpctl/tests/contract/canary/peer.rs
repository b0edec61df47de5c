//! Who stands behind the URL of a path: a server in either version of HTTP, one that cannot be talked to, or nobody.

use std::net::{TcpListener, TcpStream};
use std::sync::LazyLock;

use socket2::{Domain, Socket, Type};

use crate::support::{Authority, Log, Script, Server, Window};

/// The authority that every run trusts unless it says otherwise, with a server over HTTP/2.
pub(crate) static AUTHORITY: LazyLock<Authority> =
    LazyLock::new(|| Authority::with_server_of("127.0.0.1", &["h2"]));

static OTHER_NAME: LazyLock<Authority> = LazyLock::new(|| Authority::with_server("other.example"));

/// The authority of no other server.
pub(crate) static LONELY: LazyLock<Authority> = LazyLock::new(|| Authority::with_server("127.0.0.1"));

static OTHER_PROTOCOL: LazyLock<Authority> =
    LazyLock::new(|| Authority::with_server_of("127.0.0.1", &["other"]));

static EXPIRED: LazyLock<Authority> = LazyLock::new(|| Authority::with_server_until("127.0.0.1", &[], 2001));

/// The authorities that the platform of a run trusts: those of the servers above but the lonely one.
pub(crate) fn trusted() -> String {
    let authorities = [&AUTHORITY, &OTHER_NAME, &OTHER_PROTOCOL, &EXPIRED];
    authorities
        .map(|authority| std::fs::read_to_string(&authority.file).unwrap())
        .concat()
}

pub(crate) struct Peer {
    origin: String,
    kind: &'static str,
    pub(crate) server: Option<Server>,
    /// What keeps a port in the state that the path needs.
    _held: Vec<Socket>,
}

impl Peer {
    fn server(kind: &'static str, server: Server) -> Self {
        Self {
            origin: server.origin(),
            kind,
            server: Some(server),
            _held: vec![],
        }
    }

    pub(crate) fn http1(script: Script) -> Self {
        Self::server("HTTP/1.1", Server::start(script))
    }

    pub(crate) fn http2(script: Script) -> Self {
        let tls = AUTHORITY.server.clone();
        Self::server("HTTP/2", Server::start_http2(script, tls, Window::Usual))
    }

    /// Takes no body after its first answer.
    pub(crate) fn narrow() -> Self {
        let tls = AUTHORITY.server.clone();
        Self::server("HTTP/2, narrow", Server::start_http2(&[], tls, Window::Closed))
    }

    pub(crate) fn other_name() -> Self {
        let tls = OTHER_NAME.server.clone();
        Self::server("TLS for another name", Server::start_tls(&[], tls))
    }

    pub(crate) fn unknown_authority() -> Self {
        let tls = LONELY.server.clone();
        Self::server("TLS of an unknown authority", Server::start_tls(&[], tls))
    }

    pub(crate) fn expired() -> Self {
        let tls = EXPIRED.server.clone();
        Self::server("TLS out of date", Server::start_tls(&[], tls))
    }

    pub(crate) fn other_protocol() -> Self {
        let tls = OTHER_PROTOCOL.server.clone();
        Self::server("TLS for another protocol", Server::start_tls(&[], tls))
    }

    /// Says nothing in a handshake of TLS: it waits for the end of a head.
    pub(crate) fn mute() -> Self {
        let server = Server::start(&[]);
        Self {
            origin: server.origin().replace("http:", "https:"),
            ..Self::server("mute", server)
        }
    }

    /// A port that answers no attempt to connect: its one place is taken.
    pub(crate) fn deaf() -> Self {
        let listener = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
        let any: std::net::SocketAddr = "127.0.0.1:0".parse().unwrap();
        listener.bind(&any.into()).unwrap();
        listener.listen(0).unwrap();
        let address = listener.local_addr().unwrap();
        let first = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
        first.connect(&address).unwrap();
        let address = address.as_socket().unwrap();
        Self {
            _held: vec![listener, first],
            ..Self::nowhere("deaf", format!("http://{address}"))
        }
    }

    /// A port that refuses: the near end of an open connection, so that nobody else gets it.
    pub(crate) fn closed() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let near = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let origin = format!("http://{}", near.local_addr().unwrap());
        Self {
            _held: vec![listener.into(), near.into()],
            ..Self::nowhere("closed", origin)
        }
    }

    /// An origin that no connection leads to.
    pub(crate) fn nowhere(kind: &'static str, origin: String) -> Self {
        Self {
            origin,
            kind,
            server: None,
            _held: vec![],
        }
    }

    pub(crate) fn origin(&self) -> &str {
        &self.origin
    }

    pub(crate) const fn kind(&self) -> &'static str {
        self.kind
    }

    pub(crate) fn end(self) -> Option<Log> {
        self.server.map(Server::log)
    }
}
