"""A host is never harmed by its memory, and nothing that it tells is lost or told twice."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from mnemopi.backends.means import Means
from mnemopi.backends.off import Off, open_backend
from mnemopi.backends.session import Session
from mnemopi.config import Config
from mnemopi.errors import NotFoundError, StorageError, UsageError
from mnemopi.model.session import Block, Edit, Effect, Message, SessionRef, Turn

REF = SessionRef("pytest", "s1", "/nowhere")
ASKED = Message("e1", "user", "What now?")


class Scripted(Off):
    """Does what it is told to at each event, and notes what came."""

    def __init__(self) -> None:
        self.does: Callable[[str], Effect] = lambda _: Effect()
        self.came: list[str] = []

    def _event(self, name: str) -> Effect:
        self.came.append(name)
        return self.does(name)

    def start(self, *_: Any, **__: Any) -> Effect:
        return self._event("start")

    def before_prompt(self, session: SessionRef, prompt: Message, *_: Any, **__: Any) -> Effect:
        return self._event(f"prompt {prompt.entry}")

    def turn_end(self, session: SessionRef, turn: Turn, **_: Any) -> Effect:
        return self._event(f"turn {' '.join(each.entry for each in turn.messages)}")

    def instructions(self, *_: Any) -> str:
        raise StorageError("the disk is gone")

    def status(self, *_: Any) -> Any:
        raise RuntimeError("password=hunter2hunter2 was refused")


@pytest.fixture
def backend() -> Scripted:
    return Scripted()


@pytest.fixture
def session(backend: Scripted) -> Iterator[Session]:
    with Session(backend, REF, deadlines={"before_prompt": 0.05, "turn_end": 0.05}) as made:
        yield made


def failing(error: Exception) -> Callable[[str], Effect]:
    def fail(_: str) -> Effect:
        raise error

    return fail


@pytest.mark.parametrize("error", [RuntimeError("broken"), StorageError("no disk"), KeyError("x"), RecursionError()])
def test_a_failure_is_an_effect_and_noticed_once(backend: Scripted, session: Session, error: Exception) -> None:
    backend.does = failing(error)
    first, second = session.start(), session.start()
    assert first.degraded
    assert len(first.notices) == 1
    assert second.notices == ()


def test_a_failure_tells_no_secret(session: Session) -> None:
    status = session.status()
    assert status.active is False
    assert "hunter2" not in str(status.error)
    assert session.instructions() == ""


def test_a_failure_that_is_told_in_part_tells_no_part_of_a_secret(backend: Scripted, session: Session) -> None:
    secret = "ghp_" + "a1B2" * 9
    backend.does = failing(RuntimeError(f"{'x' * 270} {secret}"))
    assert secret[:8] not in str(session.start().degraded)


def test_an_event_that_takes_too_long_goes_on_without_the_host(backend: Scripted, session: Session) -> None:
    gate, done = threading.Event(), threading.Event()

    def slow(name: str) -> Effect:
        gate.wait(10)
        done.set()
        return Effect()

    backend.does = slow
    assert "longer" in str(session.turn_end(Turn((ASKED,))).degraded)
    gate.set()
    assert session.close()
    assert done.is_set()


def asked_too_late(backend: Scripted, session: Session) -> None:
    """Ask for a prompt, and let what is recalled come once nobody waits for it any more."""
    gate = threading.Event()

    def slow(name: str) -> Effect:
        gate.wait(10)
        return Effect((Block(name, name, "turn"),))

    backend.does = slow
    assert session.before_prompt(ASKED).blocks == ()
    gate.set()


def test_what_is_recalled_too_late_comes_with_the_next_prompt(backend: Scripted, session: Session) -> None:
    asked_too_late(backend, session)
    session.stats()  # stands behind the prompt in the line
    late = session.before_prompt(Message("e2", "user", "And now?"))
    assert [block.id for block in late.blocks] == ["prompt e1", "prompt e2"]


def test_what_came_late_is_for_no_session_that_began_anew(backend: Scripted, session: Session) -> None:
    asked_too_late(backend, session)
    session.start("clear")  # stands behind the prompt in the line
    after = session.before_prompt(Message("e2", "user", "And now?"))
    assert [block.id for block in after.blocks] == ["prompt e2"]


def test_what_came_late_is_not_lost_where_the_next_prompt_fails(backend: Scripted, session: Session) -> None:
    session._late.append(Block("late", "late", "turn"))
    backend.does = failing(StorageError("busy"))
    assert session.before_prompt(ASKED).blocks == ()
    backend.does = lambda _: Effect()
    assert [block.id for block in session.before_prompt(ASKED).blocks] == ["late"]


def test_an_event_that_comes_again_is_answered_as_before(backend: Scripted, session: Session) -> None:
    backend.does = lambda name: Effect((Block(name, str(len(backend.came)), "turn"),))
    assert session.before_prompt(ASKED) == session.before_prompt(ASKED)
    session.turn_end(Turn((ASKED, ASKED)))
    session.turn_end(Turn((ASKED,)))
    assert backend.came == ["prompt e1", "turn e1"]


def test_an_event_that_failed_is_told_again(backend: Scripted, session: Session) -> None:
    backend.does = failing(StorageError("busy"))
    session.turn_end(Turn((ASKED,)))
    backend.does = lambda _: Effect()
    assert session.turn_end(Turn((ASKED,))).degraded is None
    assert backend.came == ["turn e1", "turn e1"]


def test_a_command_raises_as_the_backend_does(session: Session) -> None:
    with pytest.raises(NotFoundError):
        session.undo_clear()


def test_a_session_leaves_no_thread_behind() -> None:
    before = set(threading.enumerate())
    with Session(open_backend(Means(Config())), REF) as session:
        session.start()
        assert {each.name for each in set(threading.enumerate()) - before} == {"mnemopi-session"}
    assert set(threading.enumerate()) - before == set()


def test_a_closed_session_can_go_on(backend: Scripted, session: Session) -> None:
    session.start()
    session.close()
    assert session.start().degraded is None


CANNOT: dict[str, Callable[[Session], object]] = {
    "reflect": lambda it: it.reflect("x"),
    "read by id": lambda it: it.entry("x"),
    "edit": lambda it: it.edit(Edit("forget", "x")),
}


@pytest.mark.parametrize("verb", CANNOT)
def test_what_a_backend_cannot_do_is_an_error_that_names_it(verb: str) -> None:
    with Session(Off(), REF) as session, pytest.raises(UsageError, match=f"backend off cannot {verb}"):
        CANNOT[verb](session)
