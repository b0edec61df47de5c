"""`driver.py call URL TOOL ARGS`: one call with the official Python SDK, its outcome as one line of JSON."""

from mcp.client import Client

from outcome import LIMIT, main, text_of


async def call(url, tool, arguments):
    async with Client(url, mode="legacy", read_timeout_seconds=LIMIT) as client:
        result = await client.call_tool(tool, arguments)
        return {"outcome": "tool_error" if result.is_error else "result", "text": text_of(result)}


main(call)
