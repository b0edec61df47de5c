"""`client.py http URL` or `client.py stdio PROGRAM ARGS...`: the official Python SDK on the conformance server.

Prints a line of JSON for each step.
"""

import json
import logging
import sys
import warnings

import anyio
from mcp import MCPError, StdioServerParameters
from mcp.client import Client

LIMIT = 10.0


def report(step, **fields):
    print(json.dumps({"step": step, **fields}), flush=True)


def text_of(result):
    return "\n".join(block.text for block in result.content if block.type == "text")


async def reached(notices, count):
    """Waits until so many notifications have come: they may be handled after the answer."""
    with anyio.move_on_after(LIMIT):
        while len(notices) < count:
            await anyio.sleep(0.01)
    return notices


async def walk(server):
    log, progress = [], []

    async def on_log(params):
        log.append([params.level, params.data])

    async def on_progress(done, total, message):
        progress.append([int(done), int(total), message])

    async with Client(server, read_timeout_seconds=LIMIT, logging_callback=on_log) as client:
        info = client.server_info
        report(
            "initialize",
            protocol_version=client.protocol_version,
            server_info={"name": info.name, "version": info.version},
        )
        await client.send_ping()
        report("ping")
        listed = await client.list_tools()
        report("list", tools=[tool.name for tool in listed.tools])
        report("text", text=text_of(await client.call_tool("echo", {"message": "grüß dich – 你好 👋"})))
        report("structured", structured=(await client.call_tool("weather")).structured_content)
        failed = await client.call_tool("test_error_handling")
        report("error", is_error=failed.is_error, text=text_of(failed))
        try:
            await client.call_tool("missing")
        except MCPError as error:
            report("missing", code=error.code)
        result = await client.call_tool("test_tool_with_progress", progress_callback=on_progress)
        report("progress", text=text_of(result), progress=await reached(progress, 3))
        result = await client.call_tool("test_tool_with_logging")
        report("logging", text=text_of(result), log=await reached(log, 3))
        image = (await client.call_tool("test_image_content")).content[0]
        report("image", media_type=image.mime_type, data=image.data)
    report("close")


def main():
    logging.disable()
    # The SDK warns of methods that its newest revision does not have.
    warnings.simplefilter("ignore")
    _, link, address, *arguments = sys.argv
    server = address if link == "http" else StdioServerParameters(command=address, args=arguments)
    anyio.run(walk, server)


main()
