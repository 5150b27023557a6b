"""Mnemosyne, the Python engine (mnemosyne-memory from the package index, in an environment of its own).

It writes a database; all of it is taken in, counts compared.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mnemopi import Mnemopi

VERSION = "3.15.1"
WRITE = """
import json, sys
from mnemosyne.core.memory import Mnemosyne
memory = Mnemosyne(session_id="s1", db_path=sys.argv[1])
ids = [
    memory.remember("Ann works at Acme", source="user", importance=0.8),
    memory.remember("部署目标是稳定集群", scope="global"),
    memory.remember("Bob lives in Paris", metadata={"k": 1}),
]
memory.scratchpad_write("scratch")
memory.invalidate(ids[2])
print(json.dumps(ids))
"""
pytestmark = pytest.mark.real


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of an environment that has Mnemosyne."""
    cache = os.environ.get("MNEMOPI_TEST_CACHE")
    folder = Path(cache) / "mnemosyne" if cache else tmp_path_factory.mktemp("mnemosyne")
    python = folder / "bin" / "python"
    if not (folder / f"ready-{VERSION}").exists():
        subprocess.run([sys.executable, "-m", "venv", folder], check=True, capture_output=True)
        wanted = [python, "-m", "pip", "install", "--quiet", f"mnemosyne-memory=={VERSION}"]
        done = subprocess.run(wanted, check=False, capture_output=True, text=True)
        if done.returncode:
            pytest.skip(f"mnemosyne-memory {VERSION} cannot be installed: {done.stderr.strip()[-200:]}")
        (folder / f"ready-{VERSION}").touch()
    return python


@pytest.fixture
def written(python: Path, tmp_path: Path) -> tuple[Path, list[str]]:
    """A database that Mnemosyne wrote, and the ids it gave."""
    path = tmp_path / "theirs" / "mnemosyne.db"
    path.parent.mkdir()
    own = {
        "PATH": os.environ.get("PATH", ""),
        "HOME": str(tmp_path),
        "MNEMOSYNE_DATA_DIR": str(path.parent),
        "MNEMOSYNE_NO_EMBEDDINGS": "1",
    }
    done = subprocess.run([python, "-c", WRITE, path], env=own, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return path, json.loads(done.stdout.strip().splitlines()[-1])


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Mnemopi]:
    with Mnemopi(tmp_path / "m.db", no_embeddings=True) as made:
        yield made


def test_its_database_is_taken_in_whole(written: tuple[Path, list[str]], memory: Mnemopi) -> None:
    path, ids = written
    taken = memory.take_over("mnemosyne", path)
    assert (taken.inserted, taken.notes) == (taken.found["working_memory"], taken.found["scratchpad"]) == (3, 1)
    found: list[Any] = [memory.get(id) for id in ids]
    assert [each.content for each in found] == ["Ann works at Acme", "部署目标是稳定集群", "Bob lives in Paris"]
    assert (found[0].importance, found[1].scope, found[2].metadata) == (0.8, "global", {"k": 1})
    assert found[2].valid_until is not None
    assert abs(found[0].timestamp - memory.clock()) < 3_600_000, "its times are by the clock on the wall"


def test_a_second_import_changes_nothing(written: tuple[Path, list[str]], memory: Mnemopi) -> None:
    path, _ = written
    memory.take_over("mnemosyne", path)
    again = memory.take_over("mnemosyne", path)
    assert (again.inserted, again.known, again.facts, again.notes) == (0, 3, 0, 0)


def test_what_it_knows_is_found(written: tuple[Path, list[str]], memory: Mnemopi) -> None:
    path, ids = written
    memory.take_over("mnemosyne", path)
    assert memory.recall("部署集群")[0].id == ids[1]
    assert "Acme" in {fact.object for fact in memory.facts.list(subject="Ann")}
