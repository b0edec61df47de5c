//! The request of one message: its head with the credentials, and its body.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use http::header::{AUTHORIZATION, CONTENT_LENGTH, USER_AGENT};
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request};
use http_body_util::Full;
use hyper::body::{Body, Bytes, Frame, SizeHint};
use mcp_wire::{
    Credential, CredentialError, CredentialPlacement, Message, Secret, Stage, TransportError, http as wire,
};

use crate::progress::Progress;

/// The head of a request without its credentials, and the body.
pub(crate) struct Draft {
    method: Method,
    headers: HeaderMap,
    body: Bytes,
}

/// The fields that stand on every message with a body, made once.
pub(crate) struct ConstantFields(HeaderMap);

impl ConstantFields {
    pub(crate) fn new() -> Self {
        Self(constant_fields(&Message::initialized()))
    }

    fn of(&self, message: &Message) -> HeaderMap {
        if message.body().is_empty() {
            constant_fields(message)
        } else {
            self.0.clone()
        }
    }
}

fn constant_fields(message: &Message) -> HeaderMap {
    let mut headers = HeaderMap::with_capacity(10);
    headers.insert(
        USER_AGENT,
        HeaderValue::from_static(concat!("mcp-http/", env!("CARGO_PKG_VERSION"))),
    );
    headers.extend(
        wire::constant_fields(message)
            .map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value))),
    );
    headers
}

impl Draft {
    /// Prepares the request of `message`. A message without a body declares no length.
    ///
    /// # Errors
    ///
    /// None is reached: every field of the wire is visible ASCII.
    pub(crate) fn new(message: Message, fields: &ConstantFields) -> Result<Self, TransportError> {
        let unreached = || TransportError::Connect;
        let method = Method::from_bytes(wire::request_method(&message).as_bytes());
        let method = method.map_err(|_invalid| unreached())?;
        let mut headers = fields.of(&message);
        for (name, value) in wire::session_fields(&message) {
            let mut value = HeaderValue::from_str(value).map_err(|_invalid| unreached())?;
            // A session id is a credential in effect.
            value.set_sensitive(name == "mcp-session-id");
            headers.insert(HeaderName::from_static(name), value);
        }
        let body = Bytes::from(message.into_body());
        if !body.is_empty() {
            headers.insert(CONTENT_LENGTH, HeaderValue::from(body.len()));
        }
        Ok(Self {
            method,
            headers,
            body,
        })
    }

    /// Adds a credential to the head. Its value is marked sensitive, so that no log of a library prints it.
    ///
    /// # Errors
    ///
    /// [`CredentialError::Unusable`] when the secret is empty or cannot be the value of a header,
    /// [`CredentialError::Conflict`] when the header is taken.
    pub(crate) fn add_credential(
        &mut self,
        credential: &Credential,
        secret: &Secret,
    ) -> Result<(), CredentialError> {
        let unusable = || CredentialError::Unusable(credential.reference.clone());
        let visible = secret.expose().bytes().all(|byte| (0x20..=0x7e).contains(&byte));
        if secret.expose().is_empty() || !visible {
            return Err(unusable());
        }
        let (name, value) = match &credential.placement {
            CredentialPlacement::Bearer => (
                AUTHORIZATION,
                HeaderValue::try_from(format!("Bearer {}", secret.expose())),
            ),
            CredentialPlacement::Header(name) => (
                HeaderName::try_from(name.as_str()).map_err(|_invalid| unusable())?,
                HeaderValue::from_str(secret.expose()),
            ),
        };
        let mut value = value.map_err(|_invalid| unusable())?;
        value.set_sensitive(true);
        if self.headers.insert(name, value).is_some() {
            return Err(CredentialError::Conflict(credential.reference.clone()));
        }
        Ok(())
    }

    /// The finished request, to be addressed for the connection that takes it. Its body reports to `progress` when it is
    /// handed over.
    pub(crate) fn into_request(self, progress: Progress) -> Request<RequestBody> {
        let mut request = Request::new(RequestBody {
            bytes: Full::new(self.body),
            progress,
        });
        *request.method_mut() = self.method;
        *request.headers_mut() = self.headers;
        request
    }
}

/// The bytes of a message; says when they have been handed over to be written.
pub(crate) struct RequestBody {
    bytes: Full<Bytes>,
    progress: Progress,
}

impl Body for RequestBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.progress.enter(Stage::FirstByte);
        Pin::new(&mut self.bytes).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.bytes.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.bytes.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use mcp_wire::{CredentialRef, ProtocolVersion, SessionId};

    use super::*;

    #[test]
    fn what_is_secret_in_a_head_is_marked_sensitive() {
        let session = SessionId::parse(b"s3cret").unwrap();
        let message = Message::end_session(ProtocolVersion::V2025_11_25, session);
        let mut draft = Draft::new(message, &ConstantFields::new()).unwrap();
        let credential = Credential {
            reference: CredentialRef("env:TOKEN".to_owned()),
            placement: CredentialPlacement::Bearer,
        };
        draft
            .add_credential(&credential, &Secret::new("s3cret".to_owned()))
            .unwrap();
        let head = format!("{:?}", draft.headers);
        assert_eq!(head.matches("Sensitive").count(), 2, "{head}");
        assert!(!head.contains("s3cret"), "{head}");
    }
}
