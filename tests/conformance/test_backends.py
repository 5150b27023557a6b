"""What every memory backend keeps to: one suite over all of them.

A backend is listed by a factory: it is given a folder of its own and returns the backend, ready. What a backend cannot
do it says in its `Traits`, and each trait that is off has a test of its own: that it says so.
"""

from __future__ import annotations

import runpy
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple, cast

import pytest

from mnemopi.backends import resolve_backend
from mnemopi.backends.backend import NAMES, Banked, Editing, Filed, Learning, MemoryBackend, Modelled, Reflecting
from mnemopi.backends.session import Session
from mnemopi.errors import NotFoundError, UsageError
from mnemopi.model.session import START_REASONS, Cleared, Effect, Lesson, Message, SessionRef, Turn
from mnemopi.testing import ScriptedLLM

HOUR = 3_600_000
NOON = 1_780_000_000_000
DEADLINE = 20.0


class Traits(NamedTuple):
    """What a backend does; `searches` what was saved, `captures` what is said into what `search` finds."""

    saves: bool = True
    searches: bool = True
    captures: bool = True


def _off(folder: Path) -> MemoryBackend:
    return resolve_backend({"memory.backend": "off", "storage.data_dir": str(folder)})


def _hindsight(folder: Path) -> MemoryBackend:
    """One with a server of its own, which ends with it."""
    server = runpy.run_path(str(Path(__file__).parents[1] / "fakes" / "hindsight.py"))["FakeHindsight"]()
    given = {"memory.agent_dir": str(folder / "agent"), "hindsight.api_url": server.url}
    patient = {"hindsight.prompt_timeout_ms": 20_000}
    made: Any = resolve_backend({"memory.backend": "hindsight", **given, **patient})
    let_go = made.close
    made.close = lambda: (let_go(), server.close())
    return cast("MemoryBackend", made)


def _mnemopi(folder: Path) -> MemoryBackend:
    return resolve_backend(
        {"memory.backend": "mnemopi", "storage.data_dir": str(folder), "embedding.enabled": False}, clock=lambda: NOON
    )


def _local(folder: Path) -> MemoryBackend:
    """One on a machine without session files: what is said now is read when the session has rested."""
    hosts = {f"memories.{host}_sessions": "none" for host in ("claude", "codex", "omp")}
    return resolve_backend({"memory.backend": "local", "storage.data_dir": str(folder / "data"), **hosts})


def _sharpshooter(folder: Path) -> MemoryBackend:
    """One whose model hears no decision."""
    given = {"memory.backend": "sharpshooter", "memory.agent_dir": str(folder / "agent")}
    return resolve_backend(given, llm=ScriptedLLM(['{"deltas": []}']))


BACKENDS: dict[str, tuple[Callable[[Path], MemoryBackend], Traits]] = {
    "hindsight": (_hindsight, Traits()),
    "mnemopi": (_mnemopi, Traits()),
    "local": (_local, Traits(captures=False)),
    "sharpshooter": (_sharpshooter, Traits(saves=False, captures=False)),
    "off": (_off, Traits(saves=False, searches=False, captures=False)),
}


@pytest.fixture(params=sorted(BACKENDS))
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def backend(name: str, tmp_path: Path) -> Iterator[MemoryBackend]:
    made = BACKENDS[name][0](tmp_path)
    yield made
    made.close()


@pytest.fixture
def traits(name: str) -> Traits:
    return BACKENDS[name][1]


@pytest.fixture
def session(tmp_path: Path) -> SessionRef:
    work = tmp_path / "project"
    work.mkdir()
    return SessionRef("pytest", "s1", str(work))


def said(number: int, role: str, text: str) -> Message:
    return Message(f"e{number}", "user" if role == "user" else "assistant", text, NOON + number * 1000)


def conversation() -> tuple[Message, ...]:
    return (
        said(1, "user", "The staging database listens on port 5433, please remember."),
        said(2, "assistant", "Noted: staging is on port 5433."),
    )


def test_it_is_a_backend_of_its_name(backend: MemoryBackend, name: str) -> None:
    assert isinstance(backend, MemoryBackend)
    assert backend.name == name in NAMES


def test_a_session_runs_from_start_to_end(backend: MemoryBackend, session: SessionRef) -> None:
    prompt = Message("e9", "user", "Which port does staging use?", NOON)
    effects = [
        *(backend.start(session, reason, deadline=DEADLINE) for reason in START_REASONS),
        backend.before_prompt(session, prompt, (), deadline=DEADLINE),
        backend.turn_end(session, Turn(conversation()), deadline=DEADLINE),
        backend.before_compaction(session, conversation(), deadline=DEADLINE),
        backend.enqueue(session),
        backend.end(session, deadline=DEADLINE),
    ]
    assert all(isinstance(effect, Effect) for effect in effects)
    assert [effect.degraded for effect in effects if effect.degraded] == []


def test_blocks_and_instructions_are_the_same_bytes_each_time(backend: MemoryBackend, session: SessionRef) -> None:
    first = backend.start(session, "startup", deadline=DEADLINE)
    told = backend.instructions(session)
    again = backend.start(session, "resume", deadline=DEADLINE)
    assert [(block.id, block.digest) for block in again.blocks] == [(block.id, block.digest) for block in first.blocks]
    assert backend.instructions(session) == told


def test_what_is_said_of_it_is_text(backend: MemoryBackend, session: SessionRef) -> None:
    backend.start(session, "startup", deadline=DEADLINE)
    for told in (backend.stats, backend.diagnose, backend.view, backend.queue):
        assert isinstance(told(session), str)
        assert isinstance(told(None), str)


def test_the_status_names_the_backend_without_starting_it(backend: MemoryBackend, name: str) -> None:
    status = backend.status(None)
    assert status.backend == name
    assert status.active is False or status.message is None


def test_what_was_saved_is_found(backend: MemoryBackend, session: SessionRef, traits: Traits) -> None:
    backend.start(session, "startup", deadline=DEADLINE)
    saved = backend.save(session, [Lesson("Deploys to production run on Tuesdays")])
    if not traits.saves:
        assert saved.stored == saved.queued == 0
        assert saved.message
        return
    assert saved.stored + saved.queued == 1
    backend.end(session, deadline=DEADLINE)
    if traits.searches:
        found = backend.search(session, "When do deploys run?")
        assert any("Tuesdays" in item.content for item in found.items)


def test_a_search_that_cannot_be_made_says_so(backend: MemoryBackend, session: SessionRef, traits: Traits) -> None:
    found = backend.search(session, "anything at all")
    assert found.items == ()
    assert bool(found.message) or traits.searches


def test_what_was_said_is_found_afterwards(backend: MemoryBackend, session: SessionRef, traits: Traits) -> None:
    if not traits.captures:
        return
    backend.start(session, "startup", deadline=DEADLINE)
    backend.turn_end(session, Turn(conversation()), deadline=DEADLINE)
    backend.end(session, deadline=DEADLINE)
    found = backend.search(session, "staging database port")
    assert any("5433" in item.content for item in found.items)


def test_a_turn_that_is_told_again_is_kept_once(backend: MemoryBackend, session: SessionRef, traits: Traits) -> None:
    if not traits.captures:
        return
    backend.start(session, "startup", deadline=DEADLINE)
    for _ in range(3):
        backend.turn_end(session, Turn(conversation()), deadline=DEADLINE)
    backend.before_compaction(session, conversation(), deadline=DEADLINE)
    backend.end(session, deadline=DEADLINE)
    found = backend.search(session, "staging database port")
    assert sum(item.content.count("listens on port 5433") for item in found.items) == 1


def test_what_memory_put_into_a_session_is_not_kept(
    backend: MemoryBackend, session: SessionRef, traits: Traits
) -> None:
    if not traits.captures:
        return
    backend.start(session, "startup", deadline=DEADLINE)
    block = "<memories>\n- The moon is made of cheese\n</memories>"
    messages = (said(1, "user", f"{block}\n\nThe crane stands on pier 7."), said(2, "assistant", "Pier 7 it is."))
    backend.turn_end(session, Turn(messages), deadline=DEADLINE)
    backend.end(session, deadline=DEADLINE)
    assert not any("cheese" in item.content for item in backend.search(session, "moon made of cheese").items)
    assert any("pier 7" in item.content for item in backend.search(session, "where does the crane stand").items)


def test_a_subagent_only_reads(backend: MemoryBackend, session: SessionRef, traits: Traits) -> None:
    if not traits.captures:
        return
    part = replace(session, id="part", parent=session.id)
    backend.start(session, "startup", deadline=DEADLINE)
    backend.start(part, "startup", deadline=DEADLINE)
    backend.turn_end(part, Turn((said(1, "user", "The submarine surfaces at dawn."),)), deadline=DEADLINE)
    backend.before_compaction(part, (said(2, "user", "The submarine dives at dusk."),), deadline=DEADLINE)
    backend.end(part, deadline=DEADLINE)
    backend.end(session, deadline=DEADLINE)
    assert not any("submarine" in item.content for item in backend.search(session, "submarine").items)


def test_a_host_speaks_to_it_through_a_session(backend: MemoryBackend, session: SessionRef) -> None:
    patient = dict.fromkeys(("start", "before_prompt", "turn_end", "before_compaction", "end", "enqueue"), DEADLINE)
    with Session(backend, session, deadlines=patient) as door:
        prompt = Message("e9", "user", "Which port does staging use?", NOON)
        effects = [door.start(), door.before_prompt(prompt), door.turn_end(Turn(conversation())), door.end()]
        assert [effect.degraded for effect in effects if effect.degraded] == []
        assert door.before_prompt(prompt) == effects[1]
        assert door.status().backend == backend.name
        assert door.status().error is None


def test_a_preview_of_clearing_takes_nothing_away(backend: MemoryBackend, session: SessionRef, traits: Traits) -> None:
    backend.start(session, "startup", deadline=DEADLINE)
    if traits.saves:
        backend.save(session, [Lesson("The harbour master is called Ines")])
        backend.end(session, deadline=DEADLINE)
    preview = backend.clear(session)
    assert preview.done is False
    assert preview.lines
    if traits.saves and traits.searches:
        assert backend.search(session, "harbour master").items


def test_what_was_cleared_can_be_brought_back(backend: MemoryBackend, session: SessionRef, traits: Traits) -> None:
    backend.start(session, "startup", deadline=DEADLINE)
    if not traits.saves:
        with pytest.raises(NotFoundError):
            backend.undo_clear(session)
        return
    backend.save(session, [Lesson("The harbour master is called Ines")])
    backend.end(session, deadline=DEADLINE)
    cleared = backend.clear(session, dry_run=False)
    assert isinstance(cleared, Cleared)
    assert cleared.done
    if cleared.undo is None:  # what a server holds is not ours to take away
        return
    assert not backend.search(session, "harbour master").items
    backend.undo_clear(session)
    assert any("Ines" in item.content for item in backend.search(session, "harbour master").items)


def test_a_lesson_may_go_where_the_backend_says_and_nowhere_else(backend: MemoryBackend, session: SessionRef) -> None:
    scopes = backend.lesson_scopes(session) if isinstance(backend, Learning) else ()
    subagent = SessionRef(session.host, "s2", session.cwd, parent=session.id)
    assert not isinstance(backend, Learning) or backend.lesson_scopes(subagent) == ()
    if "project" in scopes:
        kept = backend.save(session, [Lesson("Deploys to production run on Tuesdays")])
        assert kept.stored + kept.queued == 1
    if "global" in scopes:
        kept = backend.save(session, [Lesson("Ines prefers tabs to spaces", everywhere=True)])
        assert kept.stored + kept.queued == 1
    elif scopes:
        with pytest.raises(UsageError):
            backend.save(session, [Lesson("Ines prefers tabs to spaces", everywhere=True)])


def test_what_a_backend_can_do_is_a_protocol_of_its_own(backend: MemoryBackend, name: str) -> None:
    able = {
        kind.__name__ for kind in (Banked, Editing, Filed, Learning, Modelled, Reflecting) if isinstance(backend, kind)
    }
    assert (
        able
        == {
            "off": set(),
            "local": {"Filed", "Learning"},
            "mnemopi": {"Banked", "Editing", "Learning", "Reflecting"},
            "hindsight": {"Learning", "Modelled", "Reflecting"},
            "sharpshooter": {"Filed"},
        }[name]
    )
