//! The trace that an operation is part of, given by the host.

use mcp_wire::TraceContext;

/// Knows where the host's own trace stands.
///
/// It is asked once for each request, inside the span of its leg, and answers at once. A host whose tracing exports spans
/// answers with the context of the current one, so that the server's spans hang below the leg's.
pub trait TraceSource: Send + Sync {
    /// The context of what is running now; `None` sends none.
    fn current(&self) -> Option<TraceContext>;
}

/// The source of a host that traces nothing across the wire.
#[derive(Debug, Clone, Copy, Default)]
pub struct Untraced;

impl TraceSource for Untraced {
    fn current(&self) -> Option<TraceContext> {
        None
    }
}

/// One trace for everything: that of a process which does one thing.
impl TraceSource for TraceContext {
    fn current(&self) -> Option<TraceContext> {
        Some(self.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trace_is_a_source_of_itself() {
        let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
        let context = TraceContext::parse(parent, Some("a=b")).unwrap();
        assert_eq!(context.current(), Some(context));
        assert_eq!(Untraced.current(), None);
    }
}
