"""Clearing takes away what is a session's own, keeps a copy first, and gives it back for a week."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mnemopi.errors import NotFoundError, UnavailableError
from mnemopi.model.session import Lesson, SessionRef, Turn

LONG = 30.0


@pytest.fixture
def neighbour(tmp_path: Path) -> SessionRef:
    folder = tmp_path / "neighbour"
    folder.mkdir()
    return SessionRef("pytest", "n1", str(folder))


@pytest.mark.parametrize("scoping", ["per-project", "per-project-tagged"])
def test_only_the_own_scope_is_cleared(opened: Any, session: SessionRef, neighbour: SessionRef, scoping: str) -> None:
    backend = opened(scoping=scoping)
    backend.save(session, [Lesson(f"The harbour has {number} piers") for number in range(3)])
    backend.save(neighbour, [Lesson("The harbour is far away")])
    assert any(line.endswith(": 3") for line in backend.clear(session).lines)
    assert backend.clear(session, dry_run=False).done
    assert backend.search(session, "harbour piers").items == ()
    assert backend.search(neighbour, "harbour").items


def test_what_all_projects_share_is_not_cleared_with_one(opened: Any, session: SessionRef) -> None:
    backend = opened()
    backend.save(session, [Lesson("The harbour master is Ines", everywhere=True)])
    backend.clear(session, dry_run=False)
    assert backend.search(session, "harbour").items


def test_an_undo_brings_documents_and_what_waited_back(
    opened: Any, server: Any, session: SessionRef, say: Any, clock: Any
) -> None:
    backend = opened()
    backend.save(session, [Lesson("The harbour master is Ines", context="letters")])
    before = {id: dict(document) for id, document in server.documents().items()}
    backend.turn_end(session, Turn((say(1, "Only said, not sent: the pier is red."),)), deadline=LONG)
    cleared = backend.clear(session, dry_run=False)
    assert server.documents() == {}
    assert cleared.until == clock.now + 7 * 86_400_000
    opened().end(session, deadline=LONG)
    assert server.documents() == {}
    opened().undo_clear(session)
    assert "the pier is red" in server.documents()["pytest:s1"]["original_text"]
    assert {id: server.documents()[id] for id in before} == before


@pytest.mark.parametrize("mode", ["full-session", "last-turn"])
def test_an_undo_keeps_what_was_said_since(
    opened: Any, server: Any, session: SessionRef, say: Any, clock: Any, mode: str
) -> None:
    backend = opened(retain_mode=mode, retain_every_n_turns=1)
    backend.turn_end(session, Turn((say(1, "The harbour is deep."),)), deadline=LONG)
    backend.save(session, [Lesson("The harbour master is Ines")])
    backend.clear(session, dry_run=False)
    clock.advance(seconds=300)
    backend.turn_end(session, Turn((say(3, "The harbour is shallow."),)), deadline=LONG)
    backend.save(session, [Lesson("The harbour master is Ines")])
    backend.undo_clear(session)
    told = "\n".join(document["original_text"] for document in server.documents().values())
    assert [told.count(part) for part in ("is deep", "is shallow", "is Ines")] == [1, 1, 1]


def test_an_undo_in_an_outage_waits_for_its_end(opened: Any, server: Any, session: SessionRef) -> None:
    backend = opened()
    backend.save(session, [Lesson("The harbour master is Ines")])
    backend.clear(session, dry_run=False)
    server.fail_with = 503
    assert any("still to be sent: 1" in line for line in backend.undo_clear(session).lines)
    server.fail_with = None
    opened().enqueue(session)
    assert len(server.documents()) == 1


def test_a_clear_in_an_outage_takes_nothing(opened: Any, server: Any, session: SessionRef) -> None:
    backend = opened()
    backend.save(session, [Lesson("The harbour master is Ines")])
    server.fail_with = 503
    with pytest.raises(UnavailableError):
        backend.clear(session, dry_run=False)
    server.fail_with = None
    assert backend.search(session, "harbour").items


def test_after_a_week_the_copy_is_gone(opened: Any, session: SessionRef, clock: Any, tmp_path: Path) -> None:
    backend = opened()
    backend.save(session, [Lesson("The harbour master is Ines")])
    backend.clear(session, dry_run=False)
    clock.advance(days=8)
    with pytest.raises(NotFoundError):
        backend.undo_clear(session)
    assert "Ines" not in "".join(path.read_text() for path in (tmp_path / "agent").rglob("*") if path.is_file())


def test_sessions_that_ended_long_ago_are_forgotten(
    opened: Any, session: SessionRef, neighbour: SessionRef, clock: Any, tmp_path: Path
) -> None:
    opened().start(session, "startup", deadline=LONG)
    clock.advance(days=31)
    opened().start(neighbour, "startup", deadline=LONG)
    assert len(list((tmp_path / "agent" / "hindsight").glob("*/*.json"))) == 1
