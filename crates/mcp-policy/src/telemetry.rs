//! What the operations say to the host's tracing: spans for legs and events for ends, by OpenTelemetry's names for MCP.
//!
//! The names are those of the [semantic conventions for generative AI, MCP], which are still in development; this is the one
//! place that knows them. Request ids, tool names, hosts and kinds are told. Arguments, results, messages of the server,
//! session ids, paths, queries and credentials never are. `network.transport` is left out, as a policy does not know it.
//!
//! [semantic conventions for generative AI, MCP]: https://github.com/open-telemetry/semantic-conventions-genai

use mcp_wire::{
    Answer, Delivery, Expectation, Host, Malformed, Message, Method, Reply, ToolName, TraceContext,
};
use tracing::field::{Empty, display};
use tracing::{Span, debug, error, info, info_span, warn};

use crate::failure::{Cause, Failure};
use crate::port::{DenialReason, TraceSource};
use crate::server::{Server, ServerName};
use crate::timing::Timing;

/// The span of one leg. It is open until the result of the leg is read.
pub(crate) struct LegSpan(Span);

impl LegSpan {
    /// A span for a leg to this server.
    pub(crate) fn open(server: &Server) -> Self {
        let endpoint = &server.target.endpoint;
        let span = info_span!(
            target: "mcp",
            "leg",
            otel.name = Empty,
            otel.kind = "client",
            peer.service = server.name.as_str(),
            server.address = Empty,
            server.port = endpoint.port(),
            mcp.method.name = Empty,
            mcp.protocol.version = Empty,
            jsonrpc.request.id = Empty,
            gen_ai.operation.name = Empty,
            gen_ai.tool.name = Empty,
            rpc.response.status_code = Empty,
            http.response.status_code = Empty,
            error.type = Empty,
        );
        match endpoint.host() {
            Host::Name(name) => span.record("server.address", name.as_str()),
            Host::Address(address) => span.record("server.address", display(address)),
        };
        Self(span)
    }

    /// Says which message the leg carries.
    pub(crate) fn describe(&self, message: &Message, tool: Option<&ToolName>) {
        if self.0.is_disabled() {
            return;
        }
        let leg = message.leg();
        let method = leg.method.as_str();
        self.0.record("mcp.method.name", method);
        match tool.filter(|_| leg.method == Method::ToolsCall) {
            Some(tool) => {
                self.0.record("otel.name", format!("{method} {}", tool.as_str()));
                self.0.record("gen_ai.operation.name", "execute_tool");
                self.0.record("gen_ai.tool.name", tool.as_str());
            }
            None => {
                self.0.record("otel.name", method);
            }
        }
        if let Some(version) = message.version() {
            self.0.record("mcp.protocol.version", version.as_str());
        }
        match leg.expectation {
            Expectation::Response(id) => {
                self.0.record("jsonrpc.request.id", id.as_str());
            }
            Expectation::Acceptance | Expectation::Receipt => {}
        }
    }

    /// The trace that the leg is part of.
    pub(crate) fn trace(&self, source: &dyn TraceSource) -> Option<TraceContext> {
        self.0.in_scope(|| source.current())
    }

    /// Runs a part of the leg inside its span.
    pub(crate) fn within<T>(&self, part: impl FnOnce() -> T) -> T {
        self.0.in_scope(part)
    }

    /// Says how the exchange ended.
    pub(crate) fn ended(&self, driven: &Result<(Answer, Delivery), Failure>) {
        match driven {
            Ok((Answer::Accepted, _)) => {}
            Ok((
                Answer::Reply {
                    reply, http_status, ..
                },
                _,
            )) => {
                self.status(*http_status);
                if let Reply::Error(error) = reply {
                    let code = error.code().get();
                    self.0.record("rpc.response.status_code", code);
                    self.0.record("error.type", code.to_string());
                }
            }
            Err(failure) => self.failed(failure),
        }
    }

    /// Reads the result of the leg. What cannot be read is the server's fault, and it may have acted.
    pub(crate) fn read<T>(&self, parse: impl FnOnce() -> Result<T, Malformed>) -> Result<T, Failure> {
        self.within(parse)
            .map_err(|fault| Failure::new(fault, Delivery::Unknown))
            .inspect_err(|failure| self.failed(failure))
    }

    /// The tool reports an error of its own.
    pub(crate) fn tool_error(&self) {
        self.0.record("error.type", "tool_error");
    }

    fn failed(&self, failure: &Failure) {
        if let Cause::Transport(mcp_wire::TransportError::Status(status)) = failure.cause() {
            self.status(Some(status.status));
        }
        self.0.record("error.type", failure.kind());
    }

    fn status(&self, http_status: Option<u16>) {
        if let Some(status) = http_status {
            self.0.record("http.response.status_code", status);
        }
    }
}

/// Says how an operation ended, and where its time went.
pub(crate) fn ended<T>(server: &Server, outcome: &Result<T, Failure>, timing: Timing) {
    let (kind, delivery) = match outcome {
        Ok(_) => ("ok", Delivery::Answered),
        Err(failure) => (failure.kind(), failure.delivery()),
    };
    let seconds = |length: std::time::Duration| length.as_secs_f64();
    debug!(
        target: "mcp",
        server = server.name.as_str(),
        kind,
        delivery = delivery.name(),
        policy = seconds(timing.policy()),
        queue = seconds(timing.queue()),
        connect = seconds(timing.connect()),
        first_byte = seconds(timing.first_byte()),
        body = seconds(timing.body()),
        decode = seconds(timing.decode()),
        "operation ended",
    );
}

/// The gate said no.
pub(crate) fn denied(server: &Server, tool: &ToolName, reason: DenialReason) {
    info!(target: "mcp", server = server.name.as_str(), tool = tool.as_str(), %reason, "call denied");
}

/// A denial could not be kept. The call stays denied.
pub(crate) fn denial_not_kept(server: &Server, tool: &ToolName) {
    warn!(target: "mcp", server = server.name.as_str(), tool = tool.as_str(), "denial not kept");
}

/// A contact could not be noted. The outcome stands.
pub(crate) fn contact_not_noted(server: &Server) {
    warn!(target: "mcp", server = server.name.as_str(), "contact not noted");
}

/// That an import failed could not be noted. The failure stands.
pub(crate) fn import_not_noted(server: &ServerName) {
    warn!(target: "mcp", server = server.as_str(), "import not noted");
}

/// The outcome of a call could not be stored: its step is in doubt.
pub(crate) fn outcome_not_recorded(server: &Server, tool: &ToolName) {
    error!(target: "mcp", server = server.name.as_str(), tool = tool.as_str(), "outcome not recorded");
}
