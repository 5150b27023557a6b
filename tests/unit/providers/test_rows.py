from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemopi.errors import ProviderError
from mnemopi.providers import rows


@given(st.lists(st.lists(st.floats(-1e300, 1e300), min_size=3, max_size=3), min_size=1, max_size=5))
def test_each_row_has_length_one_or_zero(vectors: list[list[float]]) -> None:
    unit = rows.unit(vectors, len(vectors), who="it")
    assert unit.dtype == np.float32
    for row, given_row in zip(unit, vectors, strict=True):
        assert np.linalg.norm(row) == pytest.approx(1.0 if any(given_row) else 0.0, abs=1e-5)


def test_vectors_and_batches_of_vectors_are_taken_alike() -> None:
    batches = [np.eye(3)[:2], np.eye(3)[2]]
    assert np.array_equal(rows.unit(batches, 3, who="it"), np.eye(3, dtype=np.float32))


def test_no_texts_give_an_empty_array_of_the_known_width() -> None:
    assert rows.unit([], 0, dimensions=7, who="it").shape == (0, 7)


@pytest.mark.parametrize(
    ("vectors", "count", "words"),
    [
        ([[1.0, 2.0]], 2, "1 vectors for 2 texts"),
        ([[1.0, 2.0], [1.0]], 2, "of one length"),
        ([[1.0, float("nan")]], 1, "no finite number"),
        ([[1.0, float("inf")]], 1, "no finite number"),
        ([[1.0, 2.0, 3.0]], 1, "3 numbers, 2 were expected"),
        ([[]], 1, "of one length"),
        (5, 1, "not a list of vectors"),
        ([["a", "b"]], 1, "not a list of vectors"),
        (None, 1, "not a list of vectors"),
        ([1.0, 2.0], 2, "not a list of vectors"),
    ],
)
def test_what_cannot_be_right_is_refused_with_words(vectors: Any, count: int, words: str) -> None:
    with pytest.raises(ProviderError, match="the model") as caught:
        rows.unit(vectors, count, dimensions=2, who="the model")
    assert words in str(caught.value)
