//! One message of a client, as a server reads it, against a second reading.

use mcp_wire::MalformedKind;
use mcp_wire::server::{Answer, ClientId, ClientMessage, RequestFault, RequestLimits, RequestRule};

use super::code::exact;
use super::frame::{self, Members, Verdict, find, members, string};
use super::input::Input;

/// What a message is. An id stands as the client spelled it, parameters as their raw text.
#[derive(Debug, PartialEq, Eq)]
enum Seen {
    Request {
        id: String,
        method: String,
        params: Option<String>,
        progress: Option<String>,
    },
    Notification {
        method: String,
        params: Option<String>,
        cancelled: Option<String>,
    },
    Response,
    Refused(Rule, Option<String>),
}

#[derive(Debug, PartialEq, Eq)]
enum Rule {
    /// No JSON text that can be read; which of the faults of syntax comes first is not told.
    Unreadable,
    Text(MalformedKind),
    Envelope(RequestRule),
}

pub fn run(bytes: &[u8]) {
    let mut input = Input::new(bytes);
    let mut limits = RequestLimits::default();
    // All choices but one are tight.
    let choice = input.byte();
    if choice > 0 {
        limits.depth = usize::from(choice);
    }
    let text = input.rest();
    let (found, version) = match ClientMessage::parse(text, &limits) {
        Ok(message) => (accepted(&message), message.named_version()),
        Err(fault) => (refused(&fault), None),
    };
    let shown = String::from_utf8_lossy(text);
    let expected = judge(text, limits.depth);
    if let (Seen::Request { params, .. } | Seen::Notification { params, .. }, Some(found)) =
        (&expected, &version)
    {
        let named = meta(params.as_deref(), "io.modelcontextprotocol/protocolVersion");
        assert_eq!(
            named.and_then(|named| string(&named)).unwrap_or_default(),
            *found,
            "{shown:?}"
        );
    }
    assert_eq!(found, expected, "{shown:?}");
}

fn accepted(message: &ClientMessage<'_>) -> Seen {
    match message {
        ClientMessage::Request(request) => Seen::Request {
            id: spelling(&request.id),
            method: request.method.clone().into_owned(),
            params: request.params.map(str::to_owned),
            progress: request.progress_token().map(str::to_owned),
        },
        ClientMessage::Notification(notification) => Seen::Notification {
            method: notification.method.clone().into_owned(),
            params: notification.params.map(str::to_owned),
            cancelled: notification.cancelled_request().as_ref().map(spelling),
        },
        ClientMessage::Response => Seen::Response,
    }
}

fn refused(fault: &RequestFault) -> Seen {
    let text = fault.to_string();
    assert!(text.len() < 200, "{text}");
    let answer = fault.answer();
    let answer = members(&answer).expect("an answer is an object");
    let error = find(&answer, "error").and_then(members).expect("with an error");
    assert_eq!(find(&error, "code"), Some(fault.rule.code().to_string().as_str()));
    let rule = match fault.rule {
        RequestRule::Text(fault) if is_unreadable(fault.kind()) => Rule::Unreadable,
        RequestRule::Text(fault) => Rule::Text(fault.kind()),
        rule @ (RequestRule::Version
        | RequestRule::Id
        | RequestRule::Kind
        | RequestRule::Method
        | RequestRule::Params) => Rule::Envelope(rule),
    };
    let id = find(&answer, "id").map(str::to_owned);
    assert_eq!(id, fault.id.as_ref().map(spelling), "an answer has the id");
    Seen::Refused(rule, id)
}

fn is_unreadable(kind: MalformedKind) -> bool {
    kind == MalformedKind::EmptyBody || Verdict::Unreadable.is_refusal(kind)
}

/// The id as an answer repeats it.
fn spelling(id: &ClientId) -> String {
    let answer = Answer::Result("{}").encode(Some(id));
    let answer = members(&answer).expect("an answer is an object");
    find(&answer, "id").expect("with its id").to_owned()
}

fn judge(text: &[u8], depth: usize) -> Seen {
    let members = match frame::object(text, depth) {
        Ok(members) => members,
        Err(Verdict::Refused(kind)) => return Seen::Refused(Rule::Text(kind), None),
        Err(_) => return Seen::Refused(Rule::Unreadable, None),
    };
    let get = |name: &str| find(&members, name);
    let ids = members.iter().filter(|(name, _)| name == "id").count();
    let id = get("id").filter(|id| ids == 1 && is_id(id)).map(str::to_owned);
    let refused = |rule| Seen::Refused(rule, id.clone());
    if frame::repeats(&members) {
        return refused(Rule::Text(MalformedKind::DuplicateMember));
    }
    if frame::version_fault(&members).is_some() {
        return refused(Rule::Envelope(RequestRule::Version));
    }
    if ids > 0 && id.is_none() {
        return refused(Rule::Envelope(RequestRule::Id));
    }
    let branches = ["method", "result", "error"].map(|name| get(name).is_some());
    match branches {
        [true, false, false] => {}
        [false, true, false] | [false, false, true] if id.is_some() => return Seen::Response,
        _ => return refused(Rule::Envelope(RequestRule::Kind)),
    }
    let Some(method) = get("method").and_then(string) else {
        return refused(Rule::Envelope(RequestRule::Method));
    };
    let params = get("params").map(str::to_owned);
    if params.as_ref().is_some_and(|params| !params.starts_with('{')) {
        return refused(Rule::Envelope(RequestRule::Params));
    }
    match id {
        Some(id) => Seen::Request {
            id,
            method,
            progress: meta(params.as_deref(), "progressToken").filter(|token| is_token(token)),
            params,
        },
        None => Seen::Notification {
            cancelled: params
                .as_deref()
                .filter(|_| method == "notifications/cancelled")
                .and_then(|params| last(params, "requestId"))
                .filter(|id| is_id(id)),
            method,
            params,
        },
    }
}

/// Whether a value is an id: a string or an integer, of at most 1,024 bytes.
fn is_id(value: &str) -> bool {
    value.len() <= 1_024 && (value.starts_with('"') || exact(value).is_ok())
}

fn is_token(value: &str) -> bool {
    let begins = value.starts_with(|c: char| c == '"' || c == '-' || c.is_ascii_digit());
    begins && value.len() <= 1_024
}

/// A member of the metadata of parameters.
fn meta(params: Option<&str>, name: &str) -> Option<String> {
    last(&last(params?, "_meta")?, name)
}

/// The member of an object; of several the last.
fn last(object: &str, name: &str) -> Option<String> {
    let members: Members<'_> = members(object)?;
    let found = members.iter().rfind(|(known, _)| known == name);
    found.map(|(_, value)| (*value).to_owned())
}
