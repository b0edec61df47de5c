//! What each peer is asked, and what is expected of the answer.

use serde_json::{Value, json};

use super::package::Package;
use super::step::Field::{self, Equals, Tools};
use super::step::Step;

const ECHO: &[&str] = &["echo", r#"{"message":"grüß dich – 你好 👋"}"#];
const ADD: &[&str] = &["add", TWO_AND_THREE];
const SUM: &[&str] = &["get-sum", TWO_AND_THREE];
const TWO_AND_THREE: &str = r#"{"a":2,"b":3}"#;
const PIXEL_NOTE: &str = "[1 content block omitted: 1 image]\none pixel";

/// The steps of a peer whose pinned version is this.
pub(super) fn steps(package: Package, version: &str) -> Vec<Step> {
    match package {
        Package::Everything => everything(),
        Package::PythonSdk => five_tools(
            package,
            version,
            "Error executing tool fail: this tool always fails",
            tool_error("Unknown tool: missing"),
        ),
        Package::Fastmcp => five_tools(
            package,
            version,
            "this tool always fails",
            tool_error("Unknown tool: 'missing'"),
        ),
        Package::TypescriptSdk => five_tools(
            package,
            version,
            "this tool always fails",
            invalid_params("Tool missing not found"),
        ),
        Package::Rmcp => five_tools(
            package,
            version,
            "this tool always fails",
            invalid_params("tool not found"),
        ),
        Package::ConformanceServer => conformance_server(package, version),
    }
}

/// The reference server of the TypeScript SDK.
fn everything() -> Vec<Step> {
    let weather = json!({"temperature": 36, "conditions": "Light rain / drizzle", "humidity": 82});
    let name = Equals("/server_info/name", json!("mcp-servers/everything"));
    let tools = Tools(&["echo", "get-sum", "get-structured-content", "get-tiny-image"]);
    vec![
        Step::new("ping", &[], "pong", vec![name]),
        Step::new("tools", &[], "tools", vec![tools]),
        result(ECHO, Equals("/text", json!("Echo: grüß dich – 你好 👋"))),
        result(SUM, Equals("/text", json!("The sum of 2 and 3 is 5."))),
        result(
            &["get-structured-content", r#"{"location":"Chicago"}"#],
            Equals("/structured", weather),
        ),
        result(&["get-tiny-image", "{}"], Equals("/omitted", json!({"image": 1}))),
    ]
}

/// A server under `xtask/peers`. All have the same tools; in what they say of a failure each follows its library.
fn five_tools(package: Package, version: &str, failure: &str, missing: Step) -> Vec<Step> {
    let info = json!({"name": package.name(), "version": version});
    vec![
        Step::new("ping", &[], "pong", vec![Equals("/server_info", info)]),
        Step::new(
            "tools",
            &[],
            "tools",
            vec![Tools(&["echo", "add", "fail", "weather", "picture"])],
        ),
        result(ECHO, Equals("/text", json!("Echo: grüß dich – 你好 👋"))),
        result(ADD, Equals("/text", json!("5"))),
        Step::new(
            "call",
            &["fail"],
            "tool_error",
            vec![Equals("/text", json!(failure))],
        ),
        result(&["weather"], Equals("/structured", weather())),
        Step::new(
            "call",
            &["picture"],
            "result",
            vec![
                Equals("/text", json!(PIXEL_NOTE)),
                Equals("/omitted", json!({"image": 1})),
            ],
        ),
        missing,
    ]
}

/// The example of `mcp-server`. The one that logs is answered in an event stream.
fn conformance_server(package: Package, version: &str) -> Vec<Step> {
    let info = json!({"name": package.name(), "version": version});
    let failure = json!("This tool intentionally returns an error for testing");
    vec![
        Step::new("ping", &[], "pong", vec![Equals("/server_info", info)]),
        Step::new(
            "tools",
            &[],
            "tools",
            vec![Tools(&["echo", "add", "weather", "test_error_handling"])],
        ),
        result(ECHO, Equals("/text", json!("grüß dich – 你好 👋"))),
        result(ADD, Equals("/text", json!("5"))),
        Step::new(
            "call",
            &["test_error_handling"],
            "tool_error",
            vec![Equals("/text", failure)],
        ),
        result(&["weather"], Equals("/structured", weather())),
        result(&["test_image_content"], Equals("/omitted", json!({"image": 1}))),
        result(&["test_tool_with_logging"], Equals("/text", json!("logged"))),
        invalid_params("there is no such tool"),
    ]
}

/// What every tool of this name gives.
pub(super) fn weather() -> Value {
    json!({"city": "Zürich", "degrees": -4.5, "raining": false, "hours": [6, 12, 18]})
}

fn result(arguments: &'static [&'static str], field: Field) -> Step {
    Step::new("call", arguments, "result", vec![field])
}

/// A tool that is not there, answered by the result of a tool.
fn tool_error(text: &str) -> Step {
    Step::new(
        "call",
        &["missing"],
        "tool_error",
        vec![Equals("/text", json!(text))],
    )
}

/// A tool that is not there, answered by an error.
fn invalid_params(message: &str) -> Step {
    Step::new(
        "call",
        &["missing"],
        "rpc_error",
        vec![
            Equals("/code", json!(-32602)),
            Equals("/message", json!(message)),
            Equals("/http_status", json!(200)),
        ],
    )
}
