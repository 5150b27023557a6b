"""`mnemopi memory` and `mnemopi skills`, over each backend."""

from __future__ import annotations

import json
import runpy
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from mnemopi.skills import ManagedSkills

Call = Callable[..., Any]
BACKENDS = ["off", "local", "mnemopi", "hindsight", "sharpshooter"]


@pytest.fixture
def server() -> Iterator[Any]:
    made = runpy.run_path(str(Path(__file__).parents[1] / "fakes" / "hindsight.py"))["FakeHindsight"]()
    yield made
    made.close()


@pytest.fixture
def memory(call: Call, tmp_path: Path, server: Any, monkeypatch: pytest.MonkeyPatch) -> Call:
    """Run a verb in a project: `memory("local", "view")`, or in another one with `--at`."""
    monkeypatch.setenv("HINDSIGHT_API_URL", server.url)
    (tmp_path / "project").mkdir()
    for host in ("CLAUDE", "CODEX", "OMP"):
        monkeypatch.setenv(f"MNEMOPI_{host}_SESSIONS", "none")

    def made(backend: str, *arguments: object) -> Any:
        at = () if "--at" in arguments else ("--at", tmp_path / "project")
        head = arguments[:2] if arguments[:1] == ("mm",) else arguments[:1]
        return call("--set", f"memory.backend={backend}", "memory", *head, *at, *arguments[len(head) :])

    return made


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("verb", ["view", "stats", "diagnose", "queue", "status"])
def test_each_verb_answers_with_each_backend(memory: Call, backend: str, verb: str) -> None:
    plain = memory(backend, verb)
    assert plain.status == 0
    assert plain.out.strip()
    told = memory(backend, verb, "--json").json
    assert told["backend"] == backend
    if backend == "off":
        assert "Memory is off" in plain.out
        assert "not available" not in plain.out


def test_view_is_meant_where_no_verb_is_named(call: Call, memory: Call, tmp_path: Path) -> None:
    at = ("--at", tmp_path / "project")
    bare = call("--set", "memory.backend=mnemopi", "memory", *at)
    assert bare.out == memory("mnemopi", "view").out
    assert call("memory", "bogus").status == 2


@pytest.mark.parametrize("backend", ["local", "mnemopi", "hindsight"])
def test_what_is_saved_is_found(memory: Call, backend: str) -> None:
    saved = memory(backend, "save", "Releases are tagged by hand", "--context", "asked Ines", "--json").json
    assert saved["stored"] + saved["queued"] == 1
    assert len(saved["ids"]) == 1
    assert memory(backend, "learn", "Deploys run on Tuesdays").status == 0
    found = memory(backend, "search", "who tags releases", "--json").json
    assert "tagged by hand" in found["items"][0]["content"]
    assert "tagged by hand" in memory(backend, "search", "releases").out
    assert memory(backend, "search", "releases", "--limit", "0").status == 2


def test_what_was_superseded_says_so_beside_the_memory(memory: Call) -> None:
    memory("mnemopi", "save", "The billing API listens on port 7001.")
    memory("mnemopi", "save", "The billing API's port is now 7443.")
    lines = memory("mnemopi", "search", "which port does the billing API use?").out.splitlines()
    assert [line for line in lines if "superseded by billing API port 7443" in line and "7001" in line]
    assert [line for line in lines if "port is now 7443." in line and "superseded" not in line]


@pytest.mark.parametrize("backend", ["off", "sharpshooter"])
def test_what_keeps_no_lessons_says_so(memory: Call, backend: str) -> None:
    done = memory(backend, "save", "Releases are tagged by hand")
    assert done.status == 1
    assert "memory status" in done.err


def test_a_line_for_all_projects_goes_where_they_share_a_bank(memory: Call, tmp_path: Path) -> None:
    refused = memory("mnemopi", "save", "Ines likes tabs", "--everywhere")
    assert refused.status == 2
    tagged = ("--set", "mnemopi.scoping=per-project-tagged")
    assert memory("mnemopi", "save", "Ines likes tabs", "--everywhere", *tagged).status == 0
    (tmp_path / "other").mkdir()
    assert "tabs" in memory("mnemopi", "search", "tabs", *tagged, "--at", tmp_path / "other").out


@pytest.mark.parametrize("backend", ["local", "mnemopi", "hindsight"])
def test_clearing_is_a_preview_until_somebody_says_yes_and_can_be_undone(
    memory: Call, backend: str, tmp_path: Path
) -> None:
    (tmp_path / "other").mkdir()
    other = ("--at", tmp_path / "other")
    memory(backend, "save", "Releases are tagged by hand")
    memory(backend, "save", "Deploys run on Tuesdays", *other)
    preview = memory(backend, "clear", "--json").json
    assert preview["done"] is False
    assert preview["lines"]
    assert "--yes" in memory(backend, "reset").err
    assert memory(backend, "search", "releases", "--json").json["count"] >= 1
    done = memory(backend, "clear", "--yes", "--json").json
    assert done["done"] is True
    assert done["undo"] == "mnemopi memory undo"
    assert not any(
        "tagged by hand" in each["content"] for each in memory(backend, "search", "releases", "--json").json["items"]
    )
    assert "Tuesdays" in memory(backend, "search", "deploys", *other).out
    assert memory(backend, "undo").status == 0
    assert "tagged by hand" in memory(backend, "search", "releases").out
    assert memory(backend, "undo").status == 3


@pytest.mark.parametrize("verb", ["enqueue", "rebuild", "sync"])
def test_what_waits_is_done_at_once(memory: Call, verb: str) -> None:
    for backend in ("off", "local", "mnemopi", "hindsight"):
        assert memory(backend, verb, "--json").json["waiting"] == 0
    refused = memory("sharpshooter", verb)
    assert refused.status == 1
    assert "no language model" in refused.err


def test_a_secret_in_a_file_that_was_edited_is_not_printed(memory: Call, folder: Path) -> None:
    secret = "ghp_" + "a1B2" * 9
    memory("local", "save", "Releases are tagged by hand")
    lessons = next(folder.glob("agent/memories/*/learned.md"))
    lessons.write_text(f"- the token is {secret}\n")
    for verb in (["view"], ["search", "token"], ["search", "token", "--json"]):
        told = memory("local", *verb)
        assert "token" in told.out
        assert secret not in told.out


def test_a_folder_or_a_bank_that_does_not_fit_is_an_error(memory: Call, call: Call, tmp_path: Path) -> None:
    assert memory("local", "view", "--at", tmp_path / "none").status == 2
    assert memory("local", "view", "--bank", "work").status == 2


# -- mental models


def test_only_a_server_keeps_mental_models(memory: Call) -> None:
    for backend in ("off", "local", "mnemopi", "sharpshooter"):
        refused = memory(backend, "mm", "list")
        assert refused.status == 2
        assert f"the memory {backend} keeps no mental models" in refused.err
    assert memory("hindsight", "mm", "list", "--set", "hindsight.mental_models_enabled=off").status == 2
    assert memory("hindsight", "mm", "list", "--set", "hindsight.api_url=").status == 7


def test_mental_models_are_made_shown_refreshed_and_deleted(memory: Call) -> None:
    assert "seed" in memory("hindsight", "mm", "list").out
    made = memory("hindsight", "mm", "seed", "--json").json["made"]
    assert "user-preferences" in made
    assert memory("hindsight", "mm", "seed", "--json").json["made"] == []
    listed = memory("hindsight", "mm", "list", "--json").json
    assert {each["id"] for each in listed["models"]} == set(made)
    assert "user-preferences" in memory("hindsight", "mm", "list").out
    shown = memory("hindsight", "mm", "show", "user-preferences", "--json").json
    assert shown["question"].startswith("Which lasting preferences")
    assert memory("hindsight", "mm", "refresh", "user-preferences", "--json").json["asked"] == ["user-preferences"]
    assert memory("hindsight", "mm", "reload").status == 0
    assert memory("hindsight", "mm", "history", "user-preferences").status == 0
    assert memory("hindsight", "mm", "delete", "user-preferences").status == 2
    assert memory("hindsight", "mm", "remove", "user-preferences", "--yes", "--json").json["deleted"]
    assert memory("hindsight", "mm", "show", "user-preferences").status == 3
    assert memory("hindsight", "mm", "show").status == 2


def test_a_session_is_shown_the_models_of_now(memory: Call) -> None:
    memory("hindsight", "mm", "seed")
    named = ("--host", "claude-code", "--session", "s1")
    reloaded = memory("hindsight", "mm", "reload", *named, "--json").json["text"]
    assert reloaded in memory("hindsight", "view", *named).out


# -- skills


def test_skills_are_listed_shown_and_deleted(call: Call, folder: Path) -> None:
    assert "No skill" in call("skills").out
    skills = ManagedSkills(folder / "agent" / "managed-skills")
    skills.create("cut-release", "When a release is cut", "1. Tag it.")
    assert call("skills", "--json").json["skills"][0]["name"] == "cut-release"
    assert "When a release is cut" in call("skills", "list").out
    assert "1. Tag it." in call("skills", "show", "cut-release").out
    assert call("skills", "show", "cut-release", "--json").json["body"] == "1. Tag it."
    assert call("skills", "show", "nothing").status == 3
    assert call("skills", "show", "../up").status == 2
    assert call("skills", "delete", "cut-release").status == 2
    assert call("skills", "delete", "cut-release", "--yes").status == 0
    assert json.loads(call("skills", "--json").out)["count"] == 0
