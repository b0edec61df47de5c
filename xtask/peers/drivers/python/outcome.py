"""What a call with the official Python SDK came to, as a line of JSON. The FastMCP driver uses it too."""

import json
import logging
import os
import sys

import anyio
from mcp.shared.exceptions import MCPError

LIMIT = 3.0

# The SDK reports failures of the transport as errors of the server; these are its own words for them.
OWN_MESSAGES = (
    "Connection closed",
    "Failed to parse JSON response:",
    "Failed to parse SSE message:",
    "Not Found",
    "Request '",
    "SSE stream ",
    "Server returned an error response",
    "Session terminated",
    "Unexpected content type:",
    "server answered a request with 202 Accepted",
    "Redirect ",
)


def text_of(result):
    texts = [block.text for block in result.content if block.type == "text"]
    joined = "\n".join(text for text in texts if text)
    # Half a surrogate pair cannot be printed as JSON that everybody reads.
    return joined.encode("utf-8", "replace").decode()


def failure(error):
    """The outcome that an exception stands for; of a group, that of its first member."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    message = f"{type(error).__name__}: {error}"[:500]
    if isinstance(error, TimeoutError):
        return {"outcome": "failed", "kind": "deadline", "message": message}
    if not isinstance(error, MCPError):
        return {"outcome": "failed", "kind": "other", "message": message}
    if not error.message.startswith(OWN_MESSAGES):
        return {"outcome": "rpc_error", "code": error.code, "message": error.message}
    late = error.message.endswith("timed out")
    return {"outcome": "failed", "kind": "deadline" if late else "other", "message": message}


async def bounded(call, *arguments):
    """Some waits of the SDK, such as those after a reset, have no limit of their own."""
    with anyio.fail_after(2 * LIMIT):
        return await call(*arguments)


def main(call):
    """Runs `call` with the URL, the tool and the arguments of the command line."""
    logging.disable()
    _, _, url, tool, arguments = sys.argv
    try:
        outcome = anyio.run(bounded, call, url, tool, json.loads(arguments))
    except BaseException as error:
        outcome = failure(error)
    print(json.dumps(outcome), flush=True)
    os._exit(0)
