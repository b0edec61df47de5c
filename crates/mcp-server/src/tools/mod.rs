//! A handler made of typed functions: `tools/list` and `tools/call`, and nothing else.
//!
//! [MCP 2025-11-25, Tools](https://modelcontextprotocol.io/specification/2025-11-25/server/tools).

mod reply;
mod tool;

use std::collections::HashMap;
use std::future::Future;

use mcp_wire::server::Introduction;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

pub use self::reply::{Block, ToolReply};
pub use self::tool::{Tool, ToolError};
use crate::handler::{Handler, HandlerError, HandlerFuture, Notice, Outlet, Request};

/// Tools under one name and version.
///
/// ```
/// use mcp_server::{Tool, ToolReply, Tools};
///
/// #[derive(serde::Deserialize)]
/// struct Echo {
///     message: String,
/// }
///
/// let echo = Tool::new("echo", "Gives the message back.")
///     .input(r#"{"type":"object","properties":{"message":{"type":"string"}},"required":["message"]}"#);
/// let tools = Tools::new("demo", "1.0.0").with(echo, |arguments: Echo, _outlet| async move {
///     ToolReply::text(arguments.message)
/// })?;
/// # Ok::<(), mcp_server::ToolError>(())
/// ```
pub struct Tools {
    introduction: Introduction,
    page: usize,
    definitions: Vec<String>,
    by_name: HashMap<String, Run>,
}

type Run = Box<dyn Fn(Option<&str>, Outlet) -> Result<ReplyFuture, ToolReply> + Send + Sync>;
type ReplyFuture = std::pin::Pin<Box<dyn Future<Output = ToolReply> + Send>>;

impl Tools {
    /// Tools on one page of `tools/list`, unless [`Tools::page`] says otherwise.
    pub const PAGE: usize = 100;

    /// No tools yet. The server declares tools and logging as its capabilities.
    #[must_use]
    pub fn new(name: &str, version: &str) -> Self {
        Self {
            introduction: Introduction {
                name: name.into(),
                version: version.into(),
                capabilities: String::from(r#"{"tools":{},"logging":{}}"#),
                instructions: None,
            },
            page: Self::PAGE,
            definitions: Vec::new(),
            by_name: HashMap::new(),
        }
    }

    /// How the tools are meant to be used, for the client's model.
    #[must_use]
    pub fn instructions(mut self, text: &str) -> Self {
        self.introduction.instructions = Some(text.into());
        self
    }

    /// Tools on one page of `tools/list`; at least 1.
    #[must_use]
    pub const fn page(mut self, tools: usize) -> Self {
        self.page = if tools == 0 { 1 } else { tools };
        self
    }

    /// Adds a tool. Arguments that are no `A` are answered by a result with `isError` that says where they are not; the
    /// function is not called then.
    ///
    /// # Errors
    ///
    /// [`ToolError`] when the definition is none that a client would take, or the name is taken. The caller is at fault.
    pub fn with<A, F, R>(mut self, tool: Tool, run: F) -> Result<Self, ToolError>
    where
        A: DeserializeOwned,
        F: Fn(A, Outlet) -> R + Send + Sync + 'static,
        R: Future<Output = ToolReply> + Send + 'static,
    {
        let (name, definition) = tool.define()?;
        if self.by_name.contains_key(&name) {
            return Err(ToolError::NameTaken);
        }
        self.definitions.push(definition);
        self.by_name.insert(
            name,
            Box::new(move |arguments, outlet| {
                let arguments = serde_json::from_str(arguments.unwrap_or("{}"))
                    .map_err(|fault| ToolReply::error(format!("the arguments do not fit: {fault}")))?;
                Ok(Box::pin(run(arguments, outlet)))
            }),
        );
        Ok(self)
    }

    /// One page: the tools from the cursor on, which is the number of the first.
    fn list(&self, params: Option<&str>) -> Result<String, HandlerError> {
        #[derive(Deserialize)]
        struct List {
            cursor: Option<String>,
        }
        let asked: List = serde_json::from_str(params.unwrap_or("{}"))
            .map_err(|_fault| HandlerError::invalid_params("`cursor` must be a string"))?;
        let first = match asked.cursor {
            None => 0,
            Some(cursor) => cursor
                .parse()
                .ok()
                .filter(|first: &usize| *first > 0 && *first < self.definitions.len())
                .ok_or_else(|| HandlerError::invalid_params("there is no such cursor"))?,
        };
        let end = self.definitions.len().min(first.saturating_add(self.page));
        let page = self.definitions.get(first..end).unwrap_or_default().join(",");
        Ok(if end < self.definitions.len() {
            format!(r#"{{"tools":[{page}],"nextCursor":"{end}"}}"#)
        } else {
            format!(r#"{{"tools":[{page}]}}"#)
        })
    }

    fn call(&self, params: Option<&str>, outlet: Outlet) -> Result<ReplyFuture, HandlerError> {
        #[derive(Deserialize)]
        struct Call<'a> {
            name: String,
            #[serde(borrow)]
            arguments: Option<&'a RawValue>,
        }
        let asked: Call<'_> = serde_json::from_str(params.unwrap_or("{}"))
            .map_err(|_fault| HandlerError::invalid_params("`name` must be a string"))?;
        let run = self
            .by_name
            .get(&asked.name)
            .ok_or_else(|| HandlerError::invalid_params("there is no such tool"))?;
        Ok(match run(asked.arguments.map(RawValue::get), outlet) {
            Ok(reply) => reply,
            Err(unfit) => Box::pin(std::future::ready(unfit)),
        })
    }
}

impl Handler for Tools {
    fn introduction(&self) -> Introduction {
        self.introduction.clone()
    }

    fn request(&self, request: Request, outlet: Outlet) -> HandlerFuture {
        let params = request.params.as_deref();
        match request.method.as_str() {
            "tools/list" => Box::pin(std::future::ready(self.list(params))),
            "tools/call" => match self.call(params, outlet) {
                Ok(reply) => Box::pin(async { Ok(reply.await.encode()) }),
                Err(error) => Box::pin(std::future::ready(Err(error))),
            },
            _ => Box::pin(std::future::ready(Err(HandlerError::method_not_found()))),
        }
    }

    fn notification(&self, _notice: Notice) {}
}

impl std::fmt::Debug for Tools {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tools")
            .field("tools", &self.definitions.len())
            .finish_non_exhaustive()
    }
}
