"""Filters are part of the search: they narrow, never starve, and never widen what may be seen."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mnemopi import Mnemopi
from mnemopi.testing import FixedClock, HashingEmbedder

CROWD = 500

NARROW: dict[str, tuple[dict[str, Any], dict[str, Any], dict[str, Any]]] = {
    "session": ({"session_id": "mine"}, {"session_id": "theirs"}, {"session_id": "mine"}),
    "author": ({"author_id": "ann"}, {"author_id": "bob"}, {"author_id": "ann"}),
    "author type": ({"author_type": "human"}, {"author_type": "agent"}, {"author_type": "human"}),
    "channel": ({"channel_id": "c1"}, {"channel_id": "c2"}, {"channel_id": "c1"}),
    "source": ({"source": "web"}, {"source": "conversation"}, {"source": "web"}),
    "scope": ({"scope": "global"}, {"scope": "bank"}, {"scope": "global"}),
    "veracity": ({"veracity": "tool"}, {"veracity": "stated"}, {"veracity": "tool"}),
    "kind": ({}, {"session_id": "theirs"}, {"kind": "note"}),
    "memory type": ({"memory_type": "fact"}, {"memory_type": "plan"}, {"memory_type": "fact"}),
    "time": (
        {"timestamp": "2026-01-05"},
        {"timestamp": "2026-02-05"},
        {"from_date": "2026-01-01", "to_date": "2026-01-31"},
    ),
}
"""By filter: what marks three own rows, what marks the crowd, and the option that asks for the own ones."""


@pytest.fixture(params=["words only", "with vectors"])
def bank(request: pytest.FixtureRequest) -> Iterator[Mnemopi]:
    given: dict[str, Any] = {"no_embeddings": True}
    if request.param == "with vectors":
        given = {"embeddings": HashingEmbedder(64)}
    config = {"write.timezone": "UTC", "write.settle": "inline"}
    with Mnemopi(":memory:", clock=FixedClock(), config=config, **given) as opened:
        yield opened


@pytest.mark.parametrize("name", NARROW)
def test_a_crowd_of_better_matches_does_not_starve_three_own_rows(bank: Mnemopi, name: str) -> None:
    own, others, asked = NARROW[name]
    bank.remember_many([{"content": f"deploy key, deploy key {n}", **others} for n in range(CROWD)])
    mine = bank.remember_many(
        [{"content": f"a long note on how we once lost the deploy key {n}", **own} for n in "abc"]
    )
    assert {hit.id for hit in bank.recall("deploy key", 10, **asked)} == {receipt.id for receipt in mine}


@pytest.mark.parametrize("name", NARROW)
def test_vectors_alone_find_three_own_rows_in_a_crowd(name: str) -> None:
    own, others, asked = NARROW[name]
    config = {"write.timezone": "UTC", "write.settle": "inline"}
    with Mnemopi(":memory:", clock=FixedClock(), config=config, embeddings=HashingEmbedder(64)) as bank:
        bank.remember_many([{"content": f"deploy key, deploy key {n}", **others} for n in range(CROWD)])
        mine = bank.remember_many([{"content": f"on losing the key when deploying {n}", **own} for n in "abc"])
        hits = bank.recall("deploy key", 10, retrievers=["dense"], **asked)
    assert {hit.id for hit in hits} == {receipt.id for receipt in mine}
    assert hits.retrievers == ("dense",)


def test_what_others_may_not_see_does_not_starve_what_they_may(bank: Mnemopi) -> None:
    hidden = [
        {"content": f"deploy key, deploy key {n}", "scope": "session", "session_id": "private"} for n in range(CROWD)
    ]
    bank.remember_many(hidden)
    seen = bank.remember("a long note on how we once lost the deploy key")
    assert [hit.id for hit in bank.recall("deploy key", 10)] == [seen.id]


def test_a_filter_never_shows_what_the_caller_may_not_see(bank: Mnemopi) -> None:
    bank.remember("the deploy key is blue", scope="session", session_id="private", author_id="ann")
    for asked in ({"session_id": "private"}, {"scope": "session"}, {"author_id": "ann"}, {"include_invalid": True}):
        assert len(bank.recall("deploy key", **asked)) == 0
    inside = bank.acting_as(session_id="private")
    assert len(inside.recall("deploy key")) == 1


def test_a_channel_sees_its_own(bank: Mnemopi) -> None:
    bank.remember("the deploy key is blue", scope="channel", channel_id="ops")
    assert len(bank.recall("deploy key")) == 0
    assert len(bank.acting_as(channel_id="ops").recall("deploy key")) == 1


def test_a_custom_scope_is_seen_by_its_members(bank: Mnemopi) -> None:
    member = bank.acting_as(scopes=("team-red",))
    member.remember("the deploy key is blue", scope="team-red")
    assert len(bank.recall("deploy key")) == 0
    assert len(member.recall("deploy key")) == 1


def test_a_tier_that_nothing_has_finds_nothing(bank: Mnemopi) -> None:
    bank.remember("the deploy key is blue")
    assert len(bank.recall("deploy key", tier="working")) == 1
    assert len(bank.recall("deploy key", tier="episodic")) == 0


def test_a_neighbour_that_the_filter_leaves_out_is_no_hit(bank: Mnemopi) -> None:
    bank.remember("who has the deploy key?", session_id="s", author_id="ann")
    bank.remember("it is with me", session_id="s", author_id="bob")
    found = [hit.content for hit in bank.recall("deploy key", 10, author_id="ann")]
    assert found == ["who has the deploy key?"]


FIELDS = {
    "session_id": st.sampled_from(["s1", "s2"]),
    "author_id": st.sampled_from(["ann", "bob"]),
    "channel_id": st.sampled_from(["c1", "c2"]),
    "source": st.sampled_from(["web", "conversation"]),
    "veracity": st.sampled_from(["stated", "tool", "false"]),
}
TEXTS = st.sampled_from(["red key", "blue key", "the key of the red door", "red", "茶 key", "door"])


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    rows=st.lists(st.fixed_dictionaries({"content": TEXTS, **FIELDS}), min_size=1, max_size=12),
    asked=st.fixed_dictionaries({}, optional=FIELDS),
    question=st.sampled_from(["red key", "door", "茶", "what is the key"]),
)
def test_a_filter_gives_what_it_admits_of_the_same_question(
    rows: list[dict[str, str]], asked: dict[str, str], question: str
) -> None:
    with Mnemopi(":memory:", no_embeddings=True, clock=FixedClock(), config={"write.timezone": "UTC"}) as bank:
        receipts = bank.remember_many(rows)
        by_id = {receipt.id: row for receipt, row in zip(receipts, rows, strict=True)}
        admitted = {
            id
            for id, row in by_id.items()
            if all(row[name] == value for name, value in asked.items())
            and (row["veracity"] != "false" or asked.get("veracity") == "false")
        }
        found = {hit.id for hit in bank.recall(question, 50, **asked)}
        live = {hit.id for hit in bank.recall(question, 50)}
    assert found <= admitted
    if "veracity" not in asked and "session_id" in asked:
        assert found <= live
