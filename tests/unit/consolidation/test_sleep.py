"""Sleep: what waits becomes episodes, each once, and nothing else changes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from mnemopi.consolidation import sleep as sleeping
from mnemopi.engine import Mnemopi
from mnemopi.errors import ConflictError, NotFoundError, UnavailableError, UsageError
from mnemopi.model.memory import Memory
from mnemopi.testing import FixedClock

from .conftest import BOATS, BREAD, DAY, NOW, Opened, episodes, talk


def told(memory: Mnemopi) -> Memory:
    """The one episode of a bank in which the boats were talked of."""
    talk(memory, *BOATS)
    memory.sleep()
    (episode,) = episodes(memory)
    return episode


def everything(memory: Mnemopi) -> object:
    """All rows that sleep could touch."""
    store = memory.bank._store
    memories = store.inventory.memories(0, 9999)
    return memories, store.inventory.citations(("", ""), 9999), store.inventory.events(("", 0), 9999)


# -- what waits


def test_a_talk_becomes_an_episode_that_cites_it(opened: Opened) -> None:
    memory = opened()
    ids = talk(memory, *BOATS, importance=0.7)
    report = memory.sleep()
    (episode,) = episodes(memory)
    assert (report.status, report.made, report.memories, report.waiting) == ("consolidated", 1, 5, 0)
    assert report.episodes == (episode.id,)
    assert (episode.kind, episode.tier, episode.source, episode.scope) == ("episode", "episodic", "sleep", "bank")
    assert (episode.session_id, episode.importance, episode.valid_until) == ("s", 0.7, None)
    assert episode.timestamp == NOW - 2 * DAY + 4 * 60_000
    assert episode.event is not None and (episode.event.start, episode.event.end) == (
        NOW - 2 * DAY,
        episode.timestamp + 1,
    )
    assert episode.metadata is not None and episode.metadata["sources"] == ids
    assert sorted(memory.bank._store.episodes.sources(episode.id)) == sorted((id, 1) for id in ids)
    for (id, version, start, stop), line in zip(
        [cited for (cited,) in episode.metadata["lines"]], episode.content.splitlines(), strict=True
    ):
        source = memory.get(id, version=version)
        assert source is not None and source.content[start:stop] == line


def test_sources_stay_as_they_are(opened: Opened) -> None:
    memory = opened()
    ids = talk(memory, *BOATS)
    before = [memory.get(id) for id in ids]
    memory.sleep()
    assert [memory.get(id) for id in ids] == before


def test_a_second_sleep_changes_nothing(opened: Opened) -> None:
    memory = opened()
    talk(memory, *BOATS, *BREAD)
    for text in (*BOATS, *BREAD, "alone here"):
        memory.remember(text, timestamp=NOW - 2 * DAY)
    memory.sleep_all_sessions()
    before = everything(memory)
    report = memory.sleep_all_sessions()
    assert (report.status, report.made, report.remade) == ("no_op", 0, 0)
    assert everything(memory) == before


@pytest.mark.parametrize("size", [100, 5000])
def test_pages_make_no_difference_to_what_is_covered(opened: Opened, size: int) -> None:
    memory = opened(config={"sleep.batch": size})
    talk(memory, *(f"{text} Number {n}." for n in range(60) for text in BOATS), days_ago=3)
    report = memory.sleep()
    assert report.memories == 300
    cited = [source for each in episodes(memory) for source in (each.metadata or {})["sources"]]
    assert len(cited) == len(set(cited)) == 300
    assert memory.sleep().made == 0


def test_what_is_young_waits(opened: Opened, clock: FixedClock) -> None:
    memory = opened()
    talk(memory, *BOATS, days_ago=0.4)
    assert memory.sleep().made == 0
    clock.advance(hours=3)
    assert memory.sleep().made == 1


def test_what_no_longer_holds_is_never_summed_up(opened: Opened) -> None:
    memory = opened()
    first, second, *rest = talk(memory, *BOATS, *BREAD)
    memory.invalidate(first)
    memory.invalidate(second, replacement=rest[0])
    talk(memory, "The moon is made of green harbour cheese.", veracity="false")
    talk(memory, "The pier closes in the year 2020 for good.", valid_until="2020-01-01")
    memory.sleep()
    text = "\n".join(episode.content for episode in episodes(memory))
    cited = {source for each in episodes(memory) for source in (each.metadata or {})["sources"]}
    assert text
    assert not {first, second} & cited
    assert "moon" not in text and "pier closes" not in text


def test_too_few_or_too_little_is_no_episode(opened: Opened) -> None:
    memory = opened()
    talk(memory, *BOATS[:2], session="few")
    talk(memory, "Hi!", "Hello.", "Bye!", "See you.", session="chatter")
    report = memory.sleep_all_sessions()
    assert (report.made, report.waiting) == (0, 6)


def test_a_dry_run_writes_nothing(opened: Opened) -> None:
    memory = opened()
    talk(memory, *BOATS)
    before = everything(memory)
    report = memory.sleep(dry_run=True)
    assert (report.status, report.made, report.memories, report.episodes) == ("dry_run", 1, 5, ())
    assert everything(memory) == before
    assert memory.health().last is None


def test_sleep_is_of_the_session_and_all_sessions_of_all(opened: Opened) -> None:
    memory = opened(session_id="a")
    talk(memory, *BOATS, session="a")
    talk(memory, *BREAD, session="b")
    report = memory.sleep()
    assert (report.made, report.waiting, report.elsewhere) == (1, 0, len(BREAD))
    assert memory.acting_as(session_id="b").sleep(dry_run=True).made == 1
    report = memory.sleep_all_sessions()
    assert (report.sessions, report.made, report.elsewhere) == (1, 1, 0)
    assert {episode.session_id for episode in episodes(memory)} == {"a", "b"}


def test_visibility_never_mixes(opened: Opened) -> None:
    memory = opened()
    mixed = zip(BOATS, BREAD, strict=False)
    memory.remember_many(
        {"content": text, "session_id": "s", "scope": scope, "timestamp": NOW - 2 * DAY}
        for pair in mixed
        for text, scope in zip(pair, ("session", "bank"), strict=True)
    )
    memory.sleep()
    found = {episode.scope: episode for episode in episodes(memory)}
    assert set(found) == {"session", "bank"}
    assert "Bertha" not in found["session"].content and "crane" not in found["bank"].content
    stranger = memory.acting_as(session_id="elsewhere")
    assert stranger.get(found["session"].id) is None
    assert stranger.get(found["bank"].id) is not None


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (["unknown"] * 5, "unknown"),
        (["stated", "stated", "stated", "tool", "unknown"], "stated"),
        (["stated", "stated", "tool", "tool", "unknown"], "tool"),
        (["stated", "inferred", "unknown", "unknown", "unknown"], "inferred"),
    ],
)
def test_the_veracity_is_that_of_most_sources_and_the_weaker_of_two(
    opened: Opened, labels: list[str], expected: str
) -> None:
    memory = opened()
    memory.remember_many(
        {"content": text, "session_id": "s", "timestamp": NOW - 2 * DAY, "veracity": label}
        for text, label in zip(BOATS, labels, strict=True)
    )
    memory.sleep()
    assert [episode.veracity for episode in episodes(memory)] == [expected]


def test_an_episode_is_no_more_trusted_than_its_sources(opened: Opened) -> None:
    memory = opened()
    talk(memory, *BOATS[:4])
    talk(memory, BOATS[4], source="web")
    memory.sleep()
    assert [episode.trust_tier for episode in episodes(memory)] == ["EXTERNAL_WRITE"]


# -- what may happen to an episode


def test_an_episode_is_not_updated(opened: Opened) -> None:
    memory = opened()
    with pytest.raises(ConflictError, match="episode"):
        memory.update(told(memory).id, "something else")


def test_an_invalidated_episode_is_hidden_and_not_made_again(opened: Opened) -> None:
    memory = opened()
    memory.invalidate(told(memory).id)
    assert not [hit for hit in memory.recall("harbour crane", 20) if hit.kind == "episode"]
    assert memory.sleep().made == 0


def test_a_forgotten_episode_is_erased_and_not_made_again(opened: Opened) -> None:
    memory = opened()
    episode = told(memory)
    assert memory.forget(episode.id).status == "erased"
    assert memory.get(episode.id) is None
    assert memory.sleep().made == 0
    assert len(memory.recall("harbour crane", 20)) >= 3


def test_forgetting_a_source_erases_the_episode_and_the_rest_wait_again(opened: Opened) -> None:
    memory = opened()
    episode = told(memory)
    gone = (episode.metadata or {})["sources"][0]
    memory.forget(gone)
    assert memory.get(episode.id) is None
    assert [event.verb for event in memory.history(episode.id)][-1] == "forgot"
    assert memory.sleep().memories == 4
    (again,) = episodes(memory)
    assert "3 March" not in again.content
    rows = memory.bank._store.inventory.citations(("", ""), 99)
    assert not [row for row in rows if gone in row or episode.id in row]


def test_forgetting_a_source_of_a_forgotten_episode_leaves_the_others_marked(opened: Opened) -> None:
    memory = opened()
    episode = told(memory)
    memory.forget(episode.id)
    memory.forget((episode.metadata or {})["sources"][0])
    assert memory.sleep().made == 0


CHANGES: dict[str, Callable[[Mnemopi, str], object]] = {
    "updated": lambda memory, id: memory.update(id, "The harbour crane works again since Tuesday, at no cost."),
    "invalidated": lambda memory, id: memory.invalidate(id),
}


@pytest.mark.parametrize("change", CHANGES)
def test_an_episode_is_stale_once_a_source_is(opened: Opened, change: str) -> None:
    memory = opened()
    episode = told(memory)
    CHANGES[change](memory, (episode.metadata or {})["sources"][0])
    assert not [hit for hit in memory.recall("harbour crane repair", 20) if hit.id == episode.id]
    assert episode.id not in memory.context(budget=100_000)
    report = memory.sleep()
    assert (report.made, report.remade) == (1, 1)
    (anew,) = episodes(memory)
    former = memory.get(episode.id)
    assert former is not None and (former.superseded_by, former.valid_until) == (anew.id, NOW)
    assert "3 March" not in anew.content
    assert ("works again" in anew.content) == (change == "updated")
    assert memory.sleep().made == 0


def test_an_episode_outlives_no_source_that_expires(opened: Opened, clock: FixedClock) -> None:
    memory = opened()
    talk(memory, *BOATS[:4])
    talk(memory, BOATS[4], valid_until=NOW + DAY)
    memory.sleep()
    (episode,) = episodes(memory)
    assert [hit.id for hit in memory.recall("crane insurance", kind="episode")] == [episode.id]
    clock.advance(days=2)
    assert not memory.recall("crane insurance", kind="episode")
    assert memory.sleep().remade == 1
    assert "40000" not in episodes(memory)[-1].content


def test_a_change_that_leaves_the_text_leaves_the_episode(opened: Opened) -> None:
    memory = opened()
    episode = told(memory)
    memory.update((episode.metadata or {})["sources"][0], importance=0.9)
    assert memory.sleep().made == 0
    assert [hit for hit in memory.recall("harbour crane", 20, kind="episode") if hit.id == episode.id]


def test_forgetting_a_source_reaches_former_episodes_too(opened: Opened) -> None:
    memory = opened()
    former = told(memory)
    source = (former.metadata or {})["sources"][0]
    CHANGES["updated"](memory, source)
    memory.sleep()
    memory.forget(source)
    assert memory.get(former.id) is None
    assert not [each for each in memory.bank._store.inventory.memories(0, 99) if "3 March" in each[0].content]


def test_as_of_sees_the_episode_that_held_then(opened: Opened, clock: FixedClock) -> None:
    memory = opened()
    episode = told(memory)
    then = clock.advance(hours=1)
    clock.advance(hours=1)
    CHANGES["updated"](memory, (episode.metadata or {})["sources"][0])
    memory.sleep()
    assert [hit.id for hit in memory.recall("harbour crane", 20, as_of=then, kind="episode")] == [episode.id]


# -- claims


def test_a_session_that_another_is_at_is_left_to_it(opened: Opened, clock: FixedClock) -> None:
    memory = opened()
    talk(memory, *BOATS)
    meta = memory.bank._store.meta
    assert meta.claim("sleep:s", "another", NOW, NOW + sleeping.LEASE_MS)
    report = memory.sleep()
    assert (report.made, report.busy) == (0, ("s",))
    clock.advance(ms=sleeping.LEASE_MS + 1)
    assert memory.sleep().made == 1
    assert meta.claim("sleep:s", "another", clock(), clock() + 1)


def test_two_that_read_the_same_make_it_once(opened: Opened) -> None:
    one, other = opened(), opened()
    talk(one, *BOATS)
    slow = other.bank._means()

    def ask(prompt: str) -> str:
        other.bank._store.meta.release("sleep:s", holder(other))
        assert one.sleep().made == 1
        return ""

    report = sleeping.sleep(replace(slow, ask=ask), "s")
    assert report.made == 0
    assert len(episodes(one)) == 1


def holder(memory: Mnemopi) -> str:
    """Who holds the lease now."""
    ((found,),) = memory.bank._store.connection.all("SELECT holder FROM lease WHERE name = 'sleep:s'")
    return str(found)


def test_a_source_that_changes_meanwhile_is_left_for_the_next_sleep(opened: Opened) -> None:
    memory = opened()
    ids = talk(memory, *BOATS)

    def ask(prompt: str) -> str:
        memory.update(ids[0], "The crane is fine and never broke, as it turns out.")
        return ""

    assert sleeping.sleep(replace(memory.bank._means(), ask=ask), "s").made == 0
    assert memory.sleep().made == 1
    (episode,) = episodes(memory)
    assert "3 March" not in episode.content


def test_it_stops_when_told_and_keeps_what_is_done(opened: Opened) -> None:
    memory = opened()
    for session in "abc":
        talk(memory, *BOATS, session=session)
    report = sleeping.sleep(memory.bank._means(), None, limit=1)
    assert report.made == 1
    assert sleeping.sleep(memory.bank._means(), None, stop=lambda: True).made == 0
    assert sleeping.sleep(memory.bank._means(), None).made == 2


# -- by itself


def by_itself(memory: Mnemopi, enough: int, stop: Callable[[], bool] | None = None) -> int | None:
    """Sleep as the worker does, 20 memories a time, and return how many were taken up; None where too few wait."""
    means = memory.bank._means()
    means = replace(means, settings=replace(means.settings, auto=enough))
    return sleeping.sleep(means, None, limit=20, stop=stop).memories if sleeping.is_due(means) else None


def test_a_backlog_is_worked_off_batch_by_batch(opened: Opened) -> None:
    memory = opened()
    for number in range(30):
        talk(memory, *BOATS, session=f"s{number}")
    talk(memory, *(f"{text} Number {n}." for n in range(20) for text in BOATS), session="long")
    taken: list[int] = []
    while (batch := by_itself(memory, 10)) is not None:
        taken.append(batch)
    assert all(20 <= batch < 20 + 40 for batch in taken[:-1])  # no group is larger than 40
    assert memory.health().waiting < 10
    assert sum(taken) + memory.health().waiting == 250


def test_a_sleep_that_is_stopped_in_the_middle_begins_again_by_itself(opened: Opened) -> None:
    memory = opened()
    talk(memory, *(f"{text} Number {n}." for n in range(20) for text in BOATS))
    asked = iter((False, False))
    first = by_itself(memory, 50, stop=lambda: next(asked, True))
    assert first is not None and 0 < first <= 40
    assert by_itself(memory, 50) is not None


def test_what_sleep_could_not_use_does_not_begin_it_again(opened: Opened) -> None:
    memory = opened()
    talk(memory, "Hi!", "Hello.", "Bye!", "See you.", session="chatter")
    assert by_itself(memory, 4) == 0
    talk(memory, *BOATS[:3], session="boats")
    assert by_itself(memory, 4) is None
    talk(memory, *BOATS[3:], session="boats")
    assert by_itself(memory, 4) == 5
    assert by_itself(memory, 4) is None


def test_the_sleep_of_one_session_leaves_what_is_known_of_the_others(opened: Opened) -> None:
    memory = opened()
    talk(memory, "Hi!", "Hello.", "Bye!", "See you.", session="chatter")
    assert by_itself(memory, 4) == 0
    memory.sleep()
    assert by_itself(memory, 4) is None


# -- a model


def test_a_models_summary_is_used_where_it_holds(opened: Opened) -> None:
    memory = opened()
    talk(memory, *BOATS)
    answer = "The crane broke down on 3 March. [1]\nCaptain Ferreira moved the barge Aurora to pier 7. [4]"
    report = sleeping.sleep(replace(memory.bank._means(), ask=lambda prompt: answer), "s")
    (episode,) = episodes(memory)
    assert (report.by_llm, report.refused) == (1, 0)
    assert episode.content.startswith("The crane broke down on 3 March.\nCaptain")
    assert (episode.metadata or {})["by"] == "llm"


def test_a_model_that_makes_things_up_is_not_believed(opened: Opened) -> None:
    memory = opened()
    talk(memory, *BOATS)
    report = sleeping.sleep(replace(memory.bank._means(), ask=lambda prompt: "It cost 99 million. [1]"), "s")
    assert (report.made, report.by_llm, report.refused) == (1, 0, 1)
    assert "million" not in episodes(memory)[0].content


def test_a_model_that_does_not_answer_is_asked_once_a_night(opened: Opened) -> None:
    memory = opened()
    for session in "abc":
        talk(memory, *BOATS, session=session)
    asked = []

    def ask(prompt: str) -> str:
        asked.append(prompt)
        raise UnavailableError("it is asleep itself")

    assert sleeping.sleep(replace(memory.bank._means(), ask=ask), None).made == 3
    assert len(asked) == 1


def test_secrets_do_not_leave_and_do_not_come_in(opened: Opened) -> None:
    memory = opened(config={"write.redact": "off"})
    key = "sk-ant-api03-" + "x7Kq9" * 19
    talk(memory, f"The key is {key} for now.", *BOATS)
    asked: list[str] = []
    sleeping.sleep(replace(memory.bank._means(), ask=lambda prompt: asked.append(prompt) or ""), "s")
    assert key not in asked[0]


# -- by hand


def test_an_episode_by_hand_says_what_it_was_given(opened: Opened) -> None:
    memory = opened()
    ids = talk(memory, *BOATS[:2])
    receipt = memory.consolidate(ids, "The crane is out; ask the harbour master.")
    (episode,) = episodes(memory)
    assert (receipt.id, receipt.outcome) == (episode.id, "created")
    assert episode.content == "The crane is out; ask the harbour master."
    assert (episode.metadata or {})["sources"] == ids
    assert memory.consolidate(ids, "The crane is out; ask the harbour master.").outcome == "unchanged"


def test_an_episode_by_hand_without_words_uses_those_of_its_sources(opened: Opened) -> None:
    memory = opened()
    memory.consolidate(talk(memory, *BOATS))
    assert "pier 7" in episodes(memory)[0].content


def test_what_was_summed_up_by_hand_no_longer_waits(opened: Opened) -> None:
    memory = opened()
    memory.consolidate(talk(memory, *BOATS), "All about the crane.")
    assert memory.sleep().made == 0


def test_by_hand_refuses_what_cannot_be(opened: Opened) -> None:
    memory = opened()
    open_one, *_ = talk(memory, *BOATS)
    (closed_one,) = talk(memory, "A private word about the crane and nothing else.", scope="session")
    gone, *_ = talk(memory, "An outdated word about the crane.")
    memory.invalidate(gone)
    episode = memory.consolidate([open_one], "One.")
    with pytest.raises(UsageError, match="nothing"):
        memory.consolidate([])
    with pytest.raises(UsageError, match="list of ids"):
        memory.consolidate(open_one)  # type: ignore[arg-type]
    with pytest.raises(NotFoundError):
        memory.consolidate([open_one, "ffffffffffffffff"])
    with pytest.raises(UsageError, match="is an episode"):
        memory.consolidate([episode])
    with pytest.raises(ConflictError, match="different people"):
        memory.consolidate([open_one, closed_one])
    with pytest.raises(ConflictError, match="no longer holds"):
        memory.consolidate([open_one, gone])
    with pytest.raises(UsageError, match="empty"):
        memory.consolidate([open_one], " ")


def test_the_words_of_an_episode_by_hand_pass_the_gate(opened: Opened) -> None:
    memory = opened()
    key = "sk-ant-api03-" + "x7Kq9" * 19
    memory.consolidate(talk(memory, *BOATS), f"The key of the crane is {key}.")
    assert key not in episodes(memory)[0].content
