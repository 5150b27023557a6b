from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pytest

from mnemopi.errors import UnavailableError
from mnemopi.providers.embedders import PreparedEmbedder, QueryCache
from mnemopi.testing import BrokenEmbedder, HashingEmbedder


class Recorder(HashingEmbedder):
    """Keeps the texts of each call."""

    def __init__(self) -> None:
        super().__init__(64)
        self.queries: list[list[str]] = []
        self.documents: list[list[str]] = []

    def embed_queries(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        self.queries.append(list(texts))
        return HashingEmbedder(64).embed_documents(texts)

    def embed_documents(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        self.documents.append(list(texts))
        return super().embed_documents(texts)


def test_a_question_is_embedded_once_and_then_kept() -> None:
    recorder = Recorder()
    embedder = PreparedEmbedder(recorder, cache=QueryCache(8))
    first = embedder.embed_queries(["where is the port set?"])
    assert np.array_equal(embedder.embed_queries(["where is the port set?"]), first)
    assert recorder.queries == [["where is the port set?"]]


def test_only_the_questions_not_kept_are_asked_for_and_order_holds() -> None:
    recorder = Recorder()
    embedder = PreparedEmbedder(recorder, cache=QueryCache(8))
    embedder.embed_queries(["two"])
    rows = embedder.embed_queries(["one", "two", "three", "one"])
    assert recorder.queries == [["two"], ["one", "three"]]
    assert np.array_equal(rows, HashingEmbedder(64).embed_queries(["one", "two", "three", "one"]))


def test_changing_a_returned_row_does_not_change_what_is_kept() -> None:
    embedder = PreparedEmbedder(HashingEmbedder(64), cache=QueryCache(8))
    first = embedder.embed_queries(["port"])
    before = first.copy()
    first[:] = 0
    second = embedder.embed_queries(["port"])
    second[:] = 0
    assert np.array_equal(embedder.embed_queries(["port"]), before)


def test_the_least_recent_question_is_let_go() -> None:
    recorder = Recorder()
    embedder = PreparedEmbedder(recorder, cache=QueryCache(2))
    for text in ("one", "two", "one", "three", "one", "two"):
        embedder.embed_queries([text])
    assert recorder.queries == [["one"], ["two"], ["three"], ["two"]]


def test_a_cache_of_size_zero_keeps_nothing() -> None:
    cache = QueryCache(0)
    PreparedEmbedder(HashingEmbedder(64), cache=cache).embed_queries(["port"])
    assert len(cache) == 0


def test_a_failed_call_is_not_kept() -> None:
    broken = BrokenEmbedder()
    embedder = PreparedEmbedder(broken, cache=QueryCache(8))
    with pytest.raises(UnavailableError):
        embedder.embed_queries(["port"])
    broken.mend()
    assert embedder.embed_queries(["port"]).any()


def test_one_cache_tells_embedders_and_addresses_apart() -> None:
    cache = QueryCache(8)
    small = PreparedEmbedder(HashingEmbedder(64), cache=cache)
    large = PreparedEmbedder(HashingEmbedder(128), cache=cache)
    elsewhere = PreparedEmbedder(HashingEmbedder(64), cache=cache, origin="http://other")
    for embedder in (small, large, elsewhere):
        embedder.embed_queries(["port"])
    assert large.embed_queries(["port"]).shape == (1, 128)
    assert len(cache) == 3


def test_blank_texts_never_reach_the_provider_and_are_zero() -> None:
    recorder = Recorder()
    embedder = PreparedEmbedder(recorder, cache=QueryCache(8))
    rows = embedder.embed_documents(["", "port", " \n"])
    assert recorder.documents == [["port"]]
    assert rows.shape == (3, 64)
    assert [bool(row.any()) for row in rows] == [False, True, False]
    assert not embedder.embed_queries([" "]).any()
    assert recorder.queries == []


def test_long_texts_are_clipped_on_both_sides() -> None:
    recorder = Recorder()
    embedder = PreparedEmbedder(recorder, cache=QueryCache(8), clip_at=40)
    embedder.embed_documents(["word " * 100])
    embedder.embed_queries(["word " * 100])
    assert [len(text) for call in (*recorder.documents, *recorder.queries) for text in call] == [40, 40]


def test_the_gate_sees_a_text_before_it_is_cut() -> None:
    recorder = Recorder()
    seen: list[int] = []

    def gate(text: str) -> str:
        seen.append(len(text))
        return text.replace("secret", "[gone]")

    embedder = PreparedEmbedder(recorder, cache=QueryCache(8), clip_at=40, gate=gate)
    embedder.embed_documents(["x" * 90 + "secret"])
    assert seen == [96]
    assert recorder.documents[0][0].endswith("[gone]")


def test_half_of_a_surrogate_pair_is_replaced() -> None:
    recorder = Recorder()
    PreparedEmbedder(recorder, cache=QueryCache(8)).embed_documents(["a\ud83d b", "天气"])
    assert recorder.documents == [["a? b", "天气"]]
