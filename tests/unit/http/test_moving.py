"""Whole banks as streams: what is sent is what an export is, and what is taken in is taken in whole."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from mnemopi.config import Config
from mnemopi.errors import UsageError
from mnemopi.http import listen, process
from mnemopi.http.client import Client
from mnemopi.http.refusals import TooLargeError
from mnemopi.tools.confirm import UnconfirmedError

NDJSON = {"content-type": "application/x-ndjson"}


@pytest.fixture
def exported(memory: Client, tmp_path: Path) -> Path:
    """An export of a bank of 30 memories, one of them with other bytes than ASCII."""
    memory.remember_many({"content": f"note {n} \u2028 漢"} for n in range(30))
    memory.update(memory.page(limit=1)[0].id, importance=1.0)
    memory.export(tmp_path / "out.jsonl")
    return tmp_path / "out.jsonl"


def test_an_export_over_http_is_the_one_of_the_library(exported: Path, served: Any, bank: str, tmp_path: Path) -> None:
    served.engines.get(bank).export(tmp_path / "own.jsonl")
    assert exported.read_bytes() == (tmp_path / "own.jsonl").read_bytes()
    assert list(served.engines.config.data_dir.glob(".export-*")) == []


def test_export_and_load_give_the_same_bank(exported: Path, served: Any, bank: str, tmp_path: Path) -> None:
    with served.client(bank=f"{bank}-copy") as copy:
        assert copy.load(exported).inserted == 30
        copy.export(tmp_path / "again.jsonl")
        assert (tmp_path / "again.jsonl").read_bytes() == exported.read_bytes()
        assert copy.load(exported.read_text("utf-8").split("\n")).skipped == 30
    assert list(served.engines.config.data_dir.glob(".import-*")) == []


def test_a_bad_line_stops_all_of_it_or_is_left_out_where_that_is_asked_for(
    exported: Path, served: Any, bank: str
) -> None:
    lines = exported.read_bytes().splitlines(keepends=True)
    lines[3] = b"\xff\xfe\n"
    with served.client(bank=f"{bank}-copy") as copy:
        path = exported.with_name("bad.jsonl")
        path.write_bytes(b"".join(lines))
        with pytest.raises(UsageError, match="line 4"):
            copy.load(path)
        assert f"{bank}-copy" not in copy.banks.list()
        report = copy.load(path, skip_bad=True)
        assert (report.inserted, len(report.problems)) == (29, 1)


def test_overwriting_wants_an_agreement_to_just_these_bytes(exported: Path, memory: Client) -> None:
    memory.update(memory.page(limit=1)[0].id, "written since")
    with pytest.raises(UnconfirmedError) as asked:
        memory.load(exported, force=True)
    with pytest.raises(UnconfirmedError):
        memory.load(exported.read_text("utf-8").split("\n")[:-2], force=True, confirm=asked.value.token)
    assert memory.load(exported, force=True, confirm=asked.value.token).overwritten == 1
    with pytest.raises(UsageError):
        memory.load(exported, confirm=asked.value.token)


def test_an_import_is_as_long_as_the_setting_says_and_of_its_own_kind(serving: Any) -> None:
    served = serving(**{"http.max_import": 2000, "http.max_body": 1024})
    with served.client() as client, pytest.raises(TooLargeError):
        client.load("x" * 100 for _ in range(30))
    answer = served.http.post("/api/v1/import", content=b"x" * 1500, headers=NDJSON)
    assert (answer.status_code, answer.json()["code"]) == (422, "usage")
    assert served.http.post("/api/v1/import", json={}).status_code == 415


def test_what_a_server_that_was_killed_left_of_a_bank_is_removed_when_one_begins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in (".export-old", ".import-old", ".import-new"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "bank.jsonl").write_text("The crane stands on pier 7.")
    for name in (".export-old", ".import-old"):
        os.utime(tmp_path / name, (1_000_000_000, 1_000_000_000))
    monkeypatch.setattr(listen._Server, "run", lambda *_, **__: None)
    config = Config.load({"storage.data_dir": str(tmp_path), "http.port": 0, "embedding.enabled": False})
    process.serve(config, None, None, "full", insecure=False, tell=lambda _: None)
    assert [path.name for path in tmp_path.glob(".*port-*")] == [".import-new"]
