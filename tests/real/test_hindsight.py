"""The Hindsight server, version 1.1.0.

The backend speaks to the real server, with a PostgreSQL of its own and a language model that reads by rule: what is
said arrives once and is found, an outage in the middle loses and doubles nothing, and a wrong token holds all back.
"""

from __future__ import annotations

import runpy
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from mnemopi.backends import resolve_backend
from mnemopi.model.session import Lesson, Message, SessionRef, Turn
from mnemopi.testing import FixedClock

pytestmark = pytest.mark.real

NOON = 1_780_000_000_000
LONG = 30.0
TOKEN = "-".join(("right", "token"))


@pytest.fixture(scope="module")
def server(cache: Path) -> Iterator[Any]:
    here = runpy.run_path(str(Path(__file__).with_name("hindsight_server.py")))
    made = here["HindsightServer"](here["installed"](cache))
    try:
        made.start()
        yield made
    finally:
        made.close()


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock(NOON)


@pytest.fixture
def session(tmp_path: Path) -> SessionRef:
    work = tmp_path / "shop"
    work.mkdir()
    return SessionRef("pytest", tmp_path.name, str(work))


@pytest.fixture
def opened(server: Any, clock: FixedClock, tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """Open a backend on a bank of the test's own."""
    made: list[Any] = []

    def open_(**settings: Any) -> Any:
        given = {"api_url": server.url, "bank_id": tmp_path.name, "prompt_timeout_ms": 20_000} | settings
        named = {f"hindsight.{name}": value for name, value in given.items()}
        agent = str(tmp_path / "agent")
        made.append(resolve_backend({"memory.backend": "hindsight", "memory.agent_dir": agent, **named}, clock=clock))
        return made[-1]

    yield open_
    for each in made:
        each.close()


def turn(number: int) -> Turn:
    at = NOON + number * 1000
    asked = Message(f"u{number}", "user", f"Pier number {number} of the harbour is painted red.", at)
    return Turn((asked, Message(f"a{number}", "assistant", f"I note the colour of pier {number}.", at + 1)))


def settled(backend: Any, session: SessionRef) -> None:
    """Wait until the server has read all that it was given."""
    bank = backend.sessions.scope(session).bank
    for _ in range(300):
        query = {"refresh": True}
        told = backend.sessions.client.ask("stats", "GET", bank, "stats", query=query, timeout=LONG)
        if not told["pending_operations"]:
            assert told["failed_operations"] == 0
            return
        time.sleep(0.2)
    raise AssertionError("the server is still reading")


def document(backend: Any, session: SessionRef) -> str:
    bank, name = backend.sessions.scope(session).bank, f"pytest:{session.id}"
    return str(backend.sessions.client.ask("document", "GET", bank, "documents", name, timeout=LONG)["original_text"])


def test_a_session_is_kept_recalled_and_reflected_on(opened: Any, session: SessionRef) -> None:
    backend = opened(retain_every_n_turns=2)
    assert backend.start(session, "startup", deadline=LONG).degraded is None
    for number in range(1, 6):
        assert backend.turn_end(session, turn(number), deadline=LONG).jobs == 0
    backend.save(session, [Lesson("The harbour master is called Ines.")])
    assert backend.end(session, deadline=LONG).jobs == 0
    settled(backend, session)
    text = document(backend, session)
    assert [text.count(f"Pier number {number} ") for number in range(1, 6)] == [1] * 5
    assert any("Ines" in item.content for item in backend.search(session, "Who is the harbour master?").items)
    prompt = Message("p1", "user", "What is the harbour master called?", NOON)
    (block,) = backend.before_prompt(session, prompt, (), deadline=LONG).blocks
    assert "Ines" in block.text
    assert backend.before_prompt(session, prompt, (), deadline=LONG).blocks == ()
    told = backend.reflect(session, "Who is the harbour master?")
    assert "Ines" in told.text
    assert told.ids
    assert backend.stats(session).count("documents: 2") == 1


def test_another_project_sees_nothing_of_it(opened: Any, session: SessionRef, tmp_path: Path) -> None:
    other = tmp_path / "elsewhere" / "shop"
    other.mkdir(parents=True)
    backend = opened()
    backend.save(session, [Lesson("The harbour master is called Ines.")])
    backend.save(session, [Lesson("The tide table hangs in the office.", everywhere=True)])
    settled(backend, session)
    there = SessionRef("pytest", "there", str(other))
    found = [item.content for item in backend.search(there, "harbour master Ines, tide table").items]
    assert any("tide table" in text for text in found)
    assert not any("Ines" in text for text in found)


def test_mental_models_are_made_refreshed_shown_and_deleted(opened: Any, session: SessionRef) -> None:
    backend = opened()
    backend.save(session, [Lesson("The team always uses tabs.")])
    settled(backend, session)
    backend.start(session, "startup", deadline=LONG)
    settled(backend, session)
    door = backend.models(session)
    names = {model.id for model in door.seen()}
    assert len(names) == 3
    assert "user-preferences" in names
    assert sorted(door.refresh()[0]) == sorted(names)
    settled(backend, session)
    assert door.show("user-preferences").content.strip()
    assert isinstance(door.history("user-preferences"), list)
    (block,) = backend.start(session, "clear", deadline=LONG).blocks
    assert block.text.startswith("<mental_models>\n# ")
    assert backend.start(session, "resume", deadline=LONG).blocks == (block,)
    door.delete("user-preferences")
    assert door.seed() == (["user-preferences"], sorted(names - {"user-preferences"}))


def test_what_is_cleared_is_gone_there_and_comes_back(opened: Any, session: SessionRef) -> None:
    backend = opened()
    backend.save(session, [Lesson("The harbour master is called Ines.")])
    settled(backend, session)
    assert backend.clear(session, dry_run=False).done
    assert not backend.search(session, "harbour master").items
    backend.undo_clear(session)
    settled(backend, session)
    assert any("Ines" in item.content for item in backend.search(session, "harbour master").items)


def test_an_outage_in_the_middle_and_a_wrong_token_lose_and_double_nothing(
    opened: Any, server: Any, session: SessionRef, clock: FixedClock
) -> None:
    backend = opened(retain_every_n_turns=1)
    assert backend.turn_end(session, turn(1), deadline=LONG).jobs == 0
    settled(backend, session)
    server.stop()
    try:
        for number in (2, 3):
            effect = backend.turn_end(session, turn(number), deadline=5.0)
        assert effect.jobs == 2
        assert effect.degraded
    finally:
        server.start(TOKEN)
    try:
        clock.advance(hours=1)
        refused = opened(retain_every_n_turns=1, api_token="-".join(("wrong", "token")))
        effect = refused.turn_end(session, turn(4), deadline=LONG)
        assert effect.jobs == 3
        assert "401" in str(effect.degraded)
        clock.advance(hours=1)
        right = opened(api_token=TOKEN)
        assert right.start(session, "resume", deadline=LONG).jobs == 0
        settled(right, session)
        text = document(right, session)
        places = [text.index(f"Pier number {number} ") for number in range(1, 5)]
        assert places == sorted(places)
        assert [text.count(f"Pier number {number} ") for number in range(1, 5)] == [1] * 4
    finally:
        server.stop()
        server.start()


def test_the_same_parcel_sent_twice_is_done_once(opened: Any, session: SessionRef) -> None:
    backend = opened(retain_every_n_turns=1)
    backend.sessions.keep(session, turn(1).messages, least_turns=1)
    before = backend.sessions.ledger.read(session)
    assert backend.sessions.flush(LONG).arrived == 1
    backend.sessions.ledger.change(session, lambda now: before)
    assert backend.sessions.flush(LONG).arrived == 1
    settled(backend, session)
    assert document(backend, session).count("Pier number 1 ") == 1
