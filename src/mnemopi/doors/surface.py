"""The shared surface: a bank of its own for what every agent of a person should know.

How it is to be worked with (`meta`), what is liked (`preference`), what was corrected (`correction`) and who is who
(`identity`). It is a bank like any other, and seen whole by all who open it; there is no other bridge between banks.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final, Protocol

from mnemopi.errors import UsageError
from mnemopi.model import numbers
from mnemopi.model.hit import Hits
from mnemopi.model.memory import Erasure, Identity, Memory, Receipt
from mnemopi.model.query import Filter
from mnemopi.model.values import dataclass
from mnemopi.ports import Clock
from mnemopi.storage import filters
from mnemopi.storage.store import Store

KINDS: Final = ("meta", "preference", "correction", "identity")
"""What belongs on the surface."""
_OURS: Final = ("kind", "memory_type", "scope", "session_id", "position", "external_id")
"""Options of `remember` that are not the caller's here: all of the surface are notes that everybody sees."""


class _Bank(Protocol):
    """What the surface asks of its bank."""

    def remember(self, content: str, **options: Any) -> Receipt: ...

    def recall(self, query: str, top_k: int = 5, **options: Any) -> Hits: ...

    def forget(self, id: str) -> Erasure: ...


@dataclass(frozen=True, slots=True)
class Surface:
    """The shared surface, seen by one identity."""

    bank: _Bank
    store: Store
    who: Identity
    clock: Clock

    def remember(self, content: str, kind: str = "meta", **options: Any) -> Receipt:
        """Put something on the surface; an equal text that is there already is the same note.

        `kind` is meta, preference, correction or identity. Options as for `Mnemopi.remember`, but for those that would
        make it less than shared. Raises UsageError.
        """
        if not_here := sorted(set(options).intersection(_OURS)):
            raise UsageError(
                f"nothing on the surface has {', '.join(not_here)}",
                hint="all of it is shared; `kind` says what it is",
            )
        return self.bank.remember(content, memory_type=_kind(kind), **options)

    def recall(self, query: str, top_k: int = 5, *, kind: str | None = None, **options: Any) -> Hits:
        """Find what is on the surface, the best first. Options as for `Mnemopi.recall`."""
        asked = options if kind is None else options | {"memory_type": _kind(kind)}
        return self.bank.recall(query, top_k, **asked)

    def list(self, kind: str | None = None, limit: int = 50) -> list[Memory]:
        """Return what is on the surface, the latest first."""
        limit = numbers.whole(limit, "limit")
        asked = Filter(identity=self.who)
        if kind is not None:
            asked = replace(asked, memory_type=_kind(kind))
        keys = self.store.memories.latest(filters.parameters(self.store.bank, asked, self.clock()), limit)
        found = self.store.memories.get(keys)
        return [found[key] for key in keys]

    def forget(self, id: str) -> Erasure:
        """Erase something from the surface for good."""
        return self.bank.forget(id)


def _kind(kind: object) -> str:
    if kind not in KINDS:
        raise UsageError(f"unknown kind {kind!r:.60}", hint=f"one of {', '.join(KINDS)}")
    return str(kind)
