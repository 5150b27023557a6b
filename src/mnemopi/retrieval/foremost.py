"""What one should know first, where nothing is asked: pinned memories, then the most important, then the latest.

Each comes with what is noted of it, as hits do, so that what was superseded does not pass for what holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeAlias

from mnemopi.model.memory import Memory
from mnemopi.retrieval import factual
from mnemopi.retrieval.profiles import Options
from mnemopi.storage import filters
from mnemopi.storage.store import Store

_PINNED: Final = 50

Noted: TypeAlias = tuple[Memory, Sequence[str]]
"""A memory, and what is noted of it."""


def pinned(asked: Sequence[tuple[Store, Options]], now: int) -> list[Noted]:
    """Return the pinned memories of several banks that the filter of each admits, the most important first."""
    return [noted for noted in foremost(asked, now, _PINNED) if noted[0].pinned]


def foremost(asked: Sequence[tuple[Store, Options]], now: int, limit: int) -> list[Noted]:
    """Return pinned memories of several banks, then the most important, then the latest."""
    # Each bank gives its own in this order; of equal ones those of the first bank come first.
    found = [noted for store, options in asked for noted in _noted(store, options, now, limit)]
    found.sort(key=lambda noted: (not noted[0].pinned, -noted[0].importance, -noted[0].timestamp))
    return found[:limit]


def _noted(store: Store, options: Options, now: int, limit: int) -> list[Noted]:
    admitted = filters.parameters(store.bank, options.filter, now)
    with store.reading():
        memories = store.memories.in_context(admitted, limit)
        stated = factual.resting(store, {memory.id: memory.rowkey for memory in memories}, admitted).notes()
    return [(memory, (*memory.against(now), *stated.get(memory.rowkey, ()))) for memory in memories]
