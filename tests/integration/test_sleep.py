"""Sleep from outside: in recall, on the command line, by the worker, over export and load."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from mnemopi.engine import Mnemopi
from mnemopi.testing import FixedClock, HashingEmbedder

NOW = 1_750_000_000_000
DAY = 86_400_000
TALK = (
    "The harbour crane broke down on 3 March, and the repair takes two weeks.",
    "Always call the harbour master before you move a barge.",
    "Captain Ferreira moved the barge Aurora to pier 7.",
    "The crane insurance covers 40000 euros of the repair.",
)
Opened = Callable[..., Mnemopi]


def told(memory: Mnemopi, *texts: str, session: str = "s") -> list[str]:
    items = [
        {"content": text, "session_id": session, "timestamp": NOW - 2 * DAY + n * 60_000}
        for n, text in enumerate(texts)
    ]
    return [str(receipt) for receipt in memory.remember_many(items)]


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Opened]:
    made: list[Mnemopi] = []

    def engine(name: str = "m.db", **more: Any) -> Mnemopi:
        config = {"write.settle": "off", **more.pop("config", {})}
        usual = {"no_embeddings": True, "clock": FixedClock(NOW), "session_id": "s"}
        made.append(Mnemopi(tmp_path / name, **{**usual, **more}, config=config))
        return made[-1]

    yield engine
    for each in made:
        each.close()


# -- recall


def test_an_episode_attaches_to_sources_that_are_listed(opened: Opened) -> None:
    memory = opened()
    ids = told(memory, *TALK)
    episode = memory.consolidate(ids)
    hits = memory.recall("harbour crane repair barge", 10)
    assert {hit.id for hit in hits} == set(ids)
    assert all(f"part of episode {episode}" in hit.explanation.notes for hit in hits)


def test_an_episode_takes_a_place_where_few_of_its_sources_are_listed(opened: Opened) -> None:
    memory = opened()
    episode = memory.consolidate(told(memory, *TALK))
    hits = memory.recall("harbour crane repair barge", 1)
    assert [hit.kind for hit in hits] in (["turn"], ["episode"])
    assert [hit.id for hit in memory.recall("harbour crane repair barge", kind="episode")] == [episode]


def test_sources_never_lose_a_place_to_one_another(opened: Opened) -> None:
    memory = opened()
    ids = told(memory, *TALK)
    before = [hit.id for hit in memory.recall("harbour crane repair barge", 10)]
    memory.sleep_all_sessions()
    assert [hit.id for hit in memory.recall("harbour crane repair barge", 10)] == before
    assert set(before) == set(ids)


def test_an_episode_is_embedded_and_found_by_meaning(opened: Opened) -> None:
    memory = opened(no_embeddings=False, embeddings=HashingEmbedder())
    memory.consolidate(told(memory, *TALK))
    assert memory.settle().pending == 0
    (hit,) = memory.recall("insuring cranes", kind="episode", retrievers=["dense"])
    assert hit.vec_score > 0


# -- the worker


def test_a_write_lets_the_worker_sleep_once_enough_waits(opened: Opened) -> None:
    memory = opened(config={"sleep.auto": 4})
    told(memory, *TALK)
    deadline = time.monotonic() + 30
    while not memory.health().episodes and time.monotonic() < deadline:
        time.sleep(0.02)
    assert memory.health().episodes == 1


@pytest.mark.parametrize("auto", [0, 5])
def test_the_worker_does_not_sleep_unless_it_may_and_enough_waits(opened: Opened, auto: int) -> None:
    memory = opened(config={"sleep.auto": auto})
    told(memory, *TALK)
    memory.close()
    assert opened().health().episodes == 0


# -- export and load


def test_an_export_holds_what_episodes_cite(opened: Opened, tmp_path: Path) -> None:
    memory, other = opened(), opened("other.db")
    told(memory, *TALK, *(f"{text} Again." for text in TALK))
    memory.sleep()
    counts = memory.export(tmp_path / "one.jsonl")
    other.load(tmp_path / "one.jsonl")
    other.export(tmp_path / "other.jsonl")
    assert counts["citations"] == 8
    assert (tmp_path / "one.jsonl").read_bytes() == (tmp_path / "other.jsonl").read_bytes()
    assert other.sleep().made == 0


def test_a_load_keeps_the_mark_of_a_forgotten_episode(opened: Opened, tmp_path: Path) -> None:
    memory, other = opened(), opened("other.db")
    told(memory, *TALK)
    (episode,) = memory.sleep().episodes
    memory.forget(episode)
    memory.export(tmp_path / "one.jsonl")
    other.load(tmp_path / "one.jsonl")
    assert other.sleep().made == 0


def test_a_load_does_not_bring_back_what_an_episode_says_of_the_forgotten(opened: Opened, tmp_path: Path) -> None:
    memory, other = opened(), opened("other.db")
    ids = told(memory, *TALK)
    (episode,) = memory.sleep().episodes
    memory.export(tmp_path / "one.jsonl")
    other.load(tmp_path / "one.jsonl")
    other.forget(ids[0])
    other.load(tmp_path / "one.jsonl", force=True)
    third = opened("third.db")
    third.bank._store.memories.bury(ids[0], NOW)
    third.load(tmp_path / "one.jsonl")
    for each in (other, third):
        assert each.get(episode) is None
        assert each.get(ids[0]) is None
        assert each.sleep().memories == 3


# -- the command line


def test_the_command_says_what_it_would_do_then_does_it(call: Callable[..., Any], tmp_path: Path) -> None:
    for number, text in enumerate(TALK):
        call("store", text, "--session", "s", "--position", number, "--timestamp", "2026-01-05T10:00:00Z")
    dry = call("sleep", "--all-sessions", "--dry-run", "--json").json
    assert (dry["status"], dry["summaries_created"], dry["items_consolidated"]) == ("dry_run", 1, 4)
    assert "4 of other sessions wait: `mnemopi sleep --all-sessions`" in call("sleep").out
    assert call("health", "--json").json["status"] == "no_data"
    done = call("consolidate", "--all-sessions")
    assert (done.status, done.out.splitlines()[0]) == (0, "1 episodes made of 4 memories in 1 sessions")
    assert call("health").out == "healthy: 1 episodes\n"
    assert call("sleep", "--all-sessions", "--json").json["status"] == "no_op"
    assert call("stats", "--json").json["sleep"]["episodes"] == 1
    assert "sleep" in call("doctor").out


def test_the_command_makes_an_episode_by_hand(call: Callable[..., Any], stored: Callable[..., str]) -> None:
    ids = [stored(text) for text in TALK]
    receipt = call("consolidate", *ids, "--summary", "All about the crane.", "--json").json
    assert receipt["outcome"] == "created"
    assert call("get", receipt["id"], "--json").json["content"] == "All about the crane."
    assert call("sleep", "--restore", receipt["id"], "--json").json["outcome"] == "unchanged"


@pytest.mark.parametrize(
    "arguments",
    [
        ("sleep", "--summary", "without ids"),
        ("sleep", "abc", "--dry-run"),
        ("sleep", "abc", "--restore", "abc"),
        ("sleep", "--restore", "abc", "--all-sessions"),
        ("health", "--stale-hours", "0"),
        ("health", "--stale-hours", "soon"),
    ],
)
def test_the_command_refuses_what_makes_no_sense(call: Callable[..., Any], arguments: tuple[str, ...]) -> None:
    assert call(*arguments).status == 2
