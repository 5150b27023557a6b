"""Linking new memories to the few nearest: what links, what never does, and how much at most."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest

from mnemopi.ingest import annotate, edits, link
from mnemopi.ingest.prepare import Gate
from mnemopi.model.graph import RULE, Edge
from mnemopi.model.memory import Identity
from mnemopi.model.query import Filter
from mnemopi.storage import filters
from mnemopi.storage.store import Store

NOW = 1_700_000_000_000
ME = Identity()

Add = Callable[..., list[Any]]


def linked(store: Store) -> list[Edge]:
    """Link all that waits, and return the edges that a member of session s, channel c and scope team sees."""
    with store.transaction():
        annotate.work(store, 10_000)
        while link.work(store, 50, NOW):
            pass
    ids = [row.id for row in store.memories.in_force_after(0, 10_000)]
    seer = Filter(identity=Identity(session_id="s", channel_id="c", scopes=("team",)), include_invalid=True)
    return list(dict.fromkeys(store.graph.around(ids, filters.parameters(store.bank, seer, NOW), None, 0.0)))


def test_what_shares_rare_words_is_linked_newer_to_older_with_the_words(store: Store, add: Add) -> None:
    [old] = add("the tide gauge at the northern breakwater was replaced")
    add("lunch was good", "the weather is fine")
    [new] = add("readings of the tide gauge at the breakwater look odd")
    [edge] = linked(store)
    assert (edge.source, edge.target, edge.type, edge.origin) == (new, old, "related_to", RULE)
    assert link.LEAST <= edge.weight <= 1
    assert {"tide", "gauge", "breakwater"} <= set(edge.evidence.removeprefix("both say ").split(", "))


def test_a_rare_name_that_both_mention_raises_the_weight(store: Store, add: Add) -> None:
    add("In the end Mara Lindt repaired the crane by the quay in the rain")
    add("Yesterday evening Mara Lindt sang for an hour in the small chapel")
    assert "mara lindt" in linked(store)[0].evidence


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("she told him that they would come with her", "they gave it to him because she was there with them"),
        ("it was on Monday 2026-03-01 at 10:30", "the call is on Monday 2026-03-01 at 10:30"),
        ("today at 3pm", "today at 3pm, then"),
        ("thanks, great!", "great, thanks"),
        ("今天下午三点开会", "今天上午买菜"),
        ("in March 2026, in spring", "by March 2026, this spring"),
    ],
)
def test_pronouns_dates_and_what_everybody_says_never_link(store: Store, add: Add, one: str, other: str) -> None:
    add(one)
    add(other)
    assert linked(store) == []


def test_a_memory_is_linked_to_at_most_five(store: Store, add: Add) -> None:
    add(*(f"the tide gauge of pier {name}" for name in ("alder", "birch", "cedar", "dogwood", "elm", "fir", "gum")))
    [last] = add("the tide gauge of every pier")
    edges = [edge for edge in linked(store) if edge.source == last]
    assert 0 < len(edges) <= link.MOST


def test_no_rule_gives_a_memory_more_than_twenty_links(store: Store, add: Add) -> None:
    names = [f"Mar{letter}lind" for letter in "abcdefghijklmnopqrstuvwxyz"]
    [hub] = add("we met " + " and ".join(names))
    for one, other in pairwise(names):
        add(f"we met {one} and {other}")
    edges = linked(store)
    assert sum(hub in (edge.source, edge.target) for edge in edges) == link.DEGREE


def test_what_all_say_links_nobody(store: Store, add: Add) -> None:
    for number in range(60):
        add(f"the tide gauge failed again word{number}x word{number}y")
    assert len(linked(store)) < 60


@pytest.mark.parametrize("scope", ["session", "global", "team", "channel"])
def test_links_never_cross_what_may_be_seen(store: Store, add: Add, scope: str) -> None:
    text = "the tide gauge at the northern breakwater"
    add(text + " stands", session_id="s", channel_id="c")
    add(text + " fell", session_id="s", channel_id="c", scope=scope)
    assert linked(store) == []
    [twin] = add(text + " rose", session_id="s", channel_id="c", scope=scope)
    assert [edge.source for edge in linked(store)] == [twin]


def test_a_session_that_only_it_may_see_links_within_itself(store: Store, add: Add) -> None:
    text = "the tide gauge at the northern breakwater"
    add(text + " stands", session_id="other", scope="session")
    add(text + " fell", session_id="s", scope="session")
    assert linked(store) == []


def test_what_is_not_valid_or_false_is_not_linked(store: Store, add: Add) -> None:
    text = "the tide gauge at the northern breakwater"
    add(text + " stands", veracity="false")
    [ended] = add(text + " fell")
    edits.invalidate(store, ended, ME, NOW, replacement=None, reason=None)
    add(text + " rose")
    assert linked(store) == []


def test_linking_again_adds_nothing(store: Store, add: Add) -> None:
    add("the tide gauge at the northern breakwater was replaced", "readings of the tide gauge at the breakwater")
    first = linked(store)
    store.meta.set("linked:1", "0")
    assert first and linked(store) == first


def test_a_text_that_changed_is_linked_anew_and_its_old_links_go(store: Store, add: Add, gate: Gate) -> None:
    [old] = add("the tide gauge at the northern breakwater was replaced")
    add("apple cake with cinnamon and walnuts")
    [new] = add("readings of the tide gauge at the breakwater look odd")
    linked(store)
    edits.update(
        store,
        new,
        ME,
        gate,
        NOW + 1,
        content="cinnamon and walnuts in the cake",
        importance=None,
        pinned=None,
        expected_version=None,
    )
    assert store.graph.degrees([old])[old] == 0
    [edge] = linked(store)
    assert edge.source == new and edge.target != old


def test_a_link_that_a_person_drew_stays_as_it_is(store: Store, add: Add, gate: Gate) -> None:
    [old] = add("the tide gauge at the northern breakwater was replaced")
    [new] = add("readings of the tide gauge at the breakwater look odd")
    given = Edge(new, old, "related_to", 0.9, "as Mara says", at=NOW)
    store.graph.link([given])
    assert linked(store) == [given]
    edits.update(
        store, new, ME, gate, NOW + 1, content="something else", importance=None, pinned=None, expected_version=None
    )
    assert linked(store) == [given]


def test_what_waits_is_known_and_gets_less(store: Store, add: Add) -> None:
    add("one", "two", "three")
    assert link.waiting(store) == 3
    with store.transaction():
        assert link.work(store, 2, NOW) == 2
    assert link.waiting(store) == 1
