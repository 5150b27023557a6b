from __future__ import annotations

from collections.abc import Callable
from datetime import UTC
from pathlib import Path

import pytest

from mnemopi.ingest import edits
from mnemopi.ingest.prepare import Gate
from mnemopi.model.memory import Identity, Memory
from mnemopi.storage.store import Store
from mnemopi.transfer import markdown
from mnemopi.transfer.cargo import Taken
from mnemopi.transfer.lenient import Lenient
from mnemopi.transfer.unload import unload

NOW = 1_780_000_000_000
GATE = Gate(10_000, "full", UTC)
START = "# Style\n- Use tabs for indentation\n- Never push to main\n# Deploy\n- Deploy on Friday\n"


class Notes:
    """A file of notes that is imported again and again."""

    def __init__(self, store: Store, file: Path) -> None:
        self.store, self._file = store, file

    def take(self, text: str) -> Taken:
        self._file.write_text(text, "utf-8")
        made = markdown.notes(self._file, Lenient(GATE, NOW))
        return unload(self.store, made, NOW, system="markdown", source="x", dry_run=False)

    def now(self) -> dict[str, Memory]:
        return {memory.content: memory for memory in self.store.memories.in_force_after(0, 100)}


@pytest.fixture
def notes(opened: Callable[..., Store], tmp_path: Path) -> Notes:
    made = Notes(opened(), tmp_path / "CLAUDE.md")
    assert made.take(START).inserted == 3
    return made


def test_the_same_file_again_changes_nothing(notes: Notes) -> None:
    before = notes.now()
    done = notes.take(START)
    assert (done.inserted, done.updated, done.known) == (0, 0, 3)
    assert notes.now() == before


def test_an_edited_bullet_is_the_next_version_of_its_memory(notes: Notes) -> None:
    before = notes.now()["Use tabs for indentation"]
    done = notes.take(START.replace("Use tabs", "Use four spaces"))
    assert (done.inserted, done.updated, done.known) == (0, 1, 2)
    after = notes.now()["Use four spaces for indentation"]
    assert (after.id, after.version) == (before.id, 2)
    assert after.external_id != before.external_id
    assert notes.store.memories.versions(before.id)[0].content == "Use tabs for indentation"
    assert notes.take(START.replace("Use tabs", "Use four spaces")).known == 3


def test_the_only_bullet_under_a_heading_may_become_quite_another(notes: Notes) -> None:
    done = notes.take(START.replace("Deploy on Friday", "ship whenever CI is green"))
    assert (done.inserted, done.updated) == (0, 1)


def test_a_new_bullet_is_new_and_one_that_is_gone_stays(notes: Notes) -> None:
    done = notes.take(START.replace("- Never push to main\n", "- 42 is the answer\n- Ask Mara first\n"))
    assert (done.inserted, done.updated, done.known) == (2, 0, 2)
    assert "Never push to main" in notes.now()
    assert [(left.table, left.count) for left in done.left] == [("parts", 1)]


def test_what_moved_under_another_heading_is_not_mistaken_for_an_edit(notes: Notes) -> None:
    moved = "# Style\n- Never push to main\n# Deploy\n- Use tabs for indentation\n- Deploy on Friday\n"
    done = notes.take(moved)
    assert (done.inserted, done.updated, done.known) == (0, 0, 3), "a part is known by its text, wherever it stands"


def test_a_text_that_comes_back_is_a_version_again(notes: Notes) -> None:
    edited = START.replace("Deploy on Friday", "Deploy on Thursday")
    notes.take(edited)
    done = notes.take(START)
    assert done.updated == 1
    assert notes.now()["Deploy on Friday"].version == 3


def test_a_text_whose_first_memory_became_another_gets_an_id_of_its_own(notes: Notes) -> None:
    notes.take(START.replace("Deploy on Friday", "Deploy on Thursday"))
    done = notes.take(START.replace("Deploy on Friday", "Deploy on Thursday\n- Deploy on Friday"))
    assert (done.inserted, done.updated, done.known) == (1, 0, 3)
    assert len({memory.id for memory in notes.now().values()}) == 4


def test_what_was_forgotten_stays_forgotten(notes: Notes) -> None:
    edits.forget(notes.store, notes.now()["Deploy on Friday"].id, Identity(), NOW)
    done = notes.take(START)
    assert (done.inserted, done.forgotten, done.known) == (0, 1, 2)


def test_what_was_invalidated_is_not_taken_for_gone(notes: Notes) -> None:
    edits.invalidate(
        notes.store, notes.now()["Deploy on Friday"].id, Identity(), NOW - 1, replacement=None, reason=None
    )
    done = notes.take(START.replace("Deploy on Friday", "Deploy on Thursday"))
    assert (done.inserted, done.updated) == (1, 0)


def test_another_file_with_the_same_text_is_another_source(notes: Notes, tmp_path: Path) -> None:
    other = Notes(notes.store, tmp_path / "AGENTS.md")
    assert other.take(START).inserted == 3
