"""Vectors of rows and models, in the order in which they came."""

from __future__ import annotations

from collections.abc import Callable

from mnemopi.model.memory import Memory
from mnemopi.storage import queries
from mnemopi.storage.store import Store

Put = Callable[..., Memory]


def test_a_vector_is_kept_once_and_only_for_a_row_that_is_there(store: Store, put: Put) -> None:
    key = put("a").rowkey
    store.vectors.put("m", [(key, 0, b"one"), (key, 0, b"two"), (key + 1, 0, b"gone")])
    assert store.vectors.of("m", [key, key + 1]) == [(key, 0, b"one")]
    assert store.vectors.of("other", [key]) == []
    assert store.vectors.models() == {"m": 1}


def test_what_lacks_a_vector_is_pending_from_a_row_key_on(store: Store, put: Put) -> None:
    keys = [put(id).rowkey for id in "abc"]
    store.vectors.put("m", [(keys[1], 0, b"x")])
    assert [row[0] for row in store.vectors.pending("m", 0, 9)] == [keys[0], keys[2]]
    assert [row[0] for row in store.vectors.pending("m", keys[0], 9)] == [keys[2]]
    assert store.vectors.count_pending("m", 0)[0] == 2
    assert store.vectors.count_pending("other", 0)[0] == 3


def test_readers_follow_by_sequence_and_hear_of_erasures(store: Store, put: Put) -> None:
    first, second = put("a").rowkey, put("b").rowkey
    store.vectors.put("m", [(first, 0, b"x"), (second, 0, b"y")])
    seen = store.vectors.after("m", 0, 9)
    assert [(row[1], row[3]) for row in seen] == [(first, b"x"), (second, b"y")]
    last = store.vectors.last_seq()
    assert last == seen[-1][0]
    with store.transaction():
        store.memories.erase("a", 0, b"key")
    assert [(row[1], row[3]) for row in store.vectors.after("m", last, 9)] == [(first, None)]
    assert store.vectors.after("other", last, 9)[0][3] is None, "of whatever model"


def test_a_model_that_is_dropped_is_pending_again(store: Store, put: Put) -> None:
    key = put("a").rowkey
    store.vectors.put("m", [(key, 0, b"x")])
    store.vectors.put("n", [(key, 0, b"y")])
    store.vectors.drop("m")
    assert store.vectors.models() == {"n": 1}
    assert store.vectors.count_pending("m", 0)[0] == 1


def test_vectors_are_followed_in_the_order_of_their_table_without_sorting(store: Store) -> None:
    asked = {"bank": store.bank, "model": "m", "after": 0, "limit": 9}
    statement = queries.sqlite().vectors_after
    plan = [str(row[3]) for row in store.connection.all(f"EXPLAIN QUERY PLAN {statement}", asked)]
    assert plan == ["SEARCH vector USING INTEGER PRIMARY KEY (rowid>?)"]
