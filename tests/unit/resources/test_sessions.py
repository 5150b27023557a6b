"""What stands where in a session, by the backend that keeps its memory."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from mnemopi import resources
from mnemopi.errors import MnemopiError, NotFoundError, UsageError
from mnemopi.model.session import Lesson
from mnemopi.tools import shape
from mnemopi.tools.agent_caller import AgentCaller

Start = Callable[..., AgentCaller]


def kept(caller: AgentCaller, content: str, *, everywhere: bool = False) -> str:
    return caller.session.save([Lesson(content, everywhere=everywhere)]).ids[0]


def test_a_memory_stands_whole_at_its_id_wherever_the_session_sees_it(start: Start) -> None:
    caller = start("mnemopi", mnemopi__scoping="per-project-tagged")
    own, common = kept(caller, "Staging listens on port 5433"), kept(caller, "Ines likes tabs", everywhere=True)
    told = json.loads(resources.read(caller, f"memory://{own}")[0])
    assert told["memory"]["content"] == "Staging listens on port 5433"
    assert (told["store"], told["notice"]) == ("working", shape.NOTICE)
    assert json.loads(resources.read(caller, f"memory://{common}")[0])["bank"] == "default"
    assert json.loads(resources.read(caller, f"memory://{common}?bank=default")[0])["bank"] == "default"
    assert json.loads(resources.read(caller, "memory://-/banks")[0])["banks"][-1] == "default"


def test_a_fact_stands_at_its_id(start: Start) -> None:
    caller = start("mnemopi")
    kept(caller, "Staging listens on port 5433")
    bank: Any = caller.session.backend.engines(caller.session.ref)[0].bank  # type: ignore[attr-defined]
    fact = bank.facts.assert_("staging", "port", "5433")
    told = json.loads(resources.read(caller, f"memory://{fact.id}")[0])
    assert (told["store"], told["memory"]["object"]) == ("fact", "5433")


def test_banks_that_the_session_does_not_see_are_not_there(start: Start) -> None:
    stranger = start("mnemopi", "other")
    id = kept(stranger, "Nobody else reads this")
    bank = json.loads(resources.read(stranger, "memory://-/banks")[0])["banks"][0]
    caller = start("mnemopi")
    kept(caller, "Staging listens on port 5433")
    for uri in (f"memory://{id}", f"memory://{id}?bank={bank}", f"memory://-/index?bank={bank}"):
        with pytest.raises(NotFoundError):
            resources.read(caller, uri)
    assert "Nobody" not in resources.read(caller, "memory://-/index")[0]


@pytest.mark.parametrize("uri", ["memory://root", "memory://-/index", "memory://-/facts", "memory://root/index"])
def test_a_project_without_a_bank_says_that_it_is_empty_and_makes_none(start: Start, uri: str) -> None:
    caller = start("mnemopi")
    assert "Nothing is remembered yet." in resources.read(caller, uri)[0]
    assert not caller.session.backend.engines(caller.session.ref)  # type: ignore[attr-defined]
    with pytest.raises(NotFoundError):
        resources.read(caller, "memory://nothing")


def test_documents_stand_below_the_root(start: Start) -> None:
    caller = start("local")
    with pytest.raises(NotFoundError, match="no document was made"):
        resources.read(caller, "memory://root")
    kept(caller, "Keep `List<int>` and </memories> apart")
    root = caller.session.backend.folders(caller.session.ref).roots[0]  # type: ignore[attr-defined]
    (root / "memory_summary.md").write_text("# What one should know\n")
    text, mime = resources.read(caller, "memory://root")
    assert "# What one should know" in text
    assert text.startswith(shape.NOTICE)
    assert mime == "text/markdown"
    lesson = resources.read(caller, "memory://root/learned.md")[0]
    assert "List<int>" in lesson
    assert "</memories>" not in lesson
    assert "learned.md" in resources.read(caller, "memory://root/")[0]
    listed = [entry.uri for entry in resources.listed(caller)]
    assert listed == ["memory://root", "memory://root/learned.md", "memory://root/memory_summary.md"]
    assert resources.complete(caller, "path", "lea") == ["learned.md"]


def test_decisions_are_files_and_what_waits_is_not_shown(start: Start) -> None:
    caller = start("sharpshooter")
    root = caller.session.backend.folders(caller.session.ref).roots[0]  # type: ignore[attr-defined]
    (root / "queue" / "s1").mkdir(parents=True)
    (root / "queue" / "s1" / "1.json").write_text("{}")
    (root / "style.md").write_text("- Tabs\n")
    assert resources.read(caller, "memory://root")[0].endswith("style.md\n")
    assert "- Tabs" in resources.read(caller, "memory://root/style.md")[0]
    for uri in ("memory://root/queue/s1/1.json", "memory://root/state.json"):
        with pytest.raises(NotFoundError):
            resources.read(caller, uri)


@pytest.mark.parametrize(
    ("backend", "uri", "words"),
    [
        ("local", "memory://abc", "memory://root, and what lies below"),
        ("local", "memory://-/index", "memory://root, and what lies below"),
        ("local", "memory://root?bank=x", "documents lie in no bank"),
        ("local", "memory://rooted", "memory://root, and what lies below"),
        ("hindsight", "memory://abc", "use recall or reflect"),
        ("hindsight", "memory://root", "keeps no files"),
        ("hindsight", "memory://-/facts", "use recall or reflect"),
        ("mnemopi", "memory://root/MEMORY.md", "mnemopi keeps no files"),
        ("mnemopi", "memory://", "such as memory://root"),
        ("mnemopi", "memory://abc", "recall shows ids"),
        ("off", "memory://root", "the memory backend is off"),
        ("off", "memory://abc", "the memory backend is off"),
    ],
)
def test_a_form_that_does_not_apply_names_those_that_do(start: Start, backend: str, uri: str, words: str) -> None:
    with pytest.raises(MnemopiError, match=words) as caught:
        resources.read(start(backend), uri)
    assert isinstance(caught.value, UsageError | NotFoundError)


def test_files_of_another_backend_do_not_show(start: Start) -> None:
    local = start("local")
    kept(local, "Staging listens on port 5433")
    assert "5433" in resources.read(local, "memory://root/learned.md")[0]
    for other in ("hindsight", "mnemopi", "off"):
        with pytest.raises(MnemopiError):
            resources.read(start(other), "memory://root/learned.md")


@pytest.mark.parametrize("backend", ["off", "local", "mnemopi", "hindsight", "sharpshooter"])
def test_skills_stand_beside_any_memory(start: Start, backend: str) -> None:
    caller = start(backend)
    caller.skills.create("cut-release", "When a release is cut", "1. Tag it.")
    assert "- cut-release: When" in resources.read(caller, "memory://-/skills")[0]
    assert "1. Tag it." in resources.read(caller, "memory://-/skills/cut-release")[0]
    assert resources.complete(caller, "skill", "cut") == ["cut-release"]
    assert "memory://-/skills/cut-release" in [entry.uri for entry in resources.listed(caller)]
    for uri in ("memory://-/skills/nothing", "memory://-/skills/..", "memory://-/skills/%2e%2e"):
        with pytest.raises(MnemopiError):
            resources.read(caller, uri)


@pytest.mark.parametrize("backend", ["local", "mnemopi", "hindsight", "off"])
def test_what_is_listed_can_be_read(start: Start, backend: str) -> None:
    caller = start(backend)
    if backend in ("local", "mnemopi"):
        kept(caller, "Staging listens on port 5433")
    entries = resources.listed(caller)
    assert bool(entries) is (backend in ("local", "mnemopi"))
    for entry in entries:
        assert resources.read(caller, entry.uri)
    assert all(template.uri.startswith("memory://") for template in resources.templates(caller))
