"""Less detail with age, and full detail again on request."""

from __future__ import annotations

import pytest

from mnemopi.engine import Mnemopi
from mnemopi.errors import ConflictError, NotFoundError, UsageError
from mnemopi.model.memory import Memory
from mnemopi.testing import FixedClock

from .conftest import BOATS, BREAD, Opened, episodes, talk

MANY = [*BOATS, *BREAD, *(f"Shelf {n} holds colour{n} and tool{n} and paper{n}." for n in range(30))]


def only(memory: Mnemopi) -> Memory:
    (episode,) = episodes(memory)
    return episode


@pytest.fixture
def memory(opened: Opened) -> Mnemopi:
    """A bank with one episode."""
    made = opened()
    made.consolidate(talk(made, *MANY))
    return made


def test_detail_falls_with_age_and_only_then(memory: Mnemopi, clock: FixedClock) -> None:
    full = only(memory)
    assert memory.sleep().shortened == (0, 0)
    clock.advance(days=31)
    assert memory.sleep().shortened == (1, 0)
    half = only(memory)
    clock.advance(days=31)
    assert memory.sleep().shortened == (0, 0)
    clock.advance(days=120)
    assert memory.sleep().shortened == (0, 1)
    short = only(memory)
    assert [(each.version, (each.metadata or {})["detail"]) for each in (full, half, short)] == [(1, 1), (2, 2), (3, 3)]
    assert len(half.content) <= len(full.content) // 2
    assert 0 < len(short.content) <= 300
    assert memory.sleep().shortened == (0, 0)


def test_what_is_left_is_word_for_word(memory: Mnemopi, clock: FixedClock) -> None:
    clock.advance(days=200)
    memory.sleep()
    short = only(memory)
    for cited in (short.metadata or {})["lines"]:
        for id, version, start, stop in cited:
            source = memory.get(id, version=version)
            assert source is not None and source.content[start:stop] in short.content.splitlines()


def test_former_detail_stays_in_the_history(memory: Mnemopi, clock: FixedClock) -> None:
    full = only(memory)
    clock.advance(days=40)
    memory.sleep()
    former = memory.get(full.id, version=1)
    assert former is not None and former.content == full.content
    assert [event.verb for event in memory.history(full.id)] == ["slept", "shortened"]


def test_detail_can_be_restored_from_the_sources(memory: Mnemopi, clock: FixedClock) -> None:
    full = only(memory)
    clock.advance(days=200)
    memory.sleep()
    short = only(memory)
    assert memory.restore_detail(full.id).outcome == "updated"
    restored = only(memory)
    assert (restored.metadata or {})["detail"] == 1
    assert len(short.content) < len(full.content) * 0.9 < len(restored.content)
    assert memory.restore_detail(full.id).outcome == "unchanged"
    assert memory.sleep().shortened == (0, 0)
    clock.advance(days=31)
    assert memory.sleep().shortened == (1, 0)


def test_only_an_episode_whose_sources_hold_is_restored(memory: Mnemopi, clock: FixedClock) -> None:
    episode = only(memory)
    source = (episode.metadata or {})["sources"][0]
    with pytest.raises(UsageError, match="no episode"):
        memory.restore_detail(source)
    with pytest.raises(NotFoundError):
        memory.restore_detail("ffffffffffffffff")
    clock.advance(days=40)
    memory.sleep()
    memory.invalidate(source)
    with pytest.raises(ConflictError, match="no longer holds"):
        memory.restore_detail(episode.id)


def test_search_follows_the_detail(memory: Mnemopi, clock: FixedClock) -> None:
    clock.advance(days=200)
    memory.sleep()
    short = only(memory)
    gone = next(word for word in ("sourdough", "Ferreira", "insurance", "captains") if word not in short.content)
    assert not memory.recall(gone, kind="episode")
    kept = short.content.split()[1]
    assert [hit.id for hit in memory.recall(kept, kind="episode")] == [short.id]


def test_words_of_a_person_are_left_alone(opened: Opened, clock: FixedClock) -> None:
    memory = opened()
    words = " ".join(f"Word number {n} of what I wrote myself." for n in range(40))
    memory.consolidate(talk(memory, *BOATS), words)
    clock.advance(days=400)
    memory.sleep()
    memory.sleep()
    assert only(memory).content == words


def test_a_dry_run_counts_and_shortens_nothing(memory: Mnemopi, clock: FixedClock) -> None:
    full = only(memory)
    clock.advance(days=31)
    assert memory.sleep(dry_run=True).shortened == (1, 0)
    assert only(memory) == full


def test_a_sleep_shortens_a_batch_at_most(opened: Opened, clock: FixedClock) -> None:
    memory = opened(config={"sleep.degrade_batch": 2})
    for session in "abc":
        talk(memory, *BOATS, session=session)
    memory.sleep_all_sessions()
    clock.advance(days=31)
    assert [memory.sleep().shortened[0] for _ in range(3)] == [2, 1, 0]
