"""A replay gives what derivation says at each moment, and does no more than what changed asks for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mnemopi.knowledge import replay, slots
from mnemopi.model.fact import Fact, Statement


def said(object: str, valid_from: int, at: int, **more: Any) -> Statement:
    told: dict[str, Any] = {"verb": "assert", "kind": "fact", "subject": "staging", "predicate": "port"}
    return Statement(object=object, valid_from=valid_from, at=at, **(told | more))


def derived(statements: Sequence[Statement], moment: int) -> list[Fact]:
    """What follows from the statements that count at a moment, derived from all of them."""
    counting = [each for each in statements if each.at <= moment and (each.withdrawn_at or 99) > moment]
    return sorted(slots.derive(counting), key=lambda fact: fact.id)


def known(versions: Sequence[Fact], moment: int) -> list[Fact]:
    """What is known at a moment according to versions."""
    found = (each for each in versions if each.recorded_at <= moment < (each.retired_at or 99))
    return sorted(map(bare, found), key=lambda fact: fact.id)


def bare(fact: Fact) -> Fact:
    return replace(fact, version=1, recorded_at=0, retired_at=None)


statements = st.builds(
    said,
    st.sampled_from(["red", "green", "blue"]),
    st.integers(1, 9),
    st.integers(1, 12),
    verb=st.sampled_from(["assert", "assert", "assert", "end", "prefer"]),
    memory=st.sampled_from(["m1", "m2", "m3", None]),
    valid_to=st.none() | st.integers(1, 12),
    withdrawn_at=st.none() | st.none() | st.integers(1, 14),
)


@settings(deadline=None, max_examples=300)
@given(st.lists(statements, max_size=16), st.booleans())
def test_at_each_moment_it_knows_what_follows_from_what_counts_then(many: list[Statement], accumulates: bool) -> None:
    if accumulates:
        many = [replace(each, predicate="uses", object="red") for each in many]
    versions = replay.versions(many)
    for moment in range(16):
        assert known(versions, moment) == derived(many, moment)


@given(st.lists(statements, max_size=16))
def test_the_versions_of_a_fact_are_numbered_and_follow_one_another(many: list[Statement]) -> None:
    versions = replay.versions(many)
    for id in {fact.id for fact in versions}:
        own = [fact for fact in versions if fact.id == id]
        assert [fact.version for fact in own] == list(range(1, len(own) + 1))
        for earlier, later in pairwise(own):
            assert earlier.retired_at is not None and earlier.retired_at <= later.recorded_at
            assert earlier.retired_at < later.recorded_at or bare(earlier) != bare(later)


def test_of_a_long_history_each_moment_derives_only_what_it_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    derived: list[int] = []
    derive = slots.stretches

    def counted(ordered: Sequence[Statement]) -> list[tuple[int, list[Fact]]]:
        derived.append(len(ordered))
        return derive(ordered)

    monkeypatch.setattr(slots, "stretches", counted)
    versions = replay.versions(said(f"1.{number}", number, number) for number in range(500))
    assert len(versions) == 999
    assert len(derived) == 500 and sum(derived) <= 1000
