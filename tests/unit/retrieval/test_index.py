"""The index of vectors in memory: every kind agrees with exact search, and follows the table it is derived from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from mnemopi.model.memory import Memory
from mnemopi.retrieval import index as indexing
from mnemopi.retrieval.index import Kind, VectorIndex
from mnemopi.settings import StorageConfig
from mnemopi.storage.memories import Prepared
from mnemopi.storage.store import Store

MODEL = "test:random"
DIMENSIONS = 64
KINDS: tuple[Kind, ...] = ("exact", "turbo", "bits", "auto")

Rows = npt.NDArray[np.float32]


@pytest.fixture
def store() -> Iterator[Store]:
    opened = Store(":memory:", "b", "b", StorageConfig(), now=0)
    yield opened
    opened.close()


def unit(rows: npt.NDArray[Any]) -> Rows:
    made: Rows = (rows / np.linalg.norm(rows, axis=-1, keepdims=True)).astype(np.float32)
    return made


def random(count: int, seed: int = 1) -> Rows:
    """Vectors in clusters, as texts on a few topics give."""
    dice = np.random.default_rng(seed)
    centres = dice.normal(size=(max(1, count // 20), DIMENSIONS))
    return unit(centres[dice.integers(0, len(centres), count)] + 0.6 * dice.normal(size=(count, DIMENSIONS)))


def put(store: Store, vectors: Rows, *, passages: int = 1, model: str = MODEL) -> list[int]:
    """Store memories with these vectors, `passages` of them each; return the row keys."""
    first = store.memories.last_rowkey()
    keys = [first + 1 + n for n in range(len(vectors) // passages)]
    with store.transaction():
        store.memories.put(
            Prepared(Memory(f"{key:032x}", 1, "note", "text", recorded_at=0, timestamp=0, session_id="s"), "text")
            for key in keys
        )
        store.vectors.put(model, [(keys[n // passages], n % passages, row.tobytes()) for n, row in enumerate(vectors)])
    return keys


def nearest(query: Rows, vectors: Rows, keys: list[int], count: int) -> list[int]:
    return [keys[place] for place in np.argsort(-(vectors @ query), kind="stable")[:count]]


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_finds_what_exact_search_finds(store: Store, kind: Kind) -> None:
    vectors = random(3000)
    keys = put(store, vectors)
    index = VectorIndex(MODEL, kind)
    same = 0
    dice = np.random.default_rng(2)
    for query in unit(vectors[:20] + 0.1 * dice.normal(size=(20, DIMENSIONS))):
        found = index.search(store.vectors, query, 10)
        same += len({row for row, _, _ in found} & set(nearest(query, vectors, keys, 10)))
        cosines = [cosine for _, _, cosine in found]
        assert cosines == sorted(cosines, reverse=True)
        for row, _, cosine in found:
            assert cosine == pytest.approx(float(vectors[keys.index(row)] @ query), abs=1e-5)
    least = {"exact": 200, "auto": 200, "turbo": 190, "bits": 170}
    assert same >= least[kind]


@pytest.mark.parametrize("kind", KINDS)
def test_a_restricted_search_stays_within_what_is_allowed(store: Store, kind: Kind) -> None:
    vectors = random(1000)
    keys = put(store, vectors)
    index = VectorIndex(MODEL, kind)
    query = random(1, seed=3)[0]
    allowed = keys[100:140]
    found = [row for row, _, _ in index.search(store.vectors, query, 10, allowed)]
    assert found == nearest(query, vectors[100:140], allowed, 10)
    assert {row for row, _, _ in index.search(store.vectors, query, 100, keys[:3])} == set(keys[:3])
    assert index.search(store.vectors, query, 10, []) == []
    assert index.search(store.vectors, query, 10, [10**6]) == []


@pytest.mark.parametrize("kind", KINDS)
def test_it_follows_additions_and_erasures(store: Store, kind: Kind) -> None:
    vectors = random(60)
    keys = put(store, vectors)
    index = VectorIndex(MODEL, kind)
    assert index.search(store.vectors, vectors[7], 1)[0][0] == keys[7]
    with store.transaction():
        store.memories.drop(f"{keys[7]:032x}")
    assert index.search(store.vectors, vectors[7], 1)[0][0] != keys[7]
    assert len(index) == 59
    more = random(20, seed=9)
    fresh = put(store, more)
    assert index.search(store.vectors, more[3], 1)[0][0] == fresh[3]
    assert len(index) == 79
    assert len(index.search(store.vectors, more[3], 1000)) == 79


@pytest.mark.parametrize("kind", KINDS)
def test_everything_may_be_erased_and_filled_again(store: Store, kind: Kind) -> None:
    vectors = random(5)
    keys = put(store, vectors)
    index = VectorIndex(MODEL, kind)
    assert len(index.search(store.vectors, vectors[0], 10)) == 5
    with store.transaction():
        for key in keys:
            store.memories.drop(f"{key:032x}")
    assert index.search(store.vectors, vectors[0], 10) == []
    fresh = put(store, vectors)
    assert index.search(store.vectors, vectors[2], 1)[0][0] == fresh[2]


@pytest.mark.parametrize("kind", KINDS)
def test_a_memory_of_several_passages_is_found_once_by_its_best(store: Store, kind: Kind) -> None:
    vectors = random(40)
    keys = put(store, vectors, passages=4)
    index = VectorIndex(MODEL, kind)
    found = index.search(store.vectors, vectors[22], 10)
    assert found[0][:2] == (keys[5], 2)
    assert found[0][2] == pytest.approx(1, abs=1e-5)
    assert len(found) == len({row for row, _, _ in found}) == 10


@pytest.mark.parametrize("restricted", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_a_memory_whose_passages_are_all_near_hides_no_other(store: Store, kind: Kind, restricted: bool) -> None:
    query = random(1, seed=3)[0]
    (long,) = put(store, unit(query + 0.01 * random(2000)), passages=2000)
    others = put(store, random(5, seed=4))
    index = VectorIndex(MODEL, kind)
    found = [row for row, _, _ in index.search(store.vectors, query, 6, [long, *others] if restricted else None)]
    assert found[0] == long and set(found[1:]) == set(others)


@pytest.mark.parametrize("kind", KINDS)
def test_vectors_of_other_models_are_not_searched(store: Store, kind: Kind) -> None:
    vectors = random(10)
    put(store, vectors, model="test:other")
    index = VectorIndex(MODEL, kind)
    assert index.search(store.vectors, vectors[0], 5) == []
    assert index.background(vectors[0]) is None
    assert len(index) == 0


@pytest.mark.parametrize("kind", KINDS)
def test_a_question_without_words_finds_something_or_nothing_but_fails_not(store: Store, kind: Kind) -> None:
    vectors = random(30)
    put(store, vectors)
    zero = np.zeros(DIMENSIONS, np.float32)
    assert all(cosine == 0 for _, _, cosine in VectorIndex(MODEL, kind).search(store.vectors, zero, 5))


def test_the_background_is_the_mean_and_deviation_over_a_sample(store: Store) -> None:
    vectors = random(300)
    put(store, vectors)
    index = VectorIndex(MODEL)
    query = random(1, seed=4)[0]
    index.search(store.vectors, query, 1)
    cosines = vectors @ query
    background = index.background(query)
    assert background is not None
    assert background == pytest.approx((float(cosines.mean()), float(cosines.std())), abs=1e-4)


def test_texts_that_are_all_alike_still_have_a_deviation(store: Store) -> None:
    vectors = np.repeat(random(1), 50, axis=0)
    put(store, vectors)
    index = VectorIndex(MODEL)
    index.search(store.vectors, vectors[0], 1)
    background = index.background(vectors[0])
    assert background is not None
    assert background[1] == 0.01


def test_dimensions_that_turbo_cannot_hold_are_kept_as_bits(store: Store) -> None:
    dice = np.random.default_rng(5)
    vectors = unit(dice.normal(size=(200, 30)))
    keys = put(store, vectors)
    index = VectorIndex(MODEL, "turbo")
    assert index.search(store.vectors, vectors[11], 1)[0][0] == keys[11]


def test_many_vectors_are_quantised_and_few_are_not(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(indexing, "_FEW", 100)
    vectors = random(150)
    keys = put(store, vectors)
    large = VectorIndex(MODEL)
    assert large.search(store.vectors, vectors[1], 1)[0][0] == keys[1]
    assert not isinstance(large._scan, indexing._Exact)
    monkeypatch.setattr(indexing, "_FEW", 200)
    small = VectorIndex(MODEL)
    assert small.search(store.vectors, vectors[1], 1)[0][0] == keys[1]
    assert isinstance(small._scan, indexing._Exact)


def test_few_vectors_that_become_many_are_quantised_too(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(indexing, "_FEW", 100)
    vectors = random(150)
    keys = put(store, vectors[:60])
    index, chosen = VectorIndex(MODEL), VectorIndex(MODEL, "exact")
    for each in (index, chosen):
        assert each.search(store.vectors, vectors[7], 1)[0][0] == keys[7]
    keys += put(store, vectors[60:])
    with store.transaction():
        store.memories.drop(f"{keys[3]:032x}")
    for each in (index, chosen):
        assert each.search(store.vectors, vectors[7], 1)[0][0] == keys[7]
        assert each.search(store.vectors, vectors[140], 1)[0][0] == keys[140]
        assert each.search(store.vectors, vectors[3], 1)[0][0] != keys[3]
        assert len(each) == 149
    assert not isinstance(index._scan, indexing._Exact)
    assert isinstance(chosen._scan, indexing._Exact), "who asked for exact vectors keeps them"


@pytest.mark.parametrize("kind", KINDS)
def test_vectors_that_are_made_again_are_held_once(store: Store, kind: Kind) -> None:
    vectors = random(40)
    keys = put(store, vectors, passages=2)
    index = VectorIndex(MODEL, kind)
    index.search(store.vectors, vectors[0], 1)
    with store.transaction():
        store.vectors.drop(MODEL)
        store.vectors.put(MODEL, [(keys[n // 2], n % 2, row.tobytes()) for n, row in enumerate(vectors)])
    assert index.search(store.vectors, vectors[9], 1)[0][:2] == (keys[4], 1)
    assert len(index) == 40


@pytest.mark.parametrize("kind", KINDS)
def test_it_reads_in_steps_what_is_more_than_one(store: Store, kind: Kind, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(indexing, "_STEP", 16)
    vectors = random(100)
    keys = put(store, vectors)
    index = VectorIndex(MODEL, kind)
    for place in (0, 15, 16, 50, 99):
        assert index.search(store.vectors, vectors[place], 1)[0][0] == keys[place]
    assert len(index) == 100
