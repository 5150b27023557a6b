"""Other systems on the command line: import --from, and export --format mnemopi."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    file = tmp_path / "CLAUDE.md"
    file.write_text("# Style\n- Use tabs for indentation\n- Never push to main\n", "utf-8")
    return file


def test_notes_are_taken_in_found_and_taken_in_once(call: Any, notes: Path) -> None:
    done = call("import", "--from", "markdown", notes)
    assert (done.status, done.err) == (0, "")
    assert done.out.splitlines()[0] == f"Imported from markdown ({notes}): 2 inserted"
    assert call("recall", "indentation", "--json").json["results"][0]["content"] == "Use tabs for indentation"
    assert call("import", "--from", "markdown", notes, "--json").json["known"] == 2
    assert call("stats", "--json").json["total_memories"] == 2


def test_a_dry_run_says_what_would_be_done(call: Any, notes: Path) -> None:
    done = call("import", "--from", "markdown", notes, "--dry-run")
    assert done.out.startswith("Would take in from markdown")
    assert call("stats", "--json").json["total_memories"] == 0


def test_the_report_is_one_document(call: Any, notes: Path) -> None:
    told = call("import", "--from", "markdown", notes, "--json").json
    assert (told["system"], told["found"], told["inserted"], told["dry_run"]) == (
        "markdown",
        {"files": 1, "parts": 2},
        2,
        False,
    )
    assert call("import", "--from", "markdown", notes, "--quiet").out == ""


def test_what_is_found_by_itself(call: Any, environment: dict[str, str]) -> None:
    done = call("import", "--from", "mnemosyne")
    assert done.status == 3
    assert "~/.hermes/mnemosyne" in done.err
    folder = Path(environment["HOME"], "basic-memory")
    folder.mkdir()
    (folder / "a.md").write_text("- [fact] Cranes are yellow", "utf-8")
    assert call("import", "--from", "basic-memory", "--json").json["inserted"] == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ("--from", "memex", "x"),
        ("--from", "markdown", "-"),
        ("--from", "markdown", "x", "--force"),
        ("x", "--dry-run"),
        ("x", "--keep-scope"),
        (),
    ],
)
def test_options_that_do_not_go_together_are_refused(arguments: tuple[str, ...], call: Any) -> None:
    assert call("import", *arguments).status == 2


def test_what_is_not_the_systems_file_is_said_so(call: Any, tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text("{}")
    done = call("import", "--from", "mnemopi", tmp_path / "x.json")
    assert (done.status, "no export of mnemopi" in done.err) == (2, True)
    assert call("import", "--from", "mem0", tmp_path / "none.json").status == 3


def test_the_other_engines_document_is_written_and_read(call: Any, stored: Any, tmp_path: Path) -> None:
    stored("The crane stands on pier 7", "--pin")
    file = tmp_path / "out.json"
    done = call("export", "--format", "mnemopi", file, "--json")
    assert done.json["counts"]["working_memory"] == 1
    assert json.loads(file.read_text("utf-8"))["working_memory"][0]["content"] == "The crane stands on pier 7"
    assert call("import", "--from", "mnemopi", file, "--bank", "copy", "--json").json["inserted"] == 1
    assert call("export", "--format", "odd", file).status == 2


@pytest.mark.parametrize("indent", [2, None])
def test_the_other_engines_document_is_told_from_lines(indent: int | None, call: Any, tmp_path: Path) -> None:
    file = tmp_path / "out.json"
    call("export", "--format", "mnemopi", file)
    file.write_text(json.dumps(json.loads(file.read_text("utf-8")), indent=indent), "utf-8")
    done = call("import", file)
    assert (done.status, "--from mnemopi" in done.err) == (2, True)


def test_strings_are_taken_in_and_what_is_left_out_is_told(call: Any, tmp_path: Path) -> None:
    (tmp_path / "mem0.json").write_text('["I like tea", 7]', "utf-8")
    told = call("import", "--from", "mem0", tmp_path / "mem0.json").out
    assert "1 inserted" in told and "found: 2 memories" in told
    assert "left out: 1 of memories: in a form that is not known" in told
