"""Nobody holds a connection by asking slowly, and nobody waits for work without end."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import anyio
import pytest
from starlette.types import Message

from mnemopi.http import pace

PATIENCE = 3000
"""Pieces that are sent, one each 10 ms, before a test gives up."""
HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
}


@contextmanager
def connected(url: str) -> Iterator[socket.socket]:
    host, _, port = url.rpartition("/")[2].rpartition(":")
    with socket.create_connection((host, int(port)), timeout=30) as made:
        yield made


def trickled(connection: socket.socket) -> bytes:
    """Send a byte at a time until the other side says something or closes, and return what it says."""
    connection.settimeout(0.01)
    for _ in range(PATIENCE):
        try:
            return connection.recv(1000)
        except TimeoutError:
            pass
        except ConnectionError:
            return b""
        try:
            connection.sendall(b"a")
        except ConnectionError:
            return b""
    pytest.fail("it waits on")


@pytest.mark.parametrize("begun", [b"GET /health HTTP/1.1\r\nHost: localhost\r\nx: ", b"G"])
def test_a_head_that_comes_a_byte_at_a_time_is_not_waited_for(serving: Any, begun: bytes) -> None:
    with connected(serving(**{"http.timeout": 1.0}).url) as connection:
        connection.sendall(begun)
        assert trickled(connection) == b""


def test_nor_is_the_head_of_a_later_request(serving: Any) -> None:
    with connected(serving(**{"http.timeout": 2.0}).url) as connection:
        connection.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
        answer = b""
        while not answer.endswith(b"}"):  # its head and body may come apart
            answer += connection.recv(10_000)
        assert answer.startswith(b"HTTP/1.1 200")
        connection.sendall(b"GET /health HTTP/1.1\r\nx: ")
        assert trickled(connection) == b""


def test_a_body_that_comes_a_byte_at_a_time_is_not_waited_for(serving: Any) -> None:
    served = serving(**{"http.timeout": 1.0})
    head = (
        "POST /api/v1/memories HTTP/1.1",
        "Host: localhost",
        f"Authorization: Bearer {served.token}",
        "Content-Type: application/json",
        "Content-Length: 100000",
    )
    with connected(served.url) as connection:
        connection.sendall("\r\n".join([*head, "", ""]).encode())
        assert trickled(connection)[:12] in (b"HTTP/1.1 504", b"")  # nothing: it was closed before that was read


def test_a_long_body_at_a_good_speed_may_take_longer_than_the_limit() -> None:
    pieces = [{"type": "http.request", "body": b"a" * 1000, "more_body": more} for more in (*[True] * 5, False)]

    async def receive() -> Message:
        await anyio.sleep(0.2)
        return pieces.pop(0)

    async def received() -> list[Message]:
        paced = pace.body(receive, 0.6)
        return [await paced() for _ in range(6)]

    assert [each["type"] for each in anyio.run(received)] == ["http.request"] * 6


def test_a_tool_that_hangs_is_not_waited_for(serving: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    served, go_on = serving(**{"http.timeout": 1.0}), threading.Event()
    accepts = {"accept": "application/json, text/event-stream"}
    opened = served.http.post("/mcp", json=HELLO, headers=accepts)
    session = {"mcp-session-id": opened.headers["mcp-session-id"], "mcp-protocol-version": "2025-11-25"}
    monkeypatch.setattr(served.engines, "get", lambda *_, **__: go_on.wait(30))
    try:
        for id, method, params in (
            (2, "tools/call", {"name": "mnemopi_recall", "arguments": {"query": "crane"}}),
            (3, "resources/read", {"uri": "memory://root"}),
        ):
            asked = {"jsonrpc": "2.0", "id": id, "method": method, "params": params}
            answer = served.http.post("/mcp", json=asked, headers={**accepts, **session})
            told = json.loads(answer.text.partition("data: ")[2])
            assert "no answer within 1 s" in json.dumps(told), told
    finally:
        go_on.set()
