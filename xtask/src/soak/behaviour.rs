//! What the servers of the soak do, and what a call of each may come to.

use std::time::Duration;

use mcp_testkit::loopback::Step;

/// The text that a right answer carries is the id of its request.
const ANSWER: &str = r#"{"jsonrpc":"2.0","id":"$ID","result":{"content":[{"type":"text","text":"$ID"}]}}"#;
const NOTE: &str = r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}"#;

/// One kind of server.
#[derive(Debug)]
pub(super) struct Behaviour {
    pub(super) name: &'static str,
    pub(super) sort: Sort,
    /// What a connection plays; one that has played it is dropped.
    pub(super) script: Vec<Step>,
    /// How a call may end, unless its deadline or its caller ends it.
    pub(super) ends: Ends,
    /// Whether several calls may follow one another, over a connection that is kept.
    pub(super) is_kept: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Sort {
    Healthy,
    Slow,
    Hostile,
    Dying,
}

impl Sort {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Healthy => "healthy",
            Self::Slow => "slow",
            Self::Hostile => "hostile",
            Self::Dying => "dying",
        }
    }
}

/// The ends that are right.
#[derive(Debug)]
pub(super) enum Ends {
    /// With a text that is the id of the call's own request.
    OwnId,
    /// With an empty text.
    Empty,
    /// As a failure of one of these kinds.
    Failed(&'static [&'static str]),
    /// Only by the deadline or by the caller.
    Never,
}

/// All of them. The first takes messages in any order, and so from several callers at a time.
pub(super) fn all() -> Vec<Behaviour> {
    let sorts = [healthy(), slow(), hostile(), dying()];
    sorts.into_iter().flatten().collect()
}

/// How often a server that keeps its connection answers on it.
const KEPT: usize = 16;

fn healthy() -> Vec<Behaviour> {
    let of = |name, answer| Behaviour {
        name,
        sort: Sort::Healthy,
        script: repeated(&called(answer), KEPT),
        ends: Ends::OwnId,
        is_kept: true,
    };
    let chunks = vec![
        Step::head(
            200,
            &[
                ("content-type", "text/event-stream"),
                ("transfer-encoding", "chunked"),
            ],
        ),
        Step::Chunk(format!(": hello\n\ndata: {NOTE}\n").into_bytes()),
        Step::Chunk(format!("\ndata: {ANSWER}").into_bytes()),
        Step::Chunk(b"\n\n".to_vec()),
        Step::write("0\r\n\r\n"),
    ];
    let crowd = Behaviour {
        name: "called by a crowd",
        script: repeated(&[Step::Read, Step::Respond], KEPT * KEPT),
        ends: Ends::Empty,
        ..of("", Vec::new())
    };
    vec![
        crowd,
        of("json", json(200, ANSWER)),
        of("event stream in chunks", chunks),
    ]
}

fn slow() -> Vec<Behaviour> {
    let of = |name, steps, ends| Behaviour {
        name,
        sort: Sort::Slow,
        script: [called(steps), vec![Step::AwaitEnd]].concat(),
        ends,
        is_kept: false,
    };
    let drip = |pause| {
        let pause = Duration::from_millis(pause);
        vec![declared("$LEN"), Step::Drip(ANSWER.as_bytes().to_vec(), pause)]
    };
    let comments = vec![
        Step::head(200, &[("content-type", "text/event-stream")]),
        Step::Drip(b": x\n".repeat(1_000), Duration::from_millis(5)),
    ];
    vec![
        of("silent", Vec::new(), Ends::Never),
        of(
            "silent in the head",
            vec![Step::write("HTTP/1.1 200 OK\r\nx: ")],
            Ends::Never,
        ),
        of(
            "silent in the body",
            vec![declared("$LEN+10"), Step::body(ANSWER)],
            Ends::Never,
        ),
        of("an answer in drips", drip(1), Ends::OwnId),
        of("an answer in slow drips", drip(100), Ends::Never),
        of("comments in drips", comments, Ends::Never),
    ]
}

fn hostile() -> Vec<Behaviour> {
    let of = |name, steps, kinds| Behaviour {
        name,
        sort: Sort::Hostile,
        script: called(steps),
        ends: Ends::Failed(kinds),
        is_kept: false,
    };
    let body = |text: &str| json(200, text);
    let events = |text: &str| {
        let head = Step::head(
            200,
            &[("content-type", "text/event-stream"), ("content-length", "$LEN")],
        );
        vec![head, Step::body(text)]
    };
    let deep = format!(
        r#"{{"jsonrpc":"2.0","id":"$ID","result":{{"a":{}"#,
        "[".repeat(600)
    );
    let open = || Step::head(200, &[("content-type", "application/json")]);
    let both = Step::head(
        200,
        &[
            ("content-type", "application/json"),
            ("content-length", "$LEN"),
            ("transfer-encoding", "chunked"),
        ],
    );
    vec![
        of(
            "an answer for another",
            body(r#"{"jsonrpc":"2.0","id":"$ID1","result":{"content":[]}}"#),
            &["foreign-id"],
        ),
        of(
            "the id twice",
            body(r#"{"jsonrpc":"2.0","id":"else","id":"$ID","result":{"content":[]}}"#),
            &["duplicate-member"],
        ),
        of(
            "a result and an error",
            body(r#"{"jsonrpc":"2.0","id":"$ID","result":{},"error":{"code":1,"message":"m"}}"#),
            &["both-branches"],
        ),
        of(
            "two answers",
            events(&format!("data: {ANSWER}\n\ndata: {ANSWER}\n\n")),
            &["second-response"],
        ),
        of("a batch", body(&format!("[{ANSWER}]")), &["batch"]),
        of("too deep", body(&deep), &["too-deep"]),
        of(
            "a body without end",
            vec![open(), Step::Endless(vec![b' '; 16_384])],
            &["too-large"],
        ),
        of(
            "an event without end",
            vec![
                Step::head(200, &[("content-type", "text/event-stream")]),
                Step::body("data: "),
                Step::Endless(vec![b'x'; 16_384]),
            ],
            &["line-too-long", "event-too-large", "too-large"],
        ),
        of(
            "a length and chunks",
            vec![both, Step::body(ANSWER)],
            &["ambiguous-framing"],
        ),
        of(
            "bytes that are not HTTP",
            vec![Step::Write(vec![0; 512])],
            &["invalid-http"],
        ),
        of(
            "a head without end",
            vec![
                Step::write("HTTP/1.1 200 OK\r\n"),
                Step::Endless(b"x: 1\r\n".repeat(1_000)),
            ],
            &["head-too-large"],
        ),
        of("202 to a request", json(202, ANSWER), &["unexpected-success"]),
        of("an answer under 500", json(500, ANSWER), &["server-error"]),
        of(
            "a way elsewhere",
            vec![Step::head(
                307,
                &[("location", "http://127.0.0.1:9/"), ("content-length", "0")],
            )],
            &["redirect"],
        ),
    ]
}

fn dying() -> Vec<Behaviour> {
    let of = |name, script, kinds| Behaviour {
        name,
        sort: Sort::Dying,
        script,
        ends: Ends::Failed(kinds),
        is_kept: false,
    };
    let half = |end: Step| called(vec![declared("$LEN+10"), Step::body(ANSWER), end]);
    vec![
        of("gone at once", vec![Step::Drop], &["connection-lost"]),
        of(
            "gone in the handshake",
            vec![Step::Read, Step::Drop],
            &["connection-lost"],
        ),
        of(
            "gone before an answer",
            called(vec![Step::Drop]),
            &["connection-lost"],
        ),
        of(
            "reset before an answer",
            called(vec![Step::Reset]),
            &["connection-lost"],
        ),
        of("gone in the body", half(Step::Drop), &["incomplete"]),
        of(
            "reset in the body",
            half(Step::Reset),
            &["incomplete", "connection-lost"],
        ),
    ]
}

fn repeated(steps: &[Step], times: usize) -> Vec<Step> {
    vec![steps; times].concat()
}

/// A healthy handshake, then these steps as the answer to the call.
fn called(answer: Vec<Step>) -> Vec<Step> {
    let handshake = [Step::Read, Step::Respond, Step::Read, Step::Respond, Step::Read];
    [handshake.to_vec(), answer].concat()
}

fn json(status: u16, body: &str) -> Vec<Step> {
    let fields = [("content-type", "application/json"), ("content-length", "$LEN")];
    vec![Step::head(status, &fields), Step::body(body)]
}

fn declared(length: &str) -> Step {
    Step::head(
        200,
        &[("content-type", "application/json"), ("content-length", length)],
    )
}
