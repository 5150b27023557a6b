from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta, timezone
from pathlib import Path

import pytest

from mnemopi.errors import NotFoundError, UsageError
from mnemopi.ingest.prepare import Gate
from mnemopi.storage.store import Store
from mnemopi.text import dates
from mnemopi.transfer import systems

NOW = 1_780_000_000_000
GATE = Gate(10_000, "full", timezone(timedelta(hours=2)))
ROW = {"id": "a", "content": "Ann works at Acme", "timestamp": "2026-03-05T10:00:00", "scope": "session"}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "home" / "here").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("USERPROFILE", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path / "home" / "here")
    return tmp_path / "home"


def test_an_unknown_system_is_refused(opened: Callable[..., Store]) -> None:
    with pytest.raises(UsageError, match="unknown system"):
        systems.take_over(opened(), "memex", None, NOW, GATE)


@pytest.mark.parametrize("system", systems.SYSTEMS)
def test_where_nothing_is_found_the_places_are_named(system: str, home: Path, opened: Callable[..., Store]) -> None:
    with pytest.raises(NotFoundError, match="is found: "):
        systems.take_over(opened(), system, None, NOW, GATE)


def test_a_system_is_found_where_it_usually_lies(
    home: Path, tables_file: Callable[..., Path], opened: Callable[..., Store]
) -> None:
    place = home / ".hermes/mnemosyne/data/mnemosyne.db"
    place.parent.mkdir(parents=True)
    tables_file({"working_memory": [ROW]}).rename(place)
    taken = systems.take_over(opened(), "mnemosyne", None, NOW, GATE)
    assert (taken.inserted, taken.source) == (1, str(place))


def test_all_notes_that_are_there_are_read(home: Path, opened: Callable[..., Store]) -> None:
    (home / ".claude").mkdir()
    (home / ".claude/CLAUDE.md").write_text("- one")
    Path("CLAUDE.md").write_text("- two")
    Path("AGENTS.md").write_text("- three\n- four")
    assert systems.take_over(opened(), "markdown", None, NOW, GATE).inserted == 4


@pytest.mark.parametrize(("system", "said"), [("mnemosyne", "08:00"), ("mnemopi", "10:00")])
def test_a_time_without_a_zone_is_read_by_the_clock_that_wrote_it(
    system: str, said: str, tables_file: Callable[..., Path], opened: Callable[..., Store]
) -> None:
    store = opened()
    systems.take_over(store, system, tables_file({"working_memory": [ROW]}), NOW, GATE)
    assert dates.iso(store.memories.versions("a")[0].timestamp)[11:16] == said


@pytest.mark.parametrize(("keep", "scope"), [(False, "bank"), (True, "session")])
def test_scopes_are_kept_where_asked(
    keep: bool, scope: str, tables_file: Callable[..., Path], opened: Callable[..., Store]
) -> None:
    store = opened()
    systems.take_over(store, "mnemopi", tables_file({"working_memory": [ROW]}), NOW, GATE, keep_scope=keep)
    assert store.memories.versions("a")[0].scope == scope
