"""What follows from the statements of one slot, whatever order they came in."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemopi.knowledge import slots
from mnemopi.model.fact import Fact, Statement


def said(object: str, valid_from: int, *, verb: str = "assert", predicate: str = "port", **more: Any) -> Statement:
    told: dict[str, Any] = {"kind": "fact", "subject": "staging", "at": 0, "memory": f"{object}{valid_from}"}
    return Statement(verb=verb, predicate=predicate, object=object, valid_from=valid_from, **(told | more))


def spans(facts: list[Fact]) -> list[tuple[str, int, int | None]]:
    return [(fact.object, fact.valid_from, fact.valid_to) for fact in facts]


def test_the_later_valid_time_supersedes_where_there_is_one_object_at_a_time() -> None:
    old, new = slots.derive([said("5432", 1), said("5433", 5)])
    assert spans([old, new]) == [("5432", 1, 5), ("5433", 5, None)]
    assert old.superseded_by == new.id
    assert new.superseded_by is None


def test_what_was_so_earlier_does_not_supersede_though_it_is_said_later() -> None:
    assert spans(slots.derive([said("5433", 5, at=1), said("5432", 1, at=2)])) == [("5432", 1, 5), ("5433", 5, None)]


def test_objects_of_other_predicates_accumulate() -> None:
    found = slots.derive([said("Postgres", 1, predicate="uses"), said("Redis", 2, predicate="uses")])
    assert spans(found) == [("Postgres", 1, None), ("Redis", 2, None)]


def test_an_end_closes_its_own_object_only() -> None:
    statements = [said("Postgres", 1, predicate="uses"), said("Redis", 2, predicate="uses")]
    found = slots.derive([*statements, said("postgres", 9, predicate="uses", verb="end")])
    assert spans(found) == [("Postgres", 1, 9), ("Redis", 2, None)]


def test_the_same_said_again_is_one_fact_more_believed() -> None:
    (once,) = slots.derive([said("5432", 1)])
    (twice,) = slots.derive([said("5432", 1), said("5432.", 3)])
    assert twice.belief > once.belief
    assert len(twice.sources) == 2


def test_one_memory_that_says_it_twice_counts_once() -> None:
    (once,) = slots.derive([said("5432", 1, memory="m")])
    (twice,) = slots.derive([said("5432", 1, memory="m"), said("5432", 2, memory="m")])
    assert twice.belief == once.belief


def test_what_has_the_very_same_valid_time_is_contested_and_less_believed() -> None:
    (alone,) = slots.derive([said("5432", 1)])
    both = slots.derive([said("5432", 1), said("5433", 1)])
    assert [fact.contested for fact in both] == [True, True]
    assert all(fact.belief < alone.belief for fact in both)


def test_a_preference_settles_it() -> None:
    both = [said("5432", 1), said("5433", 1)]
    lost, won = slots.derive([*both, said("5433", 1, verb="prefer", memory=None)])
    assert (won.object, won.contested, won.valid_to, won.belief) == ("5433", False, None, 0.99)
    assert (lost.contested, lost.valid_to, lost.superseded_by) == (False, 1, won.id)


def test_an_end_that_is_told_later_counts() -> None:
    assert spans(slots.derive([said("5432", 1), said("5432", 3, valid_to=8)])) == [("5432", 1, 8)]


def test_after_an_end_the_same_may_begin_again() -> None:
    found = slots.derive([said("5432", 1), said("5432", 4, verb="end"), said("5432", 9)])
    assert spans(found) == [("5432", 1, 4), ("5432", 9, None)]


def test_a_fact_names_a_bounded_number_of_sources() -> None:
    (fact,) = slots.derive([said("5432", 1, memory=f"m{number:03}") for number in range(100)])
    assert len(fact.sources) == slots.MOST_SOURCES


def test_nothing_follows_from_nothing() -> None:
    assert slots.derive([]) == []


@pytest.mark.parametrize("change", [{"subject": "production"}, {"predicate": "host"}, {"scope": "session"}])
def test_another_scope_subject_or_predicate_is_another_slot(change: dict[str, str]) -> None:
    assert slots.slot_of(said("5432", 1)) != slots.slot_of(replace(said("5432", 1), **change))


def test_two_sessions_have_slots_of_their_own_where_only_they_may_see() -> None:
    one = said("5432", 1, scope="session", session_id="a")
    assert slots.slot_of(one) != slots.slot_of(replace(one, session_id="b"))
    assert slots.slot_of(replace(one, scope="bank")) == slots.slot_of(replace(one, scope="bank", session_id="b"))


statements = st.builds(
    said,
    st.sampled_from(["5432", "5433", "5434"]),
    st.integers(1, 6),
    verb=st.sampled_from(["assert", "assert", "assert", "end", "prefer"]),
    at=st.integers(0, 3),
    memory=st.sampled_from(["m1", "m2", "m3", None]),
    valid_to=st.none() | st.integers(7, 9),
)


@given(st.lists(statements, max_size=8).flatmap(lambda many: st.tuples(st.just(many), st.permutations(many))))
def test_order_of_arrival_does_not_matter(pair: tuple[list[Statement], list[Statement]]) -> None:
    assert slots.derive(pair[0]) == slots.derive(pair[1])


def test_a_side_that_had_ended_before_the_other_was_preferred_never_held() -> None:
    tied = [said("5433", 3), said("5434", 3), said("5434", 4, verb="end")]
    found = slots.derive([said("5432", 1), *tied, said("5433", 5, verb="prefer")])
    assert spans(found) == [("5432", 1, 3), ("5433", 3, None), ("5434", 3, 3)]
    assert not any(fact.contested for fact in found)


@given(st.lists(statements, max_size=8), st.booleans())
def test_what_holds_is_one_object_at_a_time_unless_it_is_contested(many: list[Statement], accumulates: bool) -> None:
    predicate = "uses" if accumulates else "port"
    found = slots.derive([replace(each, predicate=predicate) for each in many])
    for moment in range(10):
        holding = [fact for fact in found if fact.holds(moment)]
        assert len({fact.object for fact in holding}) == len(holding)
        assert accumulates or len(holding) < 2 or all(fact.contested for fact in holding)


@given(st.lists(statements, max_size=8))
def test_a_fact_rests_on_statements_of_its_own_object(many: list[Statement]) -> None:
    for fact in slots.derive(many):
        told = {each.memory for each in many if each.object == fact.object}
        assert {source.memory for source in fact.sources} <= told
        assert 0 <= fact.belief <= 1
        assert fact.valid_to is None or fact.valid_to >= fact.valid_from
