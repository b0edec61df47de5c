//! Calls the tool `echo`: `cargo run -p mcp-host --example quickstart -- http://127.0.0.1:3001/mcp`

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let url = std::env::args().nth(1).ok_or("usage: quickstart URL")?;
    let host = mcp_host::Host::in_memory()?;
    let server = host.server("demo", &url)?;
    let outcome = host.call(&server, "echo", r#"{"message":"hello"}"#).await?;
    println!("{}", outcome.text);
    Ok(())
}
