"""Commands that the resident process does: what they print, and by whose settings."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

COMMANDS = [
    ["recall", "crane"],
    ["recall", "crane", "--json"],
    ["recall", "crane", "--explain"],
    ["recall", "crane", "--quiet"],
    ["recall", "nothing of the kind whatever", "--json"],
    ["search", "harbour", "1", "--full"],
    ["context", "crane"],
    ["context", "--json"],
    ["stats"],
    ["stats", "--json"],
    ["events", "--json"],
    ["entities"],
    ["conflicts", "--json"],
    ["contaminated"],
]
WRONG = [
    ["get", "0123456789abcdef"],
    ["get", "0123456789abcdef", "--json"],
    ["recall", "crane", "--no-such-option"],
    ["recall", "crane", "--top-k", "many", "--json"],
    ["recall", "crane", "--kind", "nonsense"],
    ["recall", "crane", "--set", "recall.preview_chars=long"],
    ["recall", "crane", "--set", "write.timezone=Mars"],
    ["update", "0123456789abcdef", "text"],
]


@pytest.fixture(scope="module")
def filled(warm: Any) -> Any:
    """The warm place with a few memories in its bank `full`."""
    for text in ("The crane stands on pier 7", "Mara prefers tabs", "The harbour master is called Ines"):
        assert warm.at_home("--bank", "full", "store", text).status == 0
    return warm


def served(place: Any) -> int:
    return int(place.status()["served"])


@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_it_prints_what_the_command_prints_at_home(filled: Any, arguments: list[str]) -> None:
    before = served(filled)
    there = filled.run("--bank", "full", *arguments)
    assert served(filled) == before + 1
    home = filled.at_home("--bank", "full", *arguments)
    assert (there.status, there.err) == (home.status, home.err)
    assert ages(there.out) == ages(home.out)


def ages(text: str) -> str:
    """Leave out what depends on the moment: a decay of recency."""
    if not text.startswith("{"):
        return text
    told = json.loads(text)
    for hit in told.get("results", ()):
        hit["recency_score"] = round(hit["recency_score"], 3)
    return json.dumps(told)


@pytest.mark.parametrize("arguments", WRONG, ids=" ".join)
def test_what_is_wrong_is_told_as_at_home(filled: Any, arguments: list[str]) -> None:
    before = served(filled)
    there = filled.run("--bank", "full", *arguments)
    assert served(filled) == before + 1
    assert there == filled.at_home("--bank", "full", *arguments)
    assert there.status != 0


def test_a_bank_that_is_not_there_is_told_and_not_made(warm: Any) -> None:
    there = warm.run("--bank", "nowhere", "recall", "crane")
    assert (there.status, there) == (3, warm.at_home("--bank", "nowhere", "recall", "crane"))


def test_what_is_refused_there_makes_no_bank_either(warm: Any) -> None:
    before = served(warm)
    there = warm.run("--bank", "refused", "store", "")
    assert served(warm) == before + 1
    assert "refused" not in warm.at_home("bank", "list", "--quiet").out
    assert there == warm.at_home("--bank", "refused", "store", "")
    assert "Made a new bank: told" in warm.run("--bank", "told", "store", "The crane stands on pier 7").err


def test_what_is_stored_there_is_on_disk_for_all(warm: Any) -> None:
    before = served(warm)
    id = warm.run("--bank", "made", "store", "The crane stands on pier 7", "--json").json["id"]
    assert served(warm) == before + 1
    assert warm.at_home("--bank", "made", "get", id, "--quiet").out == "The crane stands on pier 7\n"
    assert warm.run("--bank", "made", "update", id, "It stands on pier 9").status == 0
    assert warm.at_home("--bank", "made", "get", id, "--quiet").out == "It stands on pier 9\n"


def test_on_a_terminal_it_draws_the_same_table_as_wide(filled: Any) -> None:
    there, home = (terminal(filled, use) for use in ("auto", "off"))
    assert "─" in there and "Score" in there
    assert there == home


def terminal(place: Any, use: str) -> str:
    """Run a recall on a terminal of its own, and return what it showed."""
    ours, theirs = pty.openpty()
    environment = place.environment | {"TERM": "xterm", "COLUMNS": "90", "MNEMOPI_DAEMON": use}
    command = [sys.executable, "-m", "mnemopi", "--bank", "full", "recall", "crane"]
    process = subprocess.Popen(command, env=environment, stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    shown = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:
            break
        if not part:
            break
        shown += part
    process.wait(90)
    os.close(ours)
    return shown.decode("utf-8")


def test_settings_of_the_caller_count_and_not_those_of_the_process(warm: Any) -> None:
    text = "The crane stands on pier 7 and " + "turns " * 40
    made = warm.run("--bank", "who", "store", text, "--json", MNEMOPI_AUTHOR_ID="ines").json["id"]
    assert warm.at_home("--bank", "who", "get", made, "--json").json["author_id"] == "ines"
    for arguments, changes in (
        (["--set", "recall.preview_chars=20"], {}),
        ([], {"MNEMOPI_PREVIEW_CHARS": "20"}),
    ):
        before = served(warm)
        hit = warm.run("--bank", "who", "recall", "crane", "--json", *arguments, **changes).json["results"][0]
        assert served(warm) == before + 1
        assert hit["truncated"] is True
    assert warm.run("--bank", "who", "recall", "crane", "--json").json["results"][0]["truncated"] is False


def test_sessions_see_what_is_theirs(warm: Any) -> None:
    warm.run("--bank", "scoped", "store", "The crane is mine", "--session", "a", "--scope", "session")
    seen = [
        warm.run("--bank", "scoped", "recall", "crane", "--json", "--session", session).json["count"]
        for session in ("a", "b")
    ]
    assert seen == [1, 0]


@pytest.mark.parametrize(
    ("arguments", "changes"),
    [
        (["recall", "crane", "--set", "daemon.use=off"], {}),
        (["recall", "crane"], {"MNEMOPI_DAEMON": "off"}),
        (["recall", "crane"], {"HOME": "/nonexistent"}),
        (["recall", "crane"], {"TZ": "Asia/Tokyo"}),
        (["recall", "crane"], {"MNEMOPI_BACKUP_DIR": "relative"}),
        (["recall", "crane", "--db", "other/mnemopi.db"], {}),
        (["recall", "--help"], {}),
    ],
    ids=str,
)
def test_what_it_cannot_do_the_same_is_done_at_home(
    warm: Any, arguments: list[str], changes: dict[str, str], tmp_path: Path
) -> None:
    before = served(warm)
    assert warm.run(*arguments, cwd=tmp_path, **changes).status == 0
    done = int(warm.status()["served"]) - before
    assert done == (1 if "BACKUP" in str(changes) or "--db" in arguments else 0)  # asked, and it refused


def test_a_relative_file_is_the_callers(warm: Any, tmp_path: Path) -> None:
    assert warm.run("store", "The crane is here", "--db", "mine/mnemopi.db", cwd=tmp_path).status == 0
    assert (tmp_path / "mine" / "mnemopi.db").exists()
    assert warm.run("recall", "crane", "--json", "--db", "mine/mnemopi.db", cwd=tmp_path).json["count"] == 1


def test_another_data_folder_is_another_place(warm: Any, tmp_path: Path) -> None:
    before = served(warm)
    changes = {"MNEMOPI_DATA_DIR": str(tmp_path / "other")}
    warm.run("store", "The crane is elsewhere", **changes)
    assert served(warm) == before
    assert warm.run("recall", "elsewhere", "--json", **changes).json["count"] == 1
    assert warm.run("recall", "elsewhere", "--json").json["count"] == 0


def test_a_configuration_file_says_where_and_whether(warm: Any, tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text(f'[storage]\ndata_dir = "{warm.folder}"\n[recall]\npreview_chars = 5\n')
    named = {"MNEMOPI_CONFIG": str(file), "MNEMOPI_DATA_DIR": ""}
    warm.run("--bank", "filed", "store", "The crane stands on pier 7")
    before = served(warm)
    assert warm.run("--bank", "filed", "recall", "crane", "--json", **named).json["results"][0]["truncated"] is True
    assert served(warm) == before + 1
    file.write_text(file.read_text() + '[daemon]\nuse = "off"\n')
    assert warm.run("--bank", "filed", "recall", "crane", "--json", **named).status == 0
    assert served(warm) == before + 1


def test_what_comes_by_standard_input_is_read_at_home(warm: Any) -> None:
    before = served(warm)
    assert warm.run("--bank", "piped", "store", "-", input=b"The crane stands on pier 7").status == 0
    assert served(warm) == before
    assert warm.run("--bank", "piped", "recall", "crane", "--json").json["count"] == 1


@pytest.mark.parametrize("word", ["起重机在七号码头", "naïve ☕ \u2028 line", "--"])
def test_arguments_arrive_as_they_are(warm: Any, word: str) -> None:
    made = warm.run("--bank", "words", "store", "--json", "--", word)
    assert warm.at_home("--bank", "words", "get", made.json["id"], "--quiet").out == word + "\n"


def test_many_at_once_lose_nothing_and_read_what_they_wrote(warm: Any) -> None:
    failures: list[str] = []

    def work(who: int) -> None:
        for number in range(4):
            text = f"client {who} writes note {number}"
            id = warm.run("--bank", "crowd", "store", text, "--json").json["id"]
            if warm.run("--bank", "crowd", "get", id, "--quiet").out != text + "\n":
                failures.append(text)

    threads = [threading.Thread(target=work, args=(who,)) for who in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert warm.at_home("--bank", "crowd", "stats", "--json").json["total_memories"] == 16


def test_it_lets_go_of_a_bank_that_somebody_wants_alone(warm: Any) -> None:
    warm.run("--bank", "gone", "store", "The crane stands on pier 7")
    assert warm.run("--bank", "gone", "recall", "crane", "--json").json["count"] == 1
    assert warm.run("--bank", "gone", "compact").status == 0
    assert warm.run("--bank", "gone", "recall", "crane", "--json").json["count"] == 1
    assert warm.run("bank", "rename", "gone", "left").status == 0
    assert warm.run("--bank", "left", "recall", "crane", "--json").json["count"] == 1
    assert warm.run("bank", "delete", "left", "--yes").status == 0
    assert warm.run("--bank", "left", "recall", "crane").status == 3


def test_a_reader_that_goes_away_is_no_error_to_talk_about(warm: Any) -> None:
    for number in range(4):
        warm.at_home("--bank", "long", "store", f"crane {number} " + "x" * 100_000)
    process = warm.begin(sys.executable, "-m", "mnemopi", "--bank", "long", "recall", "crane", "--full")
    process.stdout.read(10)
    process.stdout.close()
    assert process.wait(90) == 141
    assert process.stderr.read() == b""


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_streams_do_not_stop_it(warm: Any, closed: str) -> None:
    words = f'"{sys.executable}" -m mnemopi --bank closed store "closed {closed}" --json {closed}'
    done = subprocess.run(["sh", "-c", words], env=warm.environment, capture_output=True, check=False)
    assert done.returncode == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no device that is always full")
def test_an_answer_that_cannot_be_written_is_told_as_at_home(filled: Any) -> None:
    told = []
    for use in ("auto", "off"):
        with Path("/dev/full").open("wb") as full:
            command = [sys.executable, "-m", "mnemopi", "--bank", "full", "recall", "crane"]
            environment = filled.environment | {"MNEMOPI_DAEMON": use}
            done = subprocess.run(command, env=environment, stdout=full, stderr=subprocess.PIPE, check=False)
        told.append((done.returncode, done.stderr.splitlines()[0]))
    assert told == [(6, b"Error: reading or writing failed: No space left on device")] * 2
