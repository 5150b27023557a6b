from __future__ import annotations

import io
import json
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mnemopi.config import Config
from mnemopi.errors import FullError, NotFoundError, StorageError, UsageError
from mnemopi.ingest import edits
from mnemopi.ingest.draft import Draft
from mnemopi.ingest.prepare import prepare
from mnemopi.ingest.remember import remember
from mnemopi.storage.store import Store
from mnemopi.transfer import export, load, record

from .conftest import GATE, NOW, WHO, change, fill

Opened = Callable[[str], Store]


def written(store: Store) -> str:
    """Export to a string."""
    file = io.StringIO()
    export.write(store, file)
    return file.getvalue()


def moved(text: str) -> str:
    """Load into an empty bank in memory and export again."""
    store = Store(":memory:", "default", "default", Config().storage, now=NOW)
    try:
        load.load(store, text.split("\n"), NOW + 999, GATE, force=False, skip_bad=False)
        return written(store)
    finally:
        store.close()


def test_the_first_line_counts_what_follows(opened: Opened, tmp_path: Path) -> None:
    store = opened("a")
    fill(store)
    counts = export.to_file(store, tmp_path / "bank.jsonl")
    head, *lines = (tmp_path / "bank.jsonl").read_text("utf-8").split("\n")[:-1]
    assert json.loads(head) == {"mnemopi_export": 1, "counts": counts}
    kinds = [next(iter(json.loads(line))) for line in lines]
    assert counts == {
        "memories": 6,
        "versions": kinds.count("memory"),
        "occurrences": kinds.count("occurrence"),
        "recalled": 1,
        "tombstones": 1,
        "citations": 0,
        "statements": kinds.count("statement"),
        "annotations": kinds.count("annotation"),
        "edges": kinds.count("edge"),
        "unclaimed": 2,
        "readings": 3,
        "notes": 1,
        "events": kinds.count("event"),
    }
    assert kinds == sorted(kinds, key=record.KINDS.index)


def test_an_export_loaded_and_exported_again_is_the_same_bytes(opened: Opened, tmp_path: Path) -> None:
    store, other = opened("a"), opened("b")
    fill(store)
    export.to_file(store, tmp_path / "one")
    load.load(other, tmp_path / "one", NOW + 10_000, GATE, force=False, skip_bad=False)
    export.to_file(other, tmp_path / "two")
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), min_size=1, max_size=30).filter(
    lambda text: not text.isspace()
) | st.sampled_from(["部署在周五", "tomorrow at noon", "password: hunter2x", "a\r\nb", "a\u2028\u0085", "x" * 1300])
VALUES = st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats(allow_nan=False, allow_infinity=False)
METADATA = st.dictionaries(TEXTS, VALUES | TEXTS | st.lists(TEXTS, max_size=2), max_size=3)
DRAFTS = st.fixed_dictionaries(
    {"content": TEXTS},
    optional={
        "session_id": st.sampled_from(["s1", "会话", "s 2"]),
        "position": st.integers(0, 2**52 - 1),
        "author_id": st.sampled_from(["ann", "博"]),
        "importance": st.floats(-1, 2),
        "veracity": st.sampled_from(["stated", "false", True]),
        "scope": st.sampled_from(["session", "global", "channel"]),
        "timestamp": st.sampled_from(["0001-01-01", "9999-12-31", "2026-03-05T10:00:00.123Z", 0, -1]),
        "valid_until": st.sampled_from(["9999", "2026-03-05", "2020-01-01T00:00:00Z"]),
        "metadata": METADATA,
        "embed_text": TEXTS,
        "pinned": st.booleans(),
        "source": st.sampled_from(["tool", "导入"]),
        "external_id": st.sampled_from(["e1", "e2"]),
    },
)
STEPS = st.lists(
    st.tuples(st.sampled_from(["remember", "again", "update", "invalidate", "forget", "recall"]), DRAFTS), max_size=12
)


def step(store: Store, verb: str, given: dict[str, Any], ids: list[str], now: int) -> None:
    """Do one thing to a bank, the last memory being the one that is changed."""
    if verb in ("remember", "again") or not ids:
        for _ in range(1 + (verb == "again")):
            ids += map(str, remember(store, [prepare(Draft(**given), WHO, now, GATE)], now))
    elif store.memories.current(ids[-1], WHO) is None:
        ids.pop()
    elif verb == "update":
        change(store, ids[-1], now, content=given["content"])
    elif verb == "invalidate":
        edits.invalidate(store, ids[-1], WHO, now, replacement=None, reason="why not")
    elif verb == "forget":
        edits.forget(store, ids.pop(), WHO, now)
    else:
        store.memories.count_recalls({ids[-1]: (2, now)})


@given(STEPS)
@settings(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck))
def test_any_bank_survives_the_journey_byte_for_byte(steps: list[tuple[str, dict[str, Any]]]) -> None:
    store = Store(":memory:", "default", "default", Config().storage, now=NOW)
    ids: list[str] = []
    for number, (verb, given_) in enumerate(steps):
        step(store, verb, given_, ids, NOW + number)
    text = written(store)
    store.close()
    assert moved(text) == text


def test_an_empty_bank_is_a_manifest_alone(opened: Opened) -> None:
    text = written(opened("a"))
    assert text.count("\n") == 1
    assert moved(text) == text


def test_lines_are_compact_and_sorted_with_times_in_iso(opened: Opened) -> None:
    store = opened("a")
    fill(store)
    line = written(store).split("\n")[1]
    memory = json.loads(line)["memory"]
    assert memory["timestamp"] == "2026-03-05T10:00:00.000Z"
    assert list(memory) == sorted(memory)
    assert ": " not in line and "null" not in line and "rowkey" not in line


def test_more_than_a_page_comes_out_in_the_order_of_recording(opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export, "_PAGE", 3)
    store = opened("a")
    batch = [prepare(Draft(f"note {number}"), WHO, NOW, GATE) for number in range(10)]
    ids = [str(receipt) for receipt in remember(store, batch, NOW)]
    change(store, ids[1], NOW + 1, content="changed")
    lines = [json.loads(line) for line in written(store).splitlines()]
    found = [line["memory"]["content"] for line in lines if "memory" in line]
    assert found == ["note 0", "note 1", "changed", *(f"note {number}" for number in range(2, 10))]
    assert len([line for line in lines if "event" in line]) == 11


def test_the_journal_says_nothing_of_loads(opened: Opened) -> None:
    store = opened("a")
    load.load(store, ['{"mnemopi_export":1,"counts":{}}'], NOW, GATE, force=False, skip_bad=False)
    assert "loaded" not in written(store)


def test_a_forgotten_text_is_nowhere_in_an_export(opened: Opened) -> None:
    store = opened("a")
    *_, gone = fill(store)
    text = written(store)
    assert "Forget me" not in text
    (line,) = (json.loads(line) for line in text.splitlines() if line.startswith('{"tombstone"'))
    assert line == {"tombstone": {"at": "2025-06-15T15:06:40.040Z", "id": gone}}


def test_others_may_write_while_a_bank_is_exported(opened: Opened) -> None:
    store, other = opened("a"), opened("a")
    fill(store)
    with store.snapshot() as bank:
        before = bank.contents()
        remember(other, [prepare(Draft("late"), WHO, NOW, GATE)], NOW)
        remember(store, [prepare(Draft("later"), WHO, NOW, GATE)], NOW)
        assert bank.contents() == before
    with store.snapshot() as bank:
        assert bank.contents()[0] == before[0] + 2


def test_the_file_is_private_and_replaces_a_former_one(opened: Opened, tmp_path: Path) -> None:
    target = tmp_path / "bank.jsonl"
    target.write_text("old")
    export.to_file(opened("a"), target)
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    assert target.read_text().startswith('{"mnemopi_export":1')


@pytest.mark.parametrize(("number", "kind"), [(28, FullError), (5, StorageError)])
def test_a_failure_leaves_the_former_file_and_nothing_else(
    opened: Opened, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, kind: type[Exception]
) -> None:
    target = tmp_path / "out" / "bank.jsonl"
    target.parent.mkdir()
    target.write_text("old")

    def fail(handle: int) -> None:
        raise OSError(number, "no")

    monkeypatch.setattr(export.os, "fsync", fail)
    with pytest.raises(kind):
        export.to_file(opened("a"), target)
    assert [path.name for path in target.parent.iterdir()] == ["bank.jsonl"]
    assert target.read_text() == "old"


def test_a_folder_that_is_not_there_is_not_found(opened: Opened, tmp_path: Path) -> None:
    with pytest.raises(NotFoundError):
        export.to_file(opened("a"), tmp_path / "nowhere" / "bank.jsonl")


def test_a_database_a_folder_and_a_device_are_no_targets(opened: Opened, tmp_path: Path) -> None:
    store = opened("a")
    for target in (store.path, tmp_path, Path("/dev/null")):
        with pytest.raises(UsageError):
            export.to_file(store, target)
    assert Path("/dev/null").is_char_device()
