from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mnemopi.errors import NotFoundError, StorageError, UsageError
from mnemopi.ingest import edits
from mnemopi.ingest.draft import Draft
from mnemopi.ingest.prepare import prepare
from mnemopi.ingest.remember import remember
from mnemopi.model.memory import Loaded
from mnemopi.model.note import Note
from mnemopi.storage.notes import Notes
from mnemopi.storage.store import Store
from mnemopi.transfer import export, load

from .conftest import GATE, NOW, WHO, change, fill

Opened = Callable[[str], Store]
LATER = NOW + 10_000


def lines_of(store: Store) -> list[str]:
    """Export to lines."""
    file = io.StringIO()
    export.write(store, file)
    return file.getvalue().split("\n")[:-1]


def taken(store: Store, lines: Any, *, force: bool = False, skip_bad: bool = False) -> Loaded:
    """Load."""
    return load.load(store, lines, LATER, GATE, force=force, skip_bad=skip_bad)


def changed(line: str, **fields: Any) -> str:
    """Give the value on a line other fields; None takes one away."""
    ((kind, value),) = json.loads(line).items()
    value |= fields
    return json.dumps({kind: {name: field for name, field in value.items() if field is not None}})


@pytest.fixture
def source(opened: Opened) -> list[str]:
    """The lines of a bank with one of everything."""
    store = opened("source")
    fill(store)
    return lines_of(store)


def test_all_versions_come_with_their_times_and_who_said_them(opened: Opened, source: list[str]) -> None:
    origin, target = opened("source"), opened("target")
    assert taken(target, source) == Loaded(inserted=6)
    with origin.snapshot() as mine, target.snapshot() as theirs:
        known = [[(m.id, m.version, m.content, m.recorded_at, m.session_id, m.author_id, m.position, m.event)
                  for m in versions] for versions in mine.memories(0, 99)]  # fmt: skip
        found = [[(m.id, m.version, m.content, m.recorded_at, m.session_id, m.author_id, m.position, m.event)
                  for m in versions] for versions in theirs.memories(0, 99)]  # fmt: skip
    assert found == known


def test_what_was_loaded_is_found_by_its_words_and_waits_for_vectors(opened: Opened, source: list[str]) -> None:
    target = opened("target")
    taken(target, source)
    indexed, stray, missing = target.inventory.search_rows()
    assert (stray, missing) == (0, 0) and indexed == target.inventory.contents()[1]
    assert target.integrity() == []
    assert target.vectors.count_pending("any", 0)[0] == 6
    (long,) = (m for versions in target.inventory.memories(0, 99) for m in versions if len(m.content) > 1200)
    assert len(target.vectors.passages(long.rowkey)) > 1


def test_loading_twice_changes_nothing_but_the_journal(opened: Opened, source: list[str]) -> None:
    target = opened("target")
    taken(target, source)
    assert taken(target, source) == Loaded(skipped=6)
    assert lines_of(target) == source
    assert target.inventory.contents()[-1] + 2 == len(target.inventory.events(("", 0), 999))


def test_a_different_memory_under_a_known_id_stays_unless_forced(opened: Opened, source: list[str]) -> None:
    target = opened("target")
    taken(target, source)
    id = json.loads(source[1])["memory"]["id"]
    change(target, id, LATER, content="Mine.")
    assert taken(target, source) == Loaded(skipped=6)
    assert target.memories.current(id, WHO).content == "Mine."  # type: ignore[union-attr]
    assert taken(target, source, force=True) == Loaded(skipped=5, overwritten=1)
    assert [memory.content for memory in target.memories.versions(id)] == ["We deploy on Friday."]
    assert target.memories.recall_count(id) == (3, NOW + 50)
    assert target.integrity() == [] and target.inventory.orphans() == (0, 0, 0, 0)


def test_what_was_forgotten_here_stays_forgotten_even_by_force(opened: Opened, source: list[str]) -> None:
    target = opened("target")
    taken(target, source)
    id = json.loads(source[1])["memory"]["id"]
    edits.forget(target, id, WHO, LATER)
    assert taken(target, source, force=True) == Loaded(skipped=5, forgotten=1)
    assert target.memories.versions(id) == []
    assert target.memories.recall_count(id) == (0, None)


def test_what_was_forgotten_elsewhere_is_marked_here_and_nothing_here_is_erased(
    opened: Opened, source: list[str]
) -> None:
    target = opened("target")
    gone = next(json.loads(line)["tombstone"]["id"] for line in source if line.startswith('{"tombstone"'))
    ready = prepare(Draft("I live here."), WHO, NOW, GATE)
    (mine,) = remember(target, [ready], NOW)
    lines = [changed(line, id=str(mine)) if line.startswith('{"tombstone"') else line for line in source]
    taken(target, lines)
    assert target.memories.current(str(mine), WHO) is not None and not target.memories.is_buried(str(mine))
    taken(target, source)
    assert target.memories.is_buried(gone)


def test_what_has_yet_to_be_read_waits_here_too_and_the_notes_of_scratchpads_come_along(
    opened: Opened, source: list[str]
) -> None:
    target = opened("target")
    taken(target, source)
    assert target.inventory.unclaimed(0, 9) == opened("source").inventory.unclaimed(0, 9)
    assert [said for _, said, _ in target.inventory.readings("", 9)].count("好的") == 1
    assert sorted(reached for _, _, reached in target.inventory.readings("", 9)) == [0, 0, 9]
    assert [note.content for note in target.inventory.notes()] == ["first the port"]


def test_a_note_of_the_scratchpad_that_is_here_stays_unless_forced(opened: Opened, source: list[str]) -> None:
    target = opened("target")
    own = Note("n1", "then the host", LATER, LATER, "s1")
    Notes(target.connection, target.bank, target.sql).put([own])
    taken(target, source)
    assert target.inventory.notes() == [own]
    taken(target, source, force=True)
    assert [note.content for note in target.inventory.notes()] == ["first the port"]


def test_equal_notes_under_two_ids_never_merge(opened: Opened, source: list[str]) -> None:
    target = opened("target")
    ready = prepare(Draft("The port is 8124."), WHO, NOW, GATE)
    (mine,) = remember(target, [ready], NOW)
    assert taken(target, source) == Loaded(inserted=6)
    assert target.memories.count() == 7
    assert target.memories.current(str(mine), WHO) is not None


def test_secrets_of_a_foreign_export_do_not_get_in(opened: Opened, source: list[str]) -> None:
    target = opened("target")
    secret = "ghp_" + "a1B2" * 9
    dirty = changed(source[1], content=f"use {secret}", metadata={"note": [secret]}, embed_text=f"key {secret}")
    taken(target, [source[0], dirty, *source[2:]])
    memory = target.memories.versions(json.loads(source[1])["memory"]["id"])[0]
    assert secret not in repr(memory)
    assert memory.content.startswith("use [REDACTED:")
    with pytest.raises(UsageError, match="line 2: author_id looks like a secret"):
        taken(target, [source[0], changed(source[1], author_id=secret), *source[2:]])


def test_a_journal_comes_under_its_own_writer_and_number(opened: Opened, source: list[str]) -> None:
    target = opened("target")
    ready = prepare(Draft("mine"), WHO, NOW, GATE)
    remember(target, [ready], NOW)
    taken(target, source)
    id = json.loads(source[1])["memory"]["id"]
    (event,) = target.journal.history(id)
    assert (event.verb, event.seq, event.writer != target.meta.get("writer")) == ("remembered", 1, True)
    (loaded,) = (event for event in target.inventory.events(("", 0), 99) if event.verb == "loaded")
    assert (loaded.at, loaded.seq, loaded.writer) == (LATER, 2, target.meta.get("writer"))


def test_a_load_into_its_own_past_leaves_the_journal_alone(opened: Opened) -> None:
    store = opened("source")
    ids = fill(store)
    old = lines_of(store)
    change(store, ids[0], LATER, content="Newer.")
    assert taken(store, old) == Loaded(skipped=6)
    assert [event.verb for event in store.journal.history(ids[0])] == ["remembered", "updated"]


BROKEN = {
    "half a line": lambda line: line[: len(line) // 2],
    "no JSON": lambda line: "{]",
    "no object": lambda line: "[1]",
    "NaN": lambda line: line.replace('"importance":0.5', '"importance":NaN'),
    "a key twice": lambda line: line.replace('"importance":0.5', '"importance":0.5,"importance":0.9'),
    "no end of braces": lambda line: '{"memory":' * 2000,
    "another kind": lambda line: line.replace('{"memory"', '{"thing"'),
    "two kinds": lambda line: '{"memory":{},"event":{}}',
    "an unknown field": lambda line: changed(line, colour="red"),
    "no id": lambda line: changed(line, id=None),
    "an impossible id": lambda line: changed(line, id="../x"),
    "a long id": lambda line: changed(line, id="x" * 81),
    "blank content": lambda line: changed(line, content=" "),
    "no content": lambda line: changed(line, content=None),
    "a NUL": lambda line: changed(line, content="a\0b"),
    "a lone surrogate": lambda line: changed(line, content="a\ud800"),
    "too long": lambda line: changed(line, content="x" * 10_001),
    "importance in words": lambda line: changed(line, importance="high"),
    "unknown veracity": lambda line: changed(line, veracity="maybe"),
    "unknown tier": lambda line: changed(line, tier="cold"),
    "unknown kind": lambda line: changed(line, kind="dream"),
    "no such time": lambda line: changed(line, recorded_at="2026-02-30T00:00:00.000Z"),
    "a time without a zone": lambda line: changed(line, timestamp="2026-02-03T00:00:00.000"),
    "a time as a number": lambda line: changed(line, timestamp=5),
    "an event upside down": lambda line: changed(
        line, event={"start": "2026-01-02T00:00:00Z", "end": "2026-01-01T00:00:00Z", "precision": "day"}
    ),
    "an event without end": lambda line: changed(line, event={"start": "2026-01-02T00:00:00Z"}),
    "a negative position": lambda line: changed(line, position=-1),
    "metadata in words": lambda line: changed(line, metadata="red"),
    "version 0": lambda line: changed(line, version=0),
    "nothing in force": lambda line: changed(line, retired_at="2026-02-03T00:00:00.000Z"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_line_names_its_number_and_nothing_is_written(opened: Opened, source: list[str], name: str) -> None:
    target = opened("target")
    lines = [source[0], source[1], BROKEN[name](source[2]), *source[3:]]
    with pytest.raises(UsageError, match=r"^line 3: "):
        taken(target, lines)
    assert target.inventory.contents() == (0,) * len(export.COUNTS)


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_line_may_be_left_out(opened: Opened, source: list[str], name: str) -> None:
    target = opened("target")
    report = taken(target, [source[0], source[1], BROKEN[name](source[2]), *source[3:]], skip_bad=True)
    assert report.inserted == 5
    (problem,) = report.problems
    assert problem.startswith("line 3: ")
    assert target.integrity() == []


def test_a_file_that_is_cut_short_says_so(opened: Opened, source: list[str]) -> None:
    target = opened("target")
    with pytest.raises(UsageError, match="the file is cut short: 1 of "):
        taken(target, source[:-1])
    assert target.memories.count() == 0
    report = taken(target, source[:-1], skip_bad=True)
    assert report.inserted == 6 and "cut short" in report.problems[0]


def test_a_file_that_grew_says_so(opened: Opened, source: list[str]) -> None:
    with pytest.raises(UsageError, match="its manifest says"):
        taken(opened("target"), [*source, source[-1]])


def test_kinds_stand_in_their_order(opened: Opened, source: list[str]) -> None:
    with pytest.raises(UsageError, match="a line of kind memory stands after one of kind event"):
        taken(opened("target"), [source[0], source[-1], *source[1:-1]])


def test_versions_that_do_not_stand_together_are_refused(
    opened: Opened, source: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    again = [source[0], *source[1:3], source[1], *source[3:]]
    for batch in (1, 500):
        monkeypatch.setattr(load, "_BATCH", batch)
        with pytest.raises(UsageError, match=r"line 4: .* do not stand together"):
            taken(opened("target"), again)


def test_batches_of_any_size_load_the_same(opened: Opened, source: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(load, "_BATCH", 2)
    target = opened("target")
    assert taken(target, source) == Loaded(inserted=6)
    assert lines_of(target) == source


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("", "line 1: not JSON"),
        ('{"content":"hello"}', "line 1: this is no export"),
        ('{"mnemopi_export":2,"counts":{}}', "line 1: an export of format 2"),
        ('{"mnemopi_export":true,"counts":{}}', "line 1: an export of format True"),
        ('{"mnemopi_export":1}', "line 1: the manifest has no counts"),
        ('{"mnemopi_export":1,"counts":{"versions":"3"}}', "line 1: the manifest has no counts"),
    ],
)
def test_without_a_manifest_nothing_is_taken_in(opened: Opened, line: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        taken(opened("target"), [line], skip_bad=True)


def test_a_file_is_read_line_by_line_whatever_its_texts_hold(opened: Opened, source: list[str], tmp_path: Path) -> None:
    assert any("\u2028" in line for line in source)
    path = tmp_path / "bank.jsonl"
    path.write_bytes(("\ufeff" + "\r\n".join(source) + "\r\n\r\n").encode())
    assert taken(opened("target"), path).inserted == 6


def test_bytes_that_are_no_text_name_their_line(opened: Opened, source: list[str], tmp_path: Path) -> None:
    path = tmp_path / "bank.jsonl"
    lines = [line.encode() for line in source]
    path.write_bytes(b"\n".join([lines[0], lines[1].replace(b"Friday", b"Frid\xe4y"), *lines[2:]]))
    with pytest.raises(UsageError, match="line 2: content holds half a character"):
        taken(opened("target"), path)


def test_a_file_that_is_not_there_is_not_found_and_a_folder_cannot_be_read(opened: Opened, tmp_path: Path) -> None:
    with pytest.raises(NotFoundError):
        taken(opened("target"), tmp_path / "nothing.jsonl")
    with pytest.raises(StorageError):
        taken(opened("target"), tmp_path)


def test_lines_that_fail_on_the_way_leave_nothing(opened: Opened, source: list[str]) -> None:
    def failing() -> Any:
        yield from source[:-1]
        raise ConnectionError("gone")

    target = opened("target")
    with pytest.raises(ConnectionError):
        taken(target, failing())
    assert target.inventory.contents() == (0,) * len(export.COUNTS)
