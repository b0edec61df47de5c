//! Where a request stands in a trace of the host's.

use alloc::string::String;

/// The trace that a request is part of: what the host's own tracing gives, sent in `params._meta`.
///
/// [W3C Trace Context, section 3](https://www.w3.org/TR/trace-context/#traceparent-header); the keys `traceparent` and
/// `tracestate` are reserved in [MCP 2026-07-28, Basic, `_meta`](https://modelcontextprotocol.io/specification/2026-07-28/basic).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TraceContext {
    traceparent: String,
    tracestate: Option<String>,
}

impl TraceContext {
    /// The longest `tracestate`, in bytes.
    pub const STATE_BYTES: usize = 512;

    /// The most members of a `tracestate`.
    pub const STATE_MEMBERS: usize = 32;

    /// Reads a `traceparent` of version 00, and a `tracestate` beside it.
    ///
    /// # Errors
    ///
    /// [`TraceContextError`]; whoever gave it is at fault. Nothing is repaired and nothing is cut.
    pub fn parse(traceparent: &str, tracestate: Option<&str>) -> Result<Self, TraceContextError> {
        if !is_parent(traceparent) {
            return Err(TraceContextError::Parent);
        }
        if !tracestate.is_none_or(is_state) {
            return Err(TraceContextError::State);
        }
        Ok(Self {
            traceparent: String::from(traceparent),
            tracestate: tracestate.map(String::from),
        })
    }

    /// The `traceparent`: version, trace id, parent id and flags in lower-case hexadecimal.
    #[must_use]
    pub fn traceparent(&self) -> &str {
        &self.traceparent
    }

    /// The `tracestate`.
    #[must_use]
    pub fn tracestate(&self) -> Option<&str> {
        self.tracestate.as_deref()
    }
}

/// `00-<32>-<16>-<2>`; neither id is all zeros.
fn is_parent(text: &str) -> bool {
    let mut parts = text.split('-');
    let mut next = |length| {
        let part = parts.next()?;
        let hex = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        (part.len() == length && part.bytes().all(hex)).then_some(part)
    };
    let (Some("00"), Some(trace), Some(parent), Some(_flags)) = (next(2), next(32), next(16), next(2)) else {
        return false;
    };
    let is_zero = |id: &str| id.bytes().all(|byte| byte == b'0');
    parts.next().is_none() && !is_zero(trace) && !is_zero(parent)
}

/// A list of `key=value`, each key once.
fn is_state(text: &str) -> bool {
    let keys = || text.split(',').map(|member| member.trim_matches([' ', '\t']));
    let is_twin = |at: usize, key: &str| {
        keys()
            .take(at)
            .any(|member| member.split('=').next() == Some(key))
    };
    let is_member = |(at, member): (usize, &str)| {
        let Some((key, value)) = member.split_once('=') else {
            return false;
        };
        let (tenant, system) = key.split_once('@').unwrap_or(("", key));
        let in_key = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"_-*/".contains(&byte);
        let in_value = |byte: u8| (b' '..=b'~').contains(&byte) && byte != b'=';
        !system.is_empty()
            && key.len() <= 256
            && (tenant.bytes().chain(system.bytes())).all(in_key)
            && (1..=256).contains(&value.len())
            && value.bytes().all(in_value)
            && !is_twin(at, key)
    };
    text.len() <= TraceContext::STATE_BYTES
        && keys().count() <= TraceContext::STATE_MEMBERS
        && keys().enumerate().all(is_member)
}

/// A text that is no trace context.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TraceContextError {
    /// The `traceparent` is not of version 00, or not of its form.
    #[error("the traceparent is not of the form 00-<32 hex>-<16 hex>-<2 hex>")]
    Parent,
    /// The `tracestate` is no list of keys and values, or beyond its bounds.
    #[error("the tracestate is no list of at most 32 key=value in 512 bytes")]
    State,
}

impl TraceContextError {
    /// The stable kebab-case kind.
    #[must_use]
    pub const fn kind(self) -> &'static str {
        match self {
            Self::Parent => "traceparent-invalid",
            Self::State => "tracestate-invalid",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;
    use alloc::vec::Vec;

    const PARENT: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

    #[test]
    fn the_form_of_a_parent() {
        assert_eq!(TraceContext::parse(PARENT, None).unwrap().traceparent(), PARENT);
        for text in [
            "",
            "00",
            "01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            "00-0AF7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            "00-00000000000000000000000000000000-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
            "00-0af7651916cd43dd8448eb211c80319-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-1",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01 ",
            "00_0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        ] {
            assert_eq!(
                TraceContext::parse(text, None),
                Err(TraceContextError::Parent),
                "{text}"
            );
        }
    }

    #[test]
    fn the_form_of_a_state() {
        let long = |bytes: usize| format!("a={}", "x".repeat(bytes - 2));
        let pair = |bytes: usize| format!("{},b={}", long(258), "y".repeat(bytes - 261));
        let many = |count: usize| {
            let members: Vec<_> = (0..count).map(|number| format!("k{number}=v")).collect();
            members.join(",")
        };
        let good = [
            "a=b",
            "a=b, c=d",
            "t1@sys=v/ v!",
            "0a_-*/=x",
            &long(258),
            &pair(512),
            &many(32),
        ];
        for text in good {
            let context = TraceContext::parse(PARENT, Some(text)).expect(text);
            assert_eq!(context.tracestate(), Some(text));
        }
        let bad = [
            "",
            "a",
            "=b",
            "a=",
            "A=b",
            "a=b=c",
            "a=b,",
            "a=b,a=c",
            "a=\u{e9}",
            "a=b\r\nx: y",
            "@=b",
            "a@=b",
            &long(259),
            &pair(513),
            &many(33),
        ];
        for text in bad {
            assert_eq!(
                TraceContext::parse(PARENT, Some(text)),
                Err(TraceContextError::State),
                "{text}"
            );
        }
    }
}
