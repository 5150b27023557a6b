"""Read the claims of what many wrote at once: after the write, by rules, as they would have been read with it.

The database is the queue, as it is for vectors. A small write has its claims read in its own transaction; what a large
one leaves waits for `settle`, for who asks what is known, or for a change of the memory itself. Slots are pure, so that
it does not matter which claims come first.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from datetime import tzinfo
from typing import Final

from mnemopi.errors import StorageError
from mnemopi.ingest import claiming, derive
from mnemopi.ingest.derive import Told
from mnemopi.storage.store import Store
from mnemopi.storage.unclaimed import Unclaimed

_SMALL: Final = 32
"""So many memories that wait are read with the write itself."""
_SLICE: Final = 64
"""So many are read in one transaction."""
_LAST: Final = 2**63 - 1


def with_the_write(store: Store, zone: tzinfo, now: int) -> None:
    """Read what was written, unless that is much; the caller holds the transaction."""
    if 0 < store.unclaimed.count(_SMALL + 1) <= _SMALL:
        work(store, _SMALL, now, zone)


def catch_up(store: Store, zone: tzinfo, now: int) -> None:
    """Read all that waits, before somebody asks."""
    while store.writable and store.unclaimed.count(1):
        with store.transaction():
            work(store, _SLICE, now, zone)


def glance(store: Store, zone: tzinfo, now: int) -> None:
    """Read a slice of what waits before a recall, which waits for no other process and fails of none of this."""
    with suppress(StorageError), store.transaction(wait=0):
        work(store, _SLICE, now, zone)


def first(store: Store, memory: str, zone: tzinfo, now: int) -> None:
    """Read what waits of one memory, before it is changed."""
    if store.unclaimed.of(memory):
        with store.transaction():  # what waits is looked at again: another process may have been faster
            _read(store, store.unclaimed.of(memory), now, zone)
            store.unclaimed.erase(memory)


def work(store: Store, limit: int, now: int, zone: tzinfo) -> int:
    """Read up to `limit` (from 1) of what waits, and return how many; the caller holds the transaction."""
    waiting = store.unclaimed.next(limit)
    _read(store, waiting, now, zone)
    # Fewer than asked for: whatever else is in the queue has lost its memory.
    store.unclaimed.end(waiting[-1].seq if len(waiting) >= limit else _LAST)
    return len(waiting)


def _read(store: Store, waiting: Iterable[Unclaimed], now: int, zone: tzinfo) -> None:
    claims = ((each.memory, claiming.read(each.memory, zone, each.said)) for each in waiting)
    derive.derived(store, [Told(memory, found) for memory, found in claims if found], now)
