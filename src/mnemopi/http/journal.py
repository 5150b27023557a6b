"""What happened, over REST: pages of the journal, the history of a memory, undoing, and a stream that goes on.

The stream sends server-sent events; the id of each is its cursor, so that a client that comes back with Last-Event-ID
misses nothing. What this process writes is sent at once, what others write when it is looked for.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from functools import partial
from typing import Annotated, Any, Final

import anyio
import anyio.from_thread
import anyio.lowlevel
from pydantic import Field
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from mnemopi.bank import Bank
from mnemopi.engine import Mnemopi
from mnemopi.errors import MnemopiError
from mnemopi.http.operation import Call, Operation, Reply
from mnemopi.http.refusals import TooOftenError
from mnemopi.http.shapes import Done, Stored
from mnemopi.http.work import Work
from mnemopi.model.memory import Event
from mnemopi.storage.banks import SURFACE
from mnemopi.tools.tool import InBank, Input, Output

START: Final = "start"
"""In place of a cursor: from the first event on."""
_LOOK_S: Final = 2.0
"""How often to look for what other processes wrote."""
_PAGE: Final = 500
_STREAMS: Final = 200


class After(InBank):
    """Query of a page of the journal."""

    after: Annotated[str | None, Field(description="Cursor of the last event that is known.")] = None
    limit: Annotated[int, Field(description="Most events of a page.", ge=1, le=1000)] = 1000


class Journal(Output):
    """Events in order."""

    events: list[Done]
    next: Annotated[str | None, Field(description="`after` of the next page; absent where there is nothing yet.")] = (
        None
    )
    bank: str


def page(call: Call) -> Reply:
    """Read a page of the journal."""
    bank = call.caller.bank(call.query.bank)
    found = bank.events(call.query.after, call.query.limit)
    following = found[-1].cursor if found else call.query.after
    return Reply(Journal(events=[Done.of(each) for each in found], next=following, bank=bank.name))


def history(call: Call) -> Reply:
    """Say what happened to a memory."""
    bank = call.caller.bank(call.query.bank)
    return Reply(Journal(events=[Done.of(each) for each in bank.history(call.path["id"])], bank=bank.name))


class Why(Input):
    """Why something is taken back."""

    reason: Annotated[str | None, Field(description="Why, for the history.")] = None


def undo(call: Call) -> Reply:
    """Take back the last change of a memory."""
    bank = call.caller.bank(call.query.bank)
    return Reply(Stored.of(bank.undo(call.path["id"], reason=call.body.reason)))


class From(InBank):
    """Query of the stream."""

    after: Annotated[
        str | None,
        Field(description=f"Cursor of the last event that is known, or `{START}`; by default from now on."),
    ] = None


async def stream(request: Request, call: Call) -> Response:
    """Send events as they happen."""
    work: Work = request.app.state.work
    if work.streams >= _STREAMS:
        raise TooOftenError(f"{_STREAMS} streams are open", hint="close one", retry_after=10)
    bank, engine, after = await work.run(partial(_begin, call))
    look = partial(call.caller.bank, call.query.bank)
    following = _Following(work, bank, after, holds=request.state.holds, look=look)
    return StreamingResponse(
        following.lines(engine), media_type="text/event-stream", headers={"cache-control": "no-store"}
    )


def _begin(call: Call) -> tuple[Bank, Mnemopi, str | None]:
    """Find the bank, the engine that tells of it, and where to begin; what cannot be read is an error before all."""
    caller, name = call.caller, call.query.bank
    bank = caller.bank(name)
    elsewhere = caller.name(name) == SURFACE and caller.engines.config.storage.surface_db
    engine = caller.engine(None if elsewhere else name)
    after = call.headers.get("last-event-id") or call.query.after
    if after is None:
        after = bank.last_event()
    elif after == START:
        after = None
    bank.events(after, 1)
    return bank, engine, after


class _Following:
    """One stream: what is new after a cursor, a heartbeat where nothing is."""

    def __init__(
        self, work: Work, bank: Bank, after: str | None, *, holds: Callable[[], bool], look: Callable[[], Bank]
    ) -> None:
        """`holds`: whether the token that the stream was asked for with opens anything still.

        `look` finds the bank again, where it did not exist: it may be made meanwhile.
        """
        self._work, self._bank, self._after, self._holds, self._look = work, bank, after, holds, look
        self._wake = anyio.Event()

    async def lines(self, engine: Mnemopi) -> AsyncIterator[str]:
        """Yield the lines of the stream until the client goes, its token is revoked or the server ends."""
        unheard = engine.subscribe(self._waker())
        self._work.streams += 1
        quiet = 0.0
        try:
            yield "retry: 2000\n\n"
            while not self._work.closing:
                self._wake = anyio.Event()
                told = await self._new()
                if not self._holds():
                    return
                if told:
                    quiet = 0.0
                    yield told
                    continue
                with anyio.move_on_after(_LOOK_S):
                    await self._wake.wait()
                quiet += _LOOK_S
                if quiet >= self._work.heartbeat:
                    quiet = 0.0
                    yield ": still here\n\n"
        except MnemopiError:
            return  # the bank was closed: the client comes back, and is told what there is then
        finally:
            self._work.streams -= 1
            unheard()

    async def _new(self) -> str:
        found = await self._work.run(self._page)
        if found:
            self._after = found[-1].cursor
        return "".join(
            f"id: {each.cursor}\nevent: {each.verb}\ndata: {json.dumps(Done.of(each).as_dict())}\n\n" for each in found
        )

    def _page(self) -> list[Event]:
        if self._bank.is_absent:
            self._bank = self._look()
        return self._bank.events(self._after, _PAGE)

    def _waker(self) -> Callable[[Any], None]:
        """Return a handler that wakes the stream from the thread that wrote."""
        wake = self._work.threadsafe(lambda: self._wake.set())
        return lambda _: wake()


_EVENT: Final = {"text/event-stream": "Events: the id is the cursor, the name the verb, the data as in the journal."}
OPERATIONS: Final = (
    Operation(
        "GET",
        "/api/v1/journal",
        "readJournal",
        "Read a page of what was done to a bank.",
        "read",
        Journal,
        page,
        query=After,
        tag="journal",
    ),
    Operation(
        "GET",
        "/api/v1/events",
        "followEvents",
        "Follow what is done to a bank, as it happens.",
        "read",
        _EVENT,
        serve=stream,
        query=From,
        tag="journal",
        media="text/event-stream",
        headers={"Last-Event-ID": "Cursor of the last event that is known; it counts before `after`."},
    ),
    Operation(
        "GET",
        "/api/v1/memories/{id}/history",
        "readHistory",
        "Read what happened to a memory or fact.",
        "read",
        Journal,
        history,
        query=InBank,
        tag="journal",
    ),
    Operation(
        "POST",
        "/api/v1/memories/{id}/undo",
        "undoChange",
        "Take back the last change of a memory: the version before is in force again.",
        "change",
        Stored,
        undo,
        query=InBank,
        body=Why,
        tag="journal",
    ),
)
