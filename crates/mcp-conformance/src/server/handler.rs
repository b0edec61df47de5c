//! What the server of a conversation offers.

use std::future::{pending, ready};

use mcp_server::{Handler, HandlerError, HandlerFuture, Notice, Outlet, Request};
use mcp_wire::server::Introduction;

/// Methods that show how requests are handled.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scripted;

impl Handler for Scripted {
    fn introduction(&self) -> Introduction {
        Introduction {
            name: "server".into(),
            version: "1".into(),
            capabilities: "{}".into(),
            instructions: None,
        }
    }

    fn request(&self, request: Request, outlet: Outlet) -> HandlerFuture {
        match request.method.as_str() {
            // Gives its parameters back.
            "echo" => Box::pin(ready(Ok(request.params.unwrap_or_else(|| "{}".into())))),
            // Says two things first.
            "speak" => Box::pin(async move {
                outlet.send("notifications/first", "{}").await;
                outlet.send("notifications/second", "{}").await;
                Ok("{}".into())
            }),
            // Never answers.
            "hang" => Box::pin(pending()),
            "panic" => Box::pin(async { std::panic::resume_unwind(Box::new("planned")) }),
            _ => Box::pin(ready(Err(HandlerError::method_not_found()))),
        }
    }

    fn notification(&self, _notice: Notice) {}
}
