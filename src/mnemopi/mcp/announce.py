"""Tell clients what changed: which resource that they follow, and that the list is another.

Engines report what they commit, in the thread that wrote; here it goes over to the loop of the connection. Clients of
the current era listen on a stream of their own; older ones are sent notifications for what they subscribed to.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, Final

import anyio
from mcp.server.context import ServerRequestContext
from mcp.server.session import ServerSession
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ResourcesListChanged, ResourceUpdated
from mcp_types import (
    EmptyResult,
    NotificationParams,
    SubscribeRequestParams,
    SubscriptionsListenRequestParams,
    SubscriptionsListenResult,
    UnsubscribeRequestParams,
)

from mnemopi import resources
from mnemopi.engine import Mnemopi
from mnemopi.errors import MnemopiError
from mnemopi.model.memory import Event
from mnemopi.tools.caller import Caller, Engines

_MOST: Final = 1000
"""Older clients that are remembered: one that goes away says nothing."""
_PATIENCE_S: Final = 10.0
"""How long an older client may take to take a notice: others wait behind it, and each commit is one more."""
Context = ServerRequestContext[Any, Any]


class Announcer:
    """Who follows what, and the way to them."""

    def __init__(self, engines: Engines, caller_of: Callable[[Context], Caller]) -> None:
        self._caller_of = caller_of
        self._bus = InMemorySubscriptionBus()
        self._listen = ListenHandler(self._bus)
        self._followed: Counter[tuple[str, str]] = Counter()
        self._clients: dict[int, tuple[ServerSession, dict[str, str]]] = {}
        self._loop: Any = None
        self._tasks: set[Any] = set()
        engines.on_open(self._hear)

    # -- what clients ask

    async def listen(self, context: Context, params: SubscriptionsListenRequestParams) -> SubscriptionsListenResult:
        """Serve a stream of what changes. What the caller may not see is not followed."""
        self._remember_loop()
        followed = [
            (uri, bank)
            for uri in params.notifications.resource_subscriptions or ()
            if (bank := self._bank(context, str(uri))) is not None
        ]
        self._followed.update(followed)
        try:
            return await self._listen(context, _narrowed(params, [uri for uri, _ in followed]))
        finally:
            self._followed.subtract(followed)
            self._followed += Counter()  # drops what nobody follows

    async def initialized(self, context: Context, _: NotificationParams | None) -> None:
        """Remember a client of the former era."""
        self._client(context)

    async def subscribe(self, context: Context, params: SubscribeRequestParams) -> EmptyResult:
        """Let a client of the former era follow a resource."""
        uri = str(params.uri)
        if (bank := self._bank(context, uri)) is not None:
            self._client(context)[uri] = bank
        return EmptyResult()

    async def unsubscribe(self, context: Context, params: UnsubscribeRequestParams) -> EmptyResult:
        """Let it follow it no more."""
        self._client(context).pop(str(params.uri), None)
        return EmptyResult()

    # -- what engines say

    def _hear(self, bank: str, engine: Mnemopi) -> None:
        engine.subscribe(lambda events: self._heard(bank, events))

    def _heard(self, bank: str, events: Sequence[Event]) -> None:
        """Go over to the loop; where there is none (yet, or any more), nobody listens."""
        told = [event for event in events if event.verb != "recalled"]
        if told and self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._tell, bank, {event.memory for event in told})

    def _tell(self, bank: str, ids: set[str | None]) -> None:
        task = self._loop.create_task(self._told(bank, ids))
        self._tasks.add(task)  # the loop itself holds tasks weakly
        task.add_done_callback(self._tasks.discard)

    async def _told(self, bank: str, ids: set[str | None]) -> None:
        await self._bus.publish(ResourcesListChanged())
        for uri in {uri: None for uri, place in self._followed if place == bank and _touches(uri, ids)}:
            await self._bus.publish(ResourceUpdated(uri=uri))
        for key, (session, uris) in list(self._clients.items()):
            try:
                with anyio.fail_after(_PATIENCE_S):
                    await session.send_resource_list_changed()
                    for uri in [uri for uri, place in uris.items() if place == bank and _touches(uri, ids)]:
                        await session.send_resource_updated(uri)
            except Exception:  # noqa: BLE001 -- whatever its transport raises: that client is gone, or reads nothing
                self._clients.pop(key, None)

    def _bank(self, context: Context, uri: str) -> str | None:
        """Return the bank that an address is in, or None where the caller sees none there."""
        try:
            return self._caller_of(context).name(resources.parse(uri).bank)
        except MnemopiError:
            return None

    def _client(self, context: Context) -> dict[str, str]:
        self._remember_loop()
        key = id(context.session.client_params)  # one object a connection
        if key not in self._clients:
            while len(self._clients) >= _MOST:
                self._clients.pop(next(iter(self._clients)))
            self._clients[key] = (context.session, {})
        return self._clients[key][1]

    def _remember_loop(self) -> None:
        import asyncio  # noqa: PLC0415

        self._loop = asyncio.get_running_loop()


def _touches(uri: str, ids: set[str | None]) -> bool:
    address = resources.parse(uri)
    return address.name in ids if address.place == "memory" else address.place != "banks"


def _narrowed(params: SubscriptionsListenRequestParams, uris: Sequence[str]) -> SubscriptionsListenRequestParams:
    if not params.notifications.resource_subscriptions:
        return params
    asked = params.notifications.model_copy(update={"resource_subscriptions": list(uris)})
    return params.model_copy(update={"notifications": asked})
