"""Serve one connection over a pair of byte streams, a JSON message a line: standard streams, or a socket."""

from __future__ import annotations

from io import TextIOWrapper
from typing import Any, BinaryIO

import anyio
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.server.stdio import stdio_server


def serve(server: Server[Any], reading: BinaryIO, writing: BinaryIO) -> None:
    """Serve until the reading side ends."""
    anyio.run(connection, server, reading, writing)


async def connection(server: Server[Any], reading: BinaryIO, writing: BinaryIO) -> None:
    """Serve one connection on the running loop until its reading side ends.

    What is not UTF-8 is replaced, and what is no message is answered with an error: no line ends the connection.
    """
    lines = anyio.wrap_file(TextIOWrapper(reading, encoding="utf-8", errors="replace", newline="\n"))
    answers = anyio.wrap_file(TextIOWrapper(writing, encoding="utf-8", newline="\n"))
    changes = NotificationOptions(resources_changed=True)
    async with stdio_server(lines, answers) as (messages, replies):
        await server.run(messages, replies, server.create_initialization_options(changes))
