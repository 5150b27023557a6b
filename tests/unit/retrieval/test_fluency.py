from collections.abc import Sequence

import numpy as np
import pytest

from mnemopi.retrieval import fluency
from mnemopi.testing import HashingEmbedder


@pytest.fixture(autouse=True)
def untried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fluency, "_tried", {})


class Reader:
    """Puts the two sentences of each of the first `known` pairs in one place, and all else in another; counts calls."""

    dimensions = 8

    def __init__(self, known: int) -> None:
        self.name, self.calls = f"testing:reader-{known}", 0
        self._places = {text: place for place, pair in enumerate(fluency.PAIRS[:known]) for text in pair}

    def embed_queries(self, texts: Sequence[str]) -> np.ndarray:
        self.calls += 1
        return np.eye(self.dimensions, dtype=np.float32)[[self._places.get(text, 7) for text in texts]]

    embed_documents = embed_queries


def test_a_model_that_finds_the_paraphrases_reads_the_language() -> None:
    assert fluency.reads(Reader(6), "我们什么时候部署？")


def test_a_model_that_takes_all_sentences_for_one_does_not_read_it() -> None:
    assert not fluency.reads(Reader(1), "我们什么时候部署？")
    assert not fluency.reads(HashingEmbedder(), "部署")


def test_a_model_is_tried_once_and_not_for_english() -> None:
    reader = Reader(6)
    assert fluency.reads(reader, "When do we deploy?")
    assert reader.calls == 0
    assert fluency.reads(reader, "部署")
    assert fluency.reads(reader, "何时")
    assert reader.calls == 2
