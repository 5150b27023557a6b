"""What is no longer so is not found unless asked for, and what was so then is found as of then."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from mnemopi import Mnemopi
from mnemopi.testing import FixedClock

START = 1_772_323_200_000
"""2026-03-01T00:00Z."""


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock(START)


@pytest.fixture
def bank(clock: FixedClock) -> Iterator[Mnemopi]:
    with Mnemopi(":memory:", no_embeddings=True, clock=clock, config={"write.timezone": "UTC"}) as opened:
        yield opened


def found(bank: Mnemopi, question: str, **options: object) -> list[str]:
    return [hit.memory.content for hit in bank.recall(question, 20, **options)]


def test_an_expired_memory_is_found_until_its_end_and_not_after(bank: Mnemopi, clock: FixedClock) -> None:
    bank.remember("the door code is 4711", valid_until=START + 86_400_000)
    assert found(bank, "door code") == ["the door code is 4711"]
    clock.advance(days=1)
    assert found(bank, "door code") == []
    assert found(bank, "door code", include_invalid=True) == ["the door code is 4711"]
    assert found(bank, "door code", as_of=START + 1000) == ["the door code is 4711"]
    assert found(bank, "door code", as_of=START + 86_400_000) == []


def test_a_bare_date_of_validity_is_included_to_its_end(bank: Mnemopi, clock: FixedClock) -> None:
    bank.remember("the offer holds", valid_until="2026-03-01")
    clock.advance(hours=23)
    assert found(bank, "offer") == ["the offer holds"]
    clock.advance(hours=1)
    assert found(bank, "offer") == []


def test_an_invalidated_memory_is_hidden_and_comes_back_as_of_before(bank: Mnemopi, clock: FixedClock) -> None:
    id = bank.remember("the server is called atlas")
    clock.advance(days=2)
    bank.invalidate(id)
    clock.advance(days=2)
    assert found(bank, "server") == []
    assert found(bank, "server", as_of="2026-03-02") == ["the server is called atlas"]
    assert found(bank, "server", as_of="2026-03-04") == []
    hit = bank.recall("server", include_invalid=True)[0]
    assert "no longer valid" in hit.explanation.notes


def test_a_superseded_memory_gives_way_to_its_replacement(bank: Mnemopi, clock: FixedClock) -> None:
    old = bank.remember("we deploy from the main branch")
    clock.advance(days=1)
    new = bank.remember("we deploy from the release branch")
    bank.invalidate(old, new)
    assert found(bank, "which branch do we deploy from") == ["we deploy from the release branch"]
    both = bank.recall("which branch do we deploy from", include_invalid=True)
    assert {hit.id for hit in both} == {old.id, new.id}
    stale = next(hit for hit in both if hit.id == old.id)
    assert stale.superseded_by == new.id
    assert f"superseded by {new.id}" in stale.explanation.notes


def test_what_is_known_to_be_false_is_found_only_when_asked_for(bank: Mnemopi) -> None:
    bank.remember("the moon is made of cheese", veracity="false")
    bank.remember("the moon is made of rock", veracity="true")
    assert found(bank, "what is the moon made of") == ["the moon is made of rock"]
    assert found(bank, "what is the moon made of", include_invalid=True) == ["the moon is made of rock"]
    assert found(bank, "what is the moon made of", veracity="false") == ["the moon is made of cheese"]
    assert found(bank, "what is the moon made of", veracity=False) == ["the moon is made of cheese"]


def test_as_of_shows_the_text_of_then(bank: Mnemopi, clock: FixedClock) -> None:
    id = bank.remember("the limit is ten megabytes")
    clock.advance(days=5)
    bank.update(id, "the limit is fifty megabytes")
    assert found(bank, "what is the limit") == ["the limit is fifty megabytes"]
    hits = bank.recall("what is the limit", as_of="2026-03-03")
    assert [hit.content for hit in hits] == ["the limit is ten megabytes"]
    assert hits[0].version == 1
    assert "a later version exists" in hits[0].explanation.notes


def test_as_of_does_not_know_what_was_recorded_later(bank: Mnemopi, clock: FixedClock) -> None:
    clock.advance(days=10)
    bank.remember("the party was on the first of March", timestamp="2026-03-01")
    assert found(bank, "party", as_of="2026-03-05") == []
    assert found(bank, "party", as_of="2026-03-20") == ["the party was on the first of March"]


def test_a_forgotten_memory_is_not_found_even_as_of_before(bank: Mnemopi, clock: FixedClock) -> None:
    id = bank.remember("the secret garden")
    clock.advance(days=1)
    bank.forget(id)
    assert found(bank, "garden", include_invalid=True) == []
    assert found(bank, "garden", as_of="2026-03-01") == []


def test_a_stated_again_memory_is_found_again(bank: Mnemopi, clock: FixedClock) -> None:
    bank.invalidate(bank.remember("the printer works"))
    clock.advance(days=1)
    assert bank.remember("the printer works").outcome == "revived"
    assert found(bank, "printer") == ["the printer works"]


def test_what_is_live_carries_no_note(bank: Mnemopi) -> None:
    bank.remember("the printer works")
    assert bank.recall("printer")[0].explanation.notes == ()


def test_a_neighbour_that_is_no_longer_so_lends_no_evidence(bank: Mnemopi) -> None:
    hidden = bank.remember("about the zeppelin hangar", session_id="s", position=0)
    bank.remember("yes, that one", session_id="s", position=1)
    assert found(bank, "zeppelin hangar") == ["about the zeppelin hangar", "yes, that one"]
    bank.invalidate(hidden)
    assert found(bank, "zeppelin hangar") == []


def test_what_a_later_memory_may_have_replaced_says_so_where_the_present_is_asked_about(
    bank: Mnemopi, clock: FixedClock
) -> None:
    bank.remember("let's set the billing timeout to 45 s for a start")
    bank.remember("let's set the mail timeout to 45 s for a start")
    clock.advance(days=30)
    later = bank.remember("ok, the billing timeout is 90 s from today on")
    noted = {
        hit.memory.content: [note for note in hit.explanation.notes if "superseded" in note]
        for hit in bank.recall("What is the billing timeout now?")
    }
    assert noted["let's set the billing timeout to 45 s for a start"] == [f"doubtful: may be superseded by {later}"]
    assert not any(notes for text, notes in noted.items() if "45 s" not in text or "mail" in text)
    assert not any("superseded" in str(hit.explanation.notes) for hit in bank.recall("billing timeout"))


def test_what_may_be_about_something_else_says_which_words_of_the_question_are_unknown(bank: Mnemopi) -> None:
    for service in ("billing", "search", "login"):
        bank.remember(f"The port of the {service} service is 8080.")
        bank.remember(f"The owner of the {service} service is Mira.")
    asked = "What is the port of the upload service?"
    assert {hit.explanation.notes[-1] for hit in bank.recall(asked)} == {'unknown here: "upload"'}
    block = bank.context(asked)
    assert block.count('unknown here: "upload"') == block.count("\n- ") > 0
    assert "unknown" not in bank.context("What is the port of the billing service?")


def test_a_date_that_no_text_says_costs_no_belief(bank: Mnemopi) -> None:
    bank.remember("Mira deployed the billing gateway to Frankfurt", timestamp="2026-02-27T10:00Z")
    for number in range(20):
        bank.remember(f"Lunch number {number} was soup", timestamp="2026-02-20T10:00Z")
    plain = bank.recall("Who deployed the billing gateway?")[0]
    for when in ("on 27 February 2026", "last Friday", "in February 2026"):
        dated = bank.recall(f"Who deployed the billing gateway {when}?")[0]
        assert dated.id == plain.id
        assert dated.score >= plain.score
        assert not any("unknown" in note for note in dated.explanation.notes)


def test_what_is_said_of_somebody_comes_before_what_they_said_of_others(bank: Mnemopi) -> None:
    bank.remember("Jun's dentist is Dr Lee", author_id="mira")
    bank.remember("The dentist of Ann is Dr Wu", author_id="mira")
    bank.remember("Mira's dentist is Dr Kim", author_id="jun")
    assert found(bank, "Who is Mira's dentist?")[0] == "Mira's dentist is Dr Kim"


def test_a_word_that_is_part_of_an_authors_id_is_still_a_word(bank: Mnemopi) -> None:
    bank.remember("The deploy failed because of the disk", author_id="build-bot")
    bank.remember("The build failed because of the cache", author_id="ann")
    hits = bank.recall("why did the build fail?")
    assert hits[0].memory.content.startswith("The build")
    assert hits[0].score > hits[1].score


def test_neither_a_date_nor_a_word_of_a_long_prompt_is_called_unknown(bank: Mnemopi) -> None:
    bank.remember("Mira had soup in the harbour.")
    for asked in ("Who rented the harbour hall yesterday?", "I saw the harbour. Who rented its hall? We want to go."):
        told = [note for hit in bank.recall(asked) for note in hit.explanation.notes]
        assert "yesterday" not in str(told)
    assert not told


def test_how_a_question_is_framed_changes_neither_belief_nor_order(bank: Mnemopi) -> None:
    for number in range(5):
        bank.remember(f"The lunch of day {number} was soup, do remember that.")
    bank.remember("The staging database listens on port 5433.")
    plain = bank.recall("which port the staging database listens on?")
    for frame in ("Find out {}", "Do you remember {}", "Can you please tell me {}", "I was wondering {}"):
        framed = bank.recall(frame.format("which port the staging database listens on?"))
        assert [(hit.id, hit.score) for hit in framed] == [(hit.id, hit.score) for hit in plain]
        assert framed[0].explanation.notes == plain[0].explanation.notes
    assert framed.query == "I was wondering which port the staging database listens on?"
