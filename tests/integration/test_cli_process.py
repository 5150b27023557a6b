"""The command line as a process: statuses, streams, pipes, signals, encodings."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

PYTHON = [sys.executable, "-m", "mnemopi"]


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (["--help"], 0),
        ([], 0),
        (["--version"], 0),
        (["store", "The crane stands on pier 7"], 0),
        (["recall", "crane"], 0),
        (["store"], 2),
        (["--set", "recall.dense=perhaps", "stats"], 2),
        (["get", "0123456789abcdef"], 3),
        (["delete", "0123456789abcdef", "--yes"], 3),
        (["bank", "create", "default"], 4),
        (["bank", "delete", "default", "--yes"], 4),
        (
            [
                "--set",
                "embedding.provider=local",
                "--set",
                "embedding.enabled=on",
                "models",
                "pull",
                "text-embedding-3-small",
            ],
            2,
        ),
        (["--db", "/dev", "stats"], 6),
    ],
)
def test_the_status_is_that_of_the_error_tree(arguments: list[str], status: int, run: Any) -> None:
    done = run(*arguments)
    assert done.status == status, done.err
    assert bool(done.err) == bool(status)
    assert bool(done.out) != bool(status)


@pytest.mark.parametrize("before", [True, False], ids=["before the command", "after it"])
def test_options_of_everywhere_stand_before_the_command_or_after_it(before: bool, run: Any, tmp_path: Path) -> None:
    shared = [
        "--json",
        "--bank",
        "work",
        "--db",
        str(tmp_path / "own.db"),
        "--no-embeddings",
        "--set",
        "write.redact=off",
    ]
    command = ["store", "The crane stands on pier 7"]
    done = run(*shared, *command) if before else run(*command, *shared)
    assert done.json["bank"] == "work"
    assert list((tmp_path / "banks").iterdir())


def test_the_innermost_option_counts_and_settings_add_up(run: Any) -> None:
    words = [
        "--bank",
        "outer",
        "--set",
        "recall.dense=off",
        "config",
        "--bank",
        "inner",
        "--set",
        "recall.temporal=off",
    ]
    told = run(*words, "--json").json["settings"]
    assert {one["name"]: one["value"] for one in told if one["origin"] == "argument"} == {
        "recall.dense": False,
        "recall.temporal": False,
    }
    assert run("--bank", "outer", "store", "x", "--bank", "inner", "--json").json["bank"] == "inner"


def test_an_error_with_json_is_one_document_on_stdout(run: Any) -> None:
    done = run("--json", "get", "0123456789abcdef")
    assert set(done.json["error"]) == {"code", "message", "hint"}
    assert (done.status, done.json["error"]["code"], done.err) == (3, "not-found", "")


def test_an_error_for_people_is_a_line_and_a_hint_on_stderr(run: Any) -> None:
    done = run("get", "0123456789abcdef")
    assert [line.split(":")[0] for line in done.err.splitlines()] == ["Error", "Hint"]


def test_after_two_dashes_nothing_is_an_option(run: Any) -> None:
    id = run("store", "--json", "--", "--json is an option").json["id"]
    assert run("get", id, "--quiet").out == "--json is an option\n"
    done = run("get", "--", "--json")
    assert (done.status, done.out) == (3, "")


@pytest.mark.parametrize(
    "locale", [{"LC_ALL": "C"}, {"LC_ALL": "POSIX", "PYTHONUTF8": "0"}, {"PYTHONIOENCODING": "latin-1"}]
)
def test_output_is_utf8_whatever_the_locale(locale: dict[str, str], run: Any) -> None:
    run("store", "-", input="船長 drinks café ☕".encode())
    assert "船長 drinks café ☕" in run("recall", "drinks", **locale).out
    assert run("recall", "drinks", "--json", **locale).json["results"][0]["content"] == "船長 drinks café ☕"


def test_words_of_other_scripts_arrive_as_arguments(run: Any) -> None:
    run("store", "起重机在七号码头", LC_ALL="C")
    assert run("recall", "起重机", "--json", LC_ALL="C").json["count"] == 1


def test_a_reader_that_goes_away_is_no_error_to_talk_about(run: Any, environment: dict[str, str]) -> None:
    lines = (json.dumps({"content": f"crane {number} " + "x" * 2000}) for number in range(200))
    assert run("import", "-", input="\n".join(lines).encode()).status == 0
    process = subprocess.Popen(
        [*PYTHON, "recall", "crane", "200", "--full"], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    process.stdout.read(10)
    process.stdout.close()
    assert process.stderr is not None
    assert process.stderr.read() == b""
    assert process.wait(30) == 141


def test_what_cannot_be_written_out_is_one_line(run: Any, environment: dict[str, str]) -> None:
    run("store", "The crane stands on pier 7")
    if not Path("/dev/full").exists():
        pytest.skip("this system has no device that is always full")
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run([*PYTHON, "recall", "crane"], env=environment, stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == 6
    assert [line.split(b":")[0] for line in done.stderr.splitlines()] == [b"Error", b"Hint"]
    assert b"unexpected" not in done.stderr


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_streams_do_not_stop_it(closed: str, run: Any, environment: dict[str, str]) -> None:
    words = f'"{sys.executable}" -m mnemopi store "The crane stands on pier 7" --json {closed}'
    assert subprocess.run(["sh", "-c", words], env=environment, capture_output=True).returncode == 0
    assert run("recall", "crane", "--json").json["count"] == 1


def _hears_interrupts() -> None:
    """A shell starts what runs in the background deaf to interrupts, and so would be all that the tests start."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def test_an_interrupt_ends_with_130_and_says_how_much_is_committed(environment: dict[str, str], run: Any) -> None:
    process = subprocess.Popen(
        [*PYTHON, "import", "-"],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=_hears_interrupts,
    )
    assert process.stdin is not None
    for number in range(700):
        process.stdin.write(json.dumps({"content": f"memory number {number}"}).encode() + b"\n")
    process.stdin.flush()
    _until(lambda: run("stats", "--json").json["total_memories"] >= 500)
    process.send_signal(signal.SIGINT)
    assert process.wait(30) == 130
    assert process.stderr is not None
    told = process.stderr.read().decode()
    assert "500 are committed" in told
    assert "Traceback" not in told
    assert run("stats", "--json").json["total_memories"] == 500


def test_an_unexpected_error_is_one_line_and_a_trace_only_with_debug(environment: dict[str, str]) -> None:
    code = (
        "import sys, mnemopi.engine as engine\n"
        "def broken(*given, **named): raise ZeroDivisionError('not foreseen')\n"
        "engine.Mnemopi.stats = broken\n"
        "from mnemopi.__main__ import main\n"
        "main()"
    )
    plain = subprocess.run([sys.executable, "-c", code, "stats"], env=environment, capture_output=True, text=True)
    assert (plain.returncode, plain.stdout) == (1, "")
    assert plain.stderr.splitlines()[0] == "Error: unexpected ZeroDivisionError: not foreseen"
    assert "Traceback" not in plain.stderr
    traced = subprocess.run(
        [sys.executable, "-c", code, "stats", "--debug"], env=environment, capture_output=True, text=True
    )
    assert "Traceback" in traced.stderr


def test_the_receipt_is_out_before_vectors_are_made(environment: dict[str, str]) -> None:
    pytest.importorskip("wordllama")
    code = (
        "import sys, mnemopi.cli.settling as settling\n"
        "def told(*given):\n"
        "    print('settling', file=sys.stderr, flush=True)\n"
        "    sys.stdin.readline()\n"
        "    raise SystemExit(9)\n"
        "settling.work_off = told\n"
        "from mnemopi.__main__ import main\n"
        "main()"
    )
    del environment["MNEMOPI_NO_EMBEDDINGS"]
    process = subprocess.Popen(
        [sys.executable, "-c", code, "store", "The crane stands on pier 7"],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None and process.stderr is not None and process.stdin is not None
    assert process.stdout.readline().startswith("Stored: ")
    assert process.stderr.readline() == "settling\n"
    process.stdin.close()
    assert process.wait(30) == 9


def test_after_the_receipt_the_vector_is_made_where_that_is_cheap(run: Any) -> None:
    pytest.importorskip("wordllama")
    assert run("store", "The crane stands on pier 7", MNEMOPI_NO_EMBEDDINGS="0").status == 0
    assert run("settle", "--json", MNEMOPI_NO_EMBEDDINGS="0").json == {
        "embedded": 0,
        "reindexed": 0,
        "pending": 0,
        "refused": 0,
        "extracted": 0,
        "unread": 0,
        "error": None,
    }


def test_where_it_is_not_cheap_the_rest_is_told_and_left(run: Any) -> None:
    far = {
        "MNEMOPI_NO_EMBEDDINGS": "0",
        "MNEMOPI_EMBEDDING_API_URL": "http://127.0.0.1:9",
        "MNEMOPI_EMBEDDING_MODEL": "m",
    }
    done = run("store", "The crane stands on pier 7", **far)
    assert done.status == 0
    assert done.out.startswith("Stored: ")
    assert done.err == "1 without a vector: `mnemopi settle` makes them\n"
    assert run("store", "Buy rope", "--quiet", **far).err == ""


def test_a_provider_that_cannot_be_reached_exits_with_7_and_loses_nothing(run: Any) -> None:
    far = {
        "MNEMOPI_NO_EMBEDDINGS": "0",
        "MNEMOPI_EMBEDDING_API_URL": "http://127.0.0.1:9",
        "MNEMOPI_EMBEDDING_MODEL": "m",
        "MNEMOPI_EMBEDDING_TIMEOUT": "0.5",
    }
    run("store", "The crane stands on pier 7", **far)
    done = run("settle", "--json", **far)
    assert (done.status, done.json["pending"], done.json["error"]["code"]) == (7, 1, "provider")
    assert run("settle", **far).status == 7
    assert run("recall", "crane", "--json", **far).json["count"] == 1


def test_on_a_terminal_hits_stand_in_a_table_and_deletion_asks(environment: dict[str, str], run: Any) -> None:
    id = run("store", "The crane stands on pier 7", "--json").json["id"]
    shown = _terminal(environment, ["recall", "crane"], b"")
    assert "Score" in shown and "─" in shown and id in shown
    assert "Error: nothing was erased" in _terminal(environment, ["delete", id], b"n\n")
    assert run("get", id).status == 0
    assert f"Deleted: {id}" in _terminal(environment, ["delete", id], b"y\n")
    assert run("get", id).status == 3


def test_on_a_terminal_the_name_of_a_bank_confirms_its_deletion(environment: dict[str, str], run: Any) -> None:
    run("bank", "create", "work")
    assert "nothing was deleted" in _terminal(environment, ["bank", "delete", "work"], b"yes\n")
    assert "Deleted bank: work" in _terminal(environment, ["bank", "delete", "work"], b"work\n")


def test_on_a_terminal_an_import_shows_a_bar_with_a_rate(environment: dict[str, str], tmp_path: Path) -> None:
    file = tmp_path / "chat.jsonl"
    file.write_text("\n".join(json.dumps({"content": f"memory number {number}"}) for number in range(1200)), "utf-8")
    shown = _terminal(environment, ["import", str(file)], b"")
    assert "Importing" in shown and "/s" in shown
    assert "1,200 inserted" in shown


def _until(done: Any) -> None:
    for _ in range(200):
        if done():
            return
        time.sleep(0.05)
    raise AssertionError("it never happened")


def _terminal(environment: dict[str, str], arguments: list[str], typed: bytes) -> str:
    """Run a command on a terminal of its own, and return what it showed."""
    ours, theirs = pty.openpty()
    environment = {**environment, "TERM": "xterm", "COLUMNS": "120"}
    process = subprocess.Popen([*PYTHON, *arguments], env=environment, stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    if typed:
        os.write(ours, typed)
    shown = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:  # the other end is closed: it has ended
            break
        if not part:
            break
        shown += part
    process.wait(30)
    os.close(ours)
    return shown.decode("utf-8", "replace")
