"""Facts in recall: notes on the memories that say them, marks on what is stale, and places of their own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from mnemopi import Mnemopi
from mnemopi.errors import UsageError
from mnemopi.model.hit import Hit
from mnemopi.testing import FixedClock

START = 1_772_323_200_000
"""2026-03-01T00:00Z."""
OLD = "The staging database listens on port 5432, and people call the staging database port the port of the database."
NEW = "The staging database's port is now 5433."


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock(START)


@pytest.fixture
def bank(clock: FixedClock) -> Iterator[Mnemopi]:
    with Mnemopi(":memory:", no_embeddings=True, clock=clock, config={"write.timezone": "UTC"}) as opened:
        yield opened


@pytest.fixture
def ids(bank: Mnemopi, clock: FixedClock) -> tuple[str, str]:
    old = bank.remember(OLD)
    clock.advance(days=1)
    new = bank.remember(NEW)
    clock.advance(days=1)
    return old.id, new.id


def notes(hit: Hit) -> str:
    return " | ".join(hit.explanation.notes)


def test_a_memory_says_what_it_states_and_how_that_stands(bank: Mnemopi, ids: tuple[str, str]) -> None:
    hits = {hit.id: hit for hit in bank.recall("staging database port")}
    assert "states: staging database port 5433 (in force)" in notes(hits[ids[1]])
    assert "states: staging database port 5432 (superseded by staging database port 5433)" in notes(hits[ids[0]])
    assert all(hit.fact is None for hit in hits.values())


def test_for_what_holds_now_the_memory_in_force_leads_and_the_stale_one_is_marked(
    bank: Mnemopi, ids: tuple[str, str]
) -> None:
    first, second = bank.recall("which port does the staging database listen on now?")
    assert (first.id, second.id) == (ids[1], ids[0])
    assert f"stale: superseded by {ids[1]}" in second.explanation.notes
    assert "stale" not in notes(first)


@pytest.mark.parametrize(
    ("before", "after", "question", "note"),
    [
        ("I live in Berlin.", "I moved to Paris.", "where do I live?", "location Berlin"),
        ("My favourite colour is blue.", "My favourite colour is green.", "what is my favourite colour?", "color"),
        ("我住在上海。", "我搬到了北京。", "我住在哪里？", "location 上海"),
    ],
)
def test_what_was_superseded_is_marked_though_the_question_has_other_words_than_the_fact(
    bank: Mnemopi, clock: FixedClock, before: str, after: str, question: str, note: str
) -> None:
    old = bank.remember(before)
    clock.advance(days=1)
    bank.remember(after)
    clock.advance(days=1)
    hit = next(hit for hit in bank.recall(question) if hit.id == old.id)
    assert note in notes(hit) and "(superseded by " in notes(hit)
    assert "(superseded by " in bank.context(question, min_score=0)


def test_what_was_superseded_is_stale_where_the_present_is_asked_about_in_other_words(
    bank: Mnemopi, clock: FixedClock
) -> None:
    old, both = (
        bank.remember("I live in Berlin."),
        bank.remember("I live in Rome and I use Vim.", timestamp="2026-02-01"),
    )
    clock.advance(days=1)
    new = bank.remember("I moved to Paris.")
    clock.advance(days=1)
    hits = {hit.id: notes(hit) for hit in bank.recall("where do I live now?")}
    assert f"stale: superseded by {new.id}" in hits[old.id]
    assert "location Rome (superseded by " in hits[both.id] and "stale" not in hits[both.id]


def test_of_all_that_a_memory_states_what_has_fallen_is_told_first(bank: Mnemopi, clock: FixedClock) -> None:
    bank.remember("My name is Mara. I use Vim. I like tea. I work at Northwind. I live in Berlin.")
    clock.advance(days=1)
    bank.remember("I moved to Paris.")
    (hit,) = bank.recall("where do I live?")
    assert hit.explanation.notes[0] == "states: user location Berlin (superseded by user location Paris)"


def test_what_others_may_not_see_supersedes_nothing_for_them(bank: Mnemopi, clock: FixedClock) -> None:
    bank.remember("I live in Berlin.")
    clock.advance(days=1)
    bank.acting_as(session_id="one").remember("I moved to Paris.", scope="session")
    (hit,) = bank.acting_as(session_id="two").recall("where do I live?")
    assert notes(hit) == "states: user location Berlin (in force)"


def test_as_of_then_the_former_fact_was_in_force(bank: Mnemopi, ids: tuple[str, str]) -> None:
    (hit,) = bank.recall("staging database port", as_of=START + 1000)
    assert hit.id == ids[0]
    assert "states: staging database port 5432 (in force)" in notes(hit)


def test_a_contradiction_is_told(bank: Mnemopi) -> None:
    bank.remember("The staging database listens on port 5432.", timestamp="2026-01-01")
    bank.remember("The port of the staging database is 5433.", timestamp="2026-01-01")
    told = [notes(hit) for hit in bank.recall("staging database port")]
    assert len(told) == 2
    assert all("(contested)" in note for note in told)


def test_what_a_person_stated_is_found_though_no_memory_says_it(bank: Mnemopi) -> None:
    fact = bank.facts.assert_("reviewer", "name", "Ines Costa")
    (hit,) = bank.recall("who is the reviewer?")
    assert (hit.id, hit.kind, hit.memory.kind) == (fact.id, "fact", "fact")
    assert hit.content == "reviewer name Ines Costa (since 2026-03-01)"
    assert hit.fact == fact
    told = hit.as_dict()
    assert told["fact"]["object"] == "Ines Costa"
    assert told["sources"] == []
    assert "Ines Costa" in bank.context("who is the reviewer?", min_score=0)


def test_an_ended_fact_is_not_found(bank: Mnemopi, clock: FixedClock) -> None:
    fact = bank.facts.assert_("reviewer", "name", "Ines Costa")
    clock.advance(days=1)
    bank.facts.end(fact.id)
    clock.advance(days=1)
    assert len(bank.recall("who is the reviewer?")) == 0
    assert [hit.id for hit in bank.recall("who is the reviewer?", as_of=START + 1)] == [fact.id]


def test_with_the_profile_of_facts_they_stand_on_their_own(bank: Mnemopi, ids: tuple[str, str]) -> None:
    hits = bank.recall("staging database port", profile="facts")
    (fact,) = [hit for hit in hits if hit.kind == "fact"]
    assert fact.content.startswith("staging database port 5433")
    assert [source["memory"] for source in fact.as_dict()["sources"]] == [ids[1]]
    assert [source.memory for source in fact.sources] == [ids[1]]
    assert all(hit.sources == () for hit in hits if hit.kind != "fact")
    assert "fact" in hits.retrievers


def test_where_every_retriever_runs_a_fact_takes_a_place_only_without_its_sources(
    bank: Mnemopi, ids: tuple[str, str]
) -> None:
    assert {hit.kind for hit in bank.recall("staging database port", profile="polyphonic")} == {"note"}
    alone = bank.recall("staging database port", profile="polyphonic", quotas={"note": 0})
    assert [hit.kind for hit in alone] == ["fact"]


def test_only_facts_are_found_where_only_facts_are_asked_for(bank: Mnemopi, ids: tuple[str, str]) -> None:
    hits = bank.recall("staging database port", kind="fact")
    assert [hit.content for hit in hits] == ["staging database port 5433 (since 2026-03-02)"]


def test_a_quota_of_no_facts_keeps_them_out(bank: Mnemopi) -> None:
    bank.facts.assert_("reviewer", "name", "Ines Costa")
    assert len(bank.recall("who is the reviewer?", quotas={"fact": 0})) == 0
    with pytest.raises(UsageError):
        bank.recall("who is the reviewer?", quotas={"rumour": 0})


def test_a_fact_that_others_may_not_see_marks_nothing_for_them(bank: Mnemopi) -> None:
    bank.remember("The staging database is dear to us, it has a port.")
    bank.acting_as(session_id="one").facts.assert_("staging database", "port", "5433", scope="session")
    (hit,) = bank.acting_as(session_id="two").recall("staging database port")
    assert hit.kind == "note"


def test_facts_may_be_left_out_by_a_setting() -> None:
    with Mnemopi(":memory:", no_embeddings=True, config={"recall.fact": False}) as bank:
        bank.facts.assert_("reviewer", "name", "Ines Costa")
        assert len(bank.recall("who is the reviewer?")) == 0
        assert "fact" not in bank.recall("who is the reviewer?").retrievers
