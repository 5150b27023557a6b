"""Working off what is pending, on a store alone: batches, leases, failures, models and analyzers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from mnemopi.errors import BudgetError, RefusedError, UsageError
from mnemopi.ingest import edits, settle
from mnemopi.ingest.prepare import Gate
from mnemopi.model.memory import Identity, Receipt
from mnemopi.storage.store import Store
from mnemopi.testing import BrokenEmbedder, FixedClock, HashingEmbedder

Add = Callable[..., list[Receipt]]
DAY = 86_400_000


class Counting(HashingEmbedder):
    """Counts how many texts were asked for at a time."""

    def __init__(self) -> None:
        super().__init__(32)
        self.asked: list[int] = []

    def embed_documents(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        self.asked.append(len(texts))
        return super().embed_documents(texts)


def test_work_goes_in_bounded_batches_and_up_to_a_limit(store: Store, add: Add) -> None:
    add(*(f"note {number}" for number in range(300)))
    embedder = Counting()
    first = settle.settle(store, embedder, "me", FixedClock(), limit=10)
    assert (first.embedded, first.pending, embedder.asked) == (10, 290, [10])
    rest = settle.settle(store, embedder, "me", FixedClock())
    assert (rest.embedded, rest.pending) == (290, 0)
    assert max(embedder.asked) <= 128 and sum(embedder.asked) == 300
    assert settle.settle(store, embedder, "me", FixedClock()).embedded == 0


def test_each_passage_of_a_long_memory_has_its_vector(store: Store, add: Add) -> None:
    (id,) = add("The harbour keeps a ledger. " * 200)
    (memory,) = store.memories.versions(id)
    settle.settle(store, HashingEmbedder(), "me", FixedClock())
    numbers = [passage for _, passage, _ in store.vectors.of(HashingEmbedder().name, [memory.rowkey])]
    assert numbers == [number for number, _, _ in store.vectors.passages(memory.rowkey)] and len(numbers) > 2


def test_while_another_holds_the_lease_nothing_is_done_until_it_ends(store: Store, add: Add) -> None:
    add("a note")
    clock = FixedClock()
    assert store.meta.claim("settle", "other", clock(), clock() + settle.LEASE_MS)
    report = settle.settle(store, HashingEmbedder(), "me", clock)
    assert (report.embedded, report.pending, report.failed) == (0, 1, False) and "another" in report.error
    clock.advance(ms=settle.LEASE_MS)
    assert settle.settle(store, HashingEmbedder(), "me", clock).embedded == 1
    assert store.meta.claim("settle", "other", clock(), clock() + 1), "it was given back"


def test_a_holder_gives_back_only_what_is_its_own(store: Store) -> None:
    assert store.meta.claim("settle", "one", 0, 100) and store.meta.claim("sleep", "two", 0, 100)
    store.meta.release_all("one")
    assert store.meta.claim("settle", "three", 1, 100)
    assert not store.meta.claim("sleep", "three", 1, 100)


@pytest.mark.parametrize("limit", [-1, 1.5, True, "all"])
def test_a_limit_is_a_number_from_none(store: Store, add: Add, limit: Any) -> None:
    add("note")
    with pytest.raises(UsageError, match="limit"):
        settle.settle(store, HashingEmbedder(), "me", FixedClock(), limit=limit)
    assert settle.settle(store, HashingEmbedder(), "me", FixedClock(), limit=0).pending == 1


def test_a_failing_provider_keeps_what_was_done(store: Store, add: Add) -> None:
    add(*(f"note {number}" for number in range(5)))
    embedder = BrokenEmbedder()
    report = settle.settle(store, embedder, "me", FixedClock())
    assert (report.embedded, report.pending, report.failed) == (0, 5, True)
    embedder.mend()
    assert settle.settle(store, embedder, "me", FixedClock(), limit=2).pending == 3
    embedder.broken = True
    assert settle.settle(store, embedder, "me", FixedClock()).pending == 3


def test_stopping_stops_between_batches(store: Store, add: Add) -> None:
    add(*(f"note {number}" for number in range(300)))
    embedder = Counting()
    report = settle.settle(store, embedder, "me", FixedClock(), stop=lambda: len(embedder.asked) >= 1)
    assert len(embedder.asked) == 1 and report.pending == 300 - embedder.asked[0]


def test_the_former_model_serves_until_the_new_one_is_complete_and_goes_when_unused(store: Store, add: Add) -> None:
    old, new, clock = HashingEmbedder(32), HashingEmbedder(64), FixedClock()
    add(*(f"note {number}" for number in range(20)))
    assert settle.serving(store) is None
    settle.settle(store, old, "me", clock)
    assert settle.serving(store, old.name) == old.name
    settle.settle(store, new, "me", clock, limit=5)
    assert settle.serving(store, new.name) == old.name
    settle.settle(store, new, "me", clock)
    assert settle.serving(store, new.name) == new.name
    assert set(store.vectors.models()) == {old.name, new.name}
    for _ in range(9):
        clock.advance(days=1)
        settle.settle(store, new, "me", clock)
    assert set(store.vectors.models()) == {new.name}
    assert settle.pending(store, old)[0] == 20, "gone back to, it begins anew"


def test_search_rows_of_another_analyzer_are_made_anew(store: Store, add: Add) -> None:
    add("the harbours are opening", "ports")
    store.connection.execute("UPDATE search SET body = 'stale'")
    store.meta.set("analyzer", "an older one")
    report = settle.settle(store, None, "me", FixedClock())
    assert report.reindexed == 2
    bodies = [row[0] for row in store.connection.all("SELECT body FROM search ORDER BY rowid")]
    assert all("stale" not in body for body in bodies) and "harbour" in bodies[0]
    assert settle.settle(store, None, "me", FixedClock()).reindexed == 0
    assert store.integrity() == []


def test_a_retired_version_is_not_embedded(store: Store, add: Add) -> None:
    (id,) = add("a note")
    add("a note", importance=0.9)
    settle.settle(store, HashingEmbedder(), "me", FixedClock())
    first, second = store.memories.versions(id)
    assert [row[0] for row in store.vectors.of(HashingEmbedder().name, [first.rowkey, second.rowkey])] == [
        second.rowkey
    ]


class Picky(Counting):
    """Refuses each batch that holds a text with a bad word in it."""

    def __init__(self, *bad: str) -> None:
        super().__init__()
        self.bad = bad

    def embed_documents(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        if any(word in text for text in texts for word in self.bad):
            raise RefusedError("no", status=400)
        return super().embed_documents(texts)


def test_a_refused_text_is_passed_over_and_all_others_are_embedded(store: Store, add: Add) -> None:
    ids = add(*(f"note {number}{' poison' * (number in (3, 200))}" for number in range(300)))
    embedder = Picky("poison")
    report = settle.settle(store, embedder, "me", FixedClock())
    assert (report.embedded, report.refused, report.pending, report.failed) == (298, 2, 0, False)
    (bad,) = store.memories.versions(ids[200])
    assert bad.rowkey in settle.refused(store, embedder.name) and not store.vectors.of(embedder.name, [bad.rowkey])
    assert store.vectors.models() == {embedder.name: 298}


def test_a_refused_text_is_tried_again_only_when_it_or_the_model_changes(store: Store, add: Add, gate: Gate) -> None:
    (id,) = add("a poison note")
    embedder, clock = Picky("poison"), FixedClock()
    assert settle.settle(store, embedder, "me", clock).refused == 1
    embedder.bad = ()
    asked = len(embedder.asked)
    assert settle.settle(store, embedder, "me", clock).embedded == 0 and len(embedder.asked) == asked
    assert settle.settle(store, HashingEmbedder(64), "me", clock).embedded == 1
    edits.update(
        store, id, Identity(), gate, clock(), content="a note", importance=None, pinned=None, expected_version=None
    )
    assert settle.settle(store, embedder, "me", clock).embedded == 1
    assert settle.refused(store, embedder.name) == []


def test_a_provider_that_refuses_everything_has_failed_and_nothing_is_passed_over(store: Store, add: Add) -> None:
    add("one note", "another")
    embedder = Picky("")
    report = settle.settle(store, embedder, "me", FixedClock())
    assert (report.refused, report.pending, report.failed) == (0, 2, True)
    embedder.bad = ()
    assert settle.settle(store, embedder, "me", FixedClock()).embedded == 2


def test_where_the_budget_is_spent_no_text_is_to_blame(store: Store, add: Add) -> None:
    class Poor(HashingEmbedder):
        def embed_documents(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
            if len(texts) > 1 or "note" in texts[0]:
                raise BudgetError("spent")
            return super().embed_documents(texts)

    add("one note", "another note")
    report = settle.settle(store, Poor(), "me", FixedClock())
    assert (report.refused, report.pending, report.failed) == (0, 2, True)
