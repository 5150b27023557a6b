"""Memories over REST: what is stored comes back as it was, versions guard changes, and pages hold all."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mnemopi.errors import ChangedError, NotFoundError, UsageError
from mnemopi.http.client import Client
from mnemopi.http.refusals import PreconditionError


def test_what_was_stored_comes_back_word_for_word(memory: Client, served: Any, bank: str) -> None:
    text = "Recall <memory-context> & \x0b tabs\t, 漢字, 🎺"
    receipt = memory.remember(text, importance=0.9, metadata={"a": [1, None]}, session_id="s1", position=3)
    kept = memory.get(receipt)
    assert kept is not None
    own = served.engines.get(bank).get(receipt.id)
    assert (kept.content, kept.metadata, kept.position, kept.kind) == (text, {"a": [1, None]}, 3, "turn")
    assert kept == own


def test_what_is_not_there_is_none_and_a_bank_that_is_not_there_an_error(memory: Client, served: Any) -> None:
    assert memory.get("nothing") is None
    with served.client(bank="nowhere") as other, pytest.raises(NotFoundError, match="no bank"):
        other.get("nothing")


def test_a_version_that_a_memory_does_not_have_is_told_apart_from_no_memory(
    memory: Client, served: Any, bank: str
) -> None:
    id = memory.remember("The crane stands on pier 7").id
    memory.update(id, "The crane stands on pier 9")
    assert memory.get(id, version=99) is None
    told = served.http.get(f"/api/v1/memories/{id}?bank={bank}&version=99")
    assert (told.status_code, told.json()["code"]) == (404, "no-memory")
    assert "has no version 99" in told.text and "it has 1 to 2" in told.text
    both = served.http.get(f"/api/v1/memories/{id}?bank={bank}&version=1&as_of=2026-01-01")
    assert both.status_code == 422


def test_the_version_is_the_etag_and_guards_a_change(memory: Client, served: Any, bank: str) -> None:
    id = memory.remember("The crane stands on pier 7").id
    path = f"/api/v1/memories/{id}?bank={bank}"
    first = served.http.get(path)
    assert first.headers["etag"] == '"1"'
    assert served.http.get(path, headers={"if-none-match": first.headers["etag"]}).status_code == 304
    done = served.http.patch(path, json={"content": "on pier 9"}, headers={"if-match": '"1"'})
    assert (done.status_code, done.headers["etag"]) == (200, '"2"')
    stale = served.http.patch(path, json={"content": "on pier 8"}, headers={"if-match": '"1"'})
    assert (stale.status_code, stale.json()["code"]) == (412, "precondition")
    assert served.http.delete(path, headers={"if-match": '"1"'}).status_code == 412
    assert served.http.patch(path, json={"importance": 1}, headers={"if-match": "*"}).status_code == 200
    assert served.http.patch(path, json={"importance": 0.1}, headers={"if-match": '"9", W/"3"'}).status_code == 200
    assert served.http.patch(path, json={"importance": 0.1}, headers={"if-match": ","}).status_code == 422
    assert memory.get(id).content == "on pier 9"  # type: ignore[union-attr]


def test_a_change_of_a_version_that_is_gone_is_a_changed_error(memory: Client) -> None:
    id = memory.remember("one").id
    memory.update(id, "two", expected_version=1)
    with pytest.raises(ChangedError) as caught:
        memory.update(id, "three", expected_version=1)
    assert isinstance(caught.value, PreconditionError)
    with pytest.raises(ChangedError):
        memory.forget(id, expected_version=1)
    with pytest.raises(ChangedError):
        memory.invalidate(id, expected_version=1)
    assert memory.forget(id, expected_version=2).status == "erased"


def test_hiding_undoing_and_erasing(memory: Client) -> None:
    old, new = memory.remember("The office is in Bern"), memory.remember("The office is in Basel")
    assert memory.invalidate(old, new, reason="moved").outcome == "invalidated"
    assert memory.get(old).superseded_by == new  # type: ignore[union-attr]
    assert memory.undo(old).outcome == "undone"
    assert [event.verb for event in memory.history(old)] == ["remembered", "invalidated", "undone"]
    assert memory.forget(old).status == "erased"
    with pytest.raises(NotFoundError):
        memory.forget("nothing")


def test_a_batch_is_stored_whole_or_not_at_all(memory: Client) -> None:
    seen: list[int] = []
    done = memory.remember_many(
        ({"content": f"note {n}"} for n in range(5)), 2, on_batch=lambda receipts: seen.append(len(receipts))
    )
    assert ([each.outcome for each in done], seen) == (["created"] * 5, [2, 2, 1])
    with pytest.raises(UsageError):
        memory.remember_many([{"content": "good"}, {"content": ""}])
    assert len(memory.page()) == 5
    with pytest.raises(UsageError):
        memory.remember_many([{"content": "x", "colour": "red"}])


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(limit=st.integers(1, 12), kind=st.sampled_from([None, "note", "turn"]))
def test_pages_put_together_are_all_of_it(memory: Client, limit: int, kind: str | None) -> None:
    if not memory.page(limit=1):
        memory.remember_many({"content": f"turn {n}", **({"session_id": "s"} if n % 3 else {})} for n in range(11))
    filters = {} if kind is None else {"kind": kind}
    whole = memory.page(limit=1000, **filters)
    assert list(memory.pages(limit, **filters)) == whole
    assert len({each.id for each in whole}) == {None: 11, "note": 4, "turn": 7}[kind]
    after, pieces = 0, []
    while page := memory.page(after, limit, **filters):
        pieces += page
        after = page[-1].rowkey
    assert pieces == whole


def test_who_acts_is_told_by_headers(served: Any, bank: str) -> None:
    with served.client(bank=bank, session_id="säge/1", author_id="ana") as one:
        id = one.remember("only here", scope="session").id
        kept = one.get(id)
        assert kept is not None
        assert (kept.session_id, kept.author_id) == ("säge/1", "ana")
    with served.client(bank=bank, session_id="other") as other:
        assert other.get(id) is None
    assert served.http.get("/version", headers={"mnemopi-session": "%ff"}).status_code == 422
    assert served.http.get("/version", headers={"mnemopi-session": "%00"}).status_code == 422
