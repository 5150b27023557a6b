"""A disk that is full: a write fails as FullError, nothing is lost, and with room again all goes on."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from mnemopi.engine import Mnemopi
from mnemopi.errors import FullError, StorageError
from mnemopi.storage import copy
from mnemopi.testing import HashingEmbedder

TEXT = "the harbour keeps a ledger of every crate that passes the northern gate " * 20


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of its own, of 3 MB."""
    place = tmp_path / "small"
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", place], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("only root may mount a small file system here")
    yield place
    subprocess.run(["umount", place], check=True)


def filled(memory: Mnemopi, start: int = 0) -> list[str]:
    """Write until there is no room, and return the ids that were acknowledged."""
    ids: list[str] = []
    with pytest.raises(StorageError):
        for number in range(start, 100_000):
            ids.append(memory.remember(f"{number} {TEXT}"))
    return ids


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root may mount a file system")
def test_a_full_disk_loses_nothing_and_writing_goes_on_when_there_is_room(small_disk: Path) -> None:
    file, ballast = small_disk / "m.db", small_disk / "ballast"
    ballast.write_bytes(bytes(700_000))
    with Mnemopi(file, no_embeddings=True) as memory:
        ids = filled(memory)
        assert len(ids) > 20
        with pytest.raises(FullError) as caught:
            memory.remember(f"once more {TEXT}")
        assert "space" in str(caught.value)
        with pytest.raises(StorageError):
            memory.remember_many([{"content": f"batch {number} {TEXT}"} for number in range(50)])
        with pytest.raises(StorageError):
            Mnemopi(file, "another", no_embeddings=True)
        assert memory.stats()["total_memories"] == len(ids)
        assert memory.recall("northern gate", 3), "reading needs no room"
        assert all(memory.get(id) is not None for id in ids)
        ballast.unlink()
        again = memory.remember("there is room again")
        assert memory.get(again) is not None
        assert memory.forget(ids[0]).status == "erased"
    with Mnemopi(file, no_embeddings=True) as memory:
        assert memory.stats()["total_memories"] == len(ids)
        assert all(memory.get(id) is not None for id in ids[1:])
    assert copy.problem(file) is None


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root may mount a file system")
def test_on_a_full_disk_recall_with_vectors_still_answers(small_disk: Path) -> None:
    embedder = HashingEmbedder()
    with Mnemopi(small_disk / "m.db", embeddings=embedder, config={"write.settle": "off"}) as memory:
        ids = filled(memory)
    with Mnemopi(small_disk / "m.db", embeddings=embedder) as memory:
        assert memory.recall("northern gate", 3)
        assert memory.stats()["total_memories"] == len(ids)


def test_a_file_that_may_not_grow_refuses_and_loses_nothing(tmp_path: Path) -> None:
    with Mnemopi(tmp_path / "m.db", no_embeddings=True) as memory:
        pages = memory.bank._store.connection.all("PRAGMA page_count")[0][0]
        memory.bank._store.connection.all(f"PRAGMA max_page_count = {pages + 40}")
        ids: list[str] = []
        with pytest.raises(FullError):
            for number in range(1000):
                ids.append(memory.remember(f"{number} {TEXT}"))
        assert ids
        assert memory.stats()["total_memories"] == len(ids)
        memory.bank._store.connection.all("PRAGMA max_page_count = 4294967294")
        memory.remember("there is room again")
    with Mnemopi(tmp_path / "m.db", no_embeddings=True) as memory:
        assert memory.stats()["total_memories"] == len(ids) + 1
