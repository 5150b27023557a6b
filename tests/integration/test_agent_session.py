"""A session of sixty turns, killed again and again: what was said is kept, once, and what was injected is not."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from mnemopi.backends import resolve_backend
from mnemopi.backends.mnemopi.backend import MnemopiBackend
from mnemopi.model.session import Lesson, SessionRef

HOST = Path(__file__).with_name("agent_host.py")
TURNS = 60
KILLS = 6
NOON = 1_780_000_000_000
THINGS = ("database", "gateway", "scheduler", "mailer", "cache", "search index", "proxy", "queue", "archive", "billing")


def turn(number: int, branch: str = "") -> list[dict[str, Any]]:
    """What is said in a turn: each second one asks after what an earlier session told."""
    thing = THINGS[number % len(THINGS)]
    asks = f"Which port does the staging {thing} listen on? {number}{branch}"
    says = f"In step {number}{branch} we moved the {thing} to region {chr(65 + number % 26)}."
    user = {"entry": f"u{number}{branch}", "role": "user", "text": asks if number % 2 else says}
    answer = {"entry": f"a{number}{branch}", "role": "assistant", "text": f"Step {number}{branch} is done."}
    return [each | {"at": NOON + number * 60_000} for each in (user, answer)]


def script(cwd: str) -> list[dict[str, Any]]:
    """The events: a restart, a branch that is left for another, a compaction and a subagent among them."""
    here = {"session": "main", "cwd": cwd}
    events: list[dict[str, Any]] = [here | {"event": "start", "reason": "startup"}]
    for number in range(TURNS):
        events.append(here | {"event": "turn", "messages": turn(number)})
        if number == 20:
            events += [here | {"event": "end"}, here | {"event": "start", "reason": "resume"}]
        if number == 30:
            events.append(here | {"event": "turn", "messages": turn(number, "-other")})
        if number == 40:
            dropped = [message for each in range(30, 41) for message in turn(each)]
            events += [
                here | {"event": "compact", "messages": dropped},
                here | {"event": "start", "reason": "compact"},
            ]
        if number == 45:
            part = here | {"session": "part", "parent": "main"}
            said = [each | {"text": f"subagent: {each['text']}"} for each in turn(number, "-part")]
            events += [part | {"event": "start", "reason": "startup"}, part | {"event": "turn", "messages": said}]
            events.append(part | {"event": "end"})
    return [*events, here | {"event": "end"}]


def said(events: list[dict[str, Any]]) -> list[str]:
    """All that was said in the session, each message once."""
    once = {
        each["entry"]: each["text"]
        for event in events
        if event["session"] == "main"
        for each in event.get("messages", ())
    }
    return sorted(once.values())


def opened(data: Path) -> MnemopiBackend:
    backend = resolve_backend({"memory.backend": "mnemopi", "storage.data_dir": str(data), "embedding.enabled": False})
    assert isinstance(backend, MnemopiBackend)
    return backend


def run(file: Path, data: Path, first: int, chance: random.Random | None) -> list[dict[str, Any]]:
    """Let the host tell from an event on, and kill it somewhere; return what it said that it told."""
    command = [sys.executable, str(HOST), str(file), str(data), str(first)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as host:
        assert host.stdout is not None and host.stderr is not None
        lines = [host.stdout.readline() for _ in range(0 if chance is None else chance.randint(1, 16))]
        if chance is not None:
            time.sleep(chance.uniform(0, 0.03))
            host.send_signal(signal.SIGKILL)
        lines += host.stdout.readlines()
        if chance is None:
            assert host.wait() == 0, host.stderr.read()
    return [json.loads(line) for line in lines if line.endswith("\n")]


@pytest.fixture
def project(tmp_path: Path) -> SessionRef:
    """A project of which an earlier session told ten things."""
    place = tmp_path / "project"
    place.mkdir()
    ref = SessionRef("host", "earlier", str(place))
    backend = opened(tmp_path / "data")
    told = [Lesson(f"The staging {thing} listens on port {5400 + n}") for n, thing in enumerate(THINGS)]
    assert backend.save(ref, told).stored == len(THINGS)
    backend.close()
    return ref


def test_a_session_that_is_killed_again_and_again_is_kept_whole_and_once(tmp_path: Path, project: SessionRef) -> None:
    chance, data, file = random.Random(60), tmp_path / "data", tmp_path / "script"
    events = script(project.cwd)
    file.write_text("\n".join(map(json.dumps, events)))
    first, effects = 0, []
    for kill in range(KILLS + 1):
        effects += run(file, data, first, chance if kill < KILLS else None)
        first = effects[-1]["event"]  # which is told again: the host cannot know what came of it
    assert [each for each in effects if each["degraded"]] == []
    assert effects[-1]["event"] == len(events) - 1
    backend = opened(data)
    bank = backend.banks.engine(backend.banks.scope(project).retain).bank
    kept = [memory for memory in bank.page(limit=1000) if memory.kind == "turn"]
    backend.close()
    assert sorted(memory.content for memory in kept) == said(events)
    assert not any("<memories" in memory.content or "listens on port" in memory.content for memory in kept)
    assert sum(each["tokens"] for each in effects) > 0


def test_what_a_session_is_shown_stays_little(tmp_path: Path, project: SessionRef) -> None:
    file = tmp_path / "script"
    file.write_text("\n".join(map(json.dumps, script(project.cwd))))
    effects = run(file, tmp_path / "data", 0, None)
    tokens = [each["tokens"] for each in effects]
    assert 0 < sum(tokens[1:]) <= TURNS * 60
    assert sum(each > 0 for each in tokens[1:]) <= TURNS // 2
