"""How slowly somebody may ask, so that nobody holds a connection by asking a byte at a time.

The head of a request has to be whole within the limit. Each piece of its body has to come within it too, and the pieces
together at a least speed. What the server itself takes for its work is nobody's slowness.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import anyio
from starlette.types import Message, Receive
from uvicorn.protocols.http.auto import AutoHTTPProtocol

if TYPE_CHECKING:
    import asyncio

SLOWEST: Final = 1000
"""Bytes of a body a second, over and above the limit."""


def heads(limit: float) -> type[asyncio.Protocol]:
    """Return uvicorn's protocol, which closes a connection whose next head is not whole `limit` s after it began."""

    class Paced(AutoHTTPProtocol):  # type: ignore[valid-type, misc]
        """The protocol that uvicorn chose for what is installed, with a limit."""

        _late: asyncio.TimerHandle | None = None

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self._wait()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            if self.cycle is None or self.cycle.response_complete:
                self._wait()
            else:
                self._wait_no_more()

        def connection_lost(self, error: Exception | None) -> None:
            self._wait_no_more()
            super().connection_lost(error)

        def _wait(self) -> None:
            if self._late is None:
                self._late = self.loop.call_later(limit, self.transport.close)

        def _wait_no_more(self) -> None:
            if self._late is not None:
                self._late.cancel()
                self._late = None

    return Paced


def body(receive: Receive, limit: float) -> Receive:
    """Return what receives a request's body, or that its sender has gone where it is too slow; 0: no limit."""
    whole, left = False, limit

    async def received() -> Message:
        nonlocal whole, left
        if whole or not limit:
            return await receive()
        begun = anyio.current_time()
        with anyio.move_on_after(min(limit, left)):
            message = await receive()
            whole = message["type"] != "http.request" or not message.get("more_body", False)
            left += len(message.get("body", b"")) / SLOWEST - (anyio.current_time() - begun)
            return message
        whole = True
        return {"type": "http.disconnect"}

    return received
