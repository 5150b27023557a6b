"""Scope is permission: it says who may see and change a memory, and filters only narrow what that is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mnemopi.bank import Bank
from mnemopi.engine import Mnemopi
from mnemopi.errors import NotFoundError, UsageError
from mnemopi.model.memory import Identity
from mnemopi.testing import FixedClock, HashingEmbedder

WORDS = ("harbour", "crane", "ledger")
ALL = " ".join(WORDS)

SESSIONS, CHANNELS, AUTHORS = (
    st.sampled_from("ab"),
    st.sampled_from(["red", "blue", None]),
    st.sampled_from(["ines", None]),
)
PEOPLE = st.builds(
    Identity,
    session_id=SESSIONS,
    channel_id=CHANNELS,
    author_id=AUTHORS,
    scopes=st.sampled_from([(), ("team",), ("team", "board")]),
)
MEMORIES = st.fixed_dictionaries(
    {
        "content": st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(" ".join),
        "scope": st.sampled_from(["bank", "session", "channel", "global", "team", "board"]),
    },
    optional={
        "session_id": SESSIONS,
        "source": st.sampled_from(["user", "tool"]),
        "veracity": st.sampled_from(["stated", "false"]),
        "author_id": st.sampled_from(["ines", "omar"]),
    },
)
FILTERS = st.fixed_dictionaries(
    {},
    optional={
        "session_id": SESSIONS,
        "author_id": st.sampled_from(["ines", "omar"]),
        "channel_id": st.sampled_from(["red", "blue", "a"]),
        "source": st.sampled_from(["user", "tool", "conversation"]),
        "scope": st.sampled_from(["bank", "session", "channel", "global", "team", "board"]),
        "kind": st.sampled_from(["turn", "note"]),
        "veracity": st.sampled_from(["stated", "false"]),
        "from_date": st.sampled_from(["2020-01-01", "2090-01-01"]),
        "to_date": st.sampled_from(["2020-01-01", "2090-01-01"]),
        "include_invalid": st.booleans(),
        "profile": st.sampled_from(["default", "lexical", "recent"]),
        "as_of": st.sampled_from(["2024-01-01", "2090-01-01"]),
    },
).filter(lambda chosen: not ("2090" in chosen.get("from_date", "") and "2020" in chosen.get("to_date", "")))


def may_see(who: Identity, scope: str, session: str, channel: str | None) -> bool:
    """Say by the words of the rule, not by those of the code, who may see a memory."""
    if scope in ("bank", "global"):
        return True
    if scope == "session":
        return session == who.session_id
    if scope == "channel":
        return (channel or session) == (who.channel_id or who.session_id)
    return scope in who.scopes


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(writes=st.lists(st.tuples(PEOPLE, MEMORIES), max_size=12), reader=PEOPLE, filters=st.lists(FILTERS, max_size=4))
def test_no_filter_shows_more_than_the_caller_may_see(
    writes: list[tuple[Identity, dict[str, Any]]], reader: Identity, filters: list[dict[str, Any]]
) -> None:
    chosen = {"write.settle": "inline"}
    with Mnemopi(":memory:", embeddings=HashingEmbedder(32), config=chosen, clock=FixedClock()) as engine:
        visible: dict[str, bool] = {}
        for who, item in writes:
            if item["scope"] in ("team", "board") and item["scope"] not in who.scopes:
                continue
            receipt = engine.acting_as(**_parts(who)).remember(**item)
            session, channel = item.get("session_id", who.session_id), who.channel_id
            visible[receipt] = may_see(reader, item["scope"], session, channel)
        view = engine.acting_as(**_parts(reader))
        mine = {id for id, seen in visible.items() if seen}
        assert {id for id in visible if view.get(id) is not None} == mine
        assert {hit.id for hit in view.recall(ALL, 50, include_invalid=True, veracity="false")} <= mine
        without = {hit.id for hit in view.recall(ALL, 50, include_invalid=True)}
        for chosen_filter in filters:
            found = {hit.id for hit in view.recall(ALL, 50, **chosen_filter)}
            assert found <= mine
            if "veracity" not in chosen_filter:
                assert found <= without
            context = view.context(None, 50_000, **{k: v for k, v in chosen_filter.items() if k != "profile"})
            assert not any(id in context for id in visible if id not in mine)
        for id in visible:
            if id not in mine:
                _refuses_changes(view, id)
        assert {id for id in visible if view.get(id) is not None} == mine


def _parts(who: Identity) -> dict[str, Any]:
    return {
        "session_id": who.session_id,
        "channel_id": who.channel_id,
        "author_id": who.author_id,
        "scopes": who.scopes,
    }


def _refuses_changes(view: Bank, id: str) -> None:
    for change in (
        lambda: view.update(id, "mine now"),
        lambda: view.invalidate(id),
        lambda: view.forget(id),
        lambda: view.history(id),
        lambda: view.occurrences(id),
    ):
        with pytest.raises(NotFoundError):
            change()


@pytest.fixture
def engine() -> Iterator[Mnemopi]:
    with Mnemopi(":memory:", no_embeddings=True, session_id="one") as engine:
        yield engine


def test_every_filter_keeps_just_what_it_names(engine: Mnemopi) -> None:
    engine.remember("harbour", session_id="a", author_id="ines", author_type="user", source="user", channel_id="red")
    engine.remember("harbour", session_id="b", author_id="omar", author_type="tool", source="tool", memory_type="fact")
    engine.remember("harbour", scope="global", veracity="stated")
    for name, value, count in [
        ("session_id", "a", 1),
        ("author_id", "omar", 1),
        ("author_type", "user", 1),
        ("source", "tool", 1),
        ("channel_id", "red", 1),
        ("memory_type", "fact", 1),
        ("scope", "global", 1),
        ("scope", "bank", 2),
        ("kind", "turn", 2),
        ("kind", "note", 1),
        ("tier", "working", 3),
        ("veracity", "stated", 1),
        ("session_id", "nowhere", 0),
    ]:
        hits = engine.recall("harbour", **{name: value})
        assert len(hits) == count, name
        assert all(getattr(hit, name) == value for hit in hits)


def test_an_author_filter_never_shows_another_sessions_private_memory(engine: Mnemopi) -> None:
    id = engine.remember("the harbour key is under the mat", scope="session", author_id="ines")
    other = engine.acting_as(session_id="two")
    for question in ({"author_id": "ines"}, {"session_id": "one"}, {"scope": "session"}, {"include_invalid": True}):
        assert not other.recall("harbour key", **question)
        assert [hit.id for hit in engine.recall("harbour key", **question)] == [id]


def test_neighbours_of_a_hit_that_one_may_not_see_stay_hidden(engine: Mnemopi) -> None:
    engine.remember("where is the harbour key?", session_id="talk", position=0)
    hidden = engine.acting_as(session_id="talk").remember(
        "under the mat", session_id="talk", position=1, scope="session"
    )
    assert hidden not in {hit.id for hit in engine.recall("where is the harbour key?", 10)}
    assert hidden in {hit.id for hit in engine.acting_as(session_id="talk").recall("where is the harbour key?", 10)}


def test_a_channel_without_a_name_is_its_session(engine: Mnemopi) -> None:
    id = engine.remember("the harbour opens at six", scope="channel")
    assert [hit.id for hit in engine.recall("harbour")] == [id]
    assert not engine.acting_as(session_id="two").recall("harbour")
    assert [hit.id for hit in engine.acting_as(session_id="two", channel_id="one").recall("harbour")] == [id]


def test_a_custom_scope_is_for_those_who_belong_to_it(engine: Mnemopi) -> None:
    team = engine.acting_as(scopes=("team",))
    id = team.remember("the team meets at nine", scope="team")
    assert [hit.id for hit in team.recall("team meets")] == [id]
    assert engine.get(id) is None and not engine.recall("team meets")
    with pytest.raises(UsageError, match="none that you belong to"):
        engine.remember("let me in", scope="team")


def test_scopes_may_come_from_the_settings() -> None:
    with Mnemopi(":memory:", no_embeddings=True, config={"identity.scopes": "team, board"}) as engine:
        assert engine.bank.identity.scopes == ("team", "board")
        assert engine.remember("the board meets at ten", scope="board")


def test_only_global_memories_are_seen_from_another_bank(tmp_path: Path) -> None:
    file = tmp_path / "m.db"
    with Mnemopi(file, "first", no_embeddings=True) as first:
        theirs = first.remember("the harbour is closed on Sundays", scope="global")
        for scope in ("bank", "session", "channel"):
            first.remember(f"the harbour has a {scope} secret", scope=scope)
        with Mnemopi(file, "second", no_embeddings=True) as second:
            own = second.remember("the harbour of the second bank")
            hits = second.recall("harbour", 20)
            assert {hit.id for hit in hits} == {theirs, own}
            assert {hit.bank for hit in hits} == {"first", "second"}
            assert second.get(theirs) is None
            for change in (lambda: second.forget(theirs), lambda: second.update(theirs, "mine")):
                with pytest.raises(NotFoundError):
                    change()
            assert {hit.id for hit in second.recall("harbour", 20, scope="bank")} == {own}
            first.invalidate(theirs)
            assert {hit.id for hit in second.recall("harbour", 20)} == {own}
            late = first.acting_as(session_id="elsewhere").remember("a harbour for all", scope="global")
            assert {hit.id for hit in second.recall("harbour", 20)} == {own, late}


@pytest.mark.parametrize("scope", ["session", "channel", "team"])
def test_the_id_of_a_turn_that_one_may_not_see_makes_another_turn(tmp_path: Path, scope: str) -> None:
    with Mnemopi(tmp_path / "m.db", config={"embedding.enabled": False}) as memory:
        own = memory.acting_as(session_id="a", scopes=("team",))
        other = memory.acting_as(session_id="b", scopes=("board",))
        turn = {"session_id": "a", "external_id": "e1"}
        id = own.remember("the harbour opens at six", scope=scope, **turn)
        for text in ("the harbour opens at six", "the harbour is closed"):
            strange = other.remember(text, **turn)
            assert strange != id and strange.outcome == ("created" if text.endswith("six") else "updated")
        mine = own.get(id)
        assert mine is not None and (mine.content, mine.version, mine.scope) == ("the harbour opens at six", 1, scope)
        again = own.remember("the harbour opens at seven", scope=scope, **turn)
        assert (again, again.outcome, again.version) == (id, "updated", 2)
