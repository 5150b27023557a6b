"""What comes from another system, in our terms, before anything of it is written, and the report of what became of it.

A reader of a system makes a Cargo of its files; `unload` writes it. Nothing here knows a file or a database.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import field
from typing import Any

from mnemopi.model.fact import Statement
from mnemopi.model.graph import Annotation, Edge
from mnemopi.model.memory import Memory
from mnemopi.model.note import Note
from mnemopi.model.values import dataclass


@dataclass(frozen=True, slots=True)
class Left:
    """So many rows of a table that have no place here, and why."""

    table: str
    count: int
    why: str

    def as_dict(self) -> dict[str, Any]:
        """Render it for programs."""
        return {"table": self.table, "count": self.count, "why": self.why}


@dataclass(slots=True)
class Cargo:
    """All that one source holds. `redacted` and `repaired` count by kind what was done to its texts and fields.

    `recalls` are counts and last moments (UTC ms) by memory; `citations` are (episode, memory) pairs; `prefixes` name
    what was read in parts that can be edited where they stand (see `edited`), by the beginning of their external ids.
    """

    memories: list[Memory] = field(default_factory=list)
    recalls: dict[str, tuple[int, int]] = field(default_factory=dict)
    citations: list[tuple[str, str]] = field(default_factory=list)
    statements: list[Statement] = field(default_factory=list)
    annotations: list[Annotation] = field(default_factory=list)
    edges: list[Edge] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    prefixes: list[str] = field(default_factory=list)
    found: Counter[str] = field(default_factory=Counter)
    left: Counter[tuple[str, str]] = field(default_factory=Counter)
    redacted: Counter[str] = field(default_factory=Counter)
    repaired: Counter[str] = field(default_factory=Counter)

    def leave(self, table: str, why: str, count: int = 1) -> None:
        """Say that rows of a table have no place here."""
        if count:
            self.left[table, why] += count

    def join(self, other: Cargo) -> None:
        """Take over all that another one holds."""
        for name in ("memories", "citations", "statements", "annotations", "edges", "notes", "prefixes"):
            getattr(self, name).extend(getattr(other, name))
        self.recalls |= other.recalls
        self.found.update(other.found)
        self.left.update(other.left)


@dataclass(frozen=True, slots=True)
class Taken:
    """What an import did. `found` counts what the source holds by table; the rest counts what became of it here.

    `known` were here already, `forgotten` were forgotten here and stay so, `redacted` and `repaired` count by kind,
    `left` names what has no place here.
    """

    system: str
    source: str
    found: Mapping[str, int]
    inserted: int = 0
    updated: int = 0
    known: int = 0
    forgotten: int = 0
    facts: int = 0
    annotations: int = 0
    edges: int = 0
    notes: int = 0
    redacted: Mapping[str, int] = field(default_factory=dict)
    repaired: Mapping[str, int] = field(default_factory=dict)
    left: tuple[Left, ...] = ()
    dry_run: bool = False

    def as_dict(self) -> dict[str, Any]:
        """Render the report for programs."""
        return {
            "system": self.system,
            "source": self.source,
            "dry_run": self.dry_run,
            "found": dict(sorted(self.found.items())),
            "inserted": self.inserted,
            "updated": self.updated,
            "known": self.known,
            "forgotten": self.forgotten,
            "facts": self.facts,
            "annotations": self.annotations,
            "edges": self.edges,
            "notes": self.notes,
            "redacted": dict(sorted(self.redacted.items())),
            "repaired": dict(sorted(self.repaired.items())),
            "left": [each.as_dict() for each in self.left],
        }
