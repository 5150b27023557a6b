"""Several real processes at one bank: nothing is lost, nobody fails, and what others use is not taken away."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from mnemopi.engine import Mnemopi
from mnemopi.errors import InUseError, NotFoundError
from mnemopi.storage import copy
from mnemopi.testing import HashingEmbedder

CHILD = Path(__file__).with_name("child.py")
Start = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def start(monkeypatch: pytest.MonkeyPatch) -> Iterator[Start]:
    """Start a child that waits until it is told; whatever is left at the end is killed."""
    children: list[subprocess.Popen[str]] = []

    def started(*arguments: object) -> subprocess.Popen[str]:
        command = [sys.executable, str(CHILD), *map(str, arguments)]
        pipe = subprocess.PIPE
        child = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True, encoding="utf-8")
        children.append(child)
        return child

    yield started
    for child in children:
        child.kill()
        child.communicate()


def ready(*children: subprocess.Popen[str]) -> None:
    """Wait until each child is ready."""
    for child in children:
        assert child.stdout is not None
        line = child.stdout.readline()
        assert line == "ready\n", child.communicate()


def go(*children: subprocess.Popen[str]) -> None:
    """Let children begin together."""
    for child in children:
        assert child.stdin is not None
        child.stdin.write("go\n")
        child.stdin.flush()


def ended(child: subprocess.Popen[str]) -> list[str]:
    """Wait until a child is through, and return its lines."""
    out, err = child.communicate(timeout=120)
    assert child.returncode == 0, err
    return out.split()


def opened(file: Path, bank: str = "default") -> Mnemopi:
    return Mnemopi(file, bank, no_embeddings=True)


def test_four_writers_and_two_readers_lose_nothing(start: Start, tmp_path: Path) -> None:
    file = tmp_path / "m.db"
    opened(file).close()
    writers = [start("write", file, "default", f"writer{number}", 500) for number in range(4)]
    readers = [start("recall", file, 60) for _ in range(2)]
    ready(*writers, *readers)
    go(*writers, *readers)
    ids = [id for writer in writers for id in ended(writer)]
    for reader in readers:
        ended(reader)
    with opened(file) as memory:
        assert len(set(ids)) == 2000
        assert memory.stats()["total_memories"] == 2000
        assert all(memory.get(id) is not None for id in ids)
        assert memory.recall("writer2 note 499", 1)[0].content == "writer2 writes note 499 about harbour logistics"
    assert copy.problem(file) is None


@pytest.mark.parametrize("bank", ["default", "project"])
def test_many_who_make_one_bank_at_the_same_moment_get_the_same_one(start: Start, tmp_path: Path, bank: str) -> None:
    file = tmp_path / "missing" / "folder" / "m.db"
    children = [start("make", file, bank, f"child {number}") for number in range(5)]
    ready(*children)
    go(*children)
    for child in children:
        assert ended(child)[0] == bank
    with opened(file, bank) as memory:
        assert memory.stats()["total_memories"] == 5
        assert memory.banks.list() == sorted({"default", bank})


def test_writers_at_one_session_get_distinct_positions(start: Start, tmp_path: Path) -> None:
    file = tmp_path / "m.db"
    opened(file).close()
    children = [start("turns", file, "talk", 60) for _ in range(3)]
    ready(*children)
    go(*children)
    for child in children:
        ended(child)
    with opened(file) as memory:
        hits = memory.recall("ok", 500, session_id="talk", content_preview_chars=0)
        assert sorted(hit.position for hit in hits) == list(range(180))


def test_of_those_who_update_the_same_version_one_succeeds(start: Start, tmp_path: Path) -> None:
    file = tmp_path / "m.db"
    with opened(file) as memory:
        id = memory.remember("the port is 5432")
    children = [start("update", file, id, 1, f"the port is {number}") for number in (5433, 5434, 5435)]
    ready(*children)
    go(*children)
    outcomes = sorted(ended(child) for child in children)
    assert outcomes == [["refused", "changed"], ["refused", "changed"], ["updated", "2"]]
    with opened(file) as memory:
        found = memory.get(id)
        assert found is not None and found.version == 2


@pytest.mark.parametrize("change", ["delete", "rename"])
def test_a_bank_that_another_process_has_open_is_neither_deleted_nor_renamed(
    start: Start, tmp_path: Path, change: str
) -> None:
    file = tmp_path / "m.db"
    with opened(file, "project") as memory:
        first = memory.remember("what must not be lost")
    holder = start("hold", file, "project")
    ready(holder)
    with opened(file) as memory:
        with pytest.raises(InUseError):
            memory.banks.delete("project") if change == "delete" else memory.banks.rename("project", "other")
        assert memory.banks.list() == ["default", "project"]
        go(holder)
        (second,) = ended(holder)
        with opened(file, "project") as project:
            assert project.get(first) is not None and project.get(second) is not None
        memory.banks.delete("project") if change == "delete" else memory.banks.rename("project", "other")
        assert memory.banks.list() == (["default"] if change == "delete" else ["default", "other"])


def test_a_bank_that_this_process_has_open_twice_is_not_deleted_either(tmp_path: Path) -> None:
    with opened(tmp_path / "m.db", "project") as memory:
        memory.remember("what must not be lost")
        with pytest.raises(InUseError):
            memory.banks.delete("project")
        assert len(memory.recall("lost")) == 1


def test_a_file_that_was_replaced_is_not_written_to(tmp_path: Path) -> None:
    file, other = tmp_path / "m.db", tmp_path / "other.db"
    opened(other).close()
    with opened(file) as memory:
        memory.remember("in the first file")
        other.replace(file)
        before = file.read_bytes()
        with pytest.raises(InUseError, match="replaced"):
            memory.remember("for the first file")
        assert file.read_bytes() == before


def test_a_file_that_was_deleted_is_not_made_anew(tmp_path: Path) -> None:
    file = tmp_path / "m.db"
    with opened(file) as memory:
        memory.remember("in the file")
        for path in tmp_path.glob("m.db*"):
            path.unlink()
        with pytest.raises(NotFoundError, match="deleted"):
            memory.remember("for the file")
    assert not file.exists()


def test_two_engines_of_one_process_see_each_others_writes_and_erasures(tmp_path: Path) -> None:
    file, embedder = tmp_path / "m.db", HashingEmbedder()
    settings = {"write.settle": "inline"}
    with (
        Mnemopi(file, embeddings=embedder, config=settings) as one,
        Mnemopi(file, embeddings=embedder, config=settings) as two,
    ):
        id = one.remember("the deployment of the billing service failed")
        assert [hit.id for hit in two.recall("deploying billing", retrievers=["dense"])] == [id]
        two.forget(id)
        assert not one.recall("deploying billing")
        assert one.get(id) is None
        assert one.remember("another thing") != id
        assert two.stats()["total_memories"] == 1


def test_a_copy_is_whole_while_others_write(start: Start, tmp_path: Path) -> None:
    file = tmp_path / "m.db"
    with opened(file) as memory:
        memory.remember_many({"content": f"old memory {number}"} for number in range(3000))
    writers = [start("write", file, "default", f"writer{number}", 150) for number in range(2)]
    ready(*writers)
    go(*writers)
    copies = [copy.online(file, tmp_path / "copies" / f"{number}.db") for number in range(5)]
    for writer in writers:
        ended(writer)
    counts = []
    for path in copies:
        with closing(opened(path)) as memory:
            counts.append(memory.stats()["total_memories"])
    assert counts == sorted(counts)
    assert 3000 <= counts[0] <= counts[-1] <= 3300
