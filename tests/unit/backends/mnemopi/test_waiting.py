"""Messages that wait in a file: without secrets, whole, and never deleted unread."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from mnemopi.backends.mnemopi.waiting import Waiting
from mnemopi.errors import BusyError
from mnemopi.model.session import Message, SessionRef

SESSION = SessionRef("host", "s1", "/project")
ELSEWHERE = SessionRef("host", "s1", "/elsewhere")
KEY = "sk-ant-" + "a1B2c3D4e5" * 5


@pytest.fixture
def waiting(tmp_path: Path) -> Waiting:
    return Waiting(tmp_path, "full")


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "s1.json"


def drained(waiting: Waiting, state: Path) -> list[Message]:
    kept: list[Message] = []

    def keep(_: SessionRef, messages: Sequence[Message]) -> None:
        kept.extend(messages)

    waiting.drain(state, keep)
    return kept


def test_what_waits_is_kept_once_and_in_order(waiting: Waiting, state: Path) -> None:
    said = [Message(f"e{n}", "user", f"half \ud83d and line\n{n}") for n in range(3)]
    waiting.add(state, SESSION, said[:1])
    waiting.add(state, SESSION, said[1:])
    assert waiting.count() == 3
    assert drained(waiting, state) == said
    assert drained(waiting, state) == []


def test_a_secret_never_waits_on_disk(waiting: Waiting, state: Path, tmp_path: Path) -> None:
    waiting.add(state, SESSION, [Message("e1", "user", f"the key is {KEY}")])
    assert all(KEY not in path.read_text() for path in tmp_path.iterdir() if path.is_file())
    assert "[REDACTED:" in drained(waiting, state)[0].text


def test_a_line_that_broke_off_costs_no_other_and_is_put_aside(waiting: Waiting, state: Path, tmp_path: Path) -> None:
    waiting.add(state, SESSION, [Message("e1", "user", "first")])
    (file,) = tmp_path.glob("*.waiting.jsonl")
    whole = file.read_bytes()
    file.write_bytes(whole + whole[:20])
    waiting.add(state, SESSION, [Message("e2", "user", "second")])
    assert [message.text for message in drained(waiting, state)] == ["first", "second"]
    (broken,) = tmp_path.glob("*.broken.jsonl")
    assert broken.read_bytes() == whole[:20] + b"\n"


def test_what_is_not_kept_waits_on(waiting: Waiting, state: Path) -> None:
    waiting.add(state, SESSION, [Message("e1", "user", "first")])

    def refuse(_: SessionRef, __: Sequence[Message]) -> None:
        raise OSError

    with pytest.raises(OSError):
        waiting.drain(state, refuse)
    assert [message.text for message in drained(waiting, state)] == ["first"]


def test_each_message_is_kept_under_the_session_that_it_was_told_in(waiting: Waiting, state: Path) -> None:
    kept: list[tuple[str, list[str]]] = []
    for number, session in enumerate((SESSION, SESSION, ELSEWHERE, SESSION)):
        waiting.add(state, session, [Message(f"e{number}", "user", str(number))])
    failed = waiting.drain(state, lambda session, said: kept.append((session.cwd, [each.text for each in said])))
    assert not failed
    assert kept == [("/project", ["0", "1"]), ("/elsewhere", ["2"]), ("/project", ["3"])]


def test_what_one_bank_does_not_take_holds_up_no_other_and_stays_in_order(waiting: Waiting, state: Path) -> None:
    for number, session in enumerate((SESSION, ELSEWHERE, SESSION)):
        waiting.add(state, session, [Message(f"e{number}", "user", str(number))])
    kept: list[str] = []

    def busy(session: SessionRef, said: Sequence[Message]) -> None:
        if session == SESSION and said[0].text == "0":
            raise BusyError("another writer")
        kept.extend(each.text for each in said)

    assert list(waiting.drain(state, busy)) == [SESSION]
    assert kept == ["1"]
    assert [message.text for message in drained(waiting, state)] == ["0", "2"]
