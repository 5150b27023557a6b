"""The default engine: made when one of these functions is first called, and closed with the process."""

from __future__ import annotations

import atexit
from typing import Any

from mnemopi.engine import Mnemopi
from mnemopi.model.hit import Hits
from mnemopi.model.memory import Erasure, Memory, Receipt
from mnemopi.storage import forks

_lock = forks.Lock()
_engines: dict[str | None, Mnemopi] = {}
_current: list[str | None] = [None]


def engine(bank: str | None = None) -> Mnemopi:
    """Return the default engine of a bank; None is the one of `set_bank`, else the configured one."""
    with _lock:
        name = bank if bank is not None else _current[0]
        if name not in _engines:
            _engines[name] = Mnemopi(bank=name)
        return _engines[name]


def remember(content: str, *, bank: str | None = None, **options: Any) -> Receipt:
    """Store one memory. Options as for `Mnemopi.remember`."""
    return engine(bank).remember(content, **options)


def recall(query: str, top_k: int = 5, *, bank: str | None = None, **options: Any) -> Hits:
    """Find memories, best first. Options as for `Mnemopi.recall`."""
    return engine(bank).recall(query, top_k, **options)


def get(id: str, bank: str | None = None) -> Memory | None:
    """Return a memory whole, or None."""
    return engine(bank).get(id)


def get_stats(bank: str | None = None) -> dict[str, Any]:
    """Return counts, modes and coverage."""
    return engine(bank).stats()


def forget(id: str, bank: str | None = None) -> Erasure:
    """Erase a memory for good."""
    return engine(bank).forget(id)


def update(id: str, content: str | None = None, importance: float | None = None, bank: str | None = None) -> Receipt:
    """Replace text and/or importance of a memory."""
    return engine(bank).update(id, content, importance)


def set_bank(name: str) -> None:
    """Name the bank that these functions work on from now on; it is made where it does not exist."""
    engine(name)
    with _lock:
        _current[0] = name


@atexit.register
def close() -> None:
    """Close the default engines; what waits is in their files and goes on next time."""
    with _lock:
        while _engines:
            _engines.popitem()[1].close()
