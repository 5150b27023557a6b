"""What ties memories together: annotations, edges, and what a walk along edges finds.

An *annotation* says something of one memory in a word or two (whom it mentions, when it happened). An *edge* is typed
and weighted, and carries in words what speaks for it. Times are UTC milliseconds.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from mnemopi.model.interval import Interval, iso
from mnemopi.model.memory import Memory
from mnemopi.model.values import dataclass

RULE: Final = "rule"
"""The origin of what was derived from a text; it is made again when the text changes. All else was given."""
GIVEN: Final = "given"
KINDS: Final = ("mentions", "alias", "occurred_on", "has_source")
"""Kinds of annotation that rules make; others are any word."""
TYPES: Final = ("related_to", "references", "contradicts", "supersedes", "caused_by", "follows")
"""Types of edge that are always known; others are known once there is one."""
SAME: Final = " = "
"""What stands between the two names of an alias."""


@dataclass(frozen=True, slots=True)
class Annotation:
    """One thing said of a memory. `value` is shown, `key` is what it is found by; `source` is `rule` or who said it.

    An alias is found by either name, so that there are two of it that differ in `key` alone.
    """

    memory: str
    kind: str
    value: str
    key: str
    source: str = RULE
    confidence: float = 1.0
    at: int = 0

    def as_dict(self) -> dict[str, Any]:
        """Render the annotation for programs."""
        return {
            "memory": self.memory,
            "kind": self.kind,
            "value": self.value,
            "source": self.source,
            "confidence": self.confidence,
            "at": iso(self.at),
        }


@dataclass(frozen=True, slots=True)
class Edge:
    """A link from one memory to another: `weight` 0 to 1, `evidence` in words, `origin` is `rule` or `given`."""

    source: str
    target: str
    type: str
    weight: float
    evidence: str = ""
    origin: str = GIVEN
    at: int = 0

    def other(self, id: str) -> str:
        """The end that is not this one."""
        return self.target if self.source == id else self.source

    def as_dict(self) -> dict[str, Any]:
        """Render the edge for programs."""
        return {
            "source": self.source,
            "target": self.target,
            "type": self.type,
            "weight": round(self.weight, 4),
            "evidence": self.evidence,
            "origin": self.origin,
            "at": iso(self.at),
        }


@dataclass(frozen=True, slots=True)
class Step:
    """Where a walk came to: how many `hops` from its start, the product of the weights on the way, and the way."""

    id: str
    hops: int
    weight: float
    path: tuple[Edge, ...]


@dataclass(frozen=True, slots=True)
class Related:
    """A memory that a walk found."""

    memory: Memory
    step: Step

    @property
    def id(self) -> str:
        """The id of the memory."""
        return self.memory.id

    @property
    def hops(self) -> int:
        """How many edges lie between."""
        return self.step.hops

    @property
    def weight(self) -> float:
        """The product of the weights on the way."""
        return self.step.weight

    @property
    def path(self) -> tuple[Edge, ...]:
        """The edges on the way, from the start."""
        return self.step.path

    def as_dict(self) -> dict[str, Any]:
        """Render what was found for programs."""
        return {
            "id": self.id,
            "content": self.memory.content,
            "hops": self.hops,
            "weight": round(self.weight, 4),
            "path": [edge.as_dict() for edge in self.path],
        }


@dataclass(frozen=True, slots=True)
class Named:
    """Something that memories name: how it is written, how many mention it, and its other names."""

    name: str
    key: str
    count: int
    aliases: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Render it for programs."""
        return {"name": self.name, "count": self.count, "aliases": list(self.aliases)}


def told(event: Interval) -> str:
    """Write an event time: a date, two dates where it is longer, or two moments where it does not fill days (UTC)."""
    first, last = iso(event.start), iso(event.end)
    if not (first.endswith("T00:00:00.000Z") and last.endswith("T00:00:00.000Z") and event.end > event.start):
        return first if event.end - event.start <= 1 else f"{first}/{last}"
    final = iso(event.end - 1)[:10]
    return first[:10] if final == first[:10] else f"{first[:10]}/{final}"


def counted(weights: Mapping[str, float]) -> list[str]:
    """Return keys by falling weight, equal ones by name."""
    return sorted(weights, key=lambda key: (-weights[key], key))
