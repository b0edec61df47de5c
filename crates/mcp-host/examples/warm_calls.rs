//! Calls the tool `echo` again and again: `warm_calls URL COUNT`. For counting what one call costs.

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(url), Some(count)) = (arguments.next(), arguments.next()) else {
        return Err("usage: warm_calls URL COUNT".into());
    };
    let host = mcp_host::Host::in_memory()?;
    let server = host.server("demo", &url)?;
    for _ in 0..count.parse()? {
        host.call(&server, "echo", r#"{"message":"hello"}"#).await?;
    }
    Ok(())
}
