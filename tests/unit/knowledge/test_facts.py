"""Facts in the database are a function of the statements: at each moment, and after anything is taken back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mnemopi.knowledge import facts, slots
from mnemopi.model.fact import Fact, Statement
from mnemopi.model.memory import Identity
from mnemopi.settings import StorageConfig
from mnemopi.storage import filters
from mnemopi.storage.facts import ANY
from mnemopi.storage.store import MEMORY, Store

SUBJECTS = ("staging", "production")
PREDICATES = ("port", "uses")
OBJECTS = ("red", "green", "blue")
MEMORIES = ("m1", "m2", "m3")


def fresh() -> Store:
    return Store(MEMORY, "bank", "default", StorageConfig(), now=0)


@pytest.fixture
def store() -> Iterator[Store]:
    with closing(fresh()) as opened:
        yield opened


def known(store: Store, moment: int | None, holds_at: int | None = None) -> list[Fact]:
    """The facts as they were known at a moment, in a comparable shape."""
    asked = ANY | filters.identity(Identity()) | {"known_at": moment, "holds_at": holds_at}
    return sorted((bare(fact) for fact in store.facts.admitted(asked, 1000)), key=lambda fact: fact.id)


def bare(fact: Fact) -> Fact:
    return replace(fact, version=0, recorded_at=0, retired_at=None, rowkey=0)


def expected(statements: Sequence[Statement], moment: int) -> list[Fact]:
    """What follows, by derivation alone, from the statements that count at a moment."""
    by_slot: dict[str, list[Statement]] = {}
    for each in statements:
        if each.at <= moment and (each.withdrawn_at is None or each.withdrawn_at > moment):
            by_slot.setdefault(slots.slot_of(each), []).append(each)
    found = [bare(fact) for here in by_slot.values() for fact in slots.derive(here)]
    return sorted(found, key=lambda fact: fact.id)


def said(object: str, valid_from: int, at: int, **more: Any) -> Statement:
    told: dict[str, Any] = {"verb": "assert", "kind": "fact", "subject": "staging", "predicate": "port"}
    return Statement(object=object, valid_from=valid_from, at=at, **(told | more))


def test_what_was_known_then_can_be_asked_for(store: Store) -> None:
    with store.transaction():
        facts.state(store, [said("red", 1, 10)], 10)
        facts.state(store, [said("green", 5, 20)], 20)
    assert [fact.object for fact in known(store, 15)] == ["red"]
    assert known(store, 15)[0].valid_to is None
    assert {(fact.object, fact.valid_to) for fact in known(store, None)} == {("red", 5), ("green", None)}
    assert known(store, 9) == []


def test_at_each_moment_one_version_is_known_though_the_clock_went_back(store: Store) -> None:
    with store.transaction():
        assert facts.state(store, [said("red", 1, 10, memory="m1")], 10) == 10
        assert facts.state(store, [said("green", 5, 20, memory="m2")], 20) == 20
        facts.withdraw(store, "m2", 15)
        assert facts.state(store, [said("blue", 7, 12, memory="m3")], 12) == 20
    assert [fact.object for fact in known(store, 17)] == ["red"]
    assert {fact.object for fact in known(store, 20)} == {"red", "blue"} == {f.object for f in known(store, None)}
    before = known(store, None)
    with store.transaction():
        facts.rebuild(store, [slots.slot_of(said("red", 1, 10))])
    assert known(store, None) == before


def test_what_says_the_same_changes_nothing_that_is_known_twice(store: Store) -> None:
    with store.transaction():
        facts.state(store, [said("red", 1, 10, memory="m1")], 10)
        before = store.facts.versions([slots.slot_of(said("red", 1, 10))])
        facts.refresh(store, [slots.slot_of(said("red", 1, 10))], 30)
    assert store.facts.versions([slots.slot_of(said("red", 1, 10))]) == before


def test_another_source_keeps_a_fact(store: Store) -> None:
    with store.transaction():
        facts.state(store, [said("red", 1, 10, memory="m1"), said("red", 2, 10, memory="m2")], 10)
        facts.withdraw(store, "m1", 20)
    (fact,) = known(store, None)
    assert [source.memory for source in fact.sources] == ["m2"]
    assert [source.memory for source in known(store, 15)[0].sources] == ["m1", "m2"]


def test_after_an_erasure_history_reads_as_if_it_had_never_been_said(store: Store) -> None:
    with store.transaction():
        facts.state(store, [said("red", 1, 10, memory="m1")], 10)
        facts.state(store, [said("green", 5, 20, memory="m2")], 20)
        facts.erase(store, "m2")
    assert known(store, 25) == known(store, 15)
    assert [fact.valid_to for fact in known(store, None)] == [None]


def test_an_erasure_leaves_the_versions_that_it_does_not_change(store: Store) -> None:
    slot = slots.slot_of(said("red", 1, 10))
    with store.transaction():
        for number in range(20):
            facts.state(store, [said(f"colour {number}", number, number, memory=f"m{number}")], number)
        before = store.facts.versions([slot])
        facts.erase(store, "m10")
    after = store.facts.versions([slot])
    assert [fact for fact in before if fact.object not in ("colour 9", "colour 10")] == [
        fact for fact in after if fact.object != "colour 9"
    ]
    assert len(after) == len(before) - 2


def test_a_fact_that_comes_back_goes_on_counting_its_versions(store: Store) -> None:
    with store.transaction():
        facts.state(store, [said("red", 1, 10, memory="m1")], 10)
        facts.withdraw(store, "m1", 20)
        facts.state(store, [said("red", 1, 30, memory="m1")], 30)
    assert [fact.version for fact in store.facts.versions([slots.slot_of(said("red", 1, 10))])] == [1, 2]


def test_the_index_of_facts_holds_what_the_facts_say(store: Store) -> None:
    asked = ANY | filters.identity(Identity())
    with store.transaction():
        facts.state(store, [said("crimson", 1, 10, memory="m1"), said("scarlet", 5, 10, memory="m2")], 10)
    assert [fact.object for fact in store.facts.search('"crimson"', asked, 5)] == ["crimson"]
    with store.transaction():
        facts.erase(store, "m1")
    assert store.facts.search('"crimson"', asked, 5) == []


moves = st.lists(
    st.one_of(
        st.tuples(
            st.just("say"),
            st.sampled_from(SUBJECTS),
            st.sampled_from(PREDICATES),
            st.sampled_from(OBJECTS),
            st.sampled_from(("assert", "assert", "end", "prefer")),
            st.integers(1, 6),
            st.sampled_from((*MEMORIES, None)),
        ),
        st.tuples(st.just("withdraw"), st.sampled_from(MEMORIES)),
        st.tuples(st.just("erase"), st.sampled_from(MEMORIES)),
    ),
    max_size=12,
)


def play(store: Store, history: list[tuple[Any, ...]]) -> list[Statement]:
    """Play a history, one move a moment; return the statements that are left of it."""
    for now, (move, *rest) in enumerate(history, 1):
        with store.transaction():
            if move == "say":
                subject, predicate, object, verb, valid_from, memory = rest
                told = said(object, valid_from, now, subject=subject, predicate=predicate, verb=verb, memory=memory)
                facts.state(store, [told], now)
            elif move == "withdraw":
                facts.withdraw(store, rest[0], now)
            else:
                facts.erase(store, rest[0])
    everything = store.facts.page(0, 1000)
    return [replace(each, rowkey=0) for each in everything]


@settings(deadline=None, max_examples=60)
@given(moves)
def test_as_of_every_moment_of_a_history_equals_a_replay_of_what_is_left(history: list[tuple[Any, ...]]) -> None:
    with closing(fresh()) as store:
        left = play(store, history)
        for moment in range(len(history) + 2):
            assert known(store, moment) == expected(left, moment)
        assert known(store, None) == expected(left, len(history) + 1)


@settings(deadline=None, max_examples=60)
@given(moves)
def test_supersession_never_crosses_a_slot(history: list[tuple[Any, ...]]) -> None:
    with closing(fresh()) as store:
        left = play(store, history)
        where = {fact.id: fact.slot for slot in {slots.slot_of(each) for each in left} for fact in live(store, slot)}
        for slot in set(where.values()):
            for fact in live(store, slot):
                assert fact.superseded_by is None or where[fact.superseded_by] == fact.slot


def live(store: Store, slot: str) -> list[Fact]:
    return store.facts.live([slot])


@settings(deadline=None, max_examples=60)
@given(moves, st.sampled_from(MEMORIES))
def test_after_an_erasure_nothing_of_the_memory_is_left(history: list[tuple[Any, ...]], memory: str) -> None:
    with closing(fresh()) as store:
        play(store, history)
        with store.transaction():
            facts.erase(store, memory)
        assert store.facts.statements_from(memory) == []
        asked = ANY | filters.identity(Identity())
        everything = [fact for moment in range(20) for fact in store.facts.admitted(asked | {"known_at": moment}, 1000)]
        assert memory not in {source.memory for fact in everything for source in fact.sources}
