"""Contradictions are shown together, the more believed side first."""

from __future__ import annotations

from mnemopi.knowledge import conflicts, slots
from mnemopi.model.fact import Statement


def said(object: str, memory: str, subject: str = "staging") -> Statement:
    return Statement("assert", "fact", subject, "port", object, 0, 1, memory=memory)


def test_the_sides_of_a_contradiction_stand_together() -> None:
    first = slots.derive([said("1", "a"), said("2", "b"), said("2", "c")])
    second = slots.derive([said("1", "a", "production"), said("2", "b", "production")])
    found = conflicts.of([*first, *second])
    assert [conflict.subject for conflict in found] == ["staging", "production"]
    assert [side.object for side in found[0].sides] == ["2", "1"]
    assert found[0].as_dict()["predicate"] == "port"


def test_no_contested_facts_are_no_contradictions() -> None:
    assert conflicts.of([]) == []
