"""Memories change by versions, notes merge and turns do not, and what happened can be read again."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from mnemopi.engine import Mnemopi
from mnemopi.errors import ChangedError, ConflictError, NotFoundError, UsageError
from mnemopi.model.memory import Memory
from mnemopi.testing import FixedClock

START = 1_750_000_000_000
HOUR = 3_600_000


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock(START)


@pytest.fixture
def memory(clock: FixedClock) -> Iterator[Mnemopi]:
    with Mnemopi(":memory:", no_embeddings=True, clock=clock, config={"write.timezone": "UTC"}) as memory:
        yield memory


def stored(memory: Mnemopi, id: str) -> Memory:
    found = memory.get(id)
    assert found is not None
    return found


# -- versions


def test_an_update_keeps_the_old_version_where_it_can_be_read(memory: Mnemopi, clock: FixedClock) -> None:
    id = memory.remember("the port is 5432", importance=0.7, metadata={"host": "db1"})
    clock.advance(hours=1)
    receipt = memory.update(id, "the port is 5433")
    assert (receipt, receipt.outcome, receipt.version) == (id, "updated", 2)
    now = stored(memory, id)
    assert (now.content, now.version, now.importance, now.metadata) == ("the port is 5433", 2, 0.7, {"host": "db1"})
    assert now.timestamp == START
    old = memory.get(id, version=1)
    assert old is not None and (old.content, old.retired_at) == ("the port is 5432", START + HOUR)
    assert memory.get(id, version=3) is None
    assert [(event.verb, event.version) for event in memory.history(id)] == [("remembered", 1), ("updated", 2)]


def test_a_moment_shows_what_was_in_force_then(memory: Mnemopi, clock: FixedClock) -> None:
    id = memory.remember("the port is 5432")
    clock.advance(hours=1)
    memory.update(id, "the port is 5433")
    clock.advance(hours=1)
    texts = {}
    for name, moment in {"before": START - 1, "first": START, "late": START + HOUR - 1, "second": START + HOUR}.items():
        found = memory.get(id, as_of=moment)
        texts[name] = found.content if found else None
    assert texts == {
        "before": None,
        "first": "the port is 5432",
        "late": "the port is 5432",
        "second": "the port is 5433",
    }
    assert [hit.content for hit in memory.recall("port", as_of=START + 1)] == ["the port is 5432"]
    assert [hit.content for hit in memory.recall("port")] == ["the port is 5433"]


def test_a_retired_text_is_not_found_any_more(memory: Mnemopi) -> None:
    id = memory.remember("the port is heliotrope")
    memory.update(id, "the port is vermilion")
    assert not memory.recall("heliotrope")
    assert [hit.id for hit in memory.recall("vermilion")] == [id]


def test_an_update_that_changes_nothing_makes_no_version(memory: Mnemopi) -> None:
    id = memory.remember("the port is 5432", importance=0.7)
    assert memory.update(id, "the port is 5432").outcome == "unchanged"
    assert memory.update(id, importance=0.7).outcome == "unchanged"
    assert stored(memory, id).version == 1


def test_an_update_derives_anew_what_hung_on_the_old_text(memory: Mnemopi) -> None:
    id = memory.remember("we moved on 2024-03-05", embed_text="the move of the office")
    first = stored(memory, id)
    memory.update(id, "we moved on 2024-04-09, password: hunter2hunter2")
    second = stored(memory, id)
    assert first.event is not None and second.event is not None and first.event.end <= second.event.start
    assert second.embed_text is None and not memory.recall("office")
    assert "hunter2" not in second.content and "[REDACTED" in second.content


def test_a_stale_version_is_refused(memory: Mnemopi) -> None:
    id = memory.remember("the port is 5432")
    assert memory.update(id, "the port is 5433", expected_version=1).version == 2
    with pytest.raises(ChangedError, match="version 2"):
        memory.update(id, "the port is 5434", expected_version=1)
    assert stored(memory, id).content == "the port is 5433"


def test_hiding_and_erasing_with_an_expected_version_refuse_a_changed_memory(memory: Mnemopi) -> None:
    id = memory.remember("the port is 5432")
    memory.update(id, "the port is 5433")
    with pytest.raises(ChangedError):
        memory.invalidate(id, expected_version=1)
    with pytest.raises(ChangedError):
        memory.forget(id, expected_version=1)
    assert memory.get(id).content == "the port is 5433"  # type: ignore[union-attr]
    assert memory.invalidate(id, expected_version=2).outcome == "invalidated"
    assert memory.forget(id, expected_version=3).status == "erased"


# -- invalidation


def test_a_chain_of_replacements_can_be_followed(memory: Mnemopi, clock: FixedClock) -> None:
    first, second, third = (memory.remember(f"the deploy day is {day}") for day in ("Monday", "Tuesday", "Friday"))
    clock.advance(hours=1)
    assert memory.invalidate(first, second, reason="moved").outcome == "invalidated"
    memory.invalidate(second, third)
    seen, id = [], str(first)
    while (step := stored(memory, id)).superseded_by:
        assert step.valid_until == START + HOUR
        seen.append(step.content)
        id = step.superseded_by
    assert seen == ["the deploy day is Monday", "the deploy day is Tuesday"] and id == third
    assert [hit.id for hit in memory.recall("deploy day")] == [third]
    assert {hit.id for hit in memory.recall("deploy day", include_invalid=True)} == {first, second, third}
    assert {hit.id for hit in memory.recall("deploy day", as_of=START + 1)} == {first, second, third}
    assert memory.history(first)[-1].reason == "moved"


def test_a_replacement_must_exist_and_may_not_lead_back(memory: Mnemopi) -> None:
    first, second, third = (memory.remember(f"note {number}") for number in range(3))
    with pytest.raises(NotFoundError):
        memory.invalidate(first, "0" * 16)
    memory.invalidate(first, second)
    memory.invalidate(second, third)
    for replacement in (first, second, third):
        with pytest.raises(UsageError):
            memory.invalidate(third, replacement)
    assert stored(memory, third).valid_until is None


def test_invalidating_twice_changes_nothing_and_a_forgotten_one_replaces_nothing(memory: Mnemopi) -> None:
    id, other = memory.remember("note one"), memory.remember("note two")
    memory.invalidate(id)
    assert memory.invalidate(id).outcome == "unchanged"
    assert stored(memory, id).version == 2
    memory.forget(other)
    with pytest.raises(NotFoundError):
        memory.invalidate(id, other)


def test_what_replaced_a_memory_may_be_replaced_once_it_is_forgotten(memory: Mnemopi, clock: FixedClock) -> None:
    id, other, third = (memory.remember(f"note {number}") for number in range(3))
    memory.invalidate(id, other)
    with pytest.raises(ConflictError):
        memory.invalidate(id, third)
    memory.forget(other)
    clock.advance(hours=1)
    assert memory.invalidate(id, third).outcome == "invalidated"
    assert (stored(memory, id).superseded_by, stored(memory, id).valid_until) == (third, START)


def test_a_replacement_that_others_may_see_alone_still_replaces(memory: Mnemopi) -> None:
    theirs = memory.acting_as(session_id="theirs")
    id, third = memory.remember("note one"), memory.remember("note three")
    theirs.invalidate(id, theirs.remember("note two", scope="session"))
    with pytest.raises(ConflictError):
        memory.invalidate(id, third)


@pytest.mark.parametrize("until", [0, -HOUR, START - HOUR])
def test_what_ended_before_keeps_its_end_where_a_replacement_is_named(memory: Mnemopi, until: int) -> None:
    id, other = memory.remember("note one", valid_until=until), memory.remember("note two")
    memory.invalidate(id, other)
    assert (stored(memory, id).superseded_by, stored(memory, id).valid_until) == (other, until)


def test_what_expires_is_hidden_from_then_on(memory: Mnemopi, clock: FixedClock) -> None:
    memory.remember("the gate is closed", valid_until=START + HOUR)
    assert memory.recall("gate")
    clock.advance(hours=1)
    assert not memory.recall("gate")
    assert memory.recall("gate", include_invalid=True)


# -- notes merge


def test_an_equal_note_keeps_its_id_and_every_mention_is_kept(memory: Mnemopi, clock: FixedClock) -> None:
    id = memory.remember("tabs, not spaces")
    clock.advance(hours=1)
    again = memory.remember("tabs, not spaces", source="user")
    assert (again, again.outcome, again.version) == (id, "merged", 1)
    clock.advance(hours=1)
    memory.acting_as(session_id="elsewhere").remember("tabs, not spaces")
    assert memory.stats()["total_memories"] == 1
    assert [(one.at, one.session_id, one.source) for one in memory.occurrences(id)] == [
        (START + HOUR, "default", "user"),
        (START + 2 * HOUR, "elsewhere", "conversation"),
    ]


def test_merging_changes_only_what_was_supplied_and_trust_never_falls(memory: Mnemopi) -> None:
    id = memory.remember(
        "tabs, not spaces",
        importance=0.3,
        veracity="false",
        trust_tier="EXTERNAL_WRITE",
        memory_type="preference",
        pinned=True,
        metadata={"a": 1, "b": 1},
        valid_until="2090-01-01",
    )
    before = stored(memory, id)
    assert memory.remember("tabs, not spaces").outcome == "merged"
    assert stored(memory, id) == before
    memory.remember(
        "tabs, not spaces", importance=0.8, metadata={"b": 2, "c": 3}, veracity="stated", trust_tier="IMPORTED"
    )
    after = stored(memory, id)
    assert (after.importance, after.veracity, after.trust_tier) == (0.8, "stated", "IMPORTED")
    assert after.metadata == {"a": 1, "b": 2, "c": 3}
    assert (after.version, after.pinned, after.memory_type) == (2, True, "preference")
    memory.remember("tabs, not spaces", importance=0.1, veracity="tool", trust_tier="EXTERNAL_WRITE")
    assert stored(memory, id) == after


def test_the_earliest_time_stays(memory: Mnemopi) -> None:
    id = memory.remember("the fair was on 2024-05-01", timestamp="2024-06-01")
    memory.remember("the fair was on 2024-05-01", timestamp="2024-05-20")
    memory.remember("the fair was on 2024-05-01", timestamp="2024-07-01")
    found = stored(memory, id)
    assert found.timestamp == 1_716_163_200_000
    assert found.event is not None and found.event.start == 1_714_521_600_000


def test_notes_of_other_scopes_and_authors_are_others(memory: Mnemopi) -> None:
    ids = {
        memory.remember("tabs, not spaces"),
        memory.remember("tabs, not spaces", scope="global"),
        memory.remember("tabs, not spaces", scope="session"),
        memory.remember("tabs, not spaces", scope="channel"),
        memory.remember("tabs, not spaces", author_id="ines"),
        memory.remember("Tabs, not spaces"),
        memory.acting_as(session_id="other").remember("tabs, not spaces", scope="session"),
    }
    assert len(ids) == 7


def test_a_note_that_was_invalidated_and_is_said_again_is_revived(memory: Mnemopi, clock: FixedClock) -> None:
    id, other = memory.remember("we deploy on Fridays"), memory.remember("we never deploy on Fridays")
    memory.invalidate(id, other)
    clock.advance(hours=1)
    again = memory.remember("we deploy on Fridays")
    assert (again, again.outcome, again.version) == (id, "revived", 3)
    found = stored(memory, id)
    assert (found.valid_until, found.superseded_by) == (None, None)
    assert again in {hit.id for hit in memory.recall("deploy Fridays")}
    hidden = memory.get(id, version=2)
    assert hidden is not None and hidden.superseded_by == other
    assert [event.verb for event in memory.history(id)] == ["remembered", "invalidated", "revived"]


def test_of_two_equal_notes_the_one_that_holds_takes_the_mention(memory: Mnemopi) -> None:
    first, second = memory.remember("the first text"), memory.remember("the second text")
    memory.update(first, "the second text")
    memory.invalidate(first)
    again = memory.remember("the second text")
    assert (again, again.outcome) == (second, "merged")


def test_a_batch_merges_its_own_equal_notes(memory: Mnemopi) -> None:
    receipts = memory.remember_many({"content": f"note {number % 3}"} for number in range(9))
    assert [receipt.outcome for receipt in receipts] == ["created"] * 3 + ["merged"] * 6
    assert receipts[0] == receipts[3] == receipts[6]
    assert memory.stats()["total_memories"] == 3
    assert len(memory.occurrences(receipts[0])) == 2


# -- turns do not


def test_two_turns_that_say_the_same_are_two(memory: Mnemopi) -> None:
    ids = [memory.remember("ok", session_id="talk") for _ in range(2)]
    ids += memory.remember_many([{"content": "ok", "session_id": "talk"}] * 3)
    assert len(set(ids)) == 5
    assert [stored(memory, id).position for id in ids] == [0, 1, 2, 3, 4]


def test_positions_are_those_given_or_the_next(memory: Mnemopi) -> None:
    receipts = memory.remember_many(
        [
            {"content": "a", "session_id": "s"},
            {"content": "b", "session_id": "s", "position": 7},
            {"content": "c", "session_id": "s"},
            {"content": "d", "session_id": "s", "position": 3},
            {"content": "e", "session_id": "s"},
            {"content": "f", "session_id": "other"},
        ]
    )
    assert [stored(memory, id).position for id in receipts] == [0, 7, 8, 3, 9, 0]
    assert stored(memory, memory.remember("a note")).position is None


@pytest.mark.parametrize("together", [True, False])
def test_an_external_id_finds_its_turn_again(memory: Mnemopi, together: bool) -> None:
    turns = [
        {"content": "hello", "session_id": "s", "external_id": "e1"},
        {"content": "hello", "session_id": "s", "external_id": "e1"},
        {"content": "hello, corrected", "session_id": "s", "external_id": "e1"},
        {"content": "hello", "session_id": "s", "external_id": "e2"},
        {"content": "hello", "session_id": "t", "external_id": "e1"},
    ]
    receipts = memory.remember_many(turns) if together else [memory.bank.remember(**turn) for turn in turns]
    assert [(receipt.outcome, receipt.version) for receipt in receipts] == [
        ("created", 1),
        ("merged", 1),
        ("updated", 2),
        ("created", 1),
        ("created", 1),
    ]
    assert len(set(receipts)) == 3
    assert stored(memory, receipts[0]).content == "hello, corrected"
    assert [stored(memory, id).position for id in (receipts[0], receipts[3], receipts[4])] == [0, 1, 0]


TURN = {"session_id": "s", "external_id": "e1"}


def test_a_turn_that_is_told_again_with_another_text_keeps_what_people_set(memory: Mnemopi, clock: FixedClock) -> None:
    told = {"importance": 0.8, "metadata": {"host": "db1"}, "memory_type": "decision", "valid_until": "2030-01-01"}
    id = memory.remember("the ferry leaves on 3 March 2026", **TURN, **told, embed_text="ferry")
    memory.pin(id)
    memory.validate(id, "attest", validator="ines")
    before = stored(memory, id)
    clock.advance(hours=1)
    receipt = memory.remember("the ferry leaves on 4 March 2026", **TURN)
    now = stored(memory, id)
    assert (receipt, receipt.outcome, receipt.version, now.version) == (id, "updated", 4, 4)
    kept = ("importance", "metadata", "memory_type", "valid_until", "pinned", "veracity", "trust_tier", "timestamp")
    assert [getattr(now, name) for name in kept] == [getattr(before, name) for name in kept]
    assert now.event is not None and before.event is not None and now.event.start > before.event.start
    assert now.embed_text is None
    assert memory.recall("ferry")[0].id == id


def test_a_hidden_turn_that_is_told_again_stays_hidden(memory: Mnemopi, clock: FixedClock) -> None:
    id = memory.remember("The API listens on port 8080", **TURN)
    other = memory.remember("a note that replaces it")
    memory.invalidate(id, other)
    clock.advance(hours=1)
    for valid_until in (None, "2030-01-01"):
        text = f"The API listens on port 9090 until {valid_until}"
        assert memory.remember(text, **TURN, valid_until=valid_until).outcome == "updated"
        now = stored(memory, id)
        assert (now.content, now.valid_until, now.superseded_by) == (text, START, other)
    assert memory.facts.list(include_ended=True) == []
    assert id not in {hit.id for hit in memory.recall("API port")}
    assert [event.verb for event in memory.history(id)] == ["remembered", "invalidated", "updated", "updated"]
    memory.update(id, "The API listens on port 7070")
    assert memory.facts.list(include_ended=True) == []


def test_another_text_is_believed_as_far_as_its_own_source(memory: Mnemopi) -> None:
    id = memory.remember("The API listens on port 8080", **TURN)
    memory.remember("The API listens on port 9090", **TURN, source="tool")
    assert (stored(memory, id).source, stored(memory, id).trust_tier) == ("tool", "EXTERNAL_WRITE")
    assert memory.facts.list() == []


# -- a clock that goes back


def test_at_each_moment_one_version_is_in_force_though_the_clock_went_back(memory: Mnemopi, clock: FixedClock) -> None:
    id = memory.remember("alpha one")
    clock.advance(ms=1000)
    memory.update(id, "alpha two")
    clock.advance(ms=-500)
    memory.update(id, "alpha three")
    for moment, text in ((200, "alpha one"), (700, "alpha one"), (1000, "alpha three")):
        then = memory.get(id, as_of=START + moment)
        assert then is not None
        assert [then.content] == [hit.content for hit in memory.recall("alpha", as_of=START + moment)] == [text]


def test_history_tells_what_was_done_in_its_order_though_the_clock_went_back(
    memory: Mnemopi, clock: FixedClock
) -> None:
    id = memory.remember("alpha one")
    clock.advance(ms=1000)
    memory.update(id, "alpha two")
    clock.advance(ms=-500)
    memory.undo(id)
    assert [event.verb for event in memory.history(id)] == ["remembered", "updated", "undone"]
