"""The working paper of a session: kept, read by its own session alone, cleared for good."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mnemopi.engine import Mnemopi
from mnemopi.errors import UsageError
from mnemopi.testing import FixedClock


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock()


@pytest.fixture
def memory(clock: FixedClock) -> Iterator[Mnemopi]:
    with Mnemopi(":memory:", no_embeddings=True, clock=clock, config={"storage.scratchpad_notes": 30}) as opened:
        yield opened


def read(memory: Any, limit: int | None = None) -> list[str]:
    return [note.content for note in memory.scratchpad.read(limit)]


def test_the_newest_note_is_read_first_also_of_two_of_one_moment(memory: Mnemopi, clock: FixedClock) -> None:
    for text in ("one", "two"):
        memory.scratchpad.write(text)
    clock.advance(hours=-1)
    memory.scratchpad.write("before")
    clock.advance(hours=2)
    memory.scratchpad.write("after")
    assert read(memory) == ["after", "two", "one", "before"]


def test_a_note_is_known_by_the_id_that_writing_it_gave(memory: Mnemopi) -> None:
    ids = [memory.scratchpad.write("same") for _ in range(2)]
    assert [note.id for note in memory.scratchpad.read()] == ids[::-1]
    assert len(set(ids)) == 2


def test_only_its_own_session_reads_or_clears_a_note(memory: Mnemopi) -> None:
    here, there = memory.acting_as(session_id="a"), memory.acting_as(session_id="b")
    here.scratchpad.write("mine")
    there.scratchpad.write("theirs")
    assert (read(here), read(there), read(memory)) == (["mine"], ["theirs"], [])
    assert here.scratchpad.clear() == 1
    assert (read(here), read(there)) == ([], ["theirs"])


def test_a_note_is_no_memory(memory: Mnemopi) -> None:
    memory.scratchpad.write("the anchor is rusty")
    assert list(memory.recall("anchor")) == []
    assert memory.stats()["total_memories"] == 0


def test_the_setting_and_the_limit_say_how_many_are_read(memory: Mnemopi) -> None:
    for number in range(40):
        memory.scratchpad.write(str(number))
    assert read(memory) == [str(number) for number in range(39, 9, -1)]
    assert read(memory, 2) == ["39", "38"]
    assert memory.scratchpad.count() == 40


def test_secrets_are_redacted_and_the_receipt_says_so(memory: Mnemopi) -> None:
    secret = ("ghp_" + "a1B2c3D4e5" * 4)[:40]
    assert sum(memory.scratchpad.write(f"the token is {secret}").redacted.values()) == 1
    assert secret not in read(memory)[0]


@pytest.mark.parametrize("content", ["", "  ", None, 3, "a\x00b", "\ud800", "x" * 300_000])
def test_what_no_memory_may_hold_no_note_holds(memory: Mnemopi, content: Any) -> None:
    with pytest.raises(UsageError):
        memory.scratchpad.write(content)
    assert memory.scratchpad.count() == 0


@pytest.mark.parametrize("limit", [0, -1, True, "5", 1.5])
def test_a_limit_is_a_whole_number_from_1(memory: Mnemopi, limit: Any) -> None:
    with pytest.raises(UsageError, match="limit"):
        memory.scratchpad.read(limit)


def test_clearing_leaves_nothing_in_the_files(tmp_path: Path) -> None:
    with Mnemopi(tmp_path / "m.db", no_embeddings=True) as memory:
        memory.scratchpad.write("zanzibar " * 50)
        memory.scratchpad.write("zanzibar again")
        assert memory.scratchpad.clear() == 2
        assert memory.scratchpad.clear() == 0
        left = b"".join(path.read_bytes() for path in tmp_path.iterdir() if path.is_file())
        assert b"zanzibar" not in left


def test_notes_are_there_when_the_bank_is_opened_again(tmp_path: Path) -> None:
    with Mnemopi(tmp_path / "m.db", no_embeddings=True) as memory:
        memory.scratchpad.write("next: the migration")
    with Mnemopi(tmp_path / "m.db", no_embeddings=True) as memory:
        assert read(memory) == ["next: the migration"]
