"""The past of a fact, from the statements of its slot and the journal."""

from __future__ import annotations

from typing import Any

from mnemopi.knowledge import slots, story
from mnemopi.model.fact import Fact, Statement
from mnemopi.model.memory import Event


def said(object: str, valid_from: int, **more: Any) -> Statement:
    told: dict[str, Any] = {"verb": "assert", "kind": "fact", "subject": "staging", "predicate": "port"}
    return Statement(object=object, valid_from=valid_from, at=valid_from, **(told | more))


def past(statements: list[Statement], object: str, *journalled: Event) -> list[tuple[str, str | None]]:
    facts: list[Fact] = slots.derive(each for each in statements if each.withdrawn_at is None)
    fact = next(each for each in facts if each.object == object)
    after = next((each for each in facts if each.id == fact.superseded_by), None)
    return [(event.verb, event.memory) for event in story.of(fact, statements, after, journalled)]


def test_what_says_so_within_its_time_is_its_past_and_what_says_otherwise_later_supersedes() -> None:
    told = [said("1", 10, memory="a"), said("1", 20, memory="b"), said("2", 30, memory="c"), said("1", 40, memory="d")]
    assert past(told[:3], "1") == [("stated", "a"), ("stated", "b"), ("superseded", "c")]
    assert past(told[:3], "2") == [("stated", "c")]
    assert past(told, "1") == [("stated", "a"), ("stated", "b"), ("superseded", "c")]


def test_what_a_person_did_is_told_once_and_with_its_reason() -> None:
    told = [said("1", 10), said("1", 20, verb="end")]
    done = [Event(10, "asserted", "f", 1, "mara", "saw it"), Event(20, "ended", "f", 1, "mara")]
    assert past(told, "1", *done) == [("asserted", "f"), ("ended", "f")]
    assert past(told, "1") == [("stated", None), ("ended", None)]


def test_what_ended_it_is_told_and_an_end_at_another_time_is_not() -> None:
    told = [said("1", 10, memory="a"), said("1", 20, verb="end", memory="b"), said("1", 5, verb="end", memory="c")]
    assert past(told, "1") == [("stated", "a"), ("ended", "b")]


def test_what_was_taken_back_is_told_with_when() -> None:
    told = [said("1", 10, memory="a"), said("1", 12, memory="b", withdrawn_at=15)]
    assert past(told, "1") == [("stated", "a"), ("stated", "b"), ("withdrawn", "b")]


def test_the_other_side_of_a_contradiction_is_told() -> None:
    told = [said("1", 10, memory="a"), said("2", 10, memory="b")]
    assert past(told, "1") == [("stated", "a"), ("contradicted", "b")]
