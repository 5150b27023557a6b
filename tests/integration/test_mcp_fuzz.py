"""Lines that hypothesis makes up, sent to `mnemopi mcp`: none ends the process or meets an error not foreseen."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from mnemopi.tools import catalog

ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
}
HANDSHAKE = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}


class Fuzzed:
    """A server as a process, in one era of the protocol, that is asked after each line whether it lives."""

    def __init__(self, era: str, folder: str) -> None:
        own = {"MNEMOPI_DATA_DIR": folder, "MNEMOPI_NO_EMBEDDINGS": "1"}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "mnemopi", "mcp"],
            env={**os.environ, **own},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self._meta = {"_meta": ENVELOPE} if era == "modern" else {}
        self._number = 0
        if era == "legacy":
            self.answers(self.line("initialize", HANDSHAKE))
            self.write(b'{"jsonrpc":"2.0","method":"notifications/initialized"}')
        else:
            self.answers(self.line("tools/list", {}))

    def line(self, method: str, params: dict[str, Any]) -> bytes:
        """Return a request of ours, with an id of its own."""
        self._number += 1
        request = {"jsonrpc": "2.0", "id": f"ours {self._number}", "method": method}
        return json.dumps(request | {"params": params | self._meta}).encode()

    def write(self, line: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def answers(self, question: bytes) -> list[dict[str, Any]]:
        """Ask a question of ours, and return what is said up to its answer."""
        self.write(question)
        said: list[dict[str, Any]] = []
        while not said or said[-1].get("id") != f"ours {self._number}":
            assert self.process.stdout is not None
            said.append(json.loads(self.process.stdout.readline()))
        return said


@pytest.fixture(scope="module", params=["legacy", "modern"])
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fuzzed]:
    """One server for many lines."""
    made = Fuzzed(request.param, str(tmp_path_factory.mktemp("fuzz")))
    yield made
    made.process.kill()
    made.process.wait()
    for stream in (made.process.stdin, made.process.stdout):
        assert stream is not None
        stream.close()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=10), inner, max_size=3),
    max_leaves=8,
)
METHODS = st.sampled_from(
    [
        *("tools/call", "tools/list", "resources/read", "resources/list", "resources/subscribe", "prompts/get"),
        *("prompts/list", "completion/complete", "ping", "server/discover", "subscriptions/listen"),
        *("notifications/cancelled", "logging/setLevel", "initialize"),
    ]
)
PARAMS = st.fixed_dictionaries(
    {},
    optional={
        "name": st.sampled_from([tool.name for tool in catalog.TOOLS]) | JSON,
        "arguments": JSON,
        "uri": st.text(max_size=20).map("memory://{}".format) | JSON,
        "ref": JSON,
        "argument": JSON,
        "_meta": st.just(ENVELOPE) | JSON,
        "inputResponses": JSON,
        "requestState": JSON,
    },
)
REQUESTS = st.fixed_dictionaries(
    {"jsonrpc": st.just("2.0"), "method": METHODS | st.text(max_size=12)},
    optional={"id": st.integers(0, 10**7) | JSON, "params": PARAMS | JSON},
)


def argument(told: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Return values for an argument: mostly of its kind, so that calls get far."""
    kinds: dict[str, st.SearchStrategy[Any]] = {
        "string": st.text(max_size=30) | st.sampled_from(["2026-01-01", "surface", "global", "update", "\ud800", "\0"]),
        "integer": st.integers(),
        "number": st.floats(allow_nan=False, allow_infinity=False),
        "boolean": st.booleans(),
        "object": st.dictionaries(st.text(max_size=10), JSON, max_size=3),
    }
    return kinds.get(str(told.get("type")), JSON) | JSON


def call(tool: Any) -> st.SearchStrategy[tuple[str, dict[str, Any]]]:
    """Return calls of a tool with arguments that it knows."""
    schema = tool.input_schema()
    known = {name: argument(told) for name, told in schema["properties"].items()}
    needed = set(schema.get("required", ()))
    given = st.fixed_dictionaries(
        {name: values for name, values in known.items() if name in needed},
        optional={name: values for name, values in known.items() if name not in needed},
    )
    return st.tuples(st.just(tool.name), given)


CALLS = st.sampled_from(catalog.TOOLS).flatmap(call)
bounded = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])


def unforeseen(said: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the answers that say that something went wrong which nobody thought of."""
    return [each for each in said if '\\"code\\":\\"internal\\"' in json.dumps(each)]


@settings(bounded, max_examples=80)
@given(st.binary(max_size=200) | REQUESTS.map(lambda request: json.dumps(request).encode()))
@example(b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":NaN}}')
@example(b"[" * 20_000)
def test_no_line_ends_the_server(server: Fuzzed, line: bytes) -> None:
    server.write(line.replace(b"\n", b" "))
    assert unforeseen(server.answers(server.line("tools/list", {}))) == []


@settings(bounded, max_examples=120)
@given(CALLS)
@example(("mnemopi_recall", {"query": "\ud800", "limit": 10**30}))
@example(("mnemopi_remember", {"content": "x", "metadata": {"\0": [{"\ud800": 1e308}]}}))
def test_no_arguments_meet_an_error_that_is_not_foreseen(server: Fuzzed, made: tuple[str, dict[str, Any]]) -> None:
    name, arguments = made
    said = server.answers(server.line("tools/call", {"name": name, "arguments": arguments}))
    assert unforeseen(said) == []
    assert "result" in said[-1] or said[-1]["error"]["code"] in (-32602, -32600, -32700), said[-1]
