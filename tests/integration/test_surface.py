"""The shared surface: a bank of its own that every agent of a person opens."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mnemopi.doors.surface import KINDS
from mnemopi.engine import Mnemopi
from mnemopi.errors import UsageError
from mnemopi.testing import FixedClock, HashingEmbedder


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock()


@pytest.fixture
def memory(tmp_path: Path, clock: FixedClock) -> Iterator[Mnemopi]:
    with Mnemopi(tmp_path / "m.db", no_embeddings=True, clock=clock) as opened:
        yield opened


def test_what_one_agent_puts_there_another_finds_from_any_bank_and_session(memory: Mnemopi, tmp_path: Path) -> None:
    id = memory.surface.remember("Mara wants answers in German", "preference")
    with Mnemopi(tmp_path / "m.db", "work", session_id="other", author_id="jun", no_embeddings=True) as other:
        (hit,) = other.surface.recall("which language does Mara want answers in")
        assert (hit.id, hit.bank, hit.memory.memory_type) == (str(id), "surface", "preference")


def test_it_is_the_bank_of_that_name_and_no_part_of_the_own_one(memory: Mnemopi, tmp_path: Path) -> None:
    assert memory.banks.list() == ["default"]
    memory.surface.remember("Mara wants answers in German", "preference")
    assert memory.banks.list() == ["default", "surface"]
    assert memory.stats()["total_memories"] == 0
    assert list(memory.recall("German")) == []
    with Mnemopi(tmp_path / "m.db", "surface", no_embeddings=True) as opened:
        assert len(opened.recall("German")) == 1


def test_the_setting_names_another_file(tmp_path: Path) -> None:
    file = tmp_path / "shared" / "all.db"
    for data in ("a", "b"):
        config = {"storage.surface_db": str(file)}
        with Mnemopi(data_dir=tmp_path / data, config=config, no_embeddings=True) as memory:
            memory.surface.remember(f"from {data}", "meta")
            assert memory.banks.list() == ["default"]
            found = {each.content for each in memory.surface.list()}
    assert found == {"from a", "from b"}
    assert file.stat().st_mode & 0o777 == 0o600
    with Mnemopi(file, no_embeddings=True) as opened:
        assert opened.bank.name == "surface" and opened.stats()["total_memories"] == 2


def test_a_bank_in_memory_has_its_surface_there_too(tmp_path: Path) -> None:
    config = {"storage.surface_db": str(tmp_path / "all.db")}
    with Mnemopi(":memory:", config=config, no_embeddings=True) as memory:
        memory.surface.remember("nothing of this is on the disk")
        assert len(memory.surface.list()) == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_is_kept_listed_and_asked_for(memory: Mnemopi, kind: str) -> None:
    for each in KINDS:
        memory.surface.remember(f"a harbour of {each}", each)
    assert [each.content for each in memory.surface.list(kind)] == [f"a harbour of {kind}"]
    assert [hit.content for hit in memory.surface.recall("harbour", kind=kind)] == [f"a harbour of {kind}"]


def test_the_latest_is_listed_first(memory: Mnemopi, clock: FixedClock) -> None:
    for text in ("one", "two", "three"):
        memory.surface.remember(text)
        clock.advance(seconds=1)
    assert [each.content for each in memory.surface.list(limit=2)] == ["three", "two"]


def test_the_same_text_is_the_same_note(memory: Mnemopi) -> None:
    assert memory.surface.remember("The user is called Mara", "identity") == memory.surface.remember(
        "The user is called Mara", "identity"
    )
    assert len(memory.surface.list()) == 1


def test_what_is_erased_there_is_gone(memory: Mnemopi) -> None:
    id = memory.surface.remember("The user is called Mara", "identity")
    assert memory.surface.forget(id).status == "erased"
    assert memory.surface.list() == []


def test_with_vectors_what_was_just_put_there_is_found_by_them(tmp_path: Path) -> None:
    with Mnemopi(tmp_path / "m.db", embeddings=HashingEmbedder()) as memory:
        id = memory.surface.remember("Mara wants answers in German", "preference")
        hits = memory.surface.recall("answer german", retrievers=["dense"])
        assert [hit.id for hit in hits] == [str(id)] and hits.retrievers == ("dense",)


def test_recalls_of_the_surface_are_not_counted_in_the_own_bank(memory: Mnemopi) -> None:
    id = memory.surface.remember("Mara wants answers in German", "preference")
    memory.surface.recall("german")
    memory.close()
    with Mnemopi(memory.bank.path, no_embeddings=True) as again:
        assert again.bank._store.memories.recall_count(id) == (0, None)


@pytest.mark.parametrize("kind", ["fact", "", None, 3])
def test_an_unknown_kind_is_refused(memory: Mnemopi, kind: Any) -> None:
    with pytest.raises(UsageError, match="kind"):
        memory.surface.remember("text", kind)
    with pytest.raises(UsageError, match="kind"):
        memory.surface.list(kind if kind is not None else "none")


@pytest.mark.parametrize("option", ["scope", "session_id", "position", "external_id", "memory_type"])
def test_nothing_there_is_less_than_shared(memory: Mnemopi, option: str) -> None:
    with pytest.raises(UsageError, match=option):
        memory.surface.remember("text", "meta", **{option: "x"})
    assert memory.surface.list() == []
