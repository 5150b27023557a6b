"""A server that is down, slow, forgetful or unwilling: nothing is lost, nothing is doubled, and nobody waits for it."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from mnemopi.errors import UnavailableError
from mnemopi.model.session import Lesson, SessionRef, Turn

DOCUMENT = "pytest:s1"
LONG = 30.0
NOWHERE = "http://127.0.0.1:9"


def turn(say: Any, number: int) -> Turn:
    return Turn((say(2 * number - 1, f"Question number {number} of the user."), say(2 * number, f"Answer {number}.")))


def test_what_was_said_in_an_outage_arrives_in_order_when_it_is_over(
    opened: Any, server: Any, session: SessionRef, say: Any, clock: Any
) -> None:
    backend = opened(retain_every_n_turns=1)
    backend.turn_end(session, turn(say, 1), deadline=LONG)
    server.fail_with = 503
    for number in (2, 3, 4):
        effect = backend.turn_end(session, turn(say, number), deadline=LONG)
    assert effect.jobs == 3
    assert "503" in str(effect.degraded)
    server.fail_with = None
    clock.advance(hours=1)
    assert opened(retain_every_n_turns=1).turn_end(session, turn(say, 5), deadline=LONG).jobs == 0
    text = server.documents()[DOCUMENT]["original_text"]
    places = [text.index(f"Question number {number}") for number in range(1, 6)]
    assert places == sorted(places)
    assert all(text.count(f"Question number {number}") == 1 for number in range(1, 6))


def test_a_request_whose_answer_was_lost_is_not_done_twice(
    opened: Any, server: Any, session: SessionRef, say: Any, clock: Any
) -> None:
    backend = opened(retain_every_n_turns=1)
    backend.turn_end(session, turn(say, 1), deadline=LONG)
    server.lose_answers = True
    assert backend.turn_end(session, turn(say, 2), deadline=LONG).jobs == 1
    server.lose_answers = False
    clock.advance(hours=1)
    backend.end(session, deadline=LONG)
    assert len(server.seen("POST", "/memories")) == 3
    assert server.documents()[DOCUMENT]["original_text"].count("Question number 2") == 1


def test_a_server_that_fails_is_left_alone_for_longer_each_time(
    opened: Any, server: Any, session: SessionRef, clock: Any
) -> None:
    backend = opened()
    server.fail_with = 503
    asked = []
    for number in range(40):
        backend.save(session, [Lesson(f"Lesson {number}")])
        asked.append(len(server.requests))
        clock.advance(seconds=10)
    assert asked[0] == 1
    assert asked[-1] < 10
    assert backend.enqueue(session).jobs == 40
    assert len(server.requests) == asked[-1] + 1


def test_a_server_that_asks_for_time_gets_it(opened: Any, server: Any, session: SessionRef, clock: Any) -> None:
    backend = opened()
    server.fail_with, server.retry_after = 503, "120"
    backend.save(session, [Lesson("First")])
    server.fail_with = None
    clock.advance(seconds=100)
    backend.save(session, [Lesson("Second")])
    assert len(server.requests) == 1
    clock.advance(seconds=30)
    backend.save(session, [Lesson("Third")])
    assert len(server.documents()) == 3


def test_a_prompt_does_not_wait_for_a_slow_server(opened: Any, server: Any, session: SessionRef, say: Any) -> None:
    backend = opened(prompt_timeout_ms=60)
    server.delay = 0.5
    effect = backend.before_prompt(session, say(1, "Where is the harbour?"), (), deadline=LONG)
    assert effect.blocks == ()
    assert "no answer within 0.06 s" in str(effect.degraded)


@pytest.mark.parametrize(
    ("setting", "ask"),
    [
        ("recall_timeout_ms", lambda backend, session: backend.search(session, "harbour")),
        ("reflect_timeout_ms", lambda backend, session: backend.reflect(session, "harbour")),
        ("request_timeout_ms", lambda backend, session: backend.models(session).seen()),
        ("retain_timeout_ms", lambda backend, session: _failing(backend.save(session, [Lesson("A lesson")]))),
    ],
)
def test_each_kind_of_request_has_a_limit_of_its_own(
    opened: Any, server: Any, session: SessionRef, setting: str, ask: Any
) -> None:
    server.delay = 0.3
    with pytest.raises(UnavailableError, match=r"no answer within 0\.05 s"):
        ask(opened(**{setting: 50}), session)


def _failing(saved: Any) -> None:
    if saved.message:
        raise UnavailableError(saved.message)


def test_after_a_failure_prompts_do_not_ask_until_it_is_time(
    opened: Any, server: Any, session: SessionRef, say: Any, clock: Any
) -> None:
    backend = opened()
    server.fail_with = 500
    for number in (1, 3, 5):
        assert backend.before_prompt(session, say(number, "Where is the harbour?"), (), deadline=LONG).degraded
    assert len(server.seen("POST", "/recall")) == 1
    server.fail_with = None
    clock.advance(seconds=10)
    assert backend.before_prompt(session, say(7, "Where is the harbour?"), (), deadline=LONG).degraded is None


def test_a_failed_recall_does_not_hold_up_writing(opened: Any, server: Any, session: SessionRef, say: Any) -> None:
    backend = opened(prompt_timeout_ms=50)
    server.delay = 0.2
    backend.before_prompt(session, say(1, "Where is the harbour?"), (), deadline=LONG)
    assert backend.save(session, [Lesson("The harbour is in the north")]).message is None


def test_a_search_that_fails_is_an_error_and_not_nothing(opened: Any, server: Any, session: SessionRef) -> None:
    server.fail_with = 502
    with pytest.raises(UnavailableError, match="502"):
        opened().search(session, "harbour")


def test_a_refused_token_keeps_what_waits_and_says_so(
    opened: Any, server: Any, session: SessionRef, say: Any, clock: Any
) -> None:
    server.token = "right"
    effect = opened(api_token="wrong", retain_every_n_turns=1).turn_end(session, turn(say, 1), deadline=LONG)
    assert effect.jobs == 1
    assert "HINDSIGHT_API_TOKEN" in str(effect.degraded)
    clock.advance(hours=1)
    backend = opened(api_token="right")
    assert backend.start(session, "resume", deadline=LONG).jobs == 0
    assert DOCUMENT in server.documents()


def test_what_the_server_will_not_have_is_set_aside_and_holds_up_nothing(
    opened: Any, server: Any, session: SessionRef
) -> None:
    backend = opened()
    server.refuse = 422
    backend.save(session, [Lesson("Too odd for the server")])
    server.refuse = None
    backend.save(session, [Lesson("Fine with the server")])
    assert len(server.documents()) == 1
    assert "422" in backend.queue(session)
    assert "refused: 1" in backend.diagnose(session)
    assert backend.enqueue(session).jobs == 0
    assert len(server.documents()) == 2


def test_no_server_at_all_is_said_once_and_harms_nothing(opened: Any, session: SessionRef, say: Any) -> None:
    backend = opened(api_url="")
    assert "api_url" in str(backend.start(session, "startup", deadline=LONG).degraded)
    assert backend.instructions(session) == ""
    assert backend.turn_end(session, turn(say, 1), deadline=LONG).jobs == 0
    assert backend.status(session).active is False


def test_what_waits_for_one_server_is_not_sent_to_another(
    opened: Any, server: Any, session: SessionRef, say: Any
) -> None:
    opened(api_url=NOWHERE, retain_every_n_turns=1).turn_end(session, turn(say, 1), deadline=LONG)
    opened().end(session, deadline=LONG)
    assert server.documents() == {}


def test_an_address_that_is_none_is_an_outage_without_a_crash(opened: Any, session: SessionRef, say: Any) -> None:
    effect = opened(api_url="nonsense", retain_every_n_turns=1).turn_end(session, turn(say, 1), deadline=LONG)
    assert effect.jobs == 1
    assert "no connection" in str(effect.degraded)


def test_a_broken_file_of_a_session_is_put_aside(
    opened: Any, server: Any, session: SessionRef, say: Any, tmp_path: Path
) -> None:
    opened().turn_end(session, turn(say, 1), deadline=LONG)
    (path,) = (tmp_path / "agent" / "hindsight").glob("*/*.json")
    path.write_text("{half of it")
    backend = opened()
    backend.turn_end(session, turn(say, 2), deadline=LONG)
    backend.end(session, deadline=LONG)
    assert "Question number 2" in server.documents()[DOCUMENT]["original_text"]
    assert "put aside: 1" in backend.diagnose(session)


def test_the_files_are_their_owners_alone(opened: Any, session: SessionRef, say: Any, tmp_path: Path) -> None:
    opened().turn_end(session, turn(say, 1), deadline=LONG)
    paths = list((tmp_path / "agent").rglob("*"))
    assert paths
    assert {path.stat().st_mode & 0o077 for path in paths} == {0}


CHILD = """
import sys
from mnemopi.backends import resolve_backend
from mnemopi.model.session import Message, SessionRef, Turn
url, agent, cwd, first = *sys.argv[1:4], int(sys.argv[4])
backend = resolve_backend({"memory.backend": "hindsight", "memory.agent_dir": agent, "hindsight.api_url": url,
                           "hindsight.retain_every_n_turns": 1})
session = SessionRef("pytest", "s1", cwd)
for number in range(first, first + 40):
    message = Message(f"e{number}", "user", f"word{number} is what the user said.")
    backend.turn_end(session, Turn((message,)), deadline=10.0)
    print(number, flush=True)
backend.end(session, deadline=10.0)
"""


def test_processes_that_are_killed_or_run_side_by_side_lose_and_double_nothing(
    opened: Any, server: Any, session: SessionRef, tmp_path: Path, project: Path
) -> None:
    def child(first: int) -> subprocess.Popen[str]:
        command = [sys.executable, "-c", CHILD, server.url, str(tmp_path / "agent"), str(project), str(first)]
        return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)

    together = [child(100), child(200)]
    killed = child(300)
    acknowledged = []
    for line in killed.stdout or ():
        acknowledged.append(int(line))
        if len(acknowledged) == 5:
            killed.kill()
    assert [each.wait(60) for each in together] == [0, 0]
    killed.wait(60)
    for each in (*together, killed):
        if each.stdout:
            each.stdout.close()
    _drained(opened(), session)
    text = server.documents()[DOCUMENT]["original_text"]
    expected = [*range(100, 140), *range(200, 240), *acknowledged]
    assert [number for number in expected if text.count(f"word{number} ") != 1] == []


def _drained(backend: Any, session: SessionRef) -> None:
    for _ in range(50):
        if not backend.enqueue(session).jobs:
            return
        time.sleep(0.05)
