"""`server.py PORT FRAMING STATE`: a peer on FastMCP, with the five tools that every peer has."""

import base64
import sys
from dataclasses import dataclass
from importlib.metadata import version

from fastmcp import FastMCP
from fastmcp.exceptions import ToolError
from fastmcp.utilities.types import Image

# One transparent pixel.
PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
)


@dataclass
class Weather:
    city: str
    degrees: float
    raining: bool
    hours: list[int]


server = FastMCP("fastmcp", version=version("fastmcp"))


def main() -> None:
    _, port, framing, state = sys.argv
    server.run(
        "http",
        show_banner=False,
        host="127.0.0.1",
        port=int(port),
        log_level="WARNING",
        json_response=framing == "json",
        stateless_http=state == "stateless",
    )


@server.tool(output_schema=None)
def echo(message: str) -> str:
    """Repeat a message."""
    return f"Echo: {message}"


@server.tool(output_schema=None)
def add(a: int, b: int) -> str:
    """Add two integers."""
    return str(a + b)


@server.tool(output_schema=None)
def fail() -> str:
    """Report a tool error."""
    raise ToolError("this tool always fails")


@server.tool
def weather() -> Weather:
    """Show a structured result."""
    return Weather("Zürich", -4.5, False, [6, 12, 18])


@server.tool(output_schema=None)
def picture() -> list[Image | str]:
    """Show one image block and one text block."""
    return [Image(data=PIXEL, format="png"), "one pixel"]


if __name__ == "__main__":
    main()
