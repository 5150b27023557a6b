"""A note of the scratchpad: a session's own working paper, not a memory."""

from __future__ import annotations

from typing import Any

from mnemopi.model.interval import iso
from mnemopi.model.values import dataclass


@dataclass(frozen=True, slots=True)
class Note:
    """One note. Times are UTC milliseconds."""

    id: str
    content: str
    created_at: int
    updated_at: int
    session_id: str = "default"

    def as_dict(self) -> dict[str, Any]:
        """Render the note for programs."""
        return {
            "id": self.id,
            "content": self.content,
            "created_at": iso(self.created_at),
            "updated_at": iso(self.updated_at),
            "session_id": self.session_id,
        }
