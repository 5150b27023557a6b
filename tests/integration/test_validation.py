"""A person's word on a memory, and what rests on memories that nobody should build on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from mnemopi.engine import Mnemopi
from mnemopi.errors import ConflictError, NotFoundError, UsageError
from mnemopi.model.doubt import UNTRUSTED
from mnemopi.model.memory import Erasure
from mnemopi.testing import FixedClock


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock()


@pytest.fixture
def memory(clock: FixedClock) -> Iterator[Mnemopi]:
    with Mnemopi(":memory:", no_embeddings=True, clock=clock, config={"write.timezone": "UTC"}) as opened:
        yield opened


def truth(memory: Mnemopi, id: str) -> tuple[str, str]:
    found = memory.get(id)
    assert found is not None
    return found.veracity, found.trust_tier


def told(memory: Mnemopi, id: str) -> tuple[str, str | None, str | None]:
    event = memory.history(id)[-1]
    return event.verb, event.actor, event.reason


# -- validate


@pytest.mark.parametrize("label", ["unknown", "inferred", "imported", "tool", "contested", "false"])
def test_what_was_not_believed_is_as_good_as_stated_once_it_is_attested(memory: Mnemopi, label: str) -> None:
    id = memory.remember("the port is 5432", veracity=label, source="tool")
    memory.validate(id, "attest", validator="mara", reason="looked at the host")
    assert truth(memory, id) == ("stated", "STATED")
    assert told(memory, id) == ("attested", "mara", "looked at the host")


@pytest.mark.parametrize("label", ["stated", "likely_true", "true"])
def test_what_was_believed_is_true_once_it_is_attested(memory: Mnemopi, label: str) -> None:
    id = memory.remember("the port is 5432", veracity=label)
    assert memory.validate(id, "attest", validator="mara").outcome == "attested"
    assert truth(memory, id) == ("true", "STATED")


def test_a_second_voucher_is_kept_though_nothing_is_left_to_raise(memory: Mnemopi) -> None:
    id = memory.remember("the port is 5432", veracity="true")
    version = memory.validate(id, "attest", validator="mara").version
    assert memory.validate(id, "attest", validator="jun").version == version
    assert [event.actor for event in memory.history(id) if event.verb == "attested"] == ["mara", "jun"]


def test_an_attested_memory_is_trusted_more(memory: Mnemopi) -> None:
    id = memory.remember("the anchor is rusty", source="tool", veracity="tool")
    (before,) = memory.recall("anchor rusty")
    memory.validate(id, "attest", validator="mara")
    (after,) = memory.recall("anchor rusty")
    assert after.explanation.terms.get("trust", 0) > before.explanation.terms["trust"]


def test_a_correction_is_made_in_the_name_of_the_validator(memory: Mnemopi) -> None:
    id = memory.remember("the port is 5432", author_id="jun")
    memory.validate(id, "update", validator="mara", reason="looked", content="the port is 5433")
    found = memory.get(id)
    assert found is not None and (found.content, found.author_id) == ("the port is 5433", "jun")
    assert told(memory, id) == ("updated", "mara", "looked")


def test_a_correction_goes_through_the_write_gate(memory: Mnemopi) -> None:
    id = memory.remember("the token is lost")
    secret = "ghp_" + "a1B2c3D4e5f6G7h8I9j0" * 2
    receipt = memory.validate(id, "update", validator="mara", content=f"the token is {secret[:40]}")
    assert isinstance(receipt.redacted, dict) and sum(receipt.redacted.values()) == 1
    found = memory.get(id)
    assert found is not None and secret[:40] not in found.content


def test_what_a_validator_invalidates_is_not_found_any_more(memory: Mnemopi) -> None:
    id = memory.remember("the port is 5432")
    memory.validate(id, "invalidate", validator="mara", reason="decommissioned")
    assert list(memory.recall("port")) == []
    assert told(memory, id) == ("invalidated", "mara", "decommissioned")


def test_what_a_validator_deletes_is_erased_and_the_journal_says_by_whom(memory: Mnemopi) -> None:
    id = memory.remember("the port is 5432")
    done = memory.validate(id, "delete", validator="mara", reason="asked to")
    assert isinstance(done, Erasure) and memory.get(id) is None
    assert told(memory, id) == ("forgot", "mara", "asked to")


def test_an_attested_source_makes_its_facts_better_believed(memory: Mnemopi) -> None:
    id = memory.remember("My name is Mara.", author_id="mara", author_type="user", veracity="contested")
    (before,) = memory.facts.list()
    memory.validate(id, "attest", validator="jun")
    (after,) = memory.facts.list()
    assert after.id == before.id and after.belief > before.belief
    assert (before.veracity, after.veracity) == ("contested", "stated")
    assert {source.memory for source in after.sources} == {id}


BAD: list[tuple[dict[str, Any], str]] = [
    ({"action": "approve"}, "unknown action"),
    ({"action": None}, "unknown action"),
    ({"validator": ""}, "validator"),
    ({"validator": None}, "validator"),
    ({"validator": "x" * 300}, "validator"),
    ({"action": "update"}, "content goes with"),
    ({"action": "attest", "content": "new"}, "content goes with"),
    ({"action": "update", "content": "   "}, "content is empty"),
    ({"reason": "ghp_" + "a1B2c3D4e5f6G7h8I9j0" * 2}, "secret"),
]


@pytest.mark.parametrize(("changes", "words"), BAD)
def test_a_verdict_that_makes_no_sense_changes_nothing(memory: Mnemopi, changes: dict[str, Any], words: str) -> None:
    id = memory.remember("the port is 5432")
    asked: dict[str, Any] = {"action": "attest", "validator": "mara"} | changes
    with pytest.raises(UsageError, match=words):
        memory.validate(id, **asked)
    assert len(memory.history(id)) == 1


@pytest.mark.parametrize("action", ["attest", "invalidate", "delete"])
def test_what_is_not_there_or_not_to_be_seen_cannot_be_judged(memory: Mnemopi, action: str) -> None:
    id = memory.acting_as(session_id="a").remember("mine", scope="session")
    for missing in (id, "0" * 16):
        with pytest.raises(NotFoundError):
            memory.validate(missing, action, validator="mara")


def test_a_fact_is_judged_by_ending_or_preferring_it(memory: Mnemopi) -> None:
    fact = memory.facts.assert_("staging", "port", "5433")
    with pytest.raises(ConflictError, match="is a fact"):
        memory.validate(fact.id, "attest", validator="mara")


# -- contaminated


def episode(memory: Mnemopi, *ids: str) -> str:
    return str(memory.consolidate(ids, "The harbour is closed in winter, and the crane stands on pier nine."))


def three(memory: Mnemopi, **options: Any) -> list[str]:
    memory.remember("The crane stands on pier nine", **options)
    return [
        str(memory.remember("The harbour is closed in winter", veracity="stated")),
        str(memory.remember("The crane stands on pier nine")),
        str(memory.remember("The pilot boards at nine", veracity="stated")),
    ]


@pytest.mark.parametrize("label", sorted({*UNTRUSTED} - {"false"}))
def test_an_episode_on_an_untrusted_source_is_contaminated_and_says_by_which(memory: Mnemopi, label: str) -> None:
    sound, weak, other = three(memory, veracity=label)
    made = episode(memory, sound, weak, other)
    (found,) = memory.contaminated()
    assert (found.id, found.kind) == (made, "episode")
    assert [(doubt.source, doubt.why) for doubt in found.doubts] == [(weak, label)]


def test_an_episode_on_sound_sources_is_not(memory: Mnemopi) -> None:
    episode(memory, *three(memory, veracity="stated"))
    assert memory.contaminated() == []


def test_a_fact_from_a_weak_source_is_contaminated_until_the_source_is_attested(memory: Mnemopi) -> None:
    id = memory.remember("My name is Mara.", author_id="mara", author_type="user", veracity="contested", importance=0.8)
    (found,) = memory.contaminated()
    assert (found.kind, found.importance) == ("fact", 0.8)
    assert [(doubt.source, doubt.why) for doubt in found.doubts] == [(id, "contested")]
    assert "Mara" in found.content
    memory.validate(id, "attest", validator="jun")
    assert memory.contaminated() == []


def test_a_fact_whose_source_ran_out_is_contaminated(memory: Mnemopi, clock: FixedClock) -> None:
    id = memory.remember("My name is Mara.", author_id="mara", author_type="user", valid_until=clock() + 1000)
    assert memory.contaminated() == []
    clock.advance(hours=1)
    assert [(doubt.source, doubt.why) for each in memory.contaminated() for doubt in each.doubts] == [(id, "invalid")]


def test_a_fact_that_was_stated_directly_is_as_weak_as_its_statement(memory: Mnemopi) -> None:
    memory.facts.assert_("staging", "port", "5433", veracity="tool")
    memory.facts.assert_("staging", "owner", "Mara")
    (found,) = memory.contaminated()
    assert "5433" in found.content
    assert [(doubt.source, doubt.why) for doubt in found.doubts] == [(None, "tool")]
    assert found.as_dict()["doubts"] == [{"source": None, "why": "tool"}]


def test_the_most_important_comes_first_and_the_limits_hold(memory: Mnemopi) -> None:
    for name, importance in (("Ada", 0.2), ("Bea", 0.9), ("Cleo", 0.5)):
        memory.remember(
            f"My name is {name}.", author_id=name, author_type="user", veracity="inferred", importance=importance
        )
    assert [each.importance for each in memory.contaminated()] == [0.9, 0.5, 0.2]
    assert [each.importance for each in memory.contaminated(1)] == [0.9]
    assert [each.importance for each in memory.contaminated(min_importance=0.5)] == [0.9, 0.5]


@pytest.mark.parametrize("limit", [0, -1, True, "5", 1.5])
def test_a_limit_is_a_whole_number_from_1(memory: Mnemopi, limit: Any) -> None:
    with pytest.raises(UsageError, match="limit"):
        memory.contaminated(limit)


def test_nobody_is_told_of_what_they_may_not_see(memory: Mnemopi) -> None:
    own = memory.acting_as(session_id="a")
    own.facts.assert_("staging", "port", "5433", veracity="tool", scope="session")
    assert len(own.contaminated()) == 1
    assert memory.acting_as(session_id="b").contaminated() == []


# -- pins


def test_a_pinned_memory_comes_first_in_every_context_until_it_is_unpinned(memory: Mnemopi) -> None:
    memory.remember("The harbour is closed in winter", importance=1.0)
    id = memory.remember("Answer in German")
    assert memory.pin(id).outcome == "updated"
    assert memory.pin(id).outcome == "unchanged"
    for block in (memory.context("harbour"), memory.context()):
        assert 0 < block.index("German") < block.index("harbour")
    memory.unpin(id)
    assert "German" not in memory.context("harbour")
