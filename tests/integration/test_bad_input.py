"""What cannot be used is refused, by the right error, and nothing is written or changed."""

from __future__ import annotations

import itertools
import os
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from mnemopi.engine import Mnemopi
from mnemopi.errors import (
    ConfigError,
    CorruptError,
    ForeignError,
    MnemopiError,
    NotFoundError,
    ReadOnlyError,
    StorageError,
    TooNewError,
    UsageError,
)
from mnemopi.model import numbers

CHILD = Path(__file__).with_name("child.py")
NOBODY = 65534
KEY = "sk-ant-api03-" + "Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4z" * 2

BAD_CALLS: dict[str, dict[str, Any]] = {
    "empty": {"content": ""},
    "blank": {"content": " \n\t "},
    "blank in another script": {"content": "\u3000\u2003"},
    "no text": {"content": None},
    "bytes": {"content": b"bytes"},
    "too long": {"content": "x" * 262_145},
    "NUL": {"content": "before\x00after"},
    "lone surrogate": {"content": "half \ud83d of it"},
    "importance not a number": {"importance": float("nan")},
    "importance without end": {"importance": float("inf")},
    "importance below all": {"importance": float("-inf")},
    "importance in words": {"importance": "high"},
    "importance a boolean": {"importance": True},
    "unknown option": {"colour": "red"},
    "unknown veracity": {"veracity": "perhaps"},
    "veracity a number": {"veracity": 1},
    "unknown trust tier": {"trust_tier": "ROYAL"},
    "unparsable timestamp": {"timestamp": "the day after never"},
    "empty timestamp": {"timestamp": ""},
    "timestamp not a number": {"timestamp": float("nan")},
    "timestamp without end": {"timestamp": float("inf")},
    "timestamp beyond time": {"timestamp": 10**30},
    "timestamp a boolean": {"timestamp": True},
    "timestamp a list": {"timestamp": [2026, 1, 1]},
    "impossible date": {"timestamp": "2026-02-30"},
    "unparsable end": {"valid_until": "whenever"},
    "negative position": {"position": -1},
    "broken position": {"position": 1.5},
    "position a boolean": {"position": True},
    "position beyond storage": {"position": 2**63},
    "metadata a list": {"metadata": ["a"]},
    "metadata not JSON": {"metadata": {"when": datetime(2026, 1, 1, tzinfo=UTC)}},
    "metadata not a number": {"metadata": {"weight": float("nan")}},
    "metadata with half a character": {"metadata": {"name": "\udc00"}},
    "metadata with NUL": {"metadata": {"name": "a\x00b"}},
    "metadata with NUL in a key": {"metadata": {"a\x00b": 1}},
    "metadata too big": {"metadata": {"blob": "x" * 262_145}},
    "pinned in words": {"pinned": "yes"},
    "unknown scope": {"scope": "galaxy"},
    "empty scope": {"scope": ""},
    "empty session": {"session_id": ""},
    "session a number": {"session_id": 7},
    "session with control characters": {"session_id": "a\nb"},
    "session too long": {"session_id": "s" * 201},
    "secret for a session": {"session_id": KEY},
    "secret for an author": {"author_id": KEY},
    "secret for an external id": {"external_id": KEY},
    "secret for a channel": {"channel_id": KEY},
    "blank embed_text": {"embed_text": "  "},
    "NUL in embed_text": {"embed_text": "a\x00b"},
    "source too long": {"source": "s" * 201},
    "source a number": {"source": 7},
    "memory type a number": {"memory_type": 7},
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "m.db"


@pytest.fixture
def memory(file: Path) -> Iterator[Mnemopi]:
    with Mnemopi(file, no_embeddings=True) as memory:
        memory.remember("the only note there is")
        yield memory


def content_of(file: Path) -> list[str]:
    """Return all that a bank holds, as SQL."""
    with closing(sqlite3.connect(file)) as raw:
        return [
            repr(row)
            for table in ("memory", "occurrence", "passage", "vector", "event", "tombstone", "author", "meta")
            for row in raw.execute(f"SELECT * FROM {table}")
        ]


@pytest.mark.parametrize("what", BAD_CALLS)
def test_remember_refuses_and_writes_nothing(memory: Mnemopi, file: Path, what: str) -> None:
    before = content_of(file)
    with pytest.raises(UsageError):
        memory.bank.remember(**{"content": "a good text", **BAD_CALLS[what]})
    with pytest.raises(UsageError, match="item 0"):
        memory.remember_many([{"content": "a good text", **BAD_CALLS[what]}])
    assert content_of(file) == before


def test_an_option_that_is_not_known_is_named_with_those_that_are_at_each_door(memory: Mnemopi, file: Path) -> None:
    before = content_of(file)
    wrong: dict[str, Any] = {"importanse": 1}
    for call in (
        lambda: memory.remember("a good text", **wrong),
        lambda: memory.bank.remember("a good text", **wrong),
        lambda: memory.remember_many([{"content": "a good text", **wrong}]),
        lambda: memory.surface.remember("a good text", **wrong),
        lambda: memory.recall("note", **wrong),
        lambda: memory.context("note", **wrong),
    ):
        with pytest.raises(UsageError, match="'importanse'") as caught:
            call()
        assert "known: " in caught.value.hint
    assert content_of(file) == before


@pytest.mark.parametrize("what", [name for name in BAD_CALLS if set(BAD_CALLS[name]) <= {"content", "importance"}])
def test_update_refuses_the_same_and_writes_nothing(memory: Mnemopi, file: Path, what: str) -> None:
    (hit,) = memory.recall("note")
    before = content_of(file)
    with pytest.raises(UsageError):
        memory.update(hit.id, **BAD_CALLS[what])
    assert content_of(file) == before


def test_the_other_verbs_refuse_what_they_cannot_use(memory: Mnemopi, file: Path) -> None:
    (hit,) = memory.recall("note")
    before = content_of(file)
    refused: list[tuple[type[MnemopiError], Any]] = [
        (UsageError, lambda: memory.update(hit.id)),
        (UsageError, lambda: memory.update(hit.id, pinned="yes")),  # type: ignore[arg-type]
        (NotFoundError, lambda: memory.update("0000000000000000", "text")),
        (NotFoundError, lambda: memory.update(None, "text")),  # type: ignore[arg-type]
        (NotFoundError, lambda: memory.forget("")),
        (NotFoundError, lambda: memory.forget("a\x00b")),
        (UsageError, lambda: memory.forget("\ud800")),
        (NotFoundError, lambda: memory.invalidate("nothing")),
        (NotFoundError, lambda: memory.invalidate(hit.id, "nothing")),
        (UsageError, lambda: memory.invalidate(hit.id, hit.id)),
        (UsageError, lambda: memory.invalidate(hit.id, reason=KEY)),
        (NotFoundError, lambda: memory.history("nothing")),
        (UsageError, lambda: memory.get(7)),  # type: ignore[arg-type]
        (UsageError, lambda: memory.get(hit.id, as_of="never")),
        (UsageError, lambda: memory.recall(7)),  # type: ignore[arg-type]
        (UsageError, lambda: memory.recall("note", -1)),
        (UsageError, lambda: memory.recall("note", colour="red")),
        (UsageError, lambda: memory.recall("note", as_of="never")),
        (UsageError, lambda: memory.recall("note", veracity="perhaps")),
        (UsageError, lambda: memory.recall("note", session_id="")),
        (UsageError, lambda: memory.recall("note", from_date="2026-02-02", to_date="2026-02-01")),
        (UsageError, lambda: memory.recall("note", min_score=float("nan"))),
        (UsageError, lambda: memory.context("note", 0)),
        (UsageError, lambda: memory.remember_many([], 0)),
        (UsageError, lambda: memory.remember_many(["text"])),  # type: ignore[list-item]
        (UsageError, lambda: memory.remember_many({"content": "x"})),  # type: ignore[arg-type]
    ]
    for error, call in refused:
        with pytest.raises(error):
            call()
    assert content_of(file) == before


@pytest.mark.parametrize("query", ["", "  ", '"', "OR", "a* NEAR(b) -c", "(", "col:umn", "\x00", "\ud800", "'; DROP"])
def test_no_question_breaks_recall(memory: Mnemopi, query: str) -> None:
    assert len(memory.recall(query)) <= 1


def test_a_bad_item_names_its_place_and_what_is_committed_before_it(memory: Mnemopi) -> None:
    items = [{"content": f"item {number}"} for number in range(25)] + [{"content": ""}] + [{"content": "after it"}]
    acknowledged: list[str] = []
    with pytest.raises(UsageError, match=r"item 25: .*; 20 are committed"):
        memory.remember_many(iter(items), 10, on_batch=acknowledged.extend)
    assert len(acknowledged) == 20
    assert memory.stats()["total_memories"] == 21
    assert all(memory.get(id) is not None for id in acknowledged)


def test_an_iterable_that_breaks_keeps_what_was_acknowledged(memory: Mnemopi) -> None:
    def items() -> Iterator[dict[str, Any]]:
        yield from ({"content": f"item {number}"} for number in range(7))
        raise RuntimeError("the source broke")

    with pytest.raises(RuntimeError, match="the source broke"):
        memory.remember_many(items(), 5)
    assert memory.stats()["total_memories"] == 6


@pytest.mark.parametrize(
    "name", ["../x", "", " ", "b" * 300, "CON", "nul.txt", "a/b", "a\\b", ".hidden", "..", "a\nb", "a\x00", None, 7]
)
def test_impossible_names_of_banks_are_refused_and_make_nothing(tmp_path: Path, name: Any) -> None:
    with Mnemopi(tmp_path / "m.db", no_embeddings=True) as memory:
        before = sorted(tmp_path.rglob("*"))
        with pytest.raises(UsageError):
            memory.banks.create(name)
        if name is not None:
            with pytest.raises(UsageError):
                Mnemopi(tmp_path / "m.db", name, no_embeddings=True)
        assert sorted(tmp_path.rglob("*")) == before


def test_a_file_that_is_no_database_is_left_as_it_is(file: Path) -> None:
    file.write_text("these are notes, not a database\n" * 50, "utf-8")
    before = file.read_bytes()
    with pytest.raises(CorruptError, match="no SQLite database"):
        Mnemopi(file, no_embeddings=True)
    assert file.read_bytes() == before
    assert [path.name for path in file.parent.iterdir()] == ["m.db"]


def test_a_foreign_database_is_left_as_it_is(file: Path) -> None:
    with closing(sqlite3.connect(file)) as raw:
        raw.executescript("CREATE TABLE memories (id TEXT); INSERT INTO memories VALUES ('theirs');")
    before = file.read_bytes()
    with pytest.raises(ForeignError, match="import"):
        Mnemopi(file, no_embeddings=True)
    assert file.read_bytes() == before
    assert [path.name for path in file.parent.iterdir()] == ["m.db"]


def test_a_database_of_the_reference_is_left_as_it_is(tmp_path: Path) -> None:
    given = os.environ.get("MNEMOPI_REFERENCE_DATA", "")
    source = Path(given or Path(__file__).parents[3] / "shared" / "data" / "reference") / "ref.db"
    if not source.exists():
        pytest.skip(f"there is no {source.name}: name its folder in MNEMOPI_REFERENCE_DATA")
    file = tmp_path / "ref.db"
    file.write_bytes(source.read_bytes())
    with pytest.raises(ForeignError):
        Mnemopi(file, no_embeddings=True)
    assert file.read_bytes() == source.read_bytes()
    assert [path.name for path in tmp_path.iterdir()] == ["ref.db"]


def test_a_file_of_a_newer_version_is_left_as_it_is(file: Path) -> None:
    Mnemopi(file, no_embeddings=True).close()
    with closing(sqlite3.connect(file)) as raw:
        raw.execute("PRAGMA user_version = 999")
    before = file.read_bytes()
    with pytest.raises(TooNewError, match="999"):
        Mnemopi(file, no_embeddings=True)
    assert file.read_bytes() == before


def damaged_bank(file: Path) -> bytes:
    with Mnemopi(file, no_embeddings=True) as memory:
        memory.remember_many(
            {"content": f"note {number} about the harbour", "position": number} for number in range(800)
        )
        memory.settle()  # what waits to be read is a table of its own, whose pages fall free when it is
        memory.compact()  # a page that nothing lies on may be damaged and nobody harmed
    return file.read_bytes()


@pytest.mark.parametrize("place", range(1, 12))
def test_a_damaged_file_gives_storage_errors_and_no_others(file: Path, place: int) -> None:
    whole = damaged_bank(file)
    middle = len(whole) * place // 12
    file.write_bytes(
        whole[:middle] + bytes(byte ^ 0xA5 for byte in whole[middle : middle + 9000]) + whole[middle + 9000 :]
    )
    failures = 0
    for use in ("recall", "remember", "export", "integrity"):
        try:
            with Mnemopi(file, no_embeddings=True) as memory:
                if use == "recall":
                    memory.recall("harbour note 300", 50)
                elif use == "remember":
                    memory.remember_many({"content": f"more of note {number}"} for number in range(100))
                elif use == "export":
                    memory.export(file.with_suffix(".jsonl"))
                else:
                    failures += bool(memory.bank._store.integrity())
        except StorageError:
            failures += 1
    assert failures


def test_a_file_that_was_cut_short_is_corrupt(file: Path) -> None:
    whole = damaged_bank(file)
    file.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(CorruptError), Mnemopi(file, no_embeddings=True) as memory:
        memory.recall("harbour note 300", 50)
        memory.export(file.with_suffix(".jsonl"))


def test_a_damaged_bank_is_not_made_anew_under_its_name(tmp_path: Path) -> None:
    with Mnemopi(tmp_path / "m.db", "project", no_embeddings=True) as memory:
        memory.remember("what must not vanish")
        file = memory.bank.path
    file.write_bytes(b"not what it was" * 500)
    with pytest.raises(CorruptError):
        Mnemopi(tmp_path / "m.db", "project", no_embeddings=True)
    with Mnemopi(tmp_path / "m.db", no_embeddings=True) as memory:
        assert memory.banks.list() == ["default"]


def test_a_folder_is_no_database(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="folder"):
        Mnemopi(tmp_path, no_embeddings=True)
    assert list(tmp_path.iterdir()) == []


def test_a_missing_folder_is_made_and_everything_is_private(tmp_path: Path) -> None:
    old = os.umask(0o022)
    try:
        with Mnemopi(tmp_path / "a" / "b" / "m.db", "project", no_embeddings=True) as memory:
            memory.remember("private")
            Mnemopi(tmp_path / "a" / "b" / "m.db", no_embeddings=True).close()
            modes = {path: stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "a").rglob("*")}
            modes[tmp_path / "a"] = stat.S_IMODE((tmp_path / "a").stat().st_mode)
    finally:
        os.umask(old)
    assert {path.suffix for path in modes} >= {".db", ".db-wal", ".db-shm", ".lock"}
    assert {path for path, mode in modes.items() if mode != (0o700 if path.is_dir() else 0o600)} == set()


def test_a_file_in_the_way_of_a_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("a file", "utf-8")
    with pytest.raises(MnemopiError):
        Mnemopi(tmp_path / "a" / "m.db", no_embeddings=True)


needs_root = pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root may be another user")


def let_in(folder: Path) -> None:
    """Let another user see what lies in a folder of a test, and in those that pytest put around it."""
    around = itertools.takewhile(lambda path: path.name.startswith(("pytest-", "popen-")), folder.parents)
    for path in (folder, *around):
        path.chmod(0o755)


def as_another(file: Path) -> list[str]:
    command = [sys.executable, CHILD, "as_another", file, str(NOBODY)]
    environment = {**os.environ, "XDG_CONFIG_HOME": "/nowhere"}  # that of this process is closed to another user
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@needs_root
@pytest.mark.parametrize(("folder_mode", "file_mode"), [(0o755, 0o644), (0o777, 0o644), (0o755, 0o666)])
def test_who_may_only_read_can_recall_and_is_refused_to_write(
    file: Path, memory: Mnemopi, folder_mode: int, file_mode: int
) -> None:
    memory.remember("the harbour opens at six")
    memory.close()
    let_in(file.parent)
    file.parent.chmod(folder_mode)
    file.chmod(file_mode)
    before = file.read_bytes()
    assert as_another(file) == ["found the harbour opens at six", "refused read-only"]
    assert file.read_bytes() == before


@needs_root
def test_no_bank_is_made_in_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    let_in(tmp_path)
    assert as_another(tmp_path / "m.db") == ["refused read-only"]
    assert as_another(tmp_path / "deeper" / "m.db") == ["refused read-only"]
    assert list(tmp_path.iterdir()) == []


@needs_root
def test_a_file_that_cannot_be_read_is_refused(file: Path, memory: Mnemopi) -> None:
    memory.close()
    let_in(file.parent)
    assert as_another(file) == ["refused storage"]


WHOLE: dict[str, Callable[[Mnemopi, Any], Any]] = {
    "recall": lambda memory, number: memory.recall("note", top_k=number),
    "preview": lambda memory, number: memory.recall("note", content_preview_chars=number),
    "quota": lambda memory, number: memory.recall("note", quotas={"note": number}),
    "context": lambda memory, number: memory.context("note", top_k=number),
    "context of nothing": lambda memory, number: memory.context(top_k=number),
    "budget": lambda memory, number: memory.context("note", budget=number),
    "version": lambda memory, number: memory.get("0123456789abcdef", version=number),
    "page": lambda memory, number: memory.page(limit=number),
    "place of a page": lambda memory, number: memory.page(after=number),
    "events": lambda memory, number: memory.events(limit=number),
    "contaminated": lambda memory, number: memory.contaminated(number),
    "settle": lambda memory, number: memory.settle(number),
    "batches": lambda memory, number: memory.remember_many([{"content": "another"}], number),
    "facts": lambda memory, number: memory.facts.list(limit=number),
    "facts that match": lambda memory, number: memory.facts.list("note", limit=number),
    "related": lambda memory, number: memory.graph.related("0123456789abcdef", limit=number),
    "hops": lambda memory, number: memory.graph.path("0123456789abcdef", "0123456789abcdee", number),
    "entities": lambda memory, number: memory.graph.entities(number),
    "mentioning": lambda memory, number: memory.graph.mentioning("Ines", number),
    "scratchpad": lambda memory, number: memory.scratchpad.read(number),
    "surface": lambda memory, number: memory.bank.surface.list(limit=number),
}


UNFIT: dict[str, Any] = {
    "beyond storage": 2**63,
    "large": 10**30,
    "too large to be written": 10**5000,
    "small": -(10**5000),
    "negative": -1,
    "a boolean": True,
    "a text": "2",
    "broken": 1.0,
    "a list": [1],
}


@pytest.mark.parametrize("number", UNFIT)
@pytest.mark.parametrize("what", WHOLE)
def test_what_is_no_whole_number_within_reach_is_refused_at_each_door(
    memory: Mnemopi, file: Path, what: str, number: str
) -> None:
    before = content_of(file)
    with pytest.raises(UsageError, match="is a whole number from"):
        WHOLE[what](memory, UNFIT[number])
    assert content_of(file) == before


@pytest.mark.parametrize("what", sorted(set(WHOLE) - {"version", "related", "hops"}))
def test_the_largest_number_is_served(memory: Mnemopi, what: str) -> None:
    WHOLE[what](memory, numbers.MOST)


@pytest.mark.parametrize("version", ["1", True, 0, 2**63, [1]])
def test_a_version_that_is_expected_is_a_number_from_one(memory: Mnemopi, file: Path, version: Any) -> None:
    id, before = memory.recall("note")[0].id, content_of(file)
    for call in (
        lambda: memory.update(id, "another text", expected_version=version),
        lambda: memory.invalidate(id, expected_version=version),
        lambda: memory.forget(id, expected_version=version),
    ):
        with pytest.raises(UsageError, match="expected_version is a whole number"):
            call()
    assert content_of(file) == before


def test_a_version_and_a_moment_are_not_asked_for_at_once(memory: Mnemopi) -> None:
    with pytest.raises(UsageError, match="of a moment"):
        memory.get(memory.recall("note")[0].id, version=1, as_of="2026-01-01")


@pytest.mark.parametrize("number", ["9" * 19, "9" * 5000])
def test_an_event_that_no_file_can_count_to_is_no_cursor(memory: Mnemopi, number: str) -> None:
    with pytest.raises(UsageError, match="is no cursor"):
        memory.events(after=f"0123456789abcdef:{number}")


@pytest.mark.parametrize("source", [b"x", bytearray(b"x"), None, 7, [7], [b"{}"]])
def test_what_is_neither_a_path_nor_lines_is_not_loaded(memory: Mnemopi, file: Path, source: Any) -> None:
    before = content_of(file)
    with pytest.raises(UsageError, match="an export"):
        memory.load(source)
    with pytest.raises(UsageError, match="an export"):
        memory.load(source, skip_bad=True)
    assert content_of(file) == before


@pytest.mark.parametrize("path", [7, b"x", True])
def test_what_is_no_path_is_refused(memory: Mnemopi, path: Any) -> None:
    for call in (memory.export, memory.export_mnemopi, memory.backup, memory.bank.restore):
        with pytest.raises(UsageError, match="is a path"):
            call(path)
    with pytest.raises(UsageError, match="is a path"):
        memory.take_over("mem0", path)


def test_a_closed_engine_says_so(memory: Mnemopi) -> None:
    (hit,) = memory.recall("note")
    memory.close()
    assert memory.close() == 0
    for call in (
        lambda: memory.remember("too late"),
        lambda: memory.recall("note"),
        lambda: memory.get(hit.id),
        lambda: memory.forget(hit.id),
        memory.stats,
        memory.settle,
    ):
        with pytest.raises(StorageError, match="closed"):
            call()


@pytest.mark.parametrize("size", ["1000", "4 KB", "-4096", "131072", "4096.0"])
def test_an_impossible_page_size_is_a_config_error(file: Path, size: str) -> None:
    with pytest.raises(ConfigError):
        Mnemopi(file, no_embeddings=True, config={"storage.db_page_size": size})
    assert not file.exists()


@pytest.mark.parametrize("name", ["session_id", "author_id", "channel_id"])
def test_who_acts_is_checked_like_what_is_written(file: Path, name: str) -> None:
    for value in (KEY, "a\nb", "x" * 201):
        with pytest.raises(UsageError):
            Mnemopi(file, no_embeddings=True, **{name: value})  # type: ignore[arg-type]
    with Mnemopi(file, no_embeddings=True) as memory:
        for value in (KEY, "", 7):
            with pytest.raises(UsageError):
                memory.acting_as(**{name: value})
        with pytest.raises(UsageError):
            memory.acting_as(colour="red")
        for scopes in (("session",), ("bank", "team"), "team", ("",), (7,)):
            with pytest.raises(UsageError):
                memory.acting_as(scopes=scopes)


def test_a_read_only_error_is_a_conflict_and_says_what_to_do() -> None:
    assert ReadOnlyError.exit_code == 4
