"""A peer on the official Python SDK: four tools, with answers as JSON or as event streams."""

import argparse
import base64
from importlib.metadata import version

from mcp.server import MCPServer
from mcp.server.mcpserver import Image
from mcp.server.mcpserver.exceptions import ToolError

# One transparent pixel.
PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
)

server = MCPServer("python-sdk", version=version("mcp"), log_level="WARNING")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("port", type=int)
    parser.add_argument("--framing", choices=["json", "sse"], required=True)
    options = parser.parse_args()
    server.run(
        "streamable-http",
        host="127.0.0.1",
        port=options.port,
        json_response=options.framing == "json",
    )


@server.tool(structured_output=False)
def add(a: int, b: int) -> str:
    """Add two integers."""
    return str(a + b)


@server.tool(structured_output=False)
def fail() -> str:
    """Report a tool error."""
    raise ToolError("this tool always fails")


@server.tool()
def greet(name: str) -> str:
    """Greet somebody, with text outside ASCII and a structured result."""
    return f"Grüß dich, {name} – 你好 👋"


@server.tool(structured_output=False)
def picture() -> list[Image | str]:
    """Show one image block and one text block."""
    return [Image(data=PIXEL, format="png"), "one pixel"]


if __name__ == "__main__":
    main()
