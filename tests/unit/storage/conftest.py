"""A store, and memories to put into it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from mnemopi.model.memory import Memory
from mnemopi.settings import StorageConfig
from mnemopi.storage.memories import Prepared
from mnemopi.storage.store import Store
from mnemopi.text import tokens

NOW = 1_750_000_000_000


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    made = Store(tmp_path / "m.db", "default", "default", StorageConfig(), now=NOW)
    yield made
    made.close()


@pytest.fixture
def put(store: Store) -> Callable[..., Memory]:
    """Put one memory and return it as it is stored."""

    def done(id: str, content: str = "the harbour opens at six", **fields: Any) -> Memory:
        usual = {"version": 1, "kind": "note", "recorded_at": NOW, "timestamp": NOW, "session_id": "s"}
        memory = Memory(id=id, content=content, **{**usual, **fields})
        with store.transaction():
            store.memories.put([Prepared(memory, tokens.shadow(memory.searchable), fields.get("passages", ()))])
        return store.memories.versions(id)[-1]

    return done
