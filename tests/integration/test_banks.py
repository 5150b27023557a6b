"""Banks of one folder: made by name, listed, renamed, deleted, and each a boundary."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from mnemopi.engine import Mnemopi
from mnemopi.errors import ConflictError, CorruptError, ExistsError, NotFoundError


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "m.db"


@pytest.fixture
def memory(file: Path) -> Iterator[Mnemopi]:
    with Mnemopi(file, no_embeddings=True) as memory:
        yield memory


def opened(file: Path, bank: str) -> Mnemopi:
    return Mnemopi(file, bank, no_embeddings=True)


def test_a_bank_is_made_by_its_name_and_found_by_it_again(file: Path, memory: Mnemopi) -> None:
    path = memory.banks.create("项目-1")
    assert path.is_file() and path.parent.parent == file.parent / "banks"
    with opened(file, "项目-1") as project:
        assert project.bank.path == path
        id = project.remember("only here")
    assert memory.banks.list() == ["default", "项目-1"]
    assert memory.get(id) is None and not memory.recall("only here")
    with opened(file, "项目-1") as project:
        assert project.get(id) is not None


def test_opening_a_bank_makes_it_where_it_is_not(file: Path, memory: Mnemopi) -> None:
    opened(file, "project").close()
    assert memory.banks.list() == ["default", "project"]


def test_the_same_name_is_not_given_twice(memory: Mnemopi) -> None:
    memory.banks.create("project")
    memory.banks.create("other")
    for call in (
        lambda: memory.banks.create("project"),
        lambda: memory.banks.create("default"),
        lambda: memory.banks.rename("other", "project"),
        lambda: memory.banks.rename("other", "default"),
    ):
        with pytest.raises(ExistsError):
            call()
    assert memory.banks.list() == ["default", "other", "project"]


def test_a_renamed_bank_keeps_its_folder_and_frees_its_name(file: Path, memory: Mnemopi) -> None:
    path = memory.banks.create("project")
    with opened(file, "project") as project:
        id = project.remember("the old one")
    memory.banks.rename("project", "archive")
    with opened(file, "archive") as archive:
        assert archive.bank.path == path and archive.bank.name == "archive"
        assert archive.get(id) is not None
    with opened(file, "project") as project:
        assert project.bank.path != path
        assert project.get(id) is None
    assert memory.banks.list() == ["default", "archive", "project"]


def test_a_deleted_bank_is_gone_and_may_be_made_anew(file: Path, memory: Mnemopi) -> None:
    with opened(file, "project") as project:
        id = project.remember("to be deleted")
        folder = project.bank.path.parent
    memory.banks.delete("project")
    assert not folder.exists() and memory.banks.list() == ["default"]
    with opened(file, "project") as project:
        assert project.get(id) is None and project.stats()["total_memories"] == 0


def test_what_is_not_there_or_is_the_default_bank_is_neither_renamed_nor_deleted(memory: Mnemopi) -> None:
    with pytest.raises(NotFoundError):
        memory.banks.delete("nobody")
    with pytest.raises(NotFoundError):
        memory.banks.rename("nobody", "somebody")
    with pytest.raises(ConflictError):
        memory.banks.delete("default")
    with pytest.raises(ConflictError):
        memory.banks.rename("default", "other")
    assert memory.banks.list() == ["default"]


def test_a_folder_that_was_copied_elsewhere_still_says_what_it_is(file: Path, memory: Mnemopi, tmp_path: Path) -> None:
    with opened(file, "project") as project:
        id = project.remember("it travels")
        folder = project.bank.path.parent
    shutil.copytree(folder, tmp_path / "elsewhere" / "banks" / folder.name)
    with opened(tmp_path / "elsewhere" / "m.db", "project") as project:
        assert project.get(id) is not None


def test_a_damaged_bank_hides_no_other(file: Path, memory: Mnemopi) -> None:
    damaged, _ = memory.banks.create("damaged"), memory.banks.create("sound")
    damaged.write_bytes(b"no database at all" * 100)
    assert memory.banks.list() == ["default", "sound"]
    memory.remember("the default bank works")
    assert memory.recall("default bank works")
    with pytest.raises(CorruptError):
        memory.banks.create("damaged")


def test_a_bank_that_was_left_half_made_is_made_whole(file: Path, memory: Mnemopi) -> None:
    folder = memory.banks.create("project").parent
    for path in folder.iterdir():
        path.unlink()
    (folder / "mnemopi.db").touch(mode=0o600)
    assert memory.banks.list() == ["default"]
    with opened(file, "project") as project:
        assert project.bank.path.parent == folder
        assert project.bank.name == "project"


def test_banks_in_memory_are_for_one_engine_only() -> None:
    with Mnemopi(":memory:", "project", no_embeddings=True) as one, Mnemopi(":memory:", no_embeddings=True) as two:
        assert one.bank.name == "project"
        one.remember("only here")
        assert two.stats()["total_memories"] == 0
        with pytest.raises(ConflictError):
            one.banks.delete("project")
