"""Annotations follow the text: made with a small write or when settled, made again on update, gone when forgotten."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mnemopi.ingest import annotate, edits
from mnemopi.ingest.prepare import Gate
from mnemopi.model.graph import Annotation
from mnemopi.model.memory import Identity
from mnemopi.storage.store import Store

NOW = 1_700_000_000_000
ME = Identity()
Add = Callable[..., list[Any]]


def mentions(store: Store, id: str) -> set[str]:
    return {each.value for each in store.graph.annotations(id, "mentions")}


def changed(store: Store, gate: Gate, id: str, content: str) -> None:
    edits.update(store, id, ME, gate, NOW + 1, content=content, importance=None, pinned=None, expected_version=None)


def test_a_small_write_is_annotated_at_once(store: Store, add: Add) -> None:
    [id] = add("we met Bob in Rome")
    assert mentions(store, id) == {"Bob", "Rome"} and annotate.waiting(store) == 0


def test_what_many_wrote_at_once_waits(store: Store, add: Add) -> None:
    ids = add(*(f"we met Bob in Rome {number}" for number in range(40)))
    assert annotate.waiting(store) == 40 and mentions(store, ids[0]) == set()
    annotate.catch_up(store)
    assert annotate.waiting(store) == 0 and all(mentions(store, id) == {"Bob", "Rome"} for id in ids)


def test_a_small_write_after_many_leaves_them_waiting(store: Store, add: Add) -> None:
    add(*(f"we met Bob in Rome {number}" for number in range(40)))
    add("we met Eve")
    assert annotate.waiting(store) == 41


def test_catching_up_may_have_a_limit(store: Store, add: Add) -> None:
    add(*(f"we met Bob {number}" for number in range(600)))
    annotate.catch_up(store, 10)
    assert annotate.waiting(store) == 100


def test_an_update_makes_derived_ones_again_and_leaves_given_ones(store: Store, add: Add, gate: Gate) -> None:
    [id] = add("we met Bob in Rome")
    store.graph.annotate([Annotation(id, "mentions", "Ops Team", "ops team", "mara")])
    changed(store, gate, id, "we met Eve in Oslo")
    assert mentions(store, id) == {"Eve", "Oslo", "Ops Team"}


def test_a_given_annotation_takes_the_place_of_a_derived_one(store: Store, add: Add, gate: Gate) -> None:
    [id] = add("we met Bob")
    store.graph.annotate([Annotation(id, "mentions", "Bob", "bob", "mara")])
    assert [each.source for each in store.graph.annotations(id, "mentions")] == ["mara"]
    changed(store, gate, id, "we met nobody")
    assert mentions(store, id) == {"Bob"}


def test_what_is_forgotten_leaves_no_annotation(store: Store, add: Add) -> None:
    [id] = add("we met Bob in Rome")
    store.graph.annotate([Annotation(id, "mentions", "Ops Team", "ops team", "mara")])
    edits.forget(store, id, ME, NOW)
    assert store.graph.annotations(id) == []


def test_new_rules_mean_that_all_is_read_again(store: Store, add: Add) -> None:
    [id] = add("we met Bob")
    store.graph.remark([Annotation(id, "mentions", "Nobody", "nobody")])
    store.connection.execute("delete from meta where name = 'annotated:1'")
    annotate.catch_up(store)
    assert mentions(store, id) == {"Bob"}
