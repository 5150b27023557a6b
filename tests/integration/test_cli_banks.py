"""Banks, models, settings and health on the command line."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest


def test_banks_are_made_listed_renamed_and_deleted(call: Any, stored: Any) -> None:
    assert call("bank", "create", "work").out == "Created bank: work\n"
    id = stored("The crane stands on pier 7", "--bank", "work")
    assert call("bank", "list", "--json", "--bank", "work").json == {"banks": ["default", "work"], "current": "work"}
    assert call("bank", "list").out == "Banks:\n  - default (current)\n  - work\n"
    assert call("bank", "rename", "work", "office").status == 0
    assert call("get", id, "--bank", "office").status == 0
    assert call("bank", "delete", "office", "--yes", "--json").json == {"bank": "office", "deleted": True}
    assert call("bank", "list", "--quiet").out == "default\n"


def test_banks_keep_to_themselves(call: Any, stored: Any) -> None:
    id = stored("The crane stands on pier 7", "--bank", "work")
    assert call("get", id).status == 3
    assert call("recall", "crane", "--json").json["count"] == 0


READING = {
    "recall": ["crane"],
    "get": ["4f2a"],
    "context": [],
    "stats": [],
    "history": ["4f2a"],
    "facts": ["list"],
    "conflicts": [],
    "export": ["out.jsonl"],
    "settle": [],
    "backup": [],
    "update": ["4f2a", "other words"],
    "delete": ["4f2a", "--yes"],
    "scratchpad": ["read"],
}


@pytest.mark.parametrize("name", READING)
def test_a_mistyped_bank_is_not_there_and_is_not_made(
    name: str, call: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    call("bank", "create", "work")
    done = call(name, *READING[name], "--bank", "wrok", "--json")
    assert (done.status, done.json["error"]["code"]) == (3, "not-found")
    assert "mnemopi bank list" in done.json["error"]["hint"]
    assert call("bank", "list", "--json").json["banks"] == ["default", "work"]


@pytest.mark.parametrize("name", READING)
def test_a_bank_that_a_setting_names_is_made_by_what_is_stored_alone(
    name: str, call: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MNEMOPI_BANK", "work")
    done = call(name, *READING[name])
    assert done.status in (0, 3)
    assert "There is no bank work yet" in done.err
    assert call("bank", "list", "--json").json["banks"] == ["default"]


@pytest.mark.parametrize(
    "command",
    [
        ["store", "the crane is green"],
        ["import", "-"],
        ["facts", "assert", "the crane", "colour", "green"],
        ["scratchpad", "write", "look at the crane"],
    ],
)
def test_a_command_that_writes_makes_its_bank_and_says_so(command: list[str], call: Any) -> None:
    line = '{"content": "the crane is green"}\n'
    done = call(*command, "--bank", "yard", "--json", input=line)
    assert (done.status, done.err) == (0, "Made a new bank: yard\n")
    assert call("bank", "list", "--json").json["banks"] == ["default", "yard"]
    assert call(*command, "--bank", "yard", "--json", input=line).err == ""


@pytest.mark.parametrize(
    "command",
    [
        ["store", ""],
        ["store", "the crane is green", "--timestamp", "someday"],
        ["import", "-"],
        ["facts", "assert", "the crane", "colour", ""],
        ["scratchpad", "write", ""],
    ],
)
def test_a_command_that_is_refused_makes_no_bank(command: list[str], call: Any) -> None:
    done = call(*command, "--bank", "yard", input='{"content": ""}\n')
    assert done.status == 2
    assert "Made a new bank" not in done.err
    assert call("bank", "list", "--json").json["banks"] == ["default"]


def test_a_bank_that_took_part_of_an_import_stays_and_is_told_of(call: Any) -> None:
    many = "".join(f'{{"content": "turn {number}", "session_id": "s"}}\n' for number in range(1500))
    done = call("import", "-", "--bank", "yard", input=many + '{"content": ""}\n')
    assert (done.status, "Made a new bank: yard\n" in done.err) == (2, True)
    assert call("stats", "--bank", "yard", "--json").json["total_memories"] > 0


def test_the_bank_in_use_by_name_can_be_deleted(call: Any, stored: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MNEMOPI_BANK", "work")
    stored("The crane stands on pier 7")
    assert call("bank", "delete", "work", "--yes").status == 0


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (["create", "default"], 4),
        (["create", "work"], 4),
        (["rename", "work", "default"], 4),
        (["rename", "nothing", "else"], 3),
        (["delete", "nothing", "--yes"], 3),
        (["delete", "nothing"], 3),
        (["delete", "default", "--yes"], 4),
        (["delete", "default"], 4),
        (["delete", "work"], 2),
        (["rename", "work", "a/b"], 2),
        ([], 2),
    ],
)
def test_what_cannot_be_done_to_a_bank_is_refused(arguments: list[str], status: int, call: Any) -> None:
    call("bank", "create", "work")
    assert call("bank", *arguments).status == status
    assert call("bank", "list", "--json").json["banks"] == ["default", "work"]


def test_stats_count_what_is_stored(call: Any, stored: Any) -> None:
    stored("The crane stands on pier 7", "--session", "standup", "--source", "chat")
    told = call("stats", "--json").json
    assert (told["total_memories"], told["sources"], told["banks"]) == (1, {"chat": 1}, ["default"])
    assert re.search(r"^total memories: +1$", call("stats").out, re.MULTILINE)


def test_a_sound_bank_is_healthy(call: Any, stored: Any) -> None:
    stored("The crane stands on pier 7")
    told = call("diagnose", "--json")
    assert told.status == 0, told.out
    assert list(told.json) == ["bank", "healthy", "checks"]
    assert told.json["healthy"]
    assert all(set(check) == {"name", "status", "detail"} for check in told.json["checks"])
    shown = call("doctor").out
    assert re.search(r"^Checks passed: (\d+)/\1$", shown, re.MULTILINE)
    assert "crane" not in shown


def test_a_warning_does_not_count_as_passed(call: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    call("store", "The crane stands on pier 7")
    monkeypatch.setenv("MNEMOPI_NO_EMBEDINGS", "1")
    told = call("doctor").out.splitlines()[-1]
    passed, checks = map(int, re.findall(r"\d+", told)[:2])
    assert passed == checks - 1 and told.endswith(", 1 to look at")


def test_an_open_file_mode_is_found_and_the_status_says_so(call: Any, stored: Any, folder: Path) -> None:
    stored("The crane stands on pier 7")
    (folder / "mnemopi.db").chmod(0o644)
    done = call("diagnose")
    assert (done.status, done.err) == (1, "")
    assert "fail" in done.out
    assert "fail" in call("diagnose", "--quiet").out


def test_a_damaged_file_is_diagnosed_not_just_refused(call: Any, folder: Path) -> None:
    folder.mkdir()
    (folder / "mnemopi.db").write_bytes(b"no database" * 100)
    done = call("diagnose", "--json")
    assert (done.status, done.json["healthy"]) == (1, False)


def test_models_are_listed_with_their_state(call: Any, folder: Path) -> None:
    told = call("models", "list", "--json").json
    assert told["folder"] == str(folder / "models")
    assert {"name": "bge-small-en-v1.5", "dimensions": 384, "installed": False}.items() <= told["models"][0].items()
    assert "not fetched" in call("models", "list").out


def test_a_model_that_is_not_there_does_not_pass(call: Any) -> None:
    done = call("models", "verify", "bge-small-en-v1.5")
    assert (done.status, "models pull" in done.err) == (7, True)
    assert call("models", "verify", "bge-small-en-v1.5", "--json").status == 7
    assert call("models", "verify", "no-such-model").status == 3


def test_a_mirror_that_does_not_answer_is_an_error_of_the_provider(call: Any, folder: Path) -> None:
    done = call("models", "pull", "bge-small-en-v1.5", "--mirror", "http://127.0.0.1:9", "--json")
    assert (done.status, done.json["error"]["code"]) == (7, "unavailable")
    assert call("models", "list", "--json").json["models"][0]["installed"] is False


def test_config_tells_each_value_and_where_it_came_from(call: Any, tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text("[recall]\npreview_chars = 80\n", "utf-8")
    words = ["--config", file, "--set", "embedding.api_key=sk-very-secret"]
    told = call("config", *words, "--json").json
    rows = {row["name"]: row for row in told["settings"]}
    assert rows["recall.preview_chars"] == {
        "name": "recall.preview_chars",
        "value": 80,
        "origin": str(file),
        "environment": "MNEMOPI_PREVIEW_CHARS",
    }
    assert rows["storage.data_dir"]["origin"] == "MNEMOPI_DATA_DIR"
    assert rows["embedding.api_key"]["value"] == "***"
    assert "very-secret" not in call("config", "list", *words).out
    assert told["file"] == str(file)


def test_config_warns_of_names_that_have_no_effect(call: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MNEMOPI_WM_MAX_ITEMS", "10")
    done = call("config")
    assert "MNEMOPI_WM_MAX_ITEMS is set and has no effect" in done.err
    assert list(call("config", "--json").json["refused"]) == ["MNEMOPI_WM_MAX_ITEMS"]


def test_config_path_is_where_the_file_would_be(call: Any, tmp_path: Path) -> None:
    assert call("config", "path").out == f"{tmp_path / 'home' / 'mnemopi' / 'config.toml'}\n"
    assert call("config", "path", "--json").json["exists"] is False


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_gets_a_script_that_asks_the_program(shell: str, run: Any) -> None:
    done = run("completion", shell)
    assert done.status == 0
    assert "_MNEMOPI_COMPLETE" in done.out


def test_commands_and_options_are_completed(run: Any) -> None:
    asked = {"_MNEMOPI_COMPLETE": "bash_complete", "COMP_CWORD": "1"}
    assert run(COMP_WORDS="mnemopi sto", **asked).out == "plain,store\n"
    asked["COMP_CWORD"] = "2"
    assert "plain,--veracity" in run(COMP_WORDS="mnemopi store --v", **asked).out.splitlines()


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not on this machine")
def test_bash_takes_the_script(run: Any, tmp_path: Path) -> None:
    file = tmp_path / "completion.sh"
    file.write_text(run("completion", "bash").out, "utf-8")
    assert subprocess.run(["bash", "-n", str(file)], check=False).returncode == 0
