"""The last change of a memory is taken back, step by step, and what followed from it follows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mnemopi.engine import Mnemopi
from mnemopi.errors import ConflictError, NotFoundError
from mnemopi.model.memory import Memory
from mnemopi.testing import FixedClock, HashingEmbedder

CONFIG = {"write.timezone": "UTC", "write.settle": "inline"}


class CountingEmbedder(HashingEmbedder):
    """Counts the texts that it was asked to embed."""

    asked = 0

    def embed_documents(self, texts: Sequence[str]) -> Any:
        self.asked += len(texts)
        return super().embed_documents(texts)


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock()


@pytest.fixture
def memory(clock: FixedClock) -> Iterator[Mnemopi]:
    with Mnemopi(":memory:", no_embeddings=True, clock=clock, config=CONFIG) as opened:
        yield opened


def state(memory: Mnemopi, id: str) -> Memory:
    """All that a memory says, but which version says it and since when."""
    found = memory.get(id)
    assert found is not None
    return replace(found, version=0, recorded_at=0, retired_at=None, rowkey=0)


def known(memory: Mnemopi) -> set[tuple[str, str, str]]:
    return {(fact.subject, fact.predicate, fact.object) for fact in memory.facts.list()}


def test_an_update_is_undone_by_a_version_of_its_own(memory: Mnemopi) -> None:
    id = memory.remember("the port is 5432")
    memory.update(id, "the port is 5433", importance=0.9)
    receipt = memory.undo(id, reason="wrong host")
    assert (str(receipt), receipt.outcome, receipt.version) == (id, "undone", 3)
    found = memory.get(id)
    assert found is not None and (found.content, found.importance) == ("the port is 5432", 0.5)
    assert [(event.verb, event.version, event.reason) for event in memory.history(id)] == [
        ("remembered", 1, None),
        ("updated", 2, None),
        ("undone", 3, "wrong host"),
    ]
    undone = memory.get(id, version=2)
    assert undone is not None and undone.content == "the port is 5433"


CHANGES = {
    "update": lambda memory, id: memory.update(id, "the port is 5433"),
    "pin": lambda memory, id: memory.pin(id),
    "invalidate": lambda memory, id: memory.invalidate(id),
    "merge": lambda memory, id: memory.remember("the port is 5432", importance=0.9, metadata={"host": "db1"}),
    "attest": lambda memory, id: memory.validate(id, "attest", validator="mara"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_each_kind_of_change_is_undone(memory: Mnemopi, change: str) -> None:
    id = memory.remember("the port is 5432")
    before = state(memory, id)
    CHANGES[change](memory, id)
    assert state(memory, id) != before
    memory.undo(id)
    assert state(memory, id) == before


def test_a_revival_is_undone_too(memory: Mnemopi, clock: FixedClock) -> None:
    id = memory.remember("the port is 5432")
    memory.invalidate(id)
    clock.advance(hours=1)
    assert memory.remember("the port is 5432").outcome == "revived"
    memory.undo(id)
    assert list(memory.recall("port")) == []


def test_an_undone_invalidation_is_found_again(memory: Mnemopi, clock: FixedClock) -> None:
    id = memory.remember("the port is 5432")
    memory.invalidate(id, memory.remember("the port is 5433"))
    clock.advance(hours=1)
    assert id not in [hit.id for hit in memory.recall("port")]
    memory.undo(id)
    assert id in [hit.id for hit in memory.recall("port")]
    assert state(memory, id).superseded_by is None


def test_two_memories_do_not_come_to_supersede_each_other(memory: Mnemopi) -> None:
    one, other = memory.remember("the port is 5432"), memory.remember("the port is 5433")
    memory.invalidate(one, other)
    memory.remember("the port is 5432")
    memory.invalidate(other, one)
    with pytest.raises(ConflictError, match="superseded by") as caught:
        memory.undo(one)
    assert caught.value.hint == f"undo the last change of {other} first"
    memory.undo(other)
    memory.undo(one)
    assert (state(memory, one).superseded_by, state(memory, other).superseded_by) == (other, None)


def test_what_search_sees_follows(memory: Mnemopi) -> None:
    id = memory.remember("the anchor is rusty")
    memory.update(id, "the mast is tall")
    memory.undo(id)
    assert [hit.id for hit in memory.recall("anchor")] == [id]
    assert list(memory.recall("mast")) == []


def test_vectors_follow_and_are_not_made_again(clock: FixedClock) -> None:
    embedder = CountingEmbedder()
    with Mnemopi(":memory:", embeddings=embedder, clock=clock, config=CONFIG) as memory:
        id = memory.remember("the anchor is rusty. " * 100)
        memory.update(id, "the mast is tall")
        asked = embedder.asked
        memory.undo(id)
        assert (memory.bank.pending(), embedder.asked) == (0, asked)
        (hit,) = memory.recall("rusty anchor", retrievers=["dense"])
        assert hit.id == id and hit.vec_score > 0.3


def test_facts_follow(memory: Mnemopi, clock: FixedClock) -> None:
    id = memory.remember("My name is Mara.", author_id="mara", author_type="user")
    before = known(memory)
    assert before
    clock.advance(hours=1)
    memory.update(id, "My name is Lena.")
    changed = known(memory)
    assert changed != before
    clock.advance(hours=1)
    memory.undo(id)
    assert known(memory) == before
    clock.advance(hours=1)
    memory.invalidate(id)
    assert known(memory) == set()
    memory.undo(id)
    assert known(memory) == before


def test_facts_that_nothing_changed_stay_as_they_are(memory: Mnemopi) -> None:
    id = memory.remember("My name is Mara.", author_id="mara", author_type="user")
    (before,) = memory.facts.list()
    memory.pin(id)
    memory.undo(id)
    assert memory.facts.list() == [before]


def test_what_was_only_stored_cannot_be_undone_and_nobody_is_led_to_erase_it(memory: Mnemopi) -> None:
    id = memory.remember("the port is 5432")
    with pytest.raises(ConflictError, match="first stored") as caught:
        memory.undo(id)
    assert "invalidate" in caught.value.hint and "forget" not in caught.value.hint, "nothing that erases is proposed"
    memory.pin(id)
    memory.undo(id)
    with pytest.raises(ConflictError, match="first stored"):
        memory.undo(id)


def test_a_change_that_a_load_brings_back_can_be_undone_though_its_number_was_that_of_an_undoing(
    tmp_path: Path, clock: FixedClock
) -> None:
    with Mnemopi(tmp_path / "m.db", no_embeddings=True, data_dir=tmp_path, clock=clock, config=CONFIG) as memory:
        id = memory.remember("one")
        clock.advance(hours=1)
        memory.update(id, "two")
        backup = memory.backup()
        clock.advance(hours=1)
        memory.update(id, "three")
        memory.export(tmp_path / "bank.jsonl")
        clock.advance(hours=1)
        memory.restore(backup.path)
        memory.undo(id)
        clock.advance(hours=1)
        memory.load(tmp_path / "bank.jsonl", force=True)
        texts = [state(memory, id).content]
        for _ in range(2):
            clock.advance(hours=1)
            memory.undo(id)
            texts.append(state(memory, id).content)
        assert texts == ["three", "two", "one"]


def test_what_is_forgotten_cannot_come_back_and_the_error_says_so(memory: Mnemopi) -> None:
    id = memory.remember("the port is 5432")
    memory.update(id, "the port is 5433")
    memory.forget(id)
    with pytest.raises(ConflictError, match="erased cannot come back"):
        memory.undo(id)


def test_what_the_caller_may_not_see_is_not_there_to_be_undone(memory: Mnemopi) -> None:
    id = memory.acting_as(session_id="a").remember("mine", scope="session")
    memory.acting_as(session_id="a").pin(id)
    for missing in (id, "0" * 16, ""):
        with pytest.raises(NotFoundError):
            memory.acting_as(session_id="b").undo(missing)


def test_a_fact_is_not_undone_but_ended(memory: Mnemopi) -> None:
    fact = memory.facts.assert_("staging", "port", "5433")
    with pytest.raises(ConflictError, match="is a fact"):
        memory.undo(fact.id)


STEPS = st.lists(
    st.one_of(
        st.tuples(
            st.just("update"), st.sampled_from(["I live in Paris.", "I live in Rome.", "the mast is tall", "漁港"])
        ),
        st.tuples(st.just("importance"), st.sampled_from([0.1, 0.5, 0.9])),
        st.tuples(st.just("pinned"), st.booleans()),
        st.tuples(st.just("invalidate"), st.none()),
        st.tuples(st.just("undo"), st.none()),
    ),
    max_size=12,
)


@settings(max_examples=60, deadline=None)
@given(steps=STEPS, tick=st.sampled_from([0, 1]))
def test_undoing_walks_back_through_every_state_that_a_memory_was_in(steps: list[tuple[str, Any]], tick: int) -> None:
    clock = FixedClock()
    with Mnemopi(":memory:", no_embeddings=True, clock=clock, config=CONFIG) as memory:
        id = memory.remember("I live in Oslo.", author_id="mara", author_type="user")
        been: list[tuple[Any, ...]] = [(state(memory, id), known(memory))]
        for verb, value in steps:
            clock.advance(ms=tick)
            if verb == "undo":
                if len(been) > 1:
                    memory.undo(id)
                    been.pop()
            else:
                done = (
                    memory.invalidate(id)
                    if verb == "invalidate"
                    else memory.update(id, **{"content" if verb == "update" else verb: value})
                )
                if done.outcome != "unchanged":
                    been.append((state(memory, id), known(memory)))
            assert (state(memory, id), known(memory)) == been[-1]
        while len(been) > 1:
            clock.advance(ms=tick)
            memory.undo(id)
            been.pop()
            assert (state(memory, id), known(memory)) == been[-1]
        with pytest.raises(ConflictError):
            memory.undo(id)


def test_what_followed_follows_again_though_the_clock_went_back(memory: Mnemopi, clock: FixedClock) -> None:
    id = memory.remember("My name is Ines.")
    said = known(memory)
    clock.advance(hours=2)
    memory.update(id, "My name is Bo.")
    clock.advance(hours=-1)
    memory.update(id, "My name is Ann.")
    memory.undo(id)
    memory.undo(id)
    assert known(memory) == said
