"""Stores to write into, without an engine around them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC
from pathlib import Path
from typing import Any

import pytest

from mnemopi.ingest import prepare, remember
from mnemopi.ingest.draft import Draft
from mnemopi.ingest.prepare import Gate
from mnemopi.model.memory import Identity, Receipt
from mnemopi.settings import StorageConfig
from mnemopi.storage.store import Store

NOW = 1_750_000_000_000


@pytest.fixture
def gate() -> Gate:
    return Gate(10_000, "full", UTC)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    made = Store(tmp_path / "m.db", "default", "default", StorageConfig(), now=NOW)
    yield made
    made.close()


@pytest.fixture
def add(store: Store, gate: Gate) -> Callable[..., list[Receipt]]:
    """Write drafts in one batch."""

    def added(*contents: str, now: int = NOW, who: Identity | None = None, **fields: Any) -> list[Receipt]:
        ready = [prepare.prepare(Draft(content, **fields), who or Identity(), now, gate) for content in contents]
        return remember.remember(store, ready, now)

    return added
