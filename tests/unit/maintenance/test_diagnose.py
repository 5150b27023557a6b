from __future__ import annotations

import os
import shutil
from collections import namedtuple
from pathlib import Path

import apsw
import pytest

from mnemopi.config import Config
from mnemopi.ingest import settle
from mnemopi.maintenance import diagnose
from mnemopi.maintenance.diagnose import Report
from mnemopi.model.graph import Annotation, Edge
from mnemopi.ports import Embedder
from mnemopi.storage.banks import Banks
from mnemopi.storage.store import PENDING_ERASURE
from mnemopi.testing import FixedClock, HashingEmbedder

from .conftest import NOW, Opened, add

DAY = 86_400_000


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Config:
    """Settings for the folder of the tests, nothing in the environment."""
    for name in [name for name in os.environ if name.startswith("MNEMOPI_")]:
        monkeypatch.delenv(name)
    return Config.load({"storage.data_dir": str(tmp_path / "data")}, environ={})


def examined(
    config: Config, tmp_path: Path, bank: str = "default", now: int = NOW, embedder: Embedder | None = None
) -> Report:
    """Examine a bank of the tests' folder."""
    return diagnose.diagnose(config, Banks(tmp_path / "data" / "m.db", config.storage), bank, now, embedder)


def found(report: Report, name: str) -> tuple[str, str]:
    """Return status and detail of one check."""
    (check,) = (check for check in report.checks if check.name == name)
    return check.status, check.detail


def test_a_sound_bank_passes_every_check(opened: Opened, config: Config, tmp_path: Path) -> None:
    store, embedder = opened(), HashingEmbedder(64)
    opened("data", "work")
    add(store, "one", "two")
    settle.settle(store, embedder, "me", FixedClock(NOW))
    report = examined(config, tmp_path, embedder=embedder)
    assert {check.name: check.status for check in report.checks} == dict.fromkeys(
        ["file", "schema", "integrity", "search", "vectors", "orphans", "graph", "writes", "sleep", "erasure",
         "other banks", "modes", "lock", "leftovers", "space", "settings"], "ok")  # fmt: skip
    assert report.healthy
    assert found(report, "vectors")[1].startswith("2 of 2 memories have vectors of testing:hashing-64")
    assert found(report, "search")[1] == "2 versions indexed, 0 not, 0 rows without a version"
    assert report.as_dict()["checks"][0]["name"] == "file"


def test_content_is_nowhere_in_a_report(opened: Opened, config: Config, tmp_path: Path) -> None:
    add(opened(), "zebra crossing")
    assert "zebra" not in repr(examined(config, tmp_path, embedder=HashingEmbedder()))


def test_a_bank_that_is_not_there_fails_and_is_not_made(config: Config, tmp_path: Path) -> None:
    for bank in ("default", "work"):
        report = examined(config, tmp_path, bank)
        assert not report.healthy and found(report, "file")[0] == "fail"
    assert not (tmp_path / "data").exists()


def test_what_is_no_database_of_ours_fails(config: Config, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir(mode=0o700)
    file = tmp_path / "data" / "m.db"
    file.write_text("text " * 100)
    assert "is no SQLite database" in found(examined(config, tmp_path), "file")[1]
    file.unlink()
    apsw.Connection(str(file)).execute("create table a (b)")
    assert "another program" in found(examined(config, tmp_path), "file")[1]


def test_damage_within_the_file_fails(opened: Opened, config: Config, tmp_path: Path) -> None:
    store = opened()
    add(store, *(f"note {number} " * 20 for number in range(300)))
    store.close()
    with store.path.open("r+b") as file:
        file.seek(store.path.stat().st_size // 2)
        file.write(b"\xff" * 40_000)
    report = examined(config, tmp_path)
    assert not report.healthy and found(report, "integrity")[0] == "fail"
    assert found(report, "space")[0] == "ok"


def test_search_rows_and_versions_must_match(opened: Opened, config: Config, tmp_path: Path) -> None:
    store = opened()
    add(store, "one", "two", "three")
    store.connection.execute(store.sql.erase_search, {"rowkey": 2})
    store.connection.execute(store.sql.put_search, {"rowkey": 99, "body": "stray"})
    assert found(examined(config, tmp_path), "search") == (
        "fail",
        "3 versions indexed, 1 not, 1 rows without a version",
    )


def test_search_rows_of_an_older_analyzer_are_named(opened: Opened, config: Config, tmp_path: Path) -> None:
    opened().meta.set("analyzer", "an older one")
    assert found(examined(config, tmp_path), "search")[0] == "warn"


def test_vectors_that_are_missing_are_counted_with_the_age_of_the_oldest(
    opened: Opened, config: Config, tmp_path: Path
) -> None:
    store = opened()
    add(store, "one")
    add(store, "two", now=NOW + DAY)
    status, detail = found(examined(config, tmp_path, now=NOW + 3 * DAY, embedder=HashingEmbedder()), "vectors")
    assert status == "warn" and "0 of 2" in detail and "2 wait, the oldest for 3 days" in detail
    assert found(examined(config, tmp_path), "vectors") == ("ok", "no embedder; vectors: none stored")


def test_what_lost_its_memory_fails(opened: Opened, config: Config, tmp_path: Path) -> None:
    store = opened()
    (id,) = add(store, "one")
    store.vectors.put("m", [(1, 0, b"\0" * 8)])
    store.memories.count_recalls({id: (2, NOW)})
    raw = apsw.Connection(str(store.path))
    raw.execute("delete from memory")
    raw.close()
    assert found(examined(config, tmp_path), "orphans") == (
        "fail",
        "1 vectors, 0 passages, 0 occurrences, 1 counts without a memory",
    )


def test_ties_are_counted_and_those_that_hang_on_nothing_fail(opened: Opened, config: Config, tmp_path: Path) -> None:
    store = opened()
    one, two = add(store, "one", "two")
    with store.transaction():
        store.graph.annotate([Annotation(one, "mentions", "Ines", "ines", at=NOW)])
        store.graph.link([Edge(one, two, "follows", 0.5, at=NOW)])
    told = found(examined(config, tmp_path), "graph")
    assert told == ("ok", "1 annotations, 1 links; 0 and 0 of them without a memory")
    raw = apsw.Connection(str(store.path))
    raw.execute("delete from memory where id = ?", (one,))
    raw.close()
    told = found(examined(config, tmp_path), "graph")
    assert told == ("fail", "1 annotations, 1 links; 1 and 1 of them without a memory")


def test_a_silent_bank_says_since_when(opened: Opened, config: Config, tmp_path: Path) -> None:
    store = opened()
    assert found(examined(config, tmp_path), "writes")[1] == "no writes yet"
    add(store, "one")
    assert found(examined(config, tmp_path, now=NOW + 5000), "writes")[1] == "1 in the last day, the last 5 seconds ago"
    detail = found(examined(config, tmp_path, now=NOW + 9 * DAY), "writes")[1]
    assert detail == "no writes since 2025-06-15T15:06:40.000Z, the last 9 days ago"


def test_an_erasure_that_a_reader_holds_up_is_named(opened: Opened, config: Config, tmp_path: Path) -> None:
    store, reader = opened(), opened()
    add(store, "one")
    with reader.snapshot() as bank:
        bank.contents()
        add(store, "two")
        store.meta.set(PENDING_ERASURE, "1")
        assert found(examined(config, tmp_path), "erasure")[0] == "warn"
    assert found(examined(config, tmp_path), "erasure")[0] == "ok"


def test_files_and_folders_that_others_may_read_fail(opened: Opened, config: Config, tmp_path: Path) -> None:
    store = opened()
    store.path.chmod(0o644)
    status, detail = found(examined(config, tmp_path), "modes")
    assert status == "fail" and detail == f"{store.path} is 0644, should be 0600"
    store.path.chmod(0o600)
    store.path.parent.chmod(0o750)
    assert found(examined(config, tmp_path), "modes") == ("fail", f"{store.path.parent} is 0750, should be 0700")


def test_a_folder_of_somebody_else_may_be_read_but_not_written_by_others(
    opened: Opened, config: Config, tmp_path: Path
) -> None:
    elsewhere = config.changed({"storage.data_dir": str(tmp_path / "other")})
    folder = opened().path.parent
    for mode, status in ((0o755, "warn"), (0o777, "fail"), (0o1777, "warn"), (0o700, "ok")):
        folder.chmod(mode)
        assert found(examined(elsewhere, tmp_path), "modes")[0] == status


def test_another_bank_that_cannot_be_read_is_named_by_its_file(opened: Opened, config: Config, tmp_path: Path) -> None:
    opened()
    store = opened("data", "work")
    store.close()
    store.path.write_text("damaged " * 100)
    status, detail = found(examined(config, tmp_path), "other banks")
    assert status == "fail" and str(store.path) in detail and "1 of them" in detail


def test_unfinished_files_are_named(opened: Opened, config: Config, tmp_path: Path) -> None:
    opened()
    (tmp_path / "data" / "backups").mkdir()
    for name in ("m.db.restoring", "backups/default-20250101T000000000Z.db.part"):
        (tmp_path / "data" / name).write_text("")
    status, detail = found(examined(config, tmp_path), "leftovers")
    assert status == "warn" and detail.startswith("2 unfinished files") and "m.db.restoring" in detail


def test_little_space_is_a_warning(
    opened: Opened, config: Config, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened()
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: usage(10**9, 10**9, 5_000_000))
    assert found(examined(config, tmp_path), "space") == ("warn", "5 MB free")


def test_settings_without_effect_are_named(
    opened: Opened, config: Config, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened()
    monkeypatch.setenv("MNEMOPI_EP_LIMIT", "10")
    status, detail = found(examined(config, tmp_path), "settings")
    assert status == "warn" and detail.startswith("MNEMOPI_EP_LIMIT: ")


def test_a_lock_that_is_gone_is_a_warning(opened: Opened, config: Config, tmp_path: Path) -> None:
    store = opened()
    store.close()
    banks = Banks(tmp_path / "data" / "m.db", config.storage)
    Path(f"{store.path}.lock").unlink()
    checks = {check.name: check.status for check in diagnose._around(config, banks, store.path)}
    assert checks["lock"] == "warn"


def test_a_bank_in_memory_has_no_files_to_examine(config: Config) -> None:
    report = diagnose.diagnose(config, Banks(":memory:", config.storage), "default", NOW, None)
    assert report.healthy and "modes" not in {check.name for check in report.checks}
