"""What speaks against something derived: the sources that it should not rest on."""

from __future__ import annotations

from typing import Any, Final, Literal, TypeAlias

from mnemopi.model.values import dataclass

Derived: TypeAlias = Literal["episode", "fact"]

UNTRUSTED: Final = ("tool", "imported", "inferred", "contested", "false")
"""Labels of veracity that make a source a weak ground."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """One weak ground: the source's id (None: it was stated directly, and nothing stands behind it), and why.

    `why` is a label of veracity, `invalid` (it no longer holds) or `forgotten` (it is no longer there).
    """

    source: str | None
    why: str

    def as_dict(self) -> dict[str, Any]:
        """Render the doubt for programs."""
        return {"source": self.source, "why": self.why}


@dataclass(frozen=True, slots=True)
class Contaminated:
    """An episode or a fact in force, and the weak ones among its sources."""

    id: str
    kind: Derived
    content: str
    importance: float
    doubts: tuple[Doubt, ...]

    def as_dict(self) -> dict[str, Any]:
        """Render it for programs."""
        return {
            "id": self.id,
            "kind": self.kind,
            "content": self.content,
            "importance": self.importance,
            "doubts": [doubt.as_dict() for doubt in self.doubts],
        }
