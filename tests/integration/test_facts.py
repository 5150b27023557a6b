"""The door to the facts of a bank: state, ask as of any time, end, prefer."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mnemopi import Mnemopi
from mnemopi.errors import ConflictError, NotFoundError, UsageError
from mnemopi.model.fact import Fact
from mnemopi.testing import FixedClock

START = 1_772_323_200_000
"""2026-03-01T00:00Z."""
DAY = 86_400_000


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock(START)


@pytest.fixture
def bank(clock: FixedClock) -> Iterator[Mnemopi]:
    with Mnemopi(":memory:", no_embeddings=True, clock=clock, config={"write.timezone": "UTC"}) as opened:
        yield opened


def objects(facts: list[Fact]) -> list[str]:
    return [fact.object for fact in facts]


def test_what_is_stated_holds_from_now_on(bank: Mnemopi, clock: FixedClock) -> None:
    fact = bank.facts.assert_("staging", "port", "5433")
    assert (fact.valid_from, fact.valid_to, fact.text) == (START, None, "staging port 5433")
    assert bank.facts.get(fact.id) == fact
    assert objects(bank.facts.list()) == ["5433"]


def test_a_later_statement_supersedes_and_history_stays(bank: Mnemopi, clock: FixedClock) -> None:
    old = bank.facts.assert_("staging", "port", "5432")
    clock.advance(days=2)
    new = bank.facts.assert_("Staging", "Port", "5433")
    assert objects(bank.facts.list()) == ["5433"]
    assert objects(bank.facts.list(include_ended=True)) == ["5432", "5433"]
    assert bank.facts.get(old.id).superseded_by == new.id  # type: ignore[union-attr]
    assert objects(bank.facts.list(as_of="2026-03-02")) == ["5432"]


def test_valid_time_and_known_time_are_two(bank: Mnemopi, clock: FixedClock) -> None:
    bank.facts.assert_("Ines", "role", "pilot", valid_from="2020-01-01")
    clock.advance(days=10)
    bank.facts.assert_("Ines", "role", "captain", valid_from="2025-01-01")
    assert objects(bank.facts.list(as_of="2024-06-01")) == ["pilot"]
    assert objects(bank.facts.list(as_of="2026-01-01")) == ["captain"]
    assert objects(bank.facts.list(as_of="2026-01-01", known_at=START + DAY)) == ["pilot"]
    assert bank.facts.list(known_at=START - 1) == []


def test_a_fact_is_found_by_its_words(bank: Mnemopi) -> None:
    bank.facts.assert_("staging database", "port", "5433")
    bank.facts.assert_("咖啡", "likes", "拿铁")
    assert objects(bank.facts.search("which port has staging?")) == ["5433"]
    assert objects(bank.facts.search("拿铁")) == ["拿铁"]
    assert bank.facts.search("?!") == []


def test_facts_are_narrowed_by_subject_predicate_and_kind(bank: Mnemopi) -> None:
    bank.facts.assert_("Ines", "likes", "tea", kind="preference")
    bank.facts.assert_("Ines", "name", "Ines Costa", kind="identity")
    bank.facts.assert_("Bo", "likes", "rum", kind="preference")
    assert objects(bank.facts.list(subject="ines")) == ["tea", "Ines Costa"]
    assert objects(bank.facts.list(predicate="likes")) == ["rum", "tea"]
    assert objects(bank.facts.list(kind="identity")) == ["Ines Costa"]
    assert len(bank.facts.list(limit=2)) == 2


def test_an_end_stays_in_history_and_is_journalled(bank: Mnemopi, clock: FixedClock) -> None:
    fact = bank.facts.assert_("we", "uses", "Redis")
    clock.advance(days=3)
    ended = bank.facts.end(fact.id, reason="too dear")
    assert ended.valid_to == clock.now
    assert bank.facts.list() == []
    assert objects(bank.facts.list(as_of=START + DAY)) == ["Redis"]
    assert [(event.verb, event.reason) for event in bank.facts.history(fact.id)] == [
        ("asserted", None),
        ("ended", "too dear"),
    ]
    assert bank.facts.end(fact.id) == ended


def test_a_contradiction_is_kept_and_listed_until_a_person_prefers_a_side(bank: Mnemopi, clock: FixedClock) -> None:
    one = bank.facts.assert_("launch", "date", "5 May", valid_from="2026-02-01")
    other = bank.facts.assert_("launch", "date", "6 May", valid_from="2026-02-01")
    (conflict,) = bank.facts.conflicts()
    assert {side.id for side in conflict.sides} == {one.id, other.id}
    assert all(fact.contested for fact in bank.facts.list())
    clock.advance(days=1)
    won = bank.facts.prefer(other.id, reason="asked the owner")
    assert (won.contested, won.belief) == (False, 0.99)
    assert objects(bank.facts.list()) == ["6 May"]
    assert bank.facts.conflicts() == []
    assert bank.facts.history(other.id)[-1].verb == "preferred"
    assert len(bank.facts.list(known_at=START)) == 2


def test_what_was_superseded_may_be_preferred_again(bank: Mnemopi, clock: FixedClock) -> None:
    old = bank.facts.assert_("staging", "port", "5432")
    clock.advance(days=1)
    bank.facts.assert_("staging", "port", "5433")
    clock.advance(days=1)
    again = bank.facts.prefer(old.id)
    assert (again.object, again.valid_from) == ("5432", clock.now)
    assert objects(bank.facts.list()) == ["5432"]


def test_reconciling_changes_nothing_that_is_in_order(bank: Mnemopi) -> None:
    bank.facts.assert_("staging", "port", "5433")
    before = bank.facts.list()
    assert bank.facts.reconcile() == {"slots": 1, "facts": 1, "merged": 0, "contested": 0}
    assert bank.facts.list() == before


def test_facts_of_a_session_are_seen_there_only(bank: Mnemopi) -> None:
    own = bank.acting_as(session_id="one").facts.assert_("door", "status", "open", scope="session")
    other = bank.acting_as(session_id="two").facts
    assert other.list() == []
    assert other.get(own.id) is None
    with pytest.raises(NotFoundError):
        other.end(own.id)
    assert other.assert_("door", "status", "shut", scope="session").valid_to is None
    assert objects(bank.acting_as(session_id="one").facts.list()) == ["open"]


@pytest.mark.parametrize("verb", ["forget", "update", "invalidate"])
def test_a_fact_is_read_only_to_the_verbs_of_memories(bank: Mnemopi, verb: str) -> None:
    fact = bank.facts.assert_("staging", "port", "5433")
    with pytest.raises(ConflictError) as caught:
        getattr(bank, verb)(fact.id, *(["text"] if verb == "update" else []))
    assert all(word in caught.value.hint for word in ("get", "end", "prefer"))
    assert objects(bank.facts.list()) == ["5433"]


@pytest.mark.parametrize(
    "arguments",
    [
        {"subject": " "},
        {"predicate": ""},
        {"object": "..."},
        {"object": 5},
        {"kind": "rumour"},
        {"scope": "club"},
        {"veracity": "perhaps"},
        {"confidence": 0},
        {"valid_from": "soon"},
        {"valid_from": "2026-03-02", "valid_to": "2026-03-01"},
        {"subject": "Ines", "object": "ines", "kind": "relation"},
        {"object": "x" * 3000},
        {"object": "a\x00b"},
    ],
)
def test_what_cannot_be_a_fact_is_refused_and_nothing_is_written(bank: Mnemopi, arguments: dict[str, object]) -> None:
    given: dict[str, object] = {"subject": "staging", "predicate": "port", "object": "5433"} | arguments
    with pytest.raises(UsageError):
        bank.facts.assert_(given.pop("subject"), given.pop("predicate"), given.pop("object"), **given)  # type: ignore[arg-type]
    assert bank.facts.list(include_ended=True) == []


def test_unusable_questions_are_errors(bank: Mnemopi) -> None:
    fact = bank.facts.assert_("staging", "port", "5433")
    for call in (
        lambda: bank.facts.list(kind="rumour"),
        lambda: bank.facts.list(limit=0),
        lambda: bank.facts.list(7),  # type: ignore[arg-type]
        lambda: bank.facts.get(7),  # type: ignore[arg-type]
        lambda: bank.facts.end(fact.id, "2020-01-01"),
    ):
        with pytest.raises(UsageError):
            call()
    with pytest.raises(NotFoundError):
        bank.facts.prefer("nobody")


def test_secrets_are_redacted_before_they_are_written(bank: Mnemopi) -> None:
    secret = "ghp_" + "a1B2c3D4" * 5
    fact = bank.facts.assert_("deploy", "token", f"is {secret}")
    assert secret not in fact.object


# -- where it comes from


def past(bank: Mnemopi, id: str) -> list[tuple[str, str | None]]:
    return [(event.verb, event.memory) for event in bank.history(id)]


def test_the_past_of_a_fact_names_the_memories_that_said_ended_and_superseded_it(
    bank: Mnemopi, clock: FixedClock
) -> None:
    first = bank.remember("The staging server listens on port 5432.")
    (fact,) = bank.facts.list()
    clock.advance(days=1)
    again = bank.remember("Well, the staging server listens on port 5432.")
    clock.advance(days=1)
    later = bank.remember("The staging server's port is now 5433.")
    assert past(bank, fact.id) == [("stated", first.id), ("stated", again.id), ("superseded", later.id)]
    clock.advance(days=1)
    bank.invalidate(again)
    assert past(bank, fact.id)[-1] == ("withdrawn", again.id)
    assert [event.verb for event in bank.facts.history(fact.id)] == ["stated", "stated", "superseded", "withdrawn"]


def test_an_end_that_a_memory_tells_stands_in_the_past_of_the_fact(bank: Mnemopi, clock: FixedClock) -> None:
    use = bank.remember("We use Redux.")
    (fact,) = bank.facts.list()
    clock.advance(days=1)
    end = bank.remember("We no longer use Redux.")
    assert past(bank, fact.id) == [("stated", use.id), ("ended", end.id)]


def test_a_contradiction_stands_in_the_past_of_both_sides(bank: Mnemopi) -> None:
    ids = [bank.remember(f"The staging server listens on port {port}.").id for port in (5432, 5433)]
    for fact in bank.facts.list():
        own = fact.sources[0].memory
        assert past(bank, fact.id) == [("stated" if id == own else "contradicted", id) for id in ids]


def test_a_fact_that_is_known_no_longer_has_its_past_still(bank: Mnemopi, clock: FixedClock) -> None:
    said = bank.remember("We use Redux.")
    (fact,) = bank.facts.list()
    clock.advance(days=1)
    bank.invalidate(said)
    assert bank.facts.get(fact.id) is None
    assert past(bank, fact.id) == [("stated", said.id), ("withdrawn", said.id)]
    bank.forget(said)
    with pytest.raises(NotFoundError):
        bank.history(fact.id)


# -- erased by name


def test_what_a_person_stated_is_erased_by_name_and_leaves_a_mark(bank: Mnemopi, clock: FixedClock) -> None:
    kept = bank.facts.assert_("staging", "port", "5432")
    clock.advance(days=1)
    fact = bank.facts.assert_("staging", "port", "5433")
    receipt = bank.facts.erase(fact.id, reason="wrong bank")
    assert (receipt.id, receipt.status, receipt.versions) == (fact.id, "erased", 1)
    assert [each.id for each in bank.facts.list(include_ended=True)] == [kept.id]
    assert bank.facts.list()[0].superseded_by is None
    assert [(event.verb, event.reason) for event in bank.facts.history(fact.id)][-1] == ("forgot", "wrong bank")
    assert bank.facts.get(fact.id, as_of=START + 2 * DAY) is None
    with pytest.raises(NotFoundError):
        bank.facts.erase(fact.id)


def test_ends_and_preferences_of_an_erased_fact_go_along(bank: Mnemopi, clock: FixedClock) -> None:
    fact = bank.facts.assert_("team", "uses", "Redis")
    clock.advance(days=1)
    bank.facts.end(fact.id)
    bank.facts.erase(fact.id)
    assert bank.facts.list(include_ended=True, known_at=START) == []
    assert [event.verb for event in bank.history(fact.id)] == ["asserted", "ended", "forgot"]


def test_a_fact_that_a_memory_states_is_not_erased_but_goes_with_it(bank: Mnemopi) -> None:
    said = bank.remember("The staging server listens on port 5432.")
    (fact,) = bank.facts.list()
    with pytest.raises(ConflictError) as caught:
        bank.facts.erase(fact.id)
    assert said.id in caught.value.hint
    bank.forget(said)
    assert bank.facts.list(include_ended=True) == []


def test_no_load_brings_an_erased_fact_back_unless_it_is_stated_anew(tmp_path: Path) -> None:
    with (
        Mnemopi(tmp_path / "one.db", no_embeddings=True) as one,
        Mnemopi(tmp_path / "two.db", no_embeddings=True) as two,
    ):
        fact = one.facts.assert_("vault", "port", "8200", valid_from="2026-01-01")
        one.export(tmp_path / "before.jsonl")
        one.facts.erase(fact.id)
        one.load(tmp_path / "before.jsonl")
        assert one.facts.list() == []
        assert one.facts.assert_("vault", "port", "8200", valid_from="2026-01-01").id == fact.id
        one.export(tmp_path / "after.jsonl")
        for _ in range(2):
            two.load(tmp_path / "after.jsonl")
            assert objects(two.facts.list()) == ["8200"]
            two.export(tmp_path / "again.jsonl")
            assert (tmp_path / "again.jsonl").read_text() == (tmp_path / "after.jsonl").read_text()


def test_a_fact_that_is_stated_again_arrives_where_its_mark_is_known_and_what_was_before_does_not(
    tmp_path: Path,
) -> None:
    clock = FixedClock()
    said: dict[str, Any] = {"subject": "gateway", "predicate": "owner", "object": "Ines", "valid_from": "2020-01-01"}
    here, there = (Mnemopi(tmp_path / name / "m.db", no_embeddings=True, clock=clock) for name in ("here", "there"))
    with here, there:
        fact = here.facts.assert_(**said)
        here.export(tmp_path / "before")
        clock.advance(seconds=1)
        here.facts.erase(fact.id)
        here.export(tmp_path / "erased")
        clock.advance(seconds=-10)  # the clock says nothing where the file has both
        here.facts.assert_(**said)
        here.export(tmp_path / "again")
        there.load(tmp_path / "erased")
        there.load(tmp_path / "before")
        assert there.facts.list() == []
        there.load(tmp_path / "again")
        there.load(tmp_path / "again")
        assert [each.object for each in there.facts.list()] == ["Ines"]


def test_what_another_bank_states_after_an_erasure_arrives(tmp_path: Path) -> None:
    clock = FixedClock()
    said: dict[str, Any] = {"subject": "gateway", "predicate": "owner", "object": "Ines", "valid_from": "2020-01-01"}
    here, there = (Mnemopi(tmp_path / name / "m.db", no_embeddings=True, clock=clock) for name in ("here", "there"))
    with here, there:
        there.facts.erase(there.facts.assert_(**said).id)
        clock.advance(seconds=1)
        here.facts.assert_(**said)
        here.export(tmp_path / "file")
        there.load(tmp_path / "file")
        assert [each.object for each in there.facts.list()] == ["Ines"]


def test_a_mark_from_elsewhere_neither_erases_a_fact_nor_keeps_it_from_travelling_on(tmp_path: Path) -> None:
    banks = [Mnemopi(tmp_path / f"{name}.db", no_embeddings=True) for name in ("one", "two", "three")]
    one, two, three = banks
    for bank in (one, two):
        fact = bank.facts.assert_("vault", "port", "8200", valid_from="2026-01-01")
    one.facts.erase(fact.id)
    one.export(tmp_path / "one.jsonl")
    two.load(tmp_path / "one.jsonl")
    assert objects(two.facts.list()) == ["8200"]
    two.export(tmp_path / "two.jsonl")
    three.load(tmp_path / "two.jsonl")
    assert objects(three.facts.list()) == ["8200"]
    for bank in banks:
        bank.close()


def test_a_restore_erases_what_was_erased_since_the_backup(tmp_path: Path) -> None:
    with Mnemopi(tmp_path / "m.db", no_embeddings=True) as memory:
        fact = memory.facts.assert_("vault", "token_place", "zyzzyva drawer")
        copy = memory.backup()
        receipt = memory.facts.erase(fact.id)
        assert (receipt.status, receipt.held_by) == ("pending", (copy.path.name,))
        restored = memory.restore(copy.path)
        assert restored.forgotten == 1
        assert memory.facts.list(include_ended=True) == []
    assert b"zyzzyva" not in (tmp_path / "m.db").read_bytes()


def test_a_restore_erases_a_fact_that_was_stated_again_and_erased_again(tmp_path: Path) -> None:
    clock = FixedClock()
    with Mnemopi(tmp_path / "m.db", no_embeddings=True, clock=clock) as memory:
        memory.facts.erase(memory.facts.assert_("vault", "port", "8200").id)
        again = memory.facts.assert_("vault", "port", "8200")
        copy = memory.backup()
        clock.advance(ms=1)
        memory.facts.erase(again.id)
        assert memory.restore(copy.path).forgotten == 1
    with Mnemopi(tmp_path / "m.db", no_embeddings=True, clock=clock) as memory:
        assert memory.facts.list(include_ended=True) == []


def test_an_erased_fact_leaves_no_byte_in_the_file(tmp_path: Path) -> None:
    with Mnemopi(tmp_path / "m.db", no_embeddings=True) as memory:
        fact = memory.facts.assert_("vault", "token_place", "zyzzyva drawer")
        assert memory.facts.erase(fact.id).status == "erased"
    assert b"zyzzyva" not in (tmp_path / "m.db").read_bytes()
