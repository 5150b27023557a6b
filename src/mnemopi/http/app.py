"""The application: the guard, MCP at `/mcp`, and a route for each path of the table of operations.

One application has one MCP server object, one caller that all requests are narrowed views of, and one `Work`. `/` is
kept for a page, and `/v1/default` for another API.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, Final

from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route
from starlette.types import Receive, Scope, Send

from mnemopi.errors import ForbiddenError
from mnemopi.http import openapi, operation, problems, respond, table
from mnemopi.http.guard import LOOPBACK, Guard
from mnemopi.http.keys import Keys
from mnemopi.http.limits import Rate
from mnemopi.http.operation import JSON, Call, Operation
from mnemopi.http.refusals import MediaTypeError, MethodError, TimedOutError, TooLargeError
from mnemopi.http.work import Work
from mnemopi.mcp import server as mcp
from mnemopi.tools import catalog
from mnemopi.tools.caller import Caller, Engines
from mnemopi.tools.tool import Tool

MCP: Final = "/mcp"


def build(
    engines: Engines,
    *,
    own: str | None = None,
    tools: Sequence[Tool] = catalog.TOOLS,
    trusted: bool = False,
    hosts: Collection[str] = (),
    server: Server[Any] | None = None,
    routes: Sequence[BaseRoute] = (),
) -> Starlette:
    """Build the application over engines, which stay the caller's to close.

    `own` is the bank of requests that name none. `trusted` asks nobody for a token: for a private unix socket alone.
    `hosts` are names of this server beside those of the loopback and of the setting. `server` is an MCP server object
    that is there already, `routes` come before all others. `app.state.work.close()` lets streams end.
    """
    config = engines.config.http
    caller = Caller.of(engines, own=own)
    work, rate = Work(config), Rate(config.rate, engines.clock)
    built = server or mcp.build(_caller_of, tools, engines, work.run)
    sessions = StreamableHTTPSessionManager(built, max_request_body_size=config.max_body)
    known = table.operations(tools)
    paths: dict[str, dict[str, Operation]] = {}
    for each in known:
        paths.setdefault(each.path, {})[each.method] = each
    named = {name.strip() for name in config.hosts.split(",") if name.strip()}
    keys = None if trusted else Keys(engines.config.data_dir)
    guard = Middleware(Guard, caller=caller, keys=keys, work=work, rate=rate, hosts={*LOOPBACK, *hosts, *named})
    app = Starlette(
        routes=[
            *routes,
            Route(MCP, _Mcp(sessions)),
            *(Route(path, _Endpoint(methods)) for path, methods in paths.items()),
        ],
        middleware=[guard],
        exception_handlers={Exception: _failed, 404: _failed, 405: _failed},
        lifespan=partial(_lifespan, sessions),
    )
    app.router.redirect_slashes = False
    app.state.work, app.state.description = work, openapi.describe(known)
    return app


class _Endpoint:
    """All methods of one path."""

    def __init__(self, methods: Mapping[str, Operation]) -> None:
        self._methods = methods

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, whatever comes of it."""
        request = Request(scope, receive)
        try:
            response = await self._answered(request)
        except Exception as error:  # noqa: BLE001 -- each request is answered, and the server goes on
            response = problems.response(error)
        await response(scope, receive, send)

    async def _answered(self, request: Request) -> Response:
        told = self._methods.get("GET" if request.method == "HEAD" else request.method)
        if told is None:
            allow = ", ".join(self._methods)
            raise MethodError(f"{request.method[:20]} is not taken here", hint=f"one of {allow}", allow=allow)
        caller = request.state.caller
        if not caller.may(told.effect):
            raise ForbiddenError(f"this token may {caller.most} at most", hint=f"this needs one that may {told.effect}")
        query = operation.query(request.scope["query_string"], told.query)
        body = None if told.body is None else operation.body(await _body(request), told.body)
        call = Call(caller, request.path_params, query, body, request.headers)
        if told.serve is not None:
            return await told.serve(request, call)
        assert told.run is not None
        work: Work = request.app.state.work
        return respond.reply(await work.run(partial(told.run, call)), told.status)


class _Mcp:
    """MCP: the SDK's own way of answering, with sessions for the former era and none for the current one."""

    def __init__(self, sessions: StreamableHTTPSessionManager) -> None:
        self._sessions = sessions

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        try:
            await self._sessions.handle_request(scope, receive, send)
        except ClientDisconnect:
            late = TimedOutError("the body was cut short, or did not come in time")
            await problems.response(late)(scope, receive, send)


async def _body(request: Request) -> bytes:
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != JSON:
        raise MediaTypeError("the body is not said to be JSON", hint=f"Content-Type: {JSON}")
    most: int = request.app.state.work.config.max_body
    read = bytearray()
    try:
        async for chunk in request.stream():
            read += chunk
            if len(read) > most:
                raise TooLargeError(
                    f"a body of more than {most:,} bytes", hint="the setting http.max_body is the limit"
                )
    except ClientDisconnect as error:
        raise TimedOutError("the body was cut short, or did not come in time") from error
    return bytes(read)


async def _failed(_: Request, error: Exception) -> Response:
    return problems.response(error)


def _caller_of(context: ServerRequestContext[Any, Any]) -> Caller:
    """Return who calls, as the guard knew them by their token."""
    assert context.request is not None
    caller: Caller = context.request.state.caller
    return caller


@asynccontextmanager
async def _lifespan(sessions: StreamableHTTPSessionManager, app: Starlette) -> AsyncIterator[None]:
    async with sessions.run():
        yield
    app.state.work.close()
