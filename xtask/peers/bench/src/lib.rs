//! The inputs of the micro benchmarks: one response, as a call's result and as a list of tools, with realistic text.

use std::sync::Arc;

use mcp_wire::{Entropy, EntropyUnavailable, ProcessId, ProcessIdentity, RequestId, RequestIds};

/// Text with escapes, line ends and characters outside ASCII, as it stands in JSON.
const LINE: &str = r#"The café's \"menu\" lists 12 items;\n\tprices – in € – are on page 3.\nSee https://srv.example/a?b=c&d=e for more. "#;

struct Zeroes;

impl Entropy for Zeroes {
    fn fill(&self, target: &mut [u8]) -> Result<(), EntropyUnavailable> {
        target.fill(0);
        Ok(())
    }
}

struct One;

impl ProcessIdentity for One {
    fn current(&self) -> ProcessId {
        ProcessId(1)
    }
}

/// The id that every response here carries.
pub fn id() -> RequestId {
    RequestIds::new(Arc::new(Zeroes), Arc::new(One))
        .and_then(|ids| ids.allocate())
        .expect("nothing here fails")
}

/// A call's result of about `bytes` bytes: one block of text.
pub fn call_result(bytes: usize) -> String {
    let text = LINE.repeat(bytes / LINE.len() + 1);
    format!(
        r#"{{"jsonrpc":"2.0","id":"{}","result":{{"content":[{{"type":"text","text":"{text}"}}],"isError":false}}}}"#,
        id()
    )
}

/// A list of tools of about `bytes` bytes.
pub fn tool_list(bytes: usize) -> String {
    let tool = |number: usize| {
        format!(
            r#"{{"name":"tool_{number}","title":"Tool {number}","description":"{LINE}","inputSchema":{{"type":"object","properties":{{"city":{{"type":"string","description":"A city – or \"all\"","enum":["a","b","c"]}},"days":{{"type":"integer","minimum":1,"maximum":14,"default":7}},"units":{{"type":"string"}}}},"required":["city"],"additionalProperties":false}},"annotations":{{"readOnlyHint":true,"openWorldHint":false}}}}"#
        )
    };
    let count = bytes / tool(1).len() + 1;
    let tools: Vec<String> = (0..count).map(tool).collect();
    format!(
        r#"{{"jsonrpc":"2.0","id":"{}","result":{{"tools":[{}]}}}}"#,
        id(),
        tools.join(",")
    )
}

/// An event stream of 2 MiB in events of about 140 bytes.
pub fn small_events() -> Vec<u8> {
    let event = concat!(
        "event: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",",
        "\"params\":{\"progressToken\":\"p1\",\"progress\":1,\"message\":\"café\"}}\n\n"
    );
    event.repeat(2 * 1_024 * 1_024 / event.len()).into_bytes()
}

/// An event stream of one event of 2 MiB.
pub fn one_event() -> Vec<u8> {
    format!(
        "event: message\ndata: {}\n\n",
        call_result(2 * 1_024 * 1_024 - 512)
    )
    .into_bytes()
}
