"""`driver.py call URL TOOL ARGS`: one call with the FastMCP client, its outcome as one line of JSON."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "python"))

from fastmcp.client import Client  # noqa: E402
from outcome import LIMIT, main, text_of  # noqa: E402


async def call(url, tool, arguments):
    async with Client(url, mode="legacy", timeout=LIMIT, init_timeout=LIMIT) as client:
        result = await client.call_tool_mcp(tool, arguments)
        return {"outcome": "tool_error" if result.is_error else "result", "text": text_of(result)}


main(call)
