from __future__ import annotations

import stat
import threading
from functools import partial
from pathlib import Path
from typing import Any

import apsw
import pytest

from mnemopi import Mnemopi
from mnemopi.config import Config
from mnemopi.errors import (
    ConflictError,
    CorruptError,
    ForeignError,
    InUseError,
    MnemopiError,
    NotFoundError,
    StorageError,
    UsageError,
)
from mnemopi.maintenance import backup, swap
from mnemopi.storage import copy
from mnemopi.storage.peek import has_memory, peek
from mnemopi.storage.store import Store
from mnemopi.testing import FixedClock

from .conftest import NOW, Opened, add, contents, forget

DAY = 86_400_000


def anything(path: Path) -> bool:
    """Stand for what every copy holds."""
    return path.exists()


def files(folder: Path) -> list[str]:
    """Name what lies in a folder, but for the lock and the log of the open bank."""
    return sorted(path.name for path in folder.iterdir() if not path.name.endswith((".lock", "-wal", "-shm")))


# -- making


def test_a_backup_is_a_private_verified_file_that_names_bank_and_time(opened: Opened, tmp_path: Path) -> None:
    store = opened()
    add(store, "one", "two")
    made = backup.make(store, tmp_path / "new" / "backups", NOW, 3)
    assert made.path == tmp_path / "new" / "backups" / "default-20250615T150640000Z.db"
    assert (made.bank, made.created_at, made.memories, made.verified) == ("default", NOW, 2, True)
    assert made.size == made.path.stat().st_size
    assert stat.S_IMODE(made.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(made.path.parent.stat().st_mode) == 0o700
    assert files(made.path.parent) == [made.path.name]
    assert copy.problem(made.path) is None
    assert made.as_dict()["created_at"] == "2025-06-15T15:06:40.000Z"


def test_two_backups_of_one_moment_lie_side_by_side(opened: Opened, tmp_path: Path) -> None:
    store = opened()
    first, second = (backup.make(store, tmp_path / "b", NOW, 9).path for _ in range(2))
    assert (first.name, second.name) == ("default-20250615T150640000Z.db", "default-20250615T150640000Z-2.db")


def test_the_newest_are_kept_and_those_of_other_banks_untouched(opened: Opened, tmp_path: Path) -> None:
    store, same_id, other = opened(), opened("elsewhere", now=NOW + 1), opened("data", "work")
    folder = tmp_path / "b"
    add(store, "one")
    add(same_id, "one")
    kept = {backup.make(bank, folder, NOW + DAY, 1).path.name for bank in (same_id, other)}
    (folder / "default-notes.db").write_text("mine")
    (folder / "default-20240101T000000000Z.db").write_text("what is this?")
    made = [backup.make(store, folder, NOW + number, 2).path.name for number in range(5)]
    assert set(files(folder)) == kept | set(made[-2:]) | {"default-notes.db", "default-20240101T000000000Z.db"}


def test_a_backup_is_not_rotated_away_at_once_where_the_clock_was_set_back(opened: Opened, tmp_path: Path) -> None:
    store = opened()
    backup.make(store, tmp_path / "b", NOW + DAY, 1)
    made = backup.make(store, tmp_path / "b", NOW, 1)
    assert files(tmp_path / "b") == [made.path.name]


def test_a_bank_is_copied_while_others_write(opened: Opened, tmp_path: Path) -> None:
    store, other = opened(), opened()
    add(store, "first")
    stop = threading.Event()

    def write() -> None:
        number = 0
        while not stop.is_set():
            number += 1
            add(other, f"note {number}")

    writer = threading.Thread(target=write)
    writer.start()
    try:
        made = [backup.make(store, tmp_path / "b", NOW + number, 9) for number in range(3)]
    finally:
        stop.set()
        writer.join()
    assert all(one.verified and one.memories >= 1 for one in made)
    assert [one.memories for one in made] == sorted(one.memories for one in made)


def test_a_failed_copy_leaves_nothing_and_rotates_nothing(
    opened: Opened, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = opened()
    old = backup.make(store, tmp_path / "b", NOW, 1)
    add(store, "one")

    def empty(source: Path, target: Path) -> Path:
        target.write_bytes(old.path.read_bytes())  # passes its check, but lacks a memory
        return target

    monkeypatch.setattr(copy, "online", empty)
    with pytest.raises(CorruptError, match="0 memories of 1"):
        backup.make(store, tmp_path / "b", NOW + 1, 1)
    assert files(tmp_path / "b") == [old.path.name]


def test_a_folder_that_is_a_file_and_a_bank_in_memory_are_refused(opened: Opened, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError, match="cannot be written to"):
        backup.make(opened(), tmp_path / "file", NOW, 1)
    store = Store(":memory:", "default", "default", Config().storage, now=NOW)
    with pytest.raises(UsageError):
        backup.make(store, tmp_path / "b", NOW, 1)
    with pytest.raises(UsageError):
        backup.restore(store, tmp_path / "b", NOW)
    assert backup.holding(tmp_path, store, anything) == ()


# -- listing


def test_backups_are_listed_from_the_newest_with_what_they_say_of_themselves(opened: Opened, tmp_path: Path) -> None:
    store, work = opened(), opened("data", "work")
    folder = tmp_path / "b"
    assert backup.listed(folder) == []
    backup.make(store, folder, NOW, 9)
    add(work, "one")
    backup.make(work, folder, NOW + 1, 9)
    damaged = folder / "default-20250101T000000000Z.db"
    damaged.write_text("no database")
    (folder / "default-20250101T000000001Z.db.part").write_text("unfinished")
    found = backup.listed(folder)
    assert [(one.bank, one.created_at, one.memories, one.verified) for one in found] == [
        ("work", NOW + 1, 1, None),
        ("default", NOW, 0, None),
        ("default", 1_735_689_600_000, 0, False),
    ]
    assert [one.bank for one in backup.listed(folder, "work")] == ["work"]
    assert [one.path for one in backup.listed(folder, "default")][-1] == damaged


def test_looking_at_a_backup_changes_nothing(opened: Opened, tmp_path: Path) -> None:
    made = backup.make(opened(), tmp_path / "b", NOW, 9)
    before = made.path.read_bytes()
    backup.listed(tmp_path / "b")
    assert made.path.read_bytes() == before
    assert files(tmp_path / "b") == [made.path.name]
    assert list((tmp_path / "b").iterdir()) == [made.path]


# -- restoring


def test_a_restore_brings_back_the_former_state_and_keeps_what_it_replaces(opened: Opened, tmp_path: Path) -> None:
    store = opened()
    add(store, "old")
    made = backup.make(store, tmp_path / "b", NOW, 9)
    add(store, "new")
    done = backup.restore(store, made.path, NOW + DAY)
    assert (done.path, done.source, done.memories, done.forgotten) == (store.path, made.path, 1, 0)
    assert done.kept == tmp_path / "data" / "m.db.replaced-20250616T150640000Z"
    again = opened()
    assert contents(again) == {"old"}
    assert again.integrity() == []
    assert peek(done.kept).memories == 2
    assert files(tmp_path / "data") == ["m.db", done.kept.name]
    assert {stat.S_IMODE(path.stat().st_mode) for path in (store.path, done.kept)} == {0o600}
    assert done.as_dict()["kept"] == str(done.kept)
    assert made.path.exists()


def test_what_was_forgotten_since_stays_forgotten(opened: Opened, tmp_path: Path) -> None:
    store = opened()
    secret, _ = add(store, "the marker zebra", "harmless")
    made = backup.make(store, tmp_path / "b", NOW, 9)
    forget(store, secret)
    done = backup.restore(store, made.path, NOW + 1)
    assert (done.memories, done.forgotten) == (1, 1)
    again = opened()
    assert contents(again) == {"harmless"} and again.memories.is_buried(secret)
    assert [event.verb for event in again.journal.history(secret)] == ["remembered", "forgot"]
    again.close()
    assert b"zebra" in made.path.read_bytes()
    assert not any(b"zebra" in path.read_bytes() for path in (tmp_path / "data").iterdir())


PORT = "The API listens on port 8080"


def restored(memory: Mnemopi, made: backup.Backup, tmp_path: Path) -> Mnemopi:
    """Restore a backup and open the bank again."""
    memory.restore(made.path)
    return engine(tmp_path)


def engine(tmp_path: Path, name: str = "data/m.db", **more: Any) -> Mnemopi:
    return Mnemopi(tmp_path / name, no_embeddings=True, clock=FixedClock(NOW), config={"write.settle": "off"}, **more)


def same_after_a_load(memory: Mnemopi, tmp_path: Path) -> bool:
    """Whether an export, loaded elsewhere and exported there, gives the same bytes."""
    with engine(tmp_path, "other/m.db") as other:
        memory.export(tmp_path / "one.jsonl")
        other.load(tmp_path / "one.jsonl")
        other.export(tmp_path / "two.jsonl")
    return (tmp_path / "one.jsonl").read_bytes() == (tmp_path / "two.jsonl").read_bytes()


@pytest.mark.parametrize("claims_wait", [False, True])
def test_what_followed_from_the_forgotten_stays_forgotten_too(claims_wait: bool, tmp_path: Path) -> None:
    memory = engine(tmp_path)
    many = [{"content": PORT}, *({"content": f"Note {n} of the crew"} for n in range(60 if claims_wait else 1))]
    id = memory.remember_many(many)[0]
    assert (memory.bank._store.unclaimed.count() > 0) == claims_wait
    made = memory.backup(tmp_path / "b")
    memory.forget(id)
    with restored(memory, made, tmp_path) as again:
        assert again.facts.list(include_ended=True) == []
        assert again.bank._store.unclaimed.count() == 0
        assert same_after_a_load(again, tmp_path)


def test_a_fact_that_others_state_too_outlives_a_restore(tmp_path: Path) -> None:
    memory = engine(tmp_path)
    first, second = memory.remember(PORT), memory.remember(f"{PORT}.")
    made = memory.backup(tmp_path / "b")
    memory.forget(first)
    with restored(memory, made, tmp_path) as again:
        (fact,) = again.facts.list()
        assert [source.memory for source in fact.sources] == [second]


TALK = (
    "The harbour crane broke down on 3 March, and the repair takes two weeks.",
    "Always call the harbour master before you move a barge.",
    "Captain Ferreira moved the barge Aurora to pier 7.",
    "The crane insurance covers 40000 euros of the repair.",
)


def talked(memory: Mnemopi) -> tuple[list[str], str]:
    """Tell some turns of two days ago, and sum them up; return their ids, and the episode's."""
    items = [{"content": text, "session_id": "s", "timestamp": NOW - 2 * DAY + n} for n, text in enumerate(TALK)]
    ids = [str(receipt) for receipt in memory.remember_many(items)]
    (episode,) = memory.sleep().episodes
    return ids, episode


def test_an_episode_that_was_forgotten_cites_nothing_forgotten_after_a_restore(tmp_path: Path) -> None:
    memory = engine(tmp_path, session_id="s")
    ids, episode = talked(memory)
    memory.forget(episode)
    made = memory.backup(tmp_path / "b")
    memory.forget(ids[0])
    with restored(memory, made, tmp_path) as again:
        assert sorted(source for source, _ in again.bank._store.episodes.sources(episode)) == sorted(ids[1:])
        assert same_after_a_load(again, tmp_path)


@pytest.mark.parametrize("itself", [False, True])
def test_after_a_restore_sleep_waits_for_what_waited_before(itself: bool, tmp_path: Path) -> None:
    """Sources of an episode that was forgotten itself are done with, those of one that fell wait again."""
    memory = engine(tmp_path, session_id="s")
    ids, episode = talked(memory)
    made = memory.backup(tmp_path / "b")
    if itself:
        memory.forget(episode)
        memory.bank._works.clock.advance(ms=1)  # type: ignore[attr-defined]
    memory.forget(ids[0])
    waits = memory.sleep_all_sessions(dry_run=True).memories
    assert waits == (0 if itself else 3)
    with restored(memory, made, tmp_path) as again:
        assert again.get(episode) is None
        assert again.sleep_all_sessions(dry_run=True).memories == waits
        assert same_after_a_load(again, tmp_path)


def test_a_renamed_bank_keeps_its_name_of_today(opened: Opened, tmp_path: Path) -> None:
    store = opened("data", "work")
    made = backup.make(store, tmp_path / "b", NOW, 9)
    with store.transaction():
        store.meta.set("name", "play")
    store.name = "play"
    backup.restore(store, made.path, NOW)
    assert peek(store.path).name == "play"


def test_nothing_is_replaced_while_somebody_else_has_the_bank_open(opened: Opened, tmp_path: Path) -> None:
    store, other = opened(), opened()
    add(store, "one")
    made = backup.make(store, tmp_path / "b", NOW, 9)
    with pytest.raises(InUseError):
        backup.restore(store, made.path, NOW)
    add(other, "two")
    assert contents(other) == {"one", "two"}
    assert files(tmp_path / "data") == ["m.db"]


def refused(store: Store, source: Path, kind: type[MnemopiError]) -> None:
    """Restoring from there is refused, and the store stays open."""
    with pytest.raises(kind):
        backup.restore(store, source, NOW)
    assert contents(store) == {"one"}


def test_what_is_no_backup_of_this_bank_is_refused(opened: Opened, tmp_path: Path) -> None:
    store, work = opened(), opened("data", "work")
    add(store, "one")
    refused(store, backup.make(work, tmp_path / "b", NOW, 9).path, ConflictError)
    refused(store, tmp_path / "nothing", NotFoundError)
    refused(store, store.path, UsageError)
    refused(store, tmp_path, StorageError)
    (tmp_path / "empty").write_text("")
    refused(store, tmp_path / "empty", CorruptError)
    (tmp_path / "text").write_text("text " * 100)
    refused(store, tmp_path / "text", CorruptError)
    foreign = apsw.Connection(str(tmp_path / "foreign"))
    foreign.execute("create table a (b)")
    foreign.close()
    refused(store, tmp_path / "foreign", ForeignError)


def test_a_fresh_bank_takes_the_backup_of_one_that_was_lost(opened: Opened, tmp_path: Path) -> None:
    store = opened()
    add(store, "one")
    made = backup.make(store, tmp_path / "b", NOW, 9)
    store.close()
    for path in (tmp_path / "data").iterdir():
        path.unlink()
    fresh = opened(now=NOW + DAY)
    backup.restore(fresh, made.path, NOW + DAY)
    assert contents(opened()) == {"one"}


def fail(*args: Any, **options: Any) -> Any:
    raise OSError(28, "No space left on device")


def refuse(*args: Any, **options: Any) -> Any:
    raise CorruptError("no")


STEPS: dict[str, tuple[object, str, Any]] = {
    "keeping the former file": (swap, "_keep", fail),
    "copying": (copy, "_copied", fail),
    "adapting": (swap, "_adapted", refuse),
    "checking": (copy, "check", refuse),
    "putting in place": (swap, "into_place", fail),
}


@pytest.mark.parametrize("step", STEPS)
def test_a_failure_at_any_step_leaves_the_bank_as_it_was(
    opened: Opened, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    store = opened()
    add(store, "old")
    made = backup.make(store, tmp_path / "b", NOW, 9)
    add(store, "new")
    with monkeypatch.context() as broken:
        broken.setattr(*STEPS[step])
        with pytest.raises(StorageError):
            backup.restore(store, made.path, NOW)
    again = opened()
    assert contents(again) == {"old", "new"} and again.integrity() == []
    again.close()
    assert files(tmp_path / "data") == ["m.db"]


def test_a_rename_that_fails_puts_the_log_back(opened: Opened, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, working, log = tmp_path / "m.db", tmp_path / "m.db.restoring", tmp_path / "m.db-wal"
    for file in (path, working, log):
        file.write_text(file.name)
    replace = Path.replace

    def picky(self: Path, target: Path) -> Path:
        return fail() if self == working else replace(self, target)

    monkeypatch.setattr(Path, "replace", picky)
    with pytest.raises(OSError, match="No space"):
        swap.into_place(path, working)
    assert (path.read_text(), log.read_text()) == ("m.db", "m.db-wal")
    monkeypatch.undo()
    swap.into_place(path, working)
    assert path.read_text() == "m.db.restoring" and not log.exists()


def test_a_damaged_file_is_kept_byte_by_byte_and_replaced(
    opened: Opened, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = opened()
    add(store, "one")
    made = backup.make(store, tmp_path / "b", NOW, 9)
    add(store, *(f"note {number} " * 20 for number in range(300)))
    store.finish_erasure()
    with store.path.open("r+b") as file:
        file.seek(store.path.stat().st_size // 2)
        file.write(b"\xff" * 40_000)
    with pytest.raises(CorruptError):
        copy.check(store.path)
    damaged = store.path.read_bytes()
    done = backup.restore(store, made.path, NOW)
    assert done.kept.read_bytes() == damaged
    assert contents(opened()) == {"one"}


def test_the_journal_goes_on_under_another_writer_and_older_backups_are_still_of_this_bank(
    opened: Opened, tmp_path: Path
) -> None:
    store = opened()
    add(store, "one")
    made = backup.make(store, tmp_path / "b", NOW, 9)
    add(store, "two")
    backup.restore(store, made.path, NOW)
    again = opened()
    add(again, "three", now=NOW + 1)
    last = [(event.verb, event.seq) for event in again.inventory.events(("", 0), 99) if event.at > NOW]
    assert last == [("remembered", 2)]
    assert made.path.name in backup.holding(tmp_path / "b", again, anything)


def test_no_row_key_is_given_out_again_after_a_restore(opened: Opened, tmp_path: Path) -> None:
    store = opened()
    made = backup.make(store, tmp_path / "b", NOW, 9)
    add(store, "one", "two")
    before = store.sequences()
    assert before["memory"] == 2
    backup.restore(store, made.path, NOW)
    again = opened()
    assert again.sequences() == before
    add(again, "brand new")
    assert again.memories.last_rowkey() == 3


# -- what still holds erased bytes


def test_copies_that_hold_it_are_named_and_others_not_whenever_they_were_made(opened: Opened, tmp_path: Path) -> None:
    store, same_id = opened(), opened("elsewhere", now=NOW + 1)
    folder, data = tmp_path / "b", tmp_path / "data"
    add(store, "one")
    assert backup.holding(folder, store, anything) == ()
    without = backup.make(store, folder, NOW + 10, 9).path
    (id,) = add(store, "two")
    held = partial(has_memory, bank=store.bank, id=id)
    backdated = backup.make(store, folder, NOW - DAY, 9).path
    backup.make(same_id, folder, NOW + 11, 9)
    assert backup.holding(folder, store, held) == (backdated.name,)
    copy.online(backdated, data / "m.db.replaced-20250615T150640000Z")
    copy.online(without, data / "m.db.replaced-20250615T150640020Z-2")
    copy.online(backdated, data / "m.db.schema1-5")
    copy.online(without, data / f"m.db.schema1-{NOW + 30}")
    for torn in (folder / "default-20240101T000000000Z.db.part", data / "m.db.restoring", data / "m.db.txt"):
        torn.write_text("torn")
    assert backup.holding(folder, store, held) == (
        "default-20240101T000000000Z.db.part",
        backdated.name,
        "m.db.replaced-20250615T150640000Z",
        "m.db.restoring",
        "m.db.schema1-5",
    )


@pytest.mark.parametrize("moment", [0, 1, 999, NOW + 7, 4_102_444_799_999])
def test_a_time_in_a_name_is_read_as_it_was_written(moment: int) -> None:
    assert backup._moment(backup.stamp(moment)) == moment
