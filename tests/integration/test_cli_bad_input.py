"""Bad input on the command line: each has its error and exit status, and nothing is written."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

WRONG = {
    "empty content": ["store", ""],
    "blank content": ["store", " \n\t "],
    "too long": ["--set", "write.max_content_chars=10", "store", "eleven chars"],
    "importance that is no number": ["store", "x", "cli", "nan"],
    "importance that is a word": ["store", "x", "cli", "high"],
    "unknown option": ["store", "x", "--colour", "red"],
    "unknown veracity": ["store", "x", "--veracity", "surely"],
    "unknown trust tier": ["store", "x", "--trust-tier", "HIGH"],
    "unknown scope": ["store", "x", "--scope", "galaxy"],
    "unparsable date": ["store", "x", "--timestamp", "the day it rained"],
    "metadata that is no JSON": ["store", "x", "--metadata", "{ticket: 42}"],
    "metadata nested without end": ["store", "x", "--metadata", '{"a":' * 5000],
    "metadata with a key twice": ["store", "x", "--metadata", '{"a": 1, "a": 2}'],
    "metadata that is no object": ["store", "x", "--metadata", "[42]"],
    "negative position": ["store", "x", "--position", "-1"],
    "source twice": ["store", "x", "chat", "--source", "mail"],
    "unparsable recall date": ["recall", "x", "--from", "someday"],
    "dates in the wrong order": ["recall", "x", "--from", "2026-02-02", "--to", "2026-01-01"],
    "top_k that is no number": ["recall", "x", "many"],
    "negative top_k": ["recall", "x", "-k", "-1"],
    "top_k beyond all": ["recall", "x", "-k", "1" + "0" * 30],
    "limit beyond all": ["facts", "--limit", "1" + "0" * 30],
    "version beyond all": ["get", "0123456789abcdef", "--version", "1" + "0" * 30],
    "a version and a moment": ["get", "0123456789abcdef", "--version", "1", "--as-of", "2026-01-01"],
    "score above one": ["recall", "x", "--min-score", "7"],
    "unknown profile": ["recall", "x", "--profile", "best"],
    "unknown retriever": ["recall", "x", "--retriever", "magic"],
    "quota without a number": ["recall", "x", "--quota", "note"],
    "nothing to update": ["update", "0123456789abcdef"],
    "no budget": ["context", "--budget", "0"],
    "history of one version": ["get", "0123456789abcdef", "--history", "--version", "1"],
    "bank name with a path": ["--bank", "../x", "store", "x"],
    "empty bank name": ["--bank", "", "store", "x"],
    "long bank name": ["--bank", "b" * 300, "store", "x"],
    "bank name of a device": ["--bank", "CON", "store", "x"],
    "creating ../x": ["bank", "create", "../x"],
    "unknown setting": ["--set", "recall.colour=red", "stats"],
    "setting without a value": ["--set", "recall.dense", "stats"],
    "setting of the wrong kind": ["--set", "recall.preview_chars=many", "stats"],
    "unknown time zone": ["--set", "write.timezone=Middle/Earth", "store", "x"],
    "configuration that is not there": ["--config", "/nowhere/config.toml", "stats"],
    "no such command": ["frobnicate"],
    "no argument": ["recall"],
    "no verb": ["bank"],
    "limit of nothing": ["settle", "--limit", "0"],
    "unknown shell": ["completion", "tcsh"],
    "export to nowhere": ["export", "-"],
}


def files(folder: Path) -> dict[str, bytes]:
    """Return the content of each file below a folder."""
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("arguments", WRONG.values(), ids=WRONG)
def test_unusable_input_exits_with_2_and_one_document(arguments: list[str], call: Any) -> None:
    done = call(*arguments, "--json")
    assert (done.status, done.err) == (2, "")
    assert done.json["error"]["code"] in {"usage", "config"}
    assert done.json["error"]["message"]


@pytest.mark.parametrize("arguments", WRONG.values(), ids=WRONG)
def test_unusable_input_is_told_to_people_on_stderr(arguments: list[str], call: Any) -> None:
    done = call(*arguments)
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith("Error: ")
    assert "Traceback" not in done.err


@pytest.mark.parametrize("name", [name for name in WRONG if WRONG[name][-2:-1] != ["bank"]])
def test_unusable_input_writes_nothing(name: str, call: Any, stored: Any) -> None:
    stored("The crane stands on pier 7")
    call(*WRONG[name])
    assert call("stats", "--json").json["total_memories"] == 1
    assert call("bank", "list", "--json").json["banks"] == ["default"]


@pytest.mark.parametrize(
    "text",
    [b"nul \x00 byte", b"\xff\xfe not utf-8", b"half \xed\xa0\xbd a character"],
    ids=["nul", "bytes", "surrogate"],
)
def test_broken_text_from_a_pipe_is_refused(text: bytes, run: Any) -> None:
    done = run("store", "-", "--json", input=text)
    assert (done.status, done.json["error"]["code"], done.err) == (2, "usage", "")
    assert run("stats", "--json").json["total_memories"] == 0


def test_broken_text_as_an_argument_is_refused(run: Any) -> None:
    done = run("store", b"caf\xe9 noir", "--json")
    assert (done.status, done.json["error"]["code"]) == (2, "usage")


def test_a_line_that_breaks_an_import_is_named(call: Any, tmp_path: Path) -> None:
    lines = [json.dumps({"content": f"memory number {number}"}) for number in range(1, 101)]
    lines[36] = '{"content": "broken'
    file = tmp_path / "chat.jsonl"
    file.write_text("\n".join(lines), "utf-8")
    done = call("import", file, "--json")
    assert done.status == 2
    assert done.json["error"]["message"].startswith("line 37: ")
    assert "0 are committed" in done.json["error"]["message"]
    assert call("stats", "--json").json["total_memories"] == 0


@pytest.mark.parametrize(
    "bad",
    [
        {"content": ""},
        {"content": "x", "importance": "high"},
        {"content": "x", "timestamp": "someday"},
        {"content": "x", "colour": "red"},
        {"text": "x"},
        ["x"],
    ],
    ids=["empty", "importance", "date", "field", "no content", "list"],
)
def test_a_bad_field_of_an_import_is_named_with_its_line_and_what_is_committed(
    bad: Any, call: Any, tmp_path: Path
) -> None:
    file = tmp_path / "chat.jsonl"
    good = [json.dumps({"content": f"memory number {number}"}) for number in range(600)]
    file.write_text("\n".join([*good, "", json.dumps(bad)]), "utf-8")
    message = call("import", file, "--json").json["error"]["message"]
    assert message.startswith("line 602: ")
    assert message.endswith("; 500 are committed")
    assert call("stats", "--json").json["total_memories"] == 500


def test_an_import_that_is_not_utf8_names_the_line(call: Any, tmp_path: Path) -> None:
    file = tmp_path / "chat.jsonl"
    file.write_bytes(b'{"content": "fine"}\n{"content": "caf\xe9"}\n')
    assert call("import", file, "--json").json["error"]["message"].startswith("line 2: not UTF-8")


def test_a_file_that_is_not_there_is_not_found(call: Any) -> None:
    assert call("import", "/nowhere/chat.jsonl").status == 3
    assert call("import", "/").status == 2
    assert call("restore", "/nowhere/backup.db", "--yes").status in (2, 3)


@pytest.mark.parametrize("command", [["store", "x"], ["recall", "x"], ["stats"], ["export", "out.jsonl"], ["backup"]])
@pytest.mark.parametrize("kind", ["text", "foreign", "damaged", "newer", "folder"])
def test_a_file_that_cannot_be_a_bank_is_refused_and_left_as_it_was(
    kind: str, command: list[str], call: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    place = tmp_path / "place"
    place.mkdir()
    file = place / "memories.db"
    code = MADE[kind](file, call)
    before = files(place)
    done = call("--db", file, *command, "--json")
    assert (done.status, done.json["error"]["code"], done.err) == (6, code, "")
    assert files(place) == before


def _text(file: Path, call: Any) -> str:
    file.write_text("these are notes of mine, and no database\n" * 10, "utf-8")
    return "corrupt"


def _foreign(file: Path, call: Any) -> str:
    with sqlite3.connect(file) as connection:
        connection.execute("create table working_memory (id text, content text)")
    connection.close()
    return "foreign"


def _damaged(file: Path, call: Any) -> str:
    assert call("--db", file, "store", "The crane stands on pier 7").status == 0
    whole = file.read_bytes()
    file.write_bytes(whole[:100] + os.urandom(len(whole) - 100))
    for left in file.parent.glob("*-*"):
        left.unlink()
    return "corrupt"


def _newer(file: Path, call: Any) -> str:
    assert call("--db", file, "store", "The crane stands on pier 7").status == 0
    connection = sqlite3.connect(file)
    connection.execute("pragma user_version = 999")
    connection.execute("pragma wal_checkpoint(truncate)")
    connection.close()
    return "too-new"


def _folder(file: Path, call: Any) -> str:
    file.mkdir()
    return "storage"


MADE = {"text": _text, "foreign": _foreign, "damaged": _damaged, "newer": _newer, "folder": _folder}


@pytest.fixture
def open_place() -> Iterator[Path]:
    """A folder that another user of the machine can reach."""
    made = Path(tempfile.mkdtemp(prefix="mnemopi-test-"))
    made.chmod(0o755)
    yield made
    made.chmod(0o755)
    shutil.rmtree(made)


AS_SOMEBODY_ELSE = """
import os, sys
from mnemopi.cli.app import mnemopi
place, own, *command = sys.argv[1:]
for warm in (["store", "The crane stands on pier 7"], ["recall", "crane"]):
    assert mnemopi.run(["--db", own, *warm, "--quiet"]) == 0  # what is loaded now, the other user need not read
if os.getuid() == 0:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
print("---")
sys.exit(mnemopi.run(["--db", place, *command, "--json"]))
"""


def as_somebody_else(
    file: Path, own: Path, environment: dict[str, str], command: list[str]
) -> subprocess.CompletedProcess[str]:
    """Run a command on a file as a user without rights to it; its document follows a line of dashes."""
    words = [sys.executable, "-c", AS_SOMEBODY_ELSE, str(file), str(own / "own.db"), *command]
    environment = {**environment, "HOME": str(file.parent), "XDG_CONFIG_HOME": str(file.parent)}
    return subprocess.run(words, env=environment, check=False, capture_output=True, text=True)


@pytest.mark.parametrize(("command", "status"), [(["store", "x"], {4, 6}), (["recall", "crane"], {0})])
def test_a_folder_that_takes_no_writes_is_an_error_to_who_writes_and_none_to_who_reads(
    command: list[str], status: set[int], call: Any, environment: dict[str, str], open_place: Path, tmp_path: Path
) -> None:
    file = open_place / "memories.db"
    assert call("--db", file, "store", "The crane stands on pier 7").status == 0
    for made in open_place.iterdir():
        made.chmod(0o444)
    open_place.chmod(0o555)
    done = as_somebody_else(file, tmp_path, environment, command)
    told = json.loads(done.stdout.partition("---")[2])
    assert done.returncode in status, done.stdout + done.stderr
    assert done.stderr == ""
    if command[0] == "store":
        assert told["error"]["code"] in {"read-only", "storage"}
    else:
        assert told["count"] == 1


@pytest.mark.parametrize("command", [["store", "x"], ["recall", "crane"]])
def test_a_folder_that_cannot_be_made_is_an_error(
    command: list[str], environment: dict[str, str], open_place: Path, tmp_path: Path
) -> None:
    open_place.chmod(0o555)
    file = open_place / "new" / "memories.db"
    done = as_somebody_else(file, tmp_path, environment, command)
    assert done.returncode in {4, 6}, done.stdout + done.stderr
    assert json.loads(done.stdout.partition("---")[2])["error"]["message"]
