"""Recall with vectors: what words do not reach, however old; long texts by passage; providers that fail."""

from __future__ import annotations

import importlib.util
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from mnemopi import Mnemopi
from mnemopi.testing import BrokenEmbedder, FixedClock, HashingEmbedder

CONFIG = {"write.timezone": "UTC", "write.settle": "inline"}


class Topics:
    """Knows three topics by their words and nothing else: meaning without common letters."""

    name = "test:topics"
    dimensions = 8
    _TOPICS = ({"cat", "feline", "kitten"}, {"car", "automobile", "vehicle"}, {"tea", "beverage", "oolong"})

    def embed_queries(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        return self.embed_documents(texts)

    def embed_documents(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        rows = np.full((len(texts), self.dimensions), 0.05, np.float32)
        for place, text in enumerate(texts):
            words = set(text.lower().replace(".", " ").split())
            for topic, known in enumerate(self._TOPICS):
                rows[place, topic] += 2.0 * len(words & known)
            rows[place, 3 + len(text) % 5] += 0.3
        unit: npt.NDArray[np.float32] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        return unit


@pytest.fixture
def bank() -> Iterator[Mnemopi]:
    with Mnemopi(":memory:", clock=FixedClock(), config=CONFIG, embeddings=Topics()) as opened:
        yield opened


def test_meaning_finds_what_shares_no_word(bank: Mnemopi) -> None:
    bank.remember_many([{"content": f"minutes of meeting {n}"} for n in range(50)])
    bank.remember("our kitten sleeps all day")
    hits = bank.recall("feline")
    assert hits[0].content == "our kitten sleeps all day"
    assert hits[0].explanation.found_by == ("dense",)
    assert hits[0].vec_score > 0.9
    assert hits[0].fts_score == 0


def test_the_oldest_of_thousands_is_reached(bank: Mnemopi) -> None:
    bank.remember("our kitten sleeps all day", timestamp="2001-01-01")
    bank.remember_many([{"content": f"minutes of meeting {n}"} for n in range(2000)])
    assert bank.recall("feline")[0].content == "our kitten sleeps all day"


def test_the_answer_deep_inside_a_long_memory_is_found_and_shown(bank: Mnemopi) -> None:
    filler = "The committee met and talked about the budget of the year. "
    text = filler * 170 + "Then the kitten ran away. " + filler * 170
    assert len(text) > 20_000
    bank.remember(text)
    bank.remember_many([{"content": f"minutes of meeting {n}"} for n in range(20)])
    hit = bank.recall("feline", content_preview_chars=1300)[0]
    assert hit.full_length == len(text)
    assert hit.truncated
    assert "the kitten ran away" in hit.content
    start, stop = hit.span
    assert hit.memory.content[start:stop] == hit.content.strip("…")


@pytest.mark.parametrize("asked", [{}, {"source": "conversation"}, {"from_date": "2000-01-01"}])
def test_a_long_memory_that_is_near_throughout_hides_no_other(bank: Mnemopi, asked: dict[str, Any]) -> None:
    chapter = "The kitten slept. " * 60
    long = bank.remember("\n\n".join(f"{chapter}It was day {day}." for day in range(150)))
    notes = [bank.remember(f"note {number} about a beverage") for number in range(5)]
    hits = bank.recall("feline", 10, retrievers=["dense"], **asked)
    assert hits[0].id == long and {hit.id for hit in hits} == {long, *notes}


def test_words_find_the_answer_deep_inside_a_long_memory() -> None:
    filler = "The committee met and talked about the budget of the year. "
    with Mnemopi(":memory:", clock=FixedClock(), config=CONFIG, no_embeddings=True) as bank:
        bank.remember(filler * 170 + "The spare key lies under the third flowerpot. " + filler * 170)
        hit = bank.recall("where is the spare key", content_preview_chars=120)[0]
    assert "third flowerpot" in hit.content
    assert len(hit.content) <= 120


def test_a_failing_embedder_leaves_the_hits_by_words_and_says_so() -> None:
    broken = BrokenEmbedder()
    with Mnemopi(":memory:", clock=FixedClock(), config=CONFIG, embeddings=broken) as bank:
        bank.remember("the kettle is red")
        hits = bank.recall("which colour is the kettle")
        assert [hit.content for hit in hits] == ["the kettle is red"]
        assert "dense" not in hits.retrievers
        assert "lexical" in hits.retrievers


def test_an_embedder_that_fails_between_two_questions_costs_only_vectors() -> None:
    class Moody(HashingEmbedder):
        failing = False

        def embed_queries(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
            if self.failing:
                return BrokenEmbedder().embed_queries(texts)
            return super().embed_queries(texts)

    moody = Moody()
    with Mnemopi(":memory:", clock=FixedClock(), config=CONFIG, embeddings=moody) as bank:
        bank.remember("the kettle is red")
        assert "dense" in bank.recall("kettle").retrievers
        moody.failing = True
        hits = bank.recall("the red kettle")
        assert "dense" not in hits.retrievers
        assert hits[0].content == "the kettle is red"
        assert hits[0].vec_score == 0
        moody.failing = False
        assert "dense" in bank.recall("the red kettle").retrievers


def test_a_question_is_embedded_once() -> None:
    class Counting(HashingEmbedder):
        asked = 0

        def embed_queries(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
            self.asked += len(texts)
            return super().embed_queries(texts)

    counting = Counting()
    with Mnemopi(":memory:", clock=FixedClock(), config=CONFIG, embeddings=counting) as bank:
        bank.remember_many([{"content": f"kettle number {n} of the house"} for n in range(100)])
        bank.recall("the kettle of the house")
    assert counting.asked == 1


def test_while_a_question_is_embedded_others_read_and_write() -> None:
    class Slow(HashingEmbedder):
        asked, answer = threading.Event(), threading.Event()

        def embed_queries(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
            self.asked.set()
            assert self.answer.wait(30)
            return super().embed_queries(texts)

    slow = Slow()
    with Mnemopi(":memory:", clock=FixedClock(), config=CONFIG, embeddings=slow) as bank:
        bank.remember("the kettle is red")
        with ThreadPoolExecutor(2) as threads:
            hits = threads.submit(bank.recall, "kettle")
            assert slow.asked.wait(30)
            try:
                id = threads.submit(bank.remember, "the cup is blue").result(30)
                assert bank.get(id) is not None
            finally:
                slow.answer.set()
            assert "dense" in hits.result(30).retrievers


def test_a_callable_that_raises_leaves_the_hits_by_words() -> None:
    def embed(texts: Sequence[str]) -> list[list[float]]:
        if any("red" in text for text in texts):
            return [[1.0, 0.0] for _ in texts]
        raise RuntimeError("no more today")

    with Mnemopi(":memory:", clock=FixedClock(), config=CONFIG, embeddings=embed) as bank:
        bank.remember("the kettle is red")
        hits = bank.recall("kettle")
    assert [hit.content for hit in hits] == ["the kettle is red"]
    assert "dense" not in hits.retrievers


def test_without_vectors_dense_is_not_among_the_retrievers() -> None:
    with Mnemopi(":memory:", clock=FixedClock(), config=CONFIG, no_embeddings=True) as bank:
        bank.remember("the kettle is red")
        assert bank.recall("kettle", retrievers=["dense"]).retrievers == ()
        assert "dense" not in bank.recall("kettle").retrievers


def test_vectors_follow_edits_and_erasures(bank: Mnemopi) -> None:
    id = bank.remember("our kitten sleeps all day")
    bank.remember_many([{"content": f"minutes of meeting {n}"} for n in range(30)])
    assert bank.recall("feline", 1)[0].id == id
    bank.update(id, "our automobile sleeps all day")
    assert bank.recall("vehicle", 1)[0].content == "our automobile sleeps all day"
    assert bank.recall("feline", 1)[0].vec_score < 0.9
    bank.forget(id)
    assert all(hit.id != id for hit in bank.recall("vehicle", 20))


def test_another_process_sees_new_vectors_and_erasures(tmp_path: Path) -> None:
    path = tmp_path / "bank.db"
    with (
        Mnemopi(path, clock=FixedClock(), config=CONFIG, embeddings=Topics()) as one,
        Mnemopi(path, clock=FixedClock(), config=CONFIG, embeddings=Topics()) as other,
    ):
        id = one.remember("our kitten sleeps all day")
        assert [hit.id for hit in other.recall("feline")] == [id]
        second = other.remember("a kitten of the neighbours")
        assert {hit.id for hit in one.recall("feline")} == {id, second}
        one.forget(id)
        assert [hit.id for hit in other.recall("feline")] == [second]


def test_what_waits_for_its_vector_is_embedded_by_the_question() -> None:
    settings: dict[str, Any] = {"write.timezone": "UTC", "write.settle": "auto"}
    with Mnemopi(":memory:", clock=FixedClock(), config=settings, embeddings=Topics()) as bank:
        bank.remember("our kitten sleeps all day")
        assert bank.recall("feline")[0].content == "our kitten sleeps all day"


@pytest.mark.skipif(importlib.util.find_spec("wordllama") is None, reason="the static embedder is not installed")
def test_the_static_embedder_finds_by_meaning() -> None:
    with Mnemopi(":memory:", clock=FixedClock(), config=CONFIG, embeddings={"provider": "static"}) as bank:
        bank.remember("we adopted a kitten from the shelter")
        bank.remember("the quarterly budget was approved")
        bank.remember("the train to Hamburg was late")
        assert bank.recall("which pet do we have, a cat?")[0].content == "we adopted a kitten from the shelter"
