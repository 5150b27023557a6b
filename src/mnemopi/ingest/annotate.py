"""Annotate what is stored: of each version in force, what its text and fields say of it.

The database is the queue, as it is for vectors: all up to a row key is annotated, what comes after it waits. A small
write annotates what it wrote in its own transaction; what many wrote at once waits for `settle`, or for who asks first.
"""

from __future__ import annotations

from typing import Final

from mnemopi.storage.store import Store

_MARK: Final = "annotated:1"
"""Up to which row key; the number is the version of the rules, and a new one means that all is read again."""
_SMALL: Final = 32
"""So many versions are annotated with the write itself."""
_BATCH: Final = 500


def waiting(store: Store) -> int:
    """Return how many versions wait, those that are not in force any more among them."""
    return max(0, store.memories.last_rowkey() - int(store.meta.get(_MARK) or 0))


def with_the_write(store: Store) -> None:
    """Annotate what was written, unless that is much; the caller holds the transaction."""
    if 0 < waiting(store) <= _SMALL:
        work(store, _SMALL)


def catch_up(store: Store, limit: int | None = None) -> None:
    """Annotate what waits, up to `limit` memories (None: all), before somebody asks."""
    done = 0
    while store.writable and waiting(store) and (limit is None or done < limit):
        with store.transaction():
            done += work(store, _BATCH)


def work(store: Store, limit: int, now: int = 0) -> int:
    """Annotate up to `limit` of what waits, and return how many; the caller holds the transaction."""
    from mnemopi.text import remarks  # noqa: PLC0415 -- many patterns, which no recall needs

    mark = store.meta.get(_MARK)
    if mark is None:
        store.graph.forget_remarks()
    found = store.memories.in_force_after(int(mark or 0), limit)
    store.graph.remark(each for memory in found for each in remarks.of(memory))
    reached = found[-1].rowkey if len(found) == limit else store.memories.last_rowkey()
    store.meta.set(_MARK, str(reached))
    return len(found)
