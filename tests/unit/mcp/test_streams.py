"""A connection over byte streams: what happens when the client leaves."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable
from typing import Any

import anyio
import pytest
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler
from mcp_types import CallToolRequestParams, CallToolResult, SubscriptionsListenRequestParams, TextContent

from mnemopi.mcp import streams

HANDSHAKE = {"protocolVersion": "2025-11-25", "clientInfo": {"name": "test", "version": "1"}}
MODERN = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
}


def request(id: int, method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id, "method": method, "params": params}


def call(id: int, name: str, **more: Any) -> dict[str, Any]:
    return request(id, "tools/call", name=name, arguments={}, **more)


def begun(**capabilities: Any) -> list[dict[str, Any]]:
    """The handshake of the former era."""
    return [
        request(1, "initialize", **HANDSHAKE, capabilities=capabilities),
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
    ]


@pytest.fixture
def served() -> Callable[..., dict[int, dict[str, Any]]]:
    """Send lines, close the input at once, and return all answers by their id."""

    async def called(context: ServerRequestContext[Any, Any], params: CallToolRequestParams) -> CallToolResult:
        if params.name == "slow":
            await anyio.sleep(0.2)
        if params.name == "endless":
            await anyio.sleep_forever()
        if params.name == "asking":
            form = {"type": "object", "properties": {"agree": {"type": "boolean"}}}
            await context.session.elicit_form("Agree?", form, related_request_id=context.request_id)
        return CallToolResult(content=[TextContent(text=params.name)])

    server: Server[Any] = Server("test", on_call_tool=called)
    listen = ListenHandler(InMemorySubscriptionBus())
    server.add_request_handler("subscriptions/listen", SubscriptionsListenRequestParams, listen)

    def made(lines: list[dict[str, Any] | bytes], patience: float = math.inf) -> dict[Any, dict[str, Any]]:
        (reading, client_writes), (client_reads, writing) = os.pipe(), os.pipe()
        with os.fdopen(client_writes, "wb") as out:
            out.writelines((line if isinstance(line, bytes) else json.dumps(line).encode()) + b"\n" for line in lines)

        async def run() -> None:
            with anyio.fail_after(20):
                await streams.connection(server, os.fdopen(reading, "rb"), os.fdopen(writing, "wb"), patience)

        anyio.run(run)
        with os.fdopen(client_reads, "rb") as answers:
            told = [json.loads(line) for line in answers]
        return {each["id"]: each for each in told if "method" not in each}

    return made


def test_a_call_that_runs_when_the_input_ends_is_answered(served: Any) -> None:
    answers = served([*begun(), call(2, "slow"), call(3, "quick")])
    assert [answers[id]["result"]["content"][0]["text"] for id in (2, 3)] == ["slow", "quick"]


def test_so_it_is_in_the_current_era(served: Any) -> None:
    assert served([call(2, "slow", _meta=MODERN)])[2]["result"]["content"][0]["text"] == "slow"


def test_a_call_without_end_is_given_up(served: Any) -> None:
    answers = served([*begun(), call(2, "endless"), call(3, "slow")], patience=1)
    assert "error" in answers[2]
    assert answers[3]["result"]["content"][0]["text"] == "slow"


def test_nobody_waits_for_an_answer_of_a_client_that_left(served: Any) -> None:
    answers = served([*begun(elicitation={}), call(2, "asking"), call(3, "slow")])  # would wait without end
    assert answers[3]["result"]["content"][0]["text"] == "slow"


def test_a_call_that_was_cancelled_is_not_waited_for(served: Any) -> None:
    given_up = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 2}}
    assert 2 not in served([*begun(), call(2, "endless"), given_up])


def test_who_listens_for_changes_is_not_waited_for(served: Any) -> None:
    listen = request(2, "subscriptions/listen", notifications={"toolsListChanged": True}, _meta=MODERN)
    answers = served([listen, call(3, "slow", _meta=MODERN)])
    assert answers[3]["result"]["content"][0]["text"] == "slow"


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b"{", -32700),
        (b"\xff\xfe", -32700),
        (b"42", -32600),
        (b'{"jsonrpc":"2.0"}', -32600),
        (b'{"jsonrpc":"1.0","id":7,"method":"hush"}', -32600),
    ],
)
def test_what_is_no_message_is_answered_with_an_error_that_does_not_repeat_it(
    served: Any, line: bytes, code: int
) -> None:
    answers = served([*begun(), line, call(2, "quick")])
    assert answers[None]["error"]["code"] == code
    assert "hush" not in str(answers[None])
    assert answers[2]["result"]["content"][0]["text"] == "quick"


def test_a_blank_line_is_passed_over(served: Any) -> None:
    assert set(served([*begun(), b"", b"  ", call(2, "quick")])) == {1, 2}


@pytest.mark.parametrize(
    ("sent", "came"),
    [
        (r"\ud83d", "\ufffd"),
        (r"\uDE00 and \uD83D", "\ufffd and \ufffd"),
        (r"\ud83d\ud83d\ude00", "\ufffd\U0001f600"),
        (r"\ud83d\ude00", "\U0001f600"),
        (r"\\ud83d", r"\ud83d"),
        (r"\\\ud83d", "\\\ufffd"),
        (r"\u00e9\n", "\u00e9\n"),
    ],
)
def test_half_a_character_is_replaced_and_the_call_answered(served: Any, sent: str, came: str) -> None:
    line = json.dumps(call(2, "NAME")).replace("NAME", sent).encode()
    assert served([*begun(), line])[2]["result"]["content"][0]["text"] == came


@pytest.mark.parametrize("levels", [100, 240, 2000, 5000])
def test_a_call_is_answered_by_its_id_however_deep_its_arguments_are_nested(served: Any, levels: int) -> None:
    deep = call(2, "quick")
    line = json.dumps(deep).replace('"arguments": {}', '"arguments": ' + '{"a":' * levels + "1" + "}" * levels)
    answers = served([*begun(), line.encode()])
    assert answers[2]["result"]["content"][0]["text"] == "quick"
