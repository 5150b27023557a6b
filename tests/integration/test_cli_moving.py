"""Whole banks on the command line: import, export, settle, backup, restore."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def test_a_conversation_is_imported_and_found(call: Any) -> None:
    done = call("import", EXAMPLES / "conversation.jsonl")
    assert (done.status, done.err) == (0, "")
    assert done.out.startswith("Imported from ")
    lines = (EXAMPLES / "conversation.jsonl").read_text("utf-8").splitlines()
    assert call("stats", "--json").json["total_memories"] == len(lines)
    hit = call("recall", "coffee machine on the third floor", "--json").json["results"][0]
    first = json.loads(lines[0])
    assert (hit["content"], hit["session_id"], hit["position"]) == (first["content"], first["session_id"], 1)


def test_plain_lines_come_from_standard_input_with_a_session_for_those_without(call: Any) -> None:
    lines = '{"content": "ok", "speaker": "mara"}\n\n{"content": "ok", "session_id": "own"}\n'
    told = call("import", "-", "--session", "standup", "--json", input="\ufeff" + lines).json
    assert told == {"file": "-", "format": "plain", "inserted": 2, "merged": 0, "redacted": {}}
    found = call("recall", "ok", "--json").json["results"]
    assert sorted((hit["session_id"], hit["author_id"], hit["kind"]) for hit in found) == [
        ("own", None, "turn"),
        ("standup", "mara", "turn"),
    ]


def test_what_an_import_redacted_is_counted(call: Any) -> None:
    secret = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"
    told = call("import", "-", "--json", input=json.dumps({"content": f"token {secret}"})).json
    assert sum(told["redacted"].values()) == 1


def test_importing_nothing_is_no_error(call: Any) -> None:
    assert call("import", "-", "--json", input="").json["inserted"] == 0


def test_force_and_skip_bad_belong_to_exports(call: Any) -> None:
    for option in ("--force", "--skip-bad"):
        assert call("import", "-", option, input='{"content": "x"}').status == 2


def test_an_export_comes_back_the_same(call: Any, stored: Any, tmp_path: Path) -> None:
    old = stored("The crane stands on pier 7", "--metadata", '{"ticket": "起重机"}')
    call("invalidate", old, stored("The crane moved to pier 9", "--pin"))
    first, second = tmp_path / "first.jsonl", tmp_path / "second.jsonl"
    done = call("export", first, "--json")
    assert (done.status, done.json["bank"], done.json["file"]) == (0, "default", str(first))
    told = call("import", first, "--bank", "copy", "--json").json
    assert (told["format"], told["inserted"], told["problems"]) == ("export", 2, [])
    assert call("export", second, "--bank", "copy").status == 0
    assert second.read_bytes() == first.read_bytes()


def test_an_export_is_taken_in_once_and_over_what_changed_only_with_force(
    call: Any, stored: Any, tmp_path: Path
) -> None:
    id, file = stored("The crane stands on pier 7"), tmp_path / "bank.jsonl"
    call("export", file)
    call("update", id, "The crane stands on pier 8")
    assert call("import", file, "--json").json["skipped"] == 1
    assert call("get", id, "--quiet").out == "The crane stands on pier 8\n"
    assert call("import", file, "--force", "--json").json["overwritten"] == 1
    assert call("get", id, "--quiet").out == "The crane stands on pier 7\n"


def test_a_damaged_export_is_refused_whole_or_with_skip_bad_but_for_its_bad_lines(
    call: Any, stored: Any, tmp_path: Path
) -> None:
    for number in range(40):
        stored(f"Crane number {number} stands on a pier")
    file = tmp_path / "bank.jsonl"
    call("export", file)
    lines = file.read_text("utf-8").splitlines()
    lines[36] = lines[36][:20]
    file.write_text("\n".join(lines) + "\n", "utf-8")
    done = call("import", file, "--bank", "copy", "--json")
    assert (done.status, "line 37" in done.json["error"]["message"]) == (2, True)
    assert call("bank", "list", "--json").json["banks"] == ["default"]
    told = call("import", file, "--bank", "copy", "--skip-bad", "--json").json
    assert told["inserted"] == 39
    assert any("line 37" in problem for problem in told["problems"])


def test_an_export_from_standard_input_is_known_by_its_first_line(call: Any, stored: Any, tmp_path: Path) -> None:
    stored("The crane stands on pier 7")
    call("export", tmp_path / "bank.jsonl")
    told = call("import", "-", "--bank", "copy", "--json", input=(tmp_path / "bank.jsonl").read_bytes()).json
    assert (told["format"], told["inserted"]) == ("export", 1)


def test_without_an_embedder_there_is_nothing_to_settle(call: Any, stored: Any) -> None:
    stored("The crane stands on pier 7")
    assert call("settle").out == "Settled: 0 embedded, 0 indexed, 0 pending\n"


def test_settle_makes_the_vectors_up_to_its_limit(call: Any) -> None:
    pytest.importorskip("wordllama")
    lines = "\n".join(json.dumps({"content": f"memory number {number}"}) for number in range(30))
    assert call("import", "-", input=lines).status == 0
    on = ("--set", "embedding.enabled=on", "--set", "write.settle=off")
    told = call(*on, "settle", "--limit", "10", "--json").json
    assert (told["embedded"], told["pending"], told["error"]) == (10, 20, None)
    assert call(*on, "settle", "--json").json["embedded"] == 20
    assert call(*on, "recall", "memory", "--json").json["retrievers"].count("dense") == 1


def test_a_backup_is_made_listed_and_put_back(call: Any, stored: Any, folder: Path) -> None:
    id, erased = stored("The crane stands on pier 7"), stored("The door code is on the fridge")
    made = call("backup", "--json").json
    assert Path(made["path"]).is_relative_to(folder / "backups")
    assert call("backups", "--json").json["backups"][0]["path"] == made["path"]
    assert made["path"] in call("backups").out
    call("update", id, "The crane stands on pier 8")
    call("delete", erased, "--yes")
    late = stored("Buy rope")
    assert call("restore", made["path"]).status == 2
    told = call("restore", made["path"], "--yes", "--json").json
    assert (told["memories"], told["forgotten"], Path(told["kept"]).exists()) == (1, 1, True)
    assert call("get", id, "--quiet").out == "The crane stands on pier 7\n"
    assert call("get", late).status == call("get", erased).status == 3
    assert call("restore", made["path"], "--yes").out.startswith("Restored: 1 memories in ")


def test_a_backup_goes_where_it_is_told_to(call: Any, stored: Any, tmp_path: Path) -> None:
    stored("The crane stands on pier 7")
    path = Path(call("backup", "--to", tmp_path / "else", "--quiet").out.strip())
    assert path.parent == tmp_path / "else"
    assert call("backups", "--from", tmp_path / "else", "--json").json["count"] == 1
    connection = sqlite3.connect(path)
    assert connection.execute("select count(*) from memory").fetchone() == (1,)
    connection.close()
