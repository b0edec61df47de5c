//! The scripted server of one oracle on loopback sockets, for a client in a process of its own.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use mcp_testkit::{PeerReply, ReplyEnd};

use super::request::Request;
use crate::oracle::Oracle;
use crate::plant::Plant;
use crate::profile::Profile;
use crate::reply::{ReplySpec, Values};
use crate::script::{healthy, spec};

/// Longer than any client may run.
const IDLE_LIMIT: Duration = Duration::from_secs(30);

/// The hosts that oracles redirect to. Here they stand for a second origin on loopback.
const REDIRECT_HOSTS: [&str; 2] = ["http://peer.example/", "http://169.254.169.254/"];

/// A running server. It takes no more connections once this is dropped; those that exist end with the client.
pub(super) struct Server {
    port: u16,
    elsewhere: u16,
    answers: Arc<Mutex<Answers>>,
    stopped: Arc<AtomicBool>,
}

/// Which of the two origins a connection was made to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Origin {
    Server,
    /// Where redirections lead. It answers whatever comes in a way that a client could take for its answer.
    Elsewhere,
}

impl Server {
    pub(super) fn start(oracle: &Oracle, profile: &Profile, plant: Plant) -> io::Result<Self> {
        let listen = || TcpListener::bind((Ipv4Addr::LOCALHOST, 0));
        let (here, there) = (listen()?, listen()?);
        let (port, elsewhere) = (here.local_addr()?.port(), there.local_addr()?.port());
        let server = Self {
            port,
            elsewhere,
            answers: Arc::new(Mutex::new(Answers::new(oracle, profile, elsewhere, plant))),
            stopped: Arc::default(),
        };
        server.accept(here, Origin::Server);
        server.accept(there, Origin::Elsewhere);
        Ok(server)
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}:{}/mcp", Ipv4Addr::LOCALHOST, self.port)
    }

    /// Whether a number that the oracle writes as an id is an id of this client, so that the case means nothing.
    pub(super) fn met_its_own_id(&self) -> bool {
        self.answers
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .met_its_own_id
    }

    fn accept(&self, listener: TcpListener, origin: Origin) {
        let (answers, stopped) = (Arc::clone(&self.answers), Arc::clone(&self.stopped));
        thread::spawn(move || {
            for stream in listener.incoming() {
                if stopped.load(Ordering::Acquire) {
                    return;
                }
                let answers = Arc::clone(&answers);
                if let Ok(stream) = stream {
                    // A connection that fails is the client's to judge.
                    thread::spawn(move || serve(stream, &answers, origin));
                }
            }
        });
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stopped.store(true, Ordering::Release);
        for port in [self.port, self.elsewhere] {
            // It wakes the thread that accepts; when it fails, that thread has ended.
            let _ = TcpStream::connect((Ipv4Addr::LOCALHOST, port));
        }
    }
}

fn serve(mut stream: TcpStream, answers: &Mutex<Answers>, origin: Origin) -> io::Result<()> {
    stream.set_read_timeout(Some(IDLE_LIMIT))?;
    stream.set_write_timeout(Some(IDLE_LIMIT))?;
    stream.set_nodelay(true)?;
    while let Some(request) = Request::read(&mut stream)? {
        let reply = answers
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .answer(&request, origin);
        if reply.end != ReplyEnd::Reset {
            request.release(&mut stream)?;
        }
        stream.write_all(&reply.pieces.concat())?;
        match reply.end {
            ReplyEnd::KeepOpen => {}
            ReplyEnd::Close | ReplyEnd::Reset => break,
        }
    }
    Ok(())
}

/// What the server says, and what it has heard.
struct Answers {
    legs: BTreeMap<String, Vec<ReplySpec>>,
    session: Option<String>,
    elsewhere: String,
    /// How often each method was answered.
    answered: BTreeMap<String, usize>,
    values: Values,
    met_its_own_id: bool,
    /// What is wrong with the client, as far as answers can show it.
    plant: Plant,
}

impl Answers {
    fn new(oracle: &Oracle, profile: &Profile, elsewhere: u16, plant: Plant) -> Self {
        let session = profile.session.clone();
        Self {
            legs: oracle.legs.clone(),
            values: Values::from([("session".to_owned(), session.clone().unwrap_or_default())]),
            session,
            elsewhere: format!("http://{}:{elsewhere}/", Ipv4Addr::LOCALHOST),
            answered: BTreeMap::new(),
            met_its_own_id: false,
            plant,
        }
    }

    fn answer(&mut self, request: &Request, origin: Origin) -> PeerReply {
        match (request.method.as_str(), origin) {
            ("POST", _) => self.answer_post(request, origin),
            ("DELETE", Origin::Server) => status(200),
            (_, Origin::Server) => status(405),
            // As if the call had come here: the id is the last one that the server has seen.
            (_, Origin::Elsewhere) => self.render(&healthy("tools/call")),
        }
    }

    fn answer_post(&mut self, request: &Request, origin: Origin) -> PeerReply {
        let message = request.message();
        let Some(method) = message.method else {
            // An answer to a request of the server.
            return status(202);
        };
        let turn = self.answered.entry(method.clone()).or_default();
        *turn += 1;
        let turn = *turn - 1;
        if let Some(id) = &message.id {
            let text: Option<String> = serde_json::from_str(id).ok();
            self.values
                .insert("id_text".to_owned(), text.unwrap_or_else(|| id.clone()));
            self.values.insert(format!("id:{method}:{turn}"), id.clone());
            self.values.insert("id".to_owned(), id.clone());
        }
        self.values.insert("method".to_owned(), method.clone());
        let known = matches!(
            method.as_str(),
            "initialize" | "ping" | "tools/list" | "tools/call"
        );
        if message.id.is_some() && !known {
            return self.render(&ReplySpec::healthy(
                r#"{"jsonrpc":"2.0","id":{{id}},"error":{"code":-32601,"message":"Method not found"}}"#,
            ));
        }
        let spec = match origin {
            Origin::Server => spec(&self.legs, self.session.as_deref(), &method, turn),
            Origin::Elsewhere => healthy(&method),
        };
        if let Some(id) = &message.id {
            self.met_its_own_id |= writes_id(&spec, id);
        }
        self.render(&spec)
    }

    fn render(&self, spec: &ReplySpec) -> PeerReply {
        match spec.script(&self.values) {
            Some(mut reply) => {
                for (_, value) in &mut reply.fields {
                    for host in REDIRECT_HOSTS {
                        *value = value.replace(host, &self.elsewhere);
                    }
                }
                self.plant.alter_reply(&mut reply, &self.values);
                reply.render()
            }
            None => spec.raw(&self.values),
        }
    }
}

/// An answer of this status without a body.
fn status(status: u16) -> PeerReply {
    PeerReply {
        pieces: vec![format!("HTTP/1.1 {status} Scripted\r\nContent-Length: 0\r\n\r\n").into_bytes()],
        end: ReplyEnd::KeepOpen,
    }
}

/// Whether the answer writes out an id that is a number, and the request's id is this number. Oracles write such an id
/// as one that is not the client's; for a client that counts it may be.
fn writes_id(spec: &ReplySpec, id: &str) -> bool {
    let Ok(id) = id.parse::<f64>() else {
        return false;
    };
    let nothing = Values::new();
    let bytes = [spec.body(&nothing), spec.raw(&nothing).pieces.concat()].concat();
    let text = String::from_utf8_lossy(&bytes);
    text.split(r#""id":"#).skip(1).any(|rest| {
        let end = rest.find([',', '}', ']']).unwrap_or(rest.len());
        rest.get(..end)
            .and_then(|number| number.trim().parse::<f64>().ok())
            .is_some_and(|number| number.total_cmp(&id).is_eq())
    })
}

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::net::Shutdown;

    use super::*;

    /// A server to send raw requests to.
    struct Rig(Server);

    impl Rig {
        fn new(legs: &str) -> Self {
            let oracle = format!(
                r#"{{"id":"T","requirements":[],"title":"t","legs":{legs},"expect":{{"outcome":"result","text":""}}}}"#
            );
            let profile =
                r#"{"name":"p","session":"s-1","class":"publicContent","approval":false}"#.to_owned();
            let oracle: Oracle = serde_json::from_str(&oracle).unwrap();
            let profile: Profile = serde_json::from_str(&profile).unwrap();
            Self(Server::start(&oracle, &profile, Plant::NONE).unwrap())
        }

        /// The answer to one request, read to the end of the connection.
        fn ask(&self, port: u16, method: &str, body: &str) -> io::Result<String> {
            let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
            let head = format!(
                "{method} /mcp HTTP/1.1\r\nHost: x\r\nContent-Length: {}\r\n\r\n",
                body.len()
            );
            stream.write_all(format!("{head}{body}").as_bytes())?;
            // The server closes once no further request can come. It may have reset the connection by then, which the
            // reading tells.
            let _closed_before = stream.shutdown(Shutdown::Write);
            let mut answer = String::new();
            stream.read_to_string(&mut answer)?;
            Ok(answer)
        }

        fn post(&self, body: &str) -> io::Result<String> {
            self.ask(self.0.port, "POST", body)
        }
    }

    #[test]
    fn an_id_comes_back_as_it_was_spelled() {
        let rig = Rig::new("{}");
        for id in ["7", r#""a-1""#] {
            let answer = rig
                .post(&format!(r#"{{"id":{id},"method":"initialize"}}"#))
                .unwrap();
            assert!(answer.contains(&format!(r#""id":{id},"#)), "{answer}");
            assert!(answer.contains("Mcp-Session-Id: s-1\r\n"), "{answer}");
        }
        let unknown = rig.post(r#"{"id":1,"method":"server/discover"}"#).unwrap();
        assert!(unknown.contains("-32601"), "{unknown}");
        assert!(
            rig.post(r#"{"id":1,"result":{}}"#)
                .unwrap()
                .starts_with("HTTP/1.1 202 ")
        );
        assert!(!rig.0.met_its_own_id());
    }

    #[test]
    fn other_methods_of_http_are_answered_and_end_nothing() {
        let rig = Rig::new("{}");
        let ask = |method| rig.ask(rig.0.port, method, "").unwrap();
        assert!(ask("GET").starts_with("HTTP/1.1 405 "));
        assert!(ask("DELETE").starts_with("HTTP/1.1 200 "));
    }

    #[test]
    fn a_reset_is_a_reset() {
        let rig = Rig::new(r#"{"tools/call":[{"raw":"","then":"reset"}]}"#);
        let error = rig.post(r#"{"id":1,"method":"tools/call"}"#).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::ConnectionReset);
    }

    #[test]
    fn redirections_lead_to_another_origin_on_loopback() {
        let reply = r#"{"status":307,"fields":[["Location","http://peer.example/x"]]}"#;
        let rig = Rig::new(&format!(r#"{{"tools/call":[{reply}]}}"#));
        let call = r#"{"id":5,"method":"tools/call"}"#;
        let elsewhere = rig.0.elsewhere;
        let redirected = rig.post(call).unwrap();
        assert!(redirected.contains(&format!("Location: http://127.0.0.1:{elsewhere}/x\r\n")));
        for method in ["GET", "POST"] {
            let followed = rig.ask(elsewhere, method, call).unwrap();
            assert!(followed.contains(r#""id":5,"result""#), "{followed}");
        }
    }

    #[test]
    fn an_id_of_the_client_that_the_oracle_writes_is_noticed() {
        let legs = r#"{"tools/call":[{"body":"{\"id\":1.0,\"result\":{\"id\":{{id}}}}"}]}"#;
        for (id, met) in [("1", true), ("2", false), (r#""1""#, false)] {
            let rig = Rig::new(legs);
            rig.post(&format!(r#"{{"id":{id},"method":"tools/call"}}"#))
                .unwrap();
            assert_eq!(rig.0.met_its_own_id(), met, "{id}");
        }
    }
}
