"""Who is on a connection of agents, and the lines between them and the server object.

It brings the SDK, and is imported when the first agent comes, or when nobody has come yet.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Final

from mcp.server.lowlevel import Server

from mnemopi.daemon.activity import Activity
from mnemopi.mcp import server as servers
from mnemopi.mcp import streams
from mnemopi.model.values import dataclass
from mnemopi.tools.caller import Caller, Engines
from mnemopi.tools.tool import Tool

if TYPE_CHECKING:
    from asyncio import StreamReader, StreamWriter

_ENDLESS: Final = "subscriptions/listen"


@dataclass(frozen=True, slots=True)
class Guest:
    """One connection: who calls, and where that is counted."""

    caller: Caller
    activity: Activity


_PRESENT: Final[ContextVar[Guest]] = ContextVar("guest")


def present() -> Guest:
    """Return the guest whose request this is."""
    return _PRESENT.get()


def built(tools: Sequence[Tool], engines: Engines) -> Server[Any]:
    """Build a server object for all guests: each request knows whose it is."""
    made = servers.build(lambda _: present().caller, tools, engines)
    made.middleware.append(counted)
    return made


async def counted(ctx: Any, call_next: Callable[[Any], Awaitable[Any]]) -> Any:
    """Count a request while it is under way; a stream of changes is under way as long as its client wants."""
    if ctx.method == _ENDLESS:
        return await call_next(ctx)
    with present().activity.busy():
        return await call_next(ctx)


async def serve(server: Server[Any], guest: Guest, reader: StreamReader, writer: StreamWriter) -> None:
    """Serve one agent until its lines end, and what it asked is answered."""
    _PRESENT.set(guest)
    await streams.exchange(server, _Lines(reader), _Answers(writer))


class _Lines:
    """The lines of a client, without a thread that waits for them."""

    def __init__(self, reader: StreamReader) -> None:
        self._reader = reader

    def __aiter__(self) -> _Lines:
        return self

    async def __anext__(self) -> str:
        line = await self._reader.readline()
        if not line:
            raise StopAsyncIteration
        return line.decode("utf-8", "replace")


class _Answers:
    """The way back to a client, who may have gone: then nothing is written, and nothing fails."""

    def __init__(self, writer: StreamWriter) -> None:
        self._writer = writer

    async def write(self, text: str) -> None:
        self._writer.write(text.encode("utf-8", "replace"))

    async def flush(self) -> None:
        with suppress(ConnectionError):
            await self._writer.drain()
