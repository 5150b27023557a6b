"""What stands before every request: host, origin, token, rate, and the size and pace of its body.

A page that a browser was lured to must not reach this server by a name that resolves to it (DNS rebinding), so Host and
Origin have to be ours. Over a unix socket of the same user nobody else can ask, and none of that is looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import partial
from typing import Final

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mnemopi.errors import ForbiddenError
from mnemopi.http import identity, pace, problems
from mnemopi.http.keys import Keys
from mnemopi.http.limits import Rate
from mnemopi.http.moving import IMPORT
from mnemopi.http.refusals import MisdirectedError, TooLargeError, UnauthorizedError
from mnemopi.http.status import OPEN
from mnemopi.http.work import Work
from mnemopi.tools.caller import Caller

LOOPBACK: Final = ("localhost", "127.0.0.1", "[::1]")
_METHODS: Final = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")


class Guard:
    """The outermost part of the application. `keys` None: whoever can connect is trusted."""

    def __init__(
        self, app: ASGIApp, caller: Caller, keys: Keys | None, work: Work, rate: Rate, hosts: Collection[str]
    ) -> None:
        self._app, self._caller, self._keys, self._work, self._rate = app, caller, keys, work, rate
        self._hosts = frozenset(host.lower() for host in hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request in, or refuse it."""
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})  # nothing here speaks it
            return
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        work, told = self._work, [0]

        async def counted(message: Message) -> None:
            if message["type"] == "http.response.start":
                told[0] = message["status"]
                message = {**message, "headers": [*message.get("headers", ()), (b"x-content-type-options", b"nosniff")]}
            await send(message)

        work.in_flight += 1
        try:
            try:
                await self._admit(scope)
            except Exception as error:  # noqa: BLE001 -- each request is answered
                await problems.response(error)(scope, receive, counted)
                return
            await self._app(scope, pace.body(receive, work.config.timeout), counted)
        finally:
            work.in_flight -= 1
            method = scope["method"] if scope["method"] in _METHODS else "other"
            work.requests[method, told[0]] += 1

    async def _admit(self, scope: Scope) -> None:
        headers, caller, who = Headers(scope=scope), self._caller, "local"
        holds: Callable[[], bool] = lambda: True  # noqa: E731
        if self._keys is not None:
            self._check_place(scope, headers)
            who = f"address {(scope.get('client') or ('',))[0]}"
        if self._keys is not None and scope["path"] not in OPEN:
            scheme, _, token = headers.get("authorization", "").partition(" ")
            key = self._keys.find(token.strip()) if scheme.lower() == "bearer" else None
            if key is None:
                self._rate.take(who)
                raise UnauthorizedError(hint="Authorization: Bearer <token>; `mnemopi token` makes tokens")
            caller, who = identity.limited(caller, key), f"token {key.name}"
            holds = partial(self._keys.holds, key)
            access = AccessToken(token="", client_id=f"{key.name} {key.hash}", scopes=[])
            scope["user"] = AuthenticatedUser(access)  # sessions of MCP belong to who opened them
        self._rate.take(who)
        self._check_size(scope, headers)
        scope.setdefault("state", {})["caller"] = identity.acting(caller, headers)
        scope["state"]["holds"] = holds

    def _check_place(self, scope: Scope, headers: Headers) -> None:
        """Refuse what was sent to another name, or by a page of another one."""
        host = headers.get("host", "").lower()
        server = (scope.get("server") or ("",))[0]
        if not self._is_ours(host, server):
            raise MisdirectedError(
                f"{host[:100]!r} is no name of this server", hint="the setting http.hosts adds names"
            )
        origin = headers.get("origin")
        if origin is None:
            return
        asked = origin.lower().partition("://")[2].rstrip("/")
        if not self._is_ours(asked, server) or _port(asked) != _port(host):
            raise ForbiddenError(f"a page of {origin[:100]!r} may not ask here", hint="pages of this server alone may")

    def _is_ours(self, host: str, server: str) -> bool:
        """An address says where it leads, a name may be made to lead here: so names have to be known."""
        name = host.rpartition(":")[0] if _port(host) else host
        return bool(name) and (name.strip("[]") == server or name in self._hosts or host in self._hosts)

    def _check_size(self, scope: Scope, headers: Headers) -> None:
        config = self._work.config
        most = config.max_import if scope["path"] == IMPORT else config.max_body
        length = headers.get("content-length", "0")
        if length.isdecimal() and int(length) > most:
            raise TooLargeError(f"a body of more than {most:,} bytes", hint="the settings http.max_body and max_import")


def _port(host: str) -> str:
    """Return the port of a host, or nothing: the last colon of an address in brackets may be one of its own."""
    port = host.rpartition("]")[2].rpartition(":")[2] if ":" in host.rpartition("]")[2] else ""
    return port if port.isdecimal() else ""
