"""Serve one connection over a pair of byte streams, a JSON message a line: standard streams, or a socket.

When the reading side ends, calls that run are still answered: who writes its questions and closes the pipe gets them
answered too, and so does a host that leaves in the middle of one. Only then is the server told of the end.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Hashable
from io import TextIOWrapper
from types import TracebackType
from typing import Any, BinaryIO, Final, Self

import anyio
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from mcp_types import (
    INVALID_REQUEST,
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
)
from pydantic import ValidationError

from mnemopi.model import nesting

PATIENCE_S: Final = 10.0
"""How long calls may go on after the end of the input, and still be answered."""
_ENDLESS: Final = frozenset({"subscriptions/listen"})
"""What is answered only when it is given up."""

_ESCAPE: Final = re.compile(r"\\(?:u[dD][89abAB]..\\u[dD][c-fC-F]..|(?P<half>u[dD][89a-fA-F]..)|.)")
"""An escape of JSON, whole characters of two halves before one half."""


def serve(server: Server[Any], reading: BinaryIO, writing: BinaryIO) -> None:
    """Serve until the reading side ends."""
    anyio.run(connection, server, reading, writing)


async def connection(server: Server[Any], reading: BinaryIO, writing: BinaryIO, patience: float = PATIENCE_S) -> None:
    """Serve one connection on the running loop until its reading side ends, and calls are answered.

    What is not UTF-8 is replaced, as is the half of a character that a host cut through; what is no message is answered
    with an error. No line ends the connection, and none is passed over in silence.
    """
    lines = anyio.wrap_file(TextIOWrapper(reading, encoding="utf-8", errors="replace", newline="\n"))
    answers = anyio.wrap_file(TextIOWrapper(writing, encoding="utf-8", newline="\n"))
    await exchange(server, lines, answers, patience)


async def exchange(server: Server[Any], lines: Any, answers: Any, patience: float = PATIENCE_S) -> None:
    """Serve one connection that is given as lines to iterate over, and something to `write` and `flush` answers to."""
    changes = NotificationOptions(resources_changed=True)
    whole: Any = _whole(lines)
    async with stdio_server(whole, answers) as (messages, replies):
        calls = _Calls(patience)
        options = server.create_initialization_options(changes)
        answered = _Replies(replies, calls)
        await server.run(_Messages(messages, calls, answered), answered, options)


async def _whole(lines: Any) -> AsyncIterator[str]:
    """Yield the lines as JSON that is read whatever it holds: without halves of characters, and nested no deeper than
    a reader goes. What is no message has no id, and whoever sent it would wait for its answer."""
    async for line in lines:
        yield nesting.carried(_ESCAPE.sub(_replaced, line) if "\\ud" in line or "\\uD" in line else line)


def _replaced(found: re.Match[str]) -> str:
    return "\\ufffd" if found["half"] else found[0]


class _Calls:
    """Which calls of the client run, and which questions of the server to the client are open."""

    def __init__(self, patience: float) -> None:
        self._patience = patience
        self._running: set[Hashable] = set()
        self._asking: set[Hashable] = set()
        self._changed = anyio.Event()

    def came(self, item: SessionMessage | Exception) -> None:
        """Note what the client sent."""
        message = item.message if isinstance(item, SessionMessage) else None
        if isinstance(message, JSONRPCRequest) and message.method not in _ENDLESS:
            self._running.add(message.id)
        elif isinstance(message, JSONRPCNotification) and message.method == "notifications/cancelled":
            given_up = (message.params or {}).get("requestId")
            self._running -= {given_up} if isinstance(given_up, int | str) else set()
        elif isinstance(message, JSONRPCResponse | JSONRPCError):
            self._asking.discard(message.id)

    def went(self, item: SessionMessage) -> None:
        """Note what the server sent."""
        if isinstance(item.message, JSONRPCRequest):
            self._asking.add(item.message.id)
        elif isinstance(item.message, JSONRPCResponse | JSONRPCError):
            self._running.discard(item.message.id)
        self._changed.set()

    async def ended(self) -> None:
        """Return when all calls are answered, but those that wait for an answer of the client, which has left."""
        with anyio.move_on_after(self._patience):
            while len(self._running) > len(self._asking):
                self._changed = anyio.Event()
                await self._changed.wait()


class _Stream:
    """A stream that is closed with what it stands before."""

    def __init__(self, inner: Any, calls: _Calls) -> None:
        self._inner, self._calls = inner, calls

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()


class _Replies(_Stream):
    """What the server sends."""

    async def send(self, item: SessionMessage) -> None:
        await self._inner.send(item)
        self._calls.went(item)


class _Messages(_Stream):
    """What the client sends; it ends when its calls are answered. What is no message is answered here."""

    def __init__(self, inner: Any, calls: _Calls, replies: _Replies) -> None:
        super().__init__(inner, calls)
        self._replies = replies

    @property
    def last_context(self) -> Any:
        """The context that the latest message was sent in."""
        return self._inner.last_context

    async def receive(self) -> SessionMessage | Exception:
        try:
            item: SessionMessage | Exception = await self._inner.receive()
        except anyio.EndOfStream:
            await self._calls.ended()
            raise
        self._calls.came(item)
        if isinstance(item, ValidationError) and (refused := _refused(item)) is not None:
            await self._replies.send(SessionMessage(refused))
        return item

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None


def _refused(error: ValidationError) -> JSONRPCError | None:
    """Say what is wrong with a line, and nothing of what it holds; a blank one is passed over."""
    fault = error.errors(include_url=False, include_context=False)[0]
    if isinstance(fault["input"], str) and not fault["input"].strip():
        return None
    code, message = (PARSE_ERROR, "no JSON") if fault["type"] == "json_invalid" else (INVALID_REQUEST, "no message")
    return JSONRPCError(jsonrpc="2.0", id=None, error=ErrorData(code=code, message=message))
