"""The client answers as the library does: the same values, and the same errors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest

from mnemopi.errors import MissingExtraError, NotFoundError, StorageError, UnavailableError, UsageError
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
        ("crane", {"as_of": datetime(2100, 1, 1)}),
        ("crane", {"as_of": date(2000, 1, 1)}),
        ("quay", {"as_of": 4_102_444_800_000, "query_time": 1_772_582_400_000.5}),
        ("quay", {"from_date": date(2026, 3, 3), "to_date": datetime(2026, 3, 3, 23, tzinfo=UTC)}),
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


@pytest.mark.parametrize("id", [".", "..", "a/b", "../banks", "x/history"])
def test_an_id_that_no_path_can_name_is_an_id_that_no_memory_has(memory: Client, id: str) -> None:
    assert memory.get(id) is None
    for call in (memory.forget, memory.invalidate, memory.undo, memory.history):
        with pytest.raises(NotFoundError):
            call(id)
    with pytest.raises(NotFoundError):
        memory.update(id, content="x")


@pytest.mark.parametrize("name", [".", "..", "a/b"])
def test_a_bank_that_no_path_can_name_is_no_bank(memory: Client, name: str) -> None:
    with pytest.raises(UsageError):
        memory.banks.delete(name)
    with pytest.raises(UsageError):
        memory.banks.rename(name, "other")


def nested(levels: int) -> Any:
    value: Any = []
    for _ in range(levels - 1):
        value = [value]
    return value


def test_long_texts_go_in_batches_that_the_server_takes(memory: Client) -> None:
    told: list[int] = []
    texts = [{"content": f"{number} " + "crane " * 40_000} for number in range(25)]
    receipts = memory.remember_many(texts, on_batch=lambda done: told.append(len(done)))
    assert len(receipts) == sum(told) == 25
    assert len(told) > 1


def test_a_full_batch_is_committed_before_the_next_item_is_asked_for(memory: Client) -> None:
    committed: list[int] = []

    def items() -> Iterator[dict[str, Any]]:
        for number in range(4):
            assert sum(committed) == number // 2 * 2
            yield {"content": f"crane {number}"}
        assert sum(committed) == 4
        yield {"content": "crane", "colour": "red"}

    with pytest.raises(UsageError, match=r"item 4: .*; 4 are committed, none after them"):
        memory.remember_many(items(), batch_size=2, on_batch=lambda done: committed.append(len(done)))
    assert len(memory.page()) == 4


UNUSABLE: dict[str, Callable[[Any], Any]] = {
    "a score that is no number": lambda memory: memory.recall("crane", min_score=float("nan")),
    "a time that is no time": lambda memory: memory.recall("crane", as_of=True),
    "a time that is endless": lambda memory: memory.recall("crane", as_of=float("inf")),
    "a time of another kind": lambda memory: memory.recall("crane", from_date=object()),
    "half a character": lambda memory: memory.remember("half \ud800"),
    "half a character of an id": lambda memory: memory.get("\ud800"),
    "metadata that is too deep": lambda memory: memory.remember("x", metadata={"d": nested(64)}),
    "metadata that is no JSON": lambda memory: memory.remember("x", metadata={"d": date(2026, 3, 3)}),
    "items that are none": lambda memory: memory.remember_many(5),
    "one item for many": lambda memory: memory.remember_many({"content": "x"}),
    "a text for an item": lambda memory: memory.remember_many(["abc"]),
    "a bad item": lambda memory: memory.remember_many([{"content": "x"}, {"content": "y", "colour": "red"}]),
}


@pytest.mark.parametrize("case", UNUSABLE)
def test_what_cannot_be_used_is_the_error_that_the_library_raises(
    case: str, memory: Client, served: Any, bank: str
) -> None:
    for one in (memory, served.engines.get(bank)):
        with pytest.raises(UsageError):
            UNUSABLE[case](one)
    assert memory.page() == []


def test_a_bad_item_is_told_by_its_number_and_what_was_stored_before(memory: Client) -> None:
    with pytest.raises(UsageError, match="item 0: a memory is a mapping, not str; 0 are committed"):
        memory.remember_many(["abc"])  # type: ignore[list-item]
    with pytest.raises(UsageError, match="item 3: a memory is a mapping, not int; 2 are committed"):
        memory.remember_many([{"content": n} for n in "abc"] + [3], batch_size=2)  # type: ignore[list-item]


def test_who_acts_is_named_in_whole_characters() -> None:
    with pytest.raises(UsageError):
        Client(author_id="\ud800")
    with pytest.raises(UsageError):
        Client(session_id=5)  # type: ignore[arg-type]


def test_a_client_that_is_closed_says_so(served: Any, tmp_path: Path) -> None:
    client = served.client()
    client.close()
    for asked in (client.stats, lambda: next(client.follow()), lambda: client.export(tmp_path / "bank.jsonl")):
        with pytest.raises(StorageError, match="closed"):
            asked()


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
