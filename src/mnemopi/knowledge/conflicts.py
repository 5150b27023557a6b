"""Contradictions that no rule settles: at the very same valid time one predicate has two objects.

A rule settles what time tells apart (`slots`). What is left is listed here until a person prefers a side.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any

from mnemopi.model.fact import Fact
from mnemopi.model.values import dataclass


@dataclass(frozen=True, slots=True)
class Conflict:
    """One contradiction: its sides, the most believed first."""

    sides: Sequence[Fact]

    @property
    def subject(self) -> str:
        """What it is about."""
        return self.sides[0].subject

    @property
    def predicate(self) -> str:
        """What is contradicted."""
        return self.sides[0].predicate

    def as_dict(self) -> dict[str, Any]:
        """Render the contradiction for programs."""
        return {
            "subject": self.subject,
            "predicate": self.predicate,
            "sides": [side.as_dict() for side in self.sides],
        }


def of(facts: Iterable[Fact]) -> list[Conflict]:
    """Put contested facts together by slot and start; `facts` come ordered by both."""
    groups = (list(group) for _, group in groupby(facts, lambda fact: (fact.slot, fact.valid_from)))
    return [Conflict(tuple(sorted(group, key=lambda fact: (-fact.belief, fact.id)))) for group in groups]
