//! What a scripted server answers on one leg, as data, and the bytes it becomes.

use std::collections::BTreeMap;

use base64::Engine as _;
use mcp_testkit::{PeerReply, ReplyEnd};
use mcp_wire::{BodyEnd, Framing};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use crate::saying::{ANY_ID, HANDLED, Saying};

/// One answer. Without a field, the healthy default holds: 200, `application/json`, a declared length.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReplySpec {
    #[serde(default = "ok")]
    status: u16,
    /// The media type; null sends none.
    #[serde(default = "json", rename = "type")]
    media_type: Option<String>,
    /// Further header lines, in order.
    #[serde(default)]
    fields: Vec<(String, String)>,
    #[serde(default)]
    body: Body,
    /// Whether the body is the data of one event, not yet framed as such.
    #[serde(default)]
    as_event: bool,
    /// Spaces that fill the body up to this many bytes.
    #[serde(default)]
    pad_to: usize,
    /// The bytes of the whole answer, head and all; everything else but `then` is ignored.
    #[serde(default)]
    raw: Option<Body>,
    #[serde(default)]
    framing: HttpFraming,
    /// Bytes that are missing at the end of the body, after its length was declared.
    #[serde(default)]
    cut: usize,
    /// Bytes that the declared length is too long.
    #[serde(default)]
    overstate: usize,
    /// How the connection goes on.
    #[serde(default)]
    then: Then,
    /// Time that passes before the answer.
    #[serde(default)]
    pub(crate) elapse_ms: u64,
    /// Whether nothing is ever answered.
    #[serde(default)]
    pub(crate) silent: bool,
    /// Whether the caller cancels once the message has come; nothing is answered then.
    #[serde(default)]
    pub(crate) cancel: bool,
}

const fn ok() -> u16 {
    200
}

#[expect(clippy::unnecessary_wraps, reason = "serde wants the field's own type")]
fn json() -> Option<String> {
    Some("application/json".to_owned())
}

/// A body: a text, or parts in a row.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub(crate) enum Body {
    Text(String),
    Parts(Vec<Part>),
}

impl Default for Body {
    fn default() -> Self {
        Self::Text(String::new())
    }
}

#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub(crate) enum Part {
    Text(String),
    /// A text again and again, up to at least so many bytes.
    Repeat {
        repeat: String,
        bytes: usize,
    },
    /// Bytes that are no text.
    Base64 {
        base64: String,
    },
}

/// How the body's end is marked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum HttpFraming {
    #[default]
    Length,
    Chunked,
    /// Chunked, without the last chunk.
    ChunkedOpen,
    /// By the end of the connection.
    Close,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Then {
    #[default]
    KeepOpen,
    Close,
    Reset,
}

/// The method of HTTP that ends a session.
pub(crate) const END_OF_SESSION: &str = "DELETE";

/// The values that stand for placeholders in a body or a field.
pub(crate) type Values = BTreeMap<String, String>;

impl ReplySpec {
    /// A healthy answer with this body.
    pub(crate) fn healthy(body: &str) -> Self {
        Self::of_body(Body::Text(body.to_owned()))
    }

    /// A healthy answer with this body.
    pub(crate) fn of_body(body: Body) -> Self {
        Self {
            status: ok(),
            media_type: json(),
            fields: Vec::new(),
            body,
            as_event: false,
            pad_to: 0,
            raw: None,
            framing: HttpFraming::default(),
            cut: 0,
            overstate: 0,
            then: Then::default(),
            elapse_ms: 0,
            silent: false,
            cancel: false,
        }
    }

    /// A healthy event stream with this data in one event.
    pub(crate) fn of_event(data: Body) -> Self {
        Self {
            media_type: Some("text/event-stream".to_owned()),
            as_event: true,
            ..Self::of_body(data)
        }
    }

    /// A healthy acceptance of a notification.
    pub(crate) fn accepted() -> Self {
        Self {
            status: 202,
            media_type: None,
            ..Self::healthy("")
        }
    }

    pub(crate) fn with_field(mut self, name: &str, value: &str) -> Self {
        self.fields.push((name.to_owned(), value.to_owned()));
        self
    }

    /// The answer with its placeholders filled in; `None` when it is raw bytes.
    pub(crate) fn script(&self, values: &Values) -> Option<ScriptedReply> {
        if self.raw.is_some() {
            return None;
        }
        Some(ScriptedReply {
            status: self.status,
            media_type: self.media_type.clone(),
            fields: self
                .fields
                .iter()
                .map(|(name, value)| (name.clone(), fill(value, values)))
                .collect(),
            body: self.body(values),
            framing: self.framing,
            cut: self.cut,
            overstate: self.overstate,
            then: self.then,
        })
    }

    /// The bytes of an answer that is given raw.
    pub(crate) fn raw(&self, values: &Values) -> PeerReply {
        let bytes = self
            .raw
            .as_ref()
            .map(|raw| raw.render(values))
            .unwrap_or_default();
        PeerReply {
            pieces: vec![bytes],
            end: end_of(self.then, self.framing),
        }
    }

    /// The whole body, before anything is cut off.
    pub(crate) fn body(&self, values: &Values) -> Vec<u8> {
        let mut body = self.body.render(values);
        if self.as_event {
            body = event(&body);
        }
        if body.len() < self.pad_to {
            body.resize(self.pad_to, b' ');
        }
        body
    }

    /// Whether one of these placeholders stands in it.
    pub(crate) fn mentions(&self, names: &[&str]) -> bool {
        let nothing = Values::new();
        let mut texts: Vec<Vec<u8>> = vec![self.body(&nothing)];
        texts.extend(self.raw(&nothing).pieces);
        texts.extend(self.fields.iter().map(|(_, value)| value.clone().into_bytes()));
        names.iter().any(|name| {
            let placeholder = format!("{{{{{name}}}}}");
            let mut texts = texts.iter();
            texts.any(|text| String::from_utf8_lossy(text).contains(&placeholder))
        })
    }

    /// Whether it can be said in HTTP only, to a message of this method: by a status, a media type, a header field, the
    /// bytes of an answer, a length that is not that of the body, or the end of a connection beside a whole answer.
    pub(crate) fn needs_http(&self, method: &str) -> bool {
        if self.silent || self.cancel || self.is_end() {
            return false;
        }
        let is_notice = method.starts_with("notifications/") || method == END_OF_SESSION;
        let (status, media_type) = if is_notice { (202, None) } else { (ok(), json()) };
        let plain = match self.framing {
            HttpFraming::Length | HttpFraming::Chunked => true,
            HttpFraming::ChunkedOpen | HttpFraming::Close => false,
        };
        let ends_beside = self.then != Then::KeepOpen && self.cut == 0;
        let odd = self.raw.is_some() || !self.fields.is_empty() || self.overstate > 0 || ends_beside;
        self.status != status || self.media_type != media_type || !plain || odd
    }

    /// Whether the server of this workspace can say it to a message of this method.
    pub(crate) fn is_sayable(&self, method: &str) -> bool {
        let reply = || self.script(&id_values(ANY_ID));
        let can_say = || reply().is_some_and(|reply| Saying::of(&reply, ANY_ID).is_some());
        HANDLED.contains(&method) && (self.silent || self.cancel || can_say())
    }

    /// Whether it is the end of the connection, without a byte before.
    fn is_end(&self) -> bool {
        self.then != Then::KeepOpen
            && self.raw(&Values::new()).pieces.concat().is_empty()
            && self.raw.is_some()
    }

    /// How the body holds its frames, if the media type says that it holds any.
    pub(crate) fn reply_framing(&self) -> Option<Framing> {
        match self.media_type.as_deref() {
            Some("application/json") => Some(Framing::Json),
            Some("text/event-stream") => Some(Framing::EventStream),
            Some(_) | None => None,
        }
    }
}

/// One answer with everything decided but its bytes.
#[derive(Debug, Clone)]
pub(crate) struct ScriptedReply {
    pub(crate) status: u16,
    pub(crate) media_type: Option<String>,
    pub(crate) fields: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
    pub(crate) framing: HttpFraming,
    pub(crate) cut: usize,
    pub(crate) overstate: usize,
    pub(crate) then: Then,
}

impl ScriptedReply {
    /// The one message of the answer on a connection without HTTP, and whether all of it comes.
    pub(crate) fn message(mut self) -> (Vec<u8>, BodyEnd) {
        let end = if self.cut == 0 {
            BodyEnd::Complete
        } else {
            BodyEnd::Incomplete
        };
        self.body.truncate(self.body.len().saturating_sub(self.cut));
        (self.body, end)
    }

    /// The messages of an answer in which nothing but messages is said; an event of a stream holds one on one line.
    pub(crate) fn plain_messages(&self) -> Option<Vec<&str>> {
        let whole = self.cut == 0 && self.overstate == 0 && self.then == Then::KeepOpen;
        let framed = match self.framing {
            HttpFraming::Length | HttpFraming::Chunked => true,
            HttpFraming::ChunkedOpen | HttpFraming::Close => false,
        };
        if self.status != ok() || !self.fields.is_empty() || !whole || !framed {
            return None;
        }
        let body = std::str::from_utf8(&self.body).ok()?;
        match self.media_type.as_deref() {
            Some("application/json") => Some(vec![body]),
            Some("text/event-stream") => body
                .strip_suffix("\n\n")?
                .split("\n\n")
                .map(|event| {
                    event
                        .trim_start_matches("event: message\n")
                        .strip_prefix("data: ")
                })
                .map(|data| data.filter(|data| !data.contains(['\n', '\r'])))
                .collect(),
            Some(_) | None => None,
        }
    }

    /// The raw bytes of the answer.
    pub(crate) fn render(mut self) -> PeerReply {
        let mut head = format!("HTTP/1.1 {} Scripted\r\n", self.status);
        if let Some(media_type) = &self.media_type {
            head += &format!("Content-Type: {media_type}\r\n");
        }
        for (name, value) in &self.fields {
            head += &format!("{name}: {value}\r\n");
        }
        let declared = self.body.len() + self.overstate;
        self.body.truncate(self.body.len().saturating_sub(self.cut));
        let coding = "Transfer-Encoding: chunked\r\n".to_owned();
        let (line, body) = match self.framing {
            HttpFraming::Length => (format!("Content-Length: {declared}\r\n"), self.body),
            HttpFraming::Chunked => (coding, chunks(&self.body, "0\r\n\r\n")),
            HttpFraming::ChunkedOpen => (coding, chunks(&self.body, "")),
            HttpFraming::Close => (String::new(), self.body),
        };
        head += &line;
        head += "\r\n";
        PeerReply {
            pieces: vec![head.into_bytes(), body],
            end: end_of(self.then, self.framing),
        }
    }
}

const fn end_of(then: Then, framing: HttpFraming) -> ReplyEnd {
    match (then, framing) {
        (Then::Reset, _) => ReplyEnd::Reset,
        (Then::Close, _) | (Then::KeepOpen, HttpFraming::Close) => ReplyEnd::Close,
        (Then::KeepOpen, HttpFraming::Length | HttpFraming::Chunked | HttpFraming::ChunkedOpen) => {
            ReplyEnd::KeepOpen
        }
    }
}

impl Body {
    /// A text that is written like a body.
    pub(crate) fn deserialize_text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
        let bytes = Self::deserialize(deserializer)?.render(&Values::new());
        String::from_utf8(bytes).map_err(D::Error::custom)
    }

    fn render(&self, values: &Values) -> Vec<u8> {
        match self {
            Self::Text(text) => fill(text, values).into_bytes(),
            Self::Parts(parts) => parts.iter().flat_map(|part| part.render(values)).collect(),
        }
    }
}

impl Part {
    fn render(&self, values: &Values) -> Vec<u8> {
        match self {
            Self::Text(text) => fill(text, values).into_bytes(),
            Self::Repeat { repeat, bytes } => repeat.repeat(bytes.div_ceil(repeat.len().max(1))).into_bytes(),
            // An unreadable text renders as nothing, which no expectation of such an oracle survives.
            Self::Base64 { base64 } => base64::engine::general_purpose::STANDARD
                .decode(base64)
                .unwrap_or_default(),
        }
    }
}

/// What a request id gives to placeholders: `id` with its quotation marks, and without them its text and four near
/// misses or other spellings of it.
pub(crate) fn id_values(id: &str) -> Values {
    let escaped: String = id.encode_utf16().map(|unit| format!("\\u{unit:04x}")).collect();
    let next = id.rsplit_once('-').and_then(|(namespace, sequence)| {
        let sequence: u64 = sequence.parse().ok()?;
        Some(format!("{namespace}-{}", sequence.checked_add(1)?))
    });
    let mut shorter = id.chars();
    shorter.next_back();
    Values::from([
        ("id".to_owned(), format!("\"{id}\"")),
        ("id_text".to_owned(), id.to_owned()),
        ("id_upper".to_owned(), id.to_ascii_uppercase()),
        ("id_escaped".to_owned(), escaped),
        ("id_prefix".to_owned(), shorter.as_str().to_owned()),
        ("id_next".to_owned(), next.unwrap_or_default()),
    ])
}

/// Replaces each `{{name}}` by its value.
pub(crate) fn fill(text: &str, values: &Values) -> String {
    values.iter().fold(text.to_owned(), |text, (name, value)| {
        text.replace(&format!("{{{{{name}}}}}"), value)
    })
}

/// Data as one event: a `data` field for each of its lines.
fn event(data: &[u8]) -> Vec<u8> {
    let mut framed = b"data: ".to_vec();
    let mut after_cr = false;
    for &byte in data {
        match byte {
            b'\n' if after_cr => {}
            b'\r' | b'\n' => framed.extend_from_slice(b"\ndata: "),
            other => framed.push(other),
        }
        after_cr = byte == b'\r';
    }
    framed.extend_from_slice(b"\n\n");
    framed
}

fn chunks(body: &[u8], last: &str) -> Vec<u8> {
    let mut framed = Vec::with_capacity(body.len() + 32);
    for chunk in body.chunks(64 * 1_024) {
        framed.extend_from_slice(format!("{:x}\r\n", chunk.len()).as_bytes());
        framed.extend_from_slice(chunk);
        framed.extend_from_slice(b"\r\n");
    }
    framed.extend_from_slice(last.as_bytes());
    framed
}
