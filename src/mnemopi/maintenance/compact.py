"""Make a bank's file small again: old events, vectors of former models and unused room go, nothing else.

The work is done on a copy that takes the file's place in one step, when it has passed its check and holds the same rows
as before; whatever fails on the way leaves the bank as it was. Nobody else may have the bank open meanwhile.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import Any, Final

from mnemopi.errors import CorruptError, ReadOnlyError, StorageError, UsageError
from mnemopi.ingest import settle
from mnemopi.maintenance import swap
from mnemopi.model.memory import Event
from mnemopi.model.values import dataclass
from mnemopi.storage import copy
from mnemopi.storage.store import PENDING_ERASURE, Store

_DAY_MS: Final = 86_400_000


@dataclass(frozen=True, slots=True)
class Compacted:
    """What compacting did: sizes in bytes, log included; events dropped; versions by model whose vectors were."""

    path: Path
    bytes_before: int
    bytes_after: int
    events: int
    vectors: Mapping[str, int] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """Render the report for programs."""
        return {
            "path": str(self.path),
            "bytes_before": self.bytes_before,
            "bytes_after": self.bytes_after,
            "events": self.events,
            "vectors": dict(self.vectors),
        }


def compact(store: Store, model: str | None, keep_days: float, now: int) -> Compacted:
    """Compact a bank. Closes the store; `now` is UTC ms.

    Vectors of `model` and of the one that serves meanwhile stay; without a model all do. Events older than `keep_days`
    go (0: none), but for those that undo and numbering rest on. Raises InUseError while others have the bank open,
    UsageError for a bank in memory, and StorageError kinds; the bank's file is as it was then.
    """
    if store.in_memory:
        raise UsageError("a bank in memory has no file to compact")
    if not store.writable:
        raise ReadOnlyError(f"{store.path} is open for reading only", hint="check the permissions of file and folder")
    before = _size(store.path)
    with store.alone(), swap.working_file(store.path) as working:
        try:
            copy.online(store.path, working)
            events, vectors = _worked(store.beside(working, now), model, keep_days, now)
            copy.check(working)
            swap.into_place(store.path, working)
        except OSError as error:
            raise StorageError(f"{store.path} cannot be compacted: {error.strerror}", hint="check the disk") from error
    return Compacted(store.path, before, _size(store.path), events, vectors)


def _worked(store: Store, model: str | None, keep_days: float, now: int) -> tuple[int, dict[str, int]]:
    try:
        rows, embedded, told = store.inventory.rows(), store.vectors.models(), store.journal.count()
        with store.transaction():
            events = store.journal.drop_before(now - round(keep_days * _DAY_MS)) if keep_days else 0
            vectors = settle.drop_unused(store, model) if model else {}
            store.vectors.drop_marks()
            store.journal.append([Event(now, "compacted")])
        store.shrink()
        store.meta.set(PENDING_ERASURE, "0")  # a file written anew holds what its rows hold, and no more
        left = {name: count for name, count in embedded.items() if name not in vectors}
        same = store.inventory.rows() == rows and store.vectors.models() == left
        if not same or store.journal.count() != told - events + 1 or store.integrity():
            raise CorruptError(f"{store.path} does not hold what it held before", hint="the bank is as it was")
    finally:
        store.close()
    return events, vectors


def _size(path: Path) -> int:
    return sum(file.stat().st_size for file in (path, Path(f"{path}-wal")) if file.exists())
