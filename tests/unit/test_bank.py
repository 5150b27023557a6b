"""The door to one bank: views for other identities, batches and their acknowledgement, and checks at the door."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from mnemopi.engine import Mnemopi
from mnemopi.errors import NotFoundError, UsageError
from mnemopi.model.memory import Identity, Receipt
from mnemopi.testing import FixedClock


@pytest.fixture
def engine() -> Iterator[Mnemopi]:
    with Mnemopi(":memory:", no_embeddings=True, session_id="one", author_id="ines", clock=FixedClock()) as engine:
        yield engine


def test_a_view_acts_as_somebody_else_on_the_same_bank(engine: Mnemopi) -> None:
    view = engine.acting_as(session_id="two", author_id="omar")
    id = view.remember("the harbour opens at six")
    found = engine.get(id)
    assert found is not None and (found.session_id, found.author_id) == ("two", "omar")
    assert view.name == engine.bank.name and view.path == engine.bank.path
    assert engine.bank.identity == Identity("one", "ines")
    assert view.acting_as(Identity("three")).identity == Identity("three")


def test_batches_are_acknowledged_one_by_one_in_order(engine: Mnemopi) -> None:
    batches: list[Sequence[Receipt]] = []
    known: list[int] = []

    def acknowledge(receipts: Sequence[Receipt]) -> None:
        batches.append(receipts)
        known.append(engine.stats()["total_memories"])

    receipts = engine.remember_many(({"content": f"note {number}"} for number in range(7)), 3, acknowledge)
    assert [len(batch) for batch in batches] == [3, 3, 1]
    assert [id for batch in batches for id in batch] == receipts
    assert known == [3, 6, 7], "what is acknowledged is committed"


def test_an_acknowledgement_that_raises_stops_after_its_batch(engine: Mnemopi) -> None:
    def refuse(receipts: Sequence[Receipt]) -> None:
        raise KeyError("the caller's own trouble")

    with pytest.raises(KeyError):
        engine.remember_many(({"content": f"note {number}"} for number in range(7)), 3, refuse)
    assert engine.stats()["total_memories"] == 3


def test_items_are_taken_one_by_one_and_at_most_a_batch_ahead_of_what_is_stored(engine: Mnemopi) -> None:
    taken: list[int] = []

    def items() -> Iterator[dict[str, str]]:
        for number in range(6):
            taken.append(number)
            yield {"content": f"note {number}"}

    sizes: list[int] = []
    engine.remember_many(items(), 2, lambda receipts: sizes.append(len(taken)))
    assert all(stored <= size <= stored + 2 for stored, size in zip([2, 4, 6], sizes, strict=True))
    assert engine.remember_many([]) == []


@pytest.mark.parametrize("size", [0, -1, True, 2.0, "2", None])
def test_a_batch_size_is_a_whole_number_from_one(engine: Mnemopi, size: object) -> None:
    with pytest.raises(UsageError, match="batch_size"):
        engine.remember_many([{"content": "x"}], size)  # type: ignore[arg-type]
    assert engine.stats()["total_memories"] == 0


def test_a_receipt_says_which_bank_and_what_was_taken_out(engine: Mnemopi) -> None:
    receipt = engine.remember("password = hunter2hunter2hunter2")
    assert receipt.bank == "default" and receipt.outcome == "created" and sum(receipt.redacted.values()) == 1


def test_history_is_for_who_may_see_the_memory_and_stays_after_it_was_forgotten(engine: Mnemopi) -> None:
    id = engine.remember("private", scope="session")
    with pytest.raises(NotFoundError):
        engine.acting_as(session_id="two").history(id)
    engine.forget(id)
    assert [event.verb for event in engine.history(id)] == ["remembered", "forgot"]


def test_a_moment_and_a_bare_date_are_read_alike_by_get(engine: Mnemopi) -> None:
    id = engine.remember("the harbour opens at six")
    assert engine.get(id, as_of="2025-06-15") is not None
    assert engine.get(id, as_of="2025-06-14") is None
    assert engine.get(id, as_of=1_750_000_000_000) is not None
    assert engine.get(id, as_of=1_749_999_999_999) is None
