"""Writing many: while one batch is committed, the next is prepared, and no batch is further ahead than that."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, tzinfo
from typing import Any

from mnemopi.errors import UsageError
from mnemopi.ingest import remember
from mnemopi.ingest.prepare import Ready
from mnemopi.model.memory import Receipt
from mnemopi.ports import Clock
from mnemopi.storage.commits import Commit
from mnemopi.storage.store import Store

Acknowledge = Callable[[Sequence[Receipt]], None]


def remember_many(
    line: Line, items: Iterable[Mapping[str, Any]], ready: Callable[[Mapping[str, Any]], Ready], size: int
) -> list[Receipt]:
    """Write items in batches of `size`; return the receipts in order.

    Raises UsageError for the first bad item, which says how many are committed then; no batch after them is written.
    """
    if isinstance(items, Mapping | str | bytes) or not isinstance(items, Iterable):
        raise UsageError(f"items are an iterable of mappings, not {type(items).__name__}")
    batch: list[Ready] = []
    try:
        for number, item in enumerate(items):
            try:
                batch.append(ready(item))
            except UsageError as error:
                line.finish()
                message = f"item {number}: {error.message}; {len(line.receipts)} are committed, none after them"
                raise UsageError(message, hint=error.hint) from error
            if len(batch) == size:
                line.write(batch)
                batch = []
            elif line.may_finish:
                line.finish()
        if batch:
            line.write(batch)
    finally:
        line.finish()
    return line.receipts


class Line:
    """What is committed, and the batch that is being committed. `acknowledge` hears of each batch when it is stored.

    `zone` is that in which claims are read.
    """

    def __init__(self, store: Store, clock: Clock, acknowledge: Acknowledge, zone: tzinfo = UTC) -> None:
        self.receipts: list[Receipt] = []
        self._store, self._clock, self._acknowledge, self._zone = store, clock, acknowledge, zone
        self._under_way: tuple[Commit, list[Receipt]] | None = None

    @property
    def may_finish(self) -> bool:
        """Whether the batch under way is committed and waits to be acknowledged."""
        return self._under_way is not None and self._under_way[0].is_over

    def write(self, batch: Sequence[Ready]) -> None:
        """Write a batch and let its commit begin, once the one before is acknowledged."""
        self.finish()
        commit = Commit()
        self._under_way = commit, remember.remember(self._store, batch, self._clock(), commit, self._zone)

    def finish(self) -> None:
        """Wait for the batch under way, if any, and acknowledge it. Raises what went wrong with it."""
        if self._under_way is None:
            return
        (commit, receipts), self._under_way = self._under_way, None
        commit.wait()
        self.receipts += receipts
        self._acknowledge(receipts)
