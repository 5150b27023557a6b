"""The client answers as the library does: the same values, and the same errors."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from mnemopi.errors import MissingExtraError, NotFoundError, UnavailableError, UsageError
from mnemopi.http import values
from mnemopi.http.client import Client
from mnemopi.tools import catalog
from mnemopi.tools.caller import Caller


@pytest.fixture
def filled(memory: Client) -> Client:
    """A bank with something to find."""
    memory.remember("The crane stands on pier 7 <memory-context>", importance=0.9)
    memory.remember("My name is Ines and I live in Bern", source="user")
    memory.remember("We met on 3 March 2026 at the quay", session_id="s", author_id="ana")
    return memory


@pytest.mark.parametrize(
    ("query", "options"),
    [
        ("crane", {}),
        ("where do I live?", {"profile": "facts"}),
        ("what was in March 2026?", {"top_k": 2, "content_preview_chars": 10}),
        ("quay", {"author_id": "ana", "use_mmr": True, "min_score": 0.0, "retrievers": ["lexical"]}),
        ("", {}),
    ],
)
def test_recall_gives_what_the_library_gives(
    filled: Client, served: Any, bank: str, query: str, options: dict[str, Any]
) -> None:
    theirs = filled.recall(query, **options)
    ours = served.engines.get(bank).recall(query, **options)
    assert (theirs.retrievers, theirs.bank, len(theirs)) == (ours.retrievers, ours.bank, len(ours))
    for one, other in zip(theirs, ours, strict=True):
        told, known = one.as_dict(), other.as_dict()
        # Time goes on between the two: what is weighed by it differs in the last digits.
        moving = ("recency_score", "score", "explanation")
        assert {key: told[key] for key in told if key not in moving} == {
            key: known[key] for key in known if key not in moving
        }
        assert one.score == pytest.approx(other.score, abs=1e-3)
        assert str(one.explanation).split(":")[0] == str(other.explanation).split(":")[0]


def test_a_search_is_reranked_where_it_says_so_and_tells_what_came_of_it(serving: Any) -> None:
    served = serving(**{"rerank.provider": "api", "rerank.url": "http://127.0.0.1:9", "rerank.model": "m"})
    with served.client() as memory:
        memory.remember("The crane stands on pier 7")
        plain, judged = memory.recall("crane"), memory.recall("crane", rerank=True)
        assert (plain.reranker, plain.notes) == ("", ())
        assert (judged.reranker, judged.notes) == ("", ("not reranked: unavailable",))
        assert [hit.id for hit in plain] == [hit.id for hit in judged]
        assert "crane" in memory.context("crane", rerank=False)


def test_context_and_stats_and_any_tool(filled: Client, served: Any, bank: str) -> None:
    engine = served.engines.get(bank)
    assert filled.context(budget=500) == engine.context(budget=500)
    assert filled.stats()["total_memories"] == 3
    assert filled.call("mnemopi_recall", query="crane", limit=1)["count"] == 1


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("recall", {"query": "crane"}),
        ("get", {"memory_id": "$"}),
        ("context", {"query": "crane", "budget": 300}),
        ("history", {"memory_id": "$"}),
        ("facts", {}),
        ("scratchpad_read", {}),
        ("triple_query", {"subject": "Ines"}),
    ],
)
def test_a_tool_tells_over_rest_what_it_tells_an_agent(
    filled: Client, served: Any, bank: str, name: str, arguments: dict[str, Any]
) -> None:
    id = filled.page(limit=1)[0].id
    given = {key: id if value == "$" else value for key, value in arguments.items()}
    direct = catalog.find(f"mnemopi_{name}").run(Caller.of(served.engines), {**given, "bank": bank})
    assert filled.call(name, **given) == direct


def test_errors_come_back_as_what_they_were(memory: Client) -> None:
    with pytest.raises(UsageError, match="unknown option 'colour'") as caught:
        memory.remember("x", colour="red")
    assert caught.value.hint
    with pytest.raises(UsageError):
        memory.recall("x", top_k=-1)
    with pytest.raises(NotFoundError):
        memory.call("nothing")
    with pytest.raises(UsageError):
        memory.get("")


def test_an_error_of_any_kind_is_made_again() -> None:
    body = b'{"code": "missing-extra", "detail": "it is not installed", "hint": "install it"}'
    with pytest.raises(MissingExtraError, match="not installed") as caught:
        values.check(501, lambda: body)
    assert caught.value.hint == "install it"
    with pytest.raises(UnavailableError):
        values.check(502, lambda: b"<html>")


def test_where_no_server_is_the_error_says_so() -> None:
    with Client("http://127.0.0.1:9", token="x") as client, pytest.raises(UnavailableError, match=r"127\.0\.0\.1:9"):
        client.stats()


def test_a_stream_of_no_server_or_one_that_breaks_off_is_the_same_error(tmp_path: Path) -> None:
    with Client("http://127.0.0.1:9", token="x") as client:
        with pytest.raises(UnavailableError, match=r"127\.0\.0\.1:9"):
            next(client.follow())
        with pytest.raises(UnavailableError):
            client.export(tmp_path / "bank.jsonl")

    def broken() -> Iterator[bytes]:
        yield b'{"counts": {}}\n'
        raise httpx.ReadError("the connection was reset")

    cut = httpx.MockTransport(lambda _: httpx.Response(200, content=broken()))
    with Client(transport=cut) as client, pytest.raises(UnavailableError, match="reset"):
        client.export(tmp_path / "bank.jsonl")
    assert list(tmp_path.iterdir()) == [], "half an export is none"
