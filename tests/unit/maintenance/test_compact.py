"""Compacting makes the file small and changes nothing that anybody said."""

from __future__ import annotations

import json
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from mnemopi.engine import Mnemopi
from mnemopi.errors import CorruptError, InUseError, StorageError, UsageError
from mnemopi.ingest import settle
from mnemopi.maintenance import compact, swap
from mnemopi.storage import copy
from mnemopi.storage.banks import Banks
from mnemopi.storage.store import Store
from mnemopi.testing import FixedClock, HashingEmbedder

DAY = 86_400_000
NEW, OLD, OLDEST = HashingEmbedder(64), HashingEmbedder(32), HashingEmbedder(16)


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
def opened(folder: Path, clock: FixedClock) -> Iterator[Callable[..., Mnemopi]]:
    """Return a function that opens the bank of the folder with settings; all are closed at the end."""
    engines: list[Mnemopi] = []

    def open_engine(embedder: Any = False, **config: Any) -> Mnemopi:
        own = {"write.settle": "off", "write.timezone": "UTC", "storage.backup_dir": str(folder / "backups")}
        engines.append(Mnemopi(folder / "m.db", embeddings=embedder, clock=clock, config=own | config))
        return engines[-1]

    yield open_engine
    for engine in engines:
        engine.close()


def exported(memory: Mnemopi, target: Path) -> list[dict[str, Any]]:
    """All lines of an export but for the events and the counts."""
    memory.export(target)
    lines = [json.loads(line) for line in target.read_text("utf-8").splitlines()]
    return [line for line in lines[1:] if "verb" not in json.dumps(line)]


def fill(memory: Mnemopi, count: int = 200) -> list[str]:
    texts = [f"Memory {number} is about a harbour and its crane. " * 5 for number in range(count)]
    return [str(id) for id in memory.remember_many({"content": text} for text in texts)]


def files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if not path.name.endswith((".lock", "-wal", "-shm")))


def test_the_file_is_smaller_and_all_that_was_said_is_there(opened: Any, folder: Path, tmp_path: Path) -> None:
    memory = opened()
    ids = fill(memory)
    kept = ids[:20]
    memory.pin(kept[0])
    memory.facts.assert_("staging", "port", "5433")
    memory.scratchpad.write("a note")
    for id in ids[20:]:
        memory.forget(id)
    before = exported(memory, tmp_path / "before")
    done = memory.compact()
    assert done.bytes_after < done.bytes_before - 100_000
    assert done.bytes_after == (folder / "m.db").stat().st_size
    assert exported(memory, tmp_path / "after") == before
    assert sorted(hit.id for hit in memory.recall("harbour crane", 100)) == sorted(kept)
    assert [fact.object for fact in memory.facts.list()] == ["5433"]
    assert [note.content for note in memory.scratchpad.read()] == ["a note"]
    assert memory.bank._store.integrity() == []
    assert files(folder) == ["m.db"]
    assert stat.S_IMODE((folder / "m.db").stat().st_mode) == 0o600


def test_compacting_again_takes_nothing_more(opened: Any) -> None:
    memory = opened()
    fill(memory, 20)
    memory.compact()
    again = memory.compact()
    assert (again.events, again.vectors) == (0, {})
    assert again.bytes_after <= again.bytes_before


def test_it_is_in_the_journal(opened: Any) -> None:
    memory = opened()
    id = memory.remember("one")
    memory.compact()
    assert [event.verb for event in memory.events()] == ["remembered", "compacted"]
    assert [event.verb for event in memory.history(id)] == ["remembered"]


def test_events_go_only_where_a_setting_says_so_and_only_old_ones(opened: Any, clock: FixedClock) -> None:
    memory = opened()
    old = memory.remember("old")
    memory.pin(old)
    clock.advance(days=40)
    new = memory.remember("new")
    assert memory.compact().events == 0
    memory.close()
    memory = opened(**{"journal.keep_days": 30})
    assert memory.compact().events == 2
    assert [event.memory for event in memory.events() if event.memory] == [new]
    assert memory.get(old) is not None


def test_numbers_go_on_where_they_were_after_all_events_but_the_last_are_dropped(
    opened: Any, clock: FixedClock
) -> None:
    memory = opened(**{"journal.keep_days": 1})
    for number in range(5):
        memory.remember(f"memory {number}")
    cursor = memory.events()[-1].cursor
    clock.advance(days=9)
    memory.compact()
    id = memory.remember("later")
    assert [event.memory for event in memory.events(cursor) if event.memory] == [id]
    assert [event.seq for event in memory.events()] == [5, 6, 7]


def test_undo_goes_back_as_far_as_before_though_its_events_are_old(opened: Any, clock: FixedClock) -> None:
    memory = opened(**{"journal.keep_days": 1})
    id = memory.remember("a")
    for text in ("b", "c"):
        memory.update(id, text)
    memory.undo(id)
    clock.advance(days=9)
    memory.remember("later")
    memory.compact()
    memory.undo(id)
    assert memory.get(id).content == "a"


def test_what_is_forgotten_after_compacting_still_names_the_backups_that_hold_it(
    opened: Any, clock: FixedClock, tmp_path: Path
) -> None:
    memory = opened(**{"journal.keep_days": 1, "storage.backup_dir": str(tmp_path / "b")})
    id = memory.remember("a")
    made = memory.backup()
    clock.advance(days=9)
    memory.update(id, "b")
    memory.compact()
    assert memory.forget(id).held_by == (made.path.name,)


# -- vectors


def embed(memory: Mnemopi, embedder: HashingEmbedder, limit: int | None = None) -> None:
    settle.settle(memory.bank._store, embedder, "test", memory.clock, limit=limit)


def test_vectors_of_models_that_nobody_uses_go(opened: Any) -> None:
    memory = opened(NEW)
    fill(memory, 20)
    for embedder in (OLDEST, OLD, NEW):
        embed(memory, embedder)
    done = memory.compact()
    assert done.vectors == {OLD.name: 20, OLDEST.name: 20}
    assert memory.bank._store.vectors.models() == {NEW.name: 20}
    assert memory.recall("harbour", retrievers=["dense"])


def test_vectors_that_answer_until_the_new_ones_are_complete_stay(opened: Any) -> None:
    memory = opened(NEW)
    fill(memory, 20)
    for embedder, limit in ((OLDEST, None), (OLD, None), (NEW, 5)):
        embed(memory, embedder, limit)
    assert memory.compact().vectors == {OLDEST.name: 20}
    assert memory.bank._store.vectors.models() == {OLD.name: 20, NEW.name: 5}


def test_vectors_that_were_dropped_are_made_again_when_their_model_comes_back(opened: Any) -> None:
    memory = opened(NEW)
    fill(memory, 20)
    embed(memory, OLD)
    embed(memory, NEW)
    memory.compact()
    memory.close()
    memory = opened(OLD)
    assert memory.bank.pending() == 20
    memory.settle()
    assert memory.bank._store.vectors.models()[OLD.name] == 20


def test_without_an_embedder_all_vectors_stay(opened: Any) -> None:
    memory = opened()
    fill(memory, 20)
    for embedder in (OLD, NEW):
        embed(memory, embedder)
    assert memory.compact().vectors == {}
    assert set(memory.bank._store.vectors.models()) == {OLD.name, NEW.name}


def test_a_bank_that_goes_on_being_written_is_indexed_rightly_afterwards(opened: Any) -> None:
    memory = opened(NEW, **{"write.settle": "inline"})
    ids = fill(memory, 5)
    memory.forget(ids[-1])
    assert len(memory.recall("harbour", 9, retrievers=["dense"])) == 4
    memory.compact()
    memory.remember("The harbour of another day")
    assert len(memory.recall("harbour", 9, retrievers=["dense"])) == 5


# -- what may go wrong


def test_it_is_refused_while_somebody_else_has_the_bank_open(opened: Any, folder: Path) -> None:
    memory, other = opened(), opened()
    memory.remember("one")
    with pytest.raises(InUseError):
        memory.compact()
    other.remember("two")
    assert memory.stats()["total_memories"] == 2
    assert files(folder) == ["m.db"]


def test_a_bank_in_memory_has_no_file_to_compact() -> None:
    with Mnemopi(":memory:", no_embeddings=True) as memory, pytest.raises(UsageError, match="in memory"):
        memory.compact()


def fail(*args: Any, **options: Any) -> Any:
    raise OSError(28, "No space left on device")


def refuse(*args: Any, **options: Any) -> Any:
    raise CorruptError("no")


def lose(store: Store) -> None:
    """Lose a row where nothing may be lost."""
    (first, *_) = store.inventory.memories(0, 1)
    with store.transaction():
        store.memories.drop(first[0].id)


STEPS: dict[str, tuple[object, str, Any]] = {
    "copying": (copy, "_copied", fail),
    "shrinking": (Store, "shrink", refuse),
    "comparing": (Store, "shrink", lose),
    "dropping": (settle, "drop_unused", refuse),
    "checking": (copy, "check", refuse),
    "putting in place": (swap, "into_place", fail),
}


@pytest.mark.parametrize("step", STEPS)
def test_a_failure_at_any_step_leaves_the_bank_as_it_was(
    opened: Any, folder: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    memory = opened(NEW)
    fill(memory, 20)
    embed(memory, OLD)
    before = memory.bank._store.inventory.contents()
    with monkeypatch.context() as broken:
        broken.setattr(*STEPS[step])
        with pytest.raises(StorageError):
            memory.compact()
    assert memory.bank._store.inventory.contents() == before
    assert memory.bank._store.vectors.models() == {OLD.name: 20}
    assert memory.bank._store.integrity() == []
    assert files(folder) == ["m.db"]


def test_what_is_being_compacted_counts_as_a_copy_that_holds_bytes(opened: Any, folder: Path) -> None:
    memory = opened()
    ids = memory.remember("one"), memory.remember("two")
    with swap.working_file(memory.bank.path) as working:
        working.write_bytes(b"")
        assert memory.forget(ids[0]).held_by == (working.name,)
    assert memory.forget(ids[1]).held_by == ()


def test_the_report_says_what_was_done(opened: Any, folder: Path) -> None:
    memory = opened()
    memory.remember("one")
    done = memory.compact()
    assert isinstance(done, compact.Compacted)
    assert done.as_dict() == {
        "path": str(folder / "m.db"),
        "bytes_before": done.bytes_before,
        "bytes_after": done.bytes_after,
        "events": 0,
        "vectors": {},
    }


def test_another_bank_is_compacted_by_its_name(folder: Path, opened: Any) -> None:
    opened()
    with Mnemopi(folder / "m.db", "work", no_embeddings=True) as work:
        work.remember("one")
        work.compact()
        assert work.bank.name == "work" and work.stats()["total_memories"] == 1
    assert Banks(folder / "m.db", work.config.storage).names() == ["default", "work"]


def test_every_table_is_counted_before_and_after_but_those_that_compacting_is_about(opened: Any) -> None:
    store = opened().bank._store
    rows = store.connection.all("SELECT name, sql FROM sqlite_schema WHERE type = 'table'")
    virtual = tuple(name for name, sql in rows if sql.startswith("CREATE VIRTUAL"))
    plain = {name for name, _ in rows if not name.startswith(("sqlite_", *virtual))}
    assert plain - set(store.inventory.rows()) == {"event", "vector", "meta", "lease"}
