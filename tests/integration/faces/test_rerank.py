"""Each face asks the reranker of the settings in the same way, and says who had a say, or why nobody had."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace
from typing import Any

import pytest

from mnemopi import Mnemopi
from mnemopi.config import Config
from mnemopi.errors import UsageError
from mnemopi.tools import catalog
from mnemopi.tools.caller import Caller, Engines

FIRST, LAST = "the kettle is here", "somebody said long ago that a kettle may have been there, or somewhere else"


@pytest.fixture
def judge() -> Iterator[Any]:
    """A server in the shape of Jina that likes long texts; `status` is what it answers."""
    told = SimpleNamespace(status=200, asked=0)

    class Answer(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            told.asked += 1
            texts = json.loads(self.rfile.read(int(self.headers["content-length"])))["documents"]
            listed = [{"index": place, "relevance_score": len(text)} for place, text in enumerate(texts)]
            body = json.dumps({"results": listed}).encode()
            self.send_response(told.status)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answer)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    told.url = f"http://127.0.0.1:{server.server_address[1]}"
    yield told
    server.shutdown()
    server.server_close()


@pytest.fixture
def configured(environment: dict[str, str], judge: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Settings that name the judge, and a bank with two memories."""
    for name, value in {"PROVIDER": "api", "URL": judge.url, "MODEL": "long"}.items():
        monkeypatch.setenv(f"MNEMOPI_RERANK_{name}", value)
    with Mnemopi() as memory:
        memory.remember_many([{"content": FIRST}, {"content": LAST}])


@pytest.fixture
def tool(configured: None) -> Iterator[Callable[..., Any]]:
    engines = Engines(Config.load())
    yield lambda name, **given: catalog.find(f"mnemopi_{name}").run(Caller.of(engines), given)
    engines.close()


def test_the_command_line_asks_by_an_option(configured: None, judge: Any, call: Callable[..., Any]) -> None:
    plain = call("recall", "kettle", "--json").json
    assert not {"reranker", "notes"} & plain.keys() and judge.asked == 0
    judged = call("recall", "kettle", "--rerank", "--json").json
    assert (judged["reranker"], judge.asked) == ("api:long", 1) and "notes" not in judged
    assert judged["results"][0]["explanation"]["terms"].get("rerank") is not None
    assert "rerank" in call("recall", "kettle", "--rerank", "--explain").out


def test_the_command_line_leaves_it_out_by_an_option(
    configured: None, judge: Any, call: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MNEMOPI_RERANK", "1")
    assert call("recall", "kettle", "--json").json["reranker"] == "api:long"
    assert call("recall", "kettle", "--no-rerank", "--json").json.get("reranker") is None
    assert judge.asked == 1
    assert FIRST in call("context", "kettle", "--no-rerank").out and judge.asked == 1


def test_people_are_told_when_it_did_not_judge(configured: None, judge: Any, call: Callable[..., Any]) -> None:
    judge.status = 400
    done = call("recall", "kettle", "--rerank")
    assert done.status == 0 and FIRST in done.out
    assert "not reranked: refused" in done.err


def test_to_ask_where_there_is_none_is_an_error_of_usage(environment: dict[str, str], call: Callable[..., Any]) -> None:
    done = call("recall", "kettle", "--rerank")
    assert done.status == UsageError.exit_code
    assert "MNEMOPI_RERANK_PROVIDER" in done.err


def test_tools_ask_by_an_argument(tool: Callable[..., Any], judge: Any) -> None:
    assert "reranker" not in tool("recall", query="kettle")
    judged = tool("recall", query="kettle", rerank=True)
    assert judged["reranker"] == "api:long" and "notes" not in judged
    assert "rerank" in judged["results"][0]["explanation"]
    assert LAST in tool("context", query="kettle", rerank=True)["context"]
    assert judge.asked == 2
    judge.status = 400
    failed = tool("recall", query="kettle", rerank=True)
    assert failed["notes"] == ["not reranked: refused"] and failed["count"] == 2


def test_a_context_without_a_question_has_nothing_to_judge(tool: Callable[..., Any]) -> None:
    with pytest.raises(UsageError, match="rerank go"):
        tool("context", rerank=True)
