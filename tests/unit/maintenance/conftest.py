"""Banks to look after: opened in a throw-away folder, and filled through the same doors as real ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC
from pathlib import Path
from typing import Any

import pytest

from mnemopi.config import Config
from mnemopi.ingest import edits
from mnemopi.ingest.draft import Draft
from mnemopi.ingest.prepare import Gate, prepare
from mnemopi.ingest.remember import remember
from mnemopi.model.memory import Identity
from mnemopi.storage.banks import Banks
from mnemopi.storage.store import Store

NOW = 1_750_000_000_000
GATE = Gate(10_000, "full", UTC)
WHO = Identity()
Opened = Callable[..., Store]


def add(store: Store, *contents: str, now: int = NOW, **fields: Any) -> list[str]:
    """Store memories."""
    drafts = [Draft(content, **fields) for content in contents]
    return [str(receipt) for receipt in remember(store, [prepare(d, WHO, now, GATE) for d in drafts], now)]


def forget(store: Store, id: str, now: int = NOW) -> None:
    """Erase a memory."""
    edits.forget(store, id, WHO, now)


def contents(store: Store) -> set[str]:
    """Return the texts in force."""
    return {versions[-1].content for versions in store.inventory.memories(0, 999)}


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Opened]:
    """Return a function that opens a bank by the names of its folder and itself; all are closed at the end."""
    stores: list[Store] = []

    def open_store(folder: str = "data", bank: str = "default", now: int = NOW) -> Store:
        stores.append(Banks(tmp_path / folder / "m.db", Config().storage).open(bank, now))
        return stores[-1]

    yield open_store
    for store in stores:
        store.close()
