"""Who proposes what: each retriever alone, over a small bank."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from mnemopi.errors import UnavailableError
from mnemopi.model.interval import Interval
from mnemopi.model.memory import Memory
from mnemopi.model.query import Filter
from mnemopi.retrieval import evidence, retrievers
from mnemopi.retrieval.retrievers import DEPTH, Pool, Retrievers, Search
from mnemopi.retrieval.understand import understand
from mnemopi.settings import StorageConfig
from mnemopi.storage import filters
from mnemopi.storage.memories import Prepared
from mnemopi.storage.store import Store
from mnemopi.testing import BrokenEmbedder, HashingEmbedder
from mnemopi.text import dates, tokens

NOW = dates.moment("2026-03-11T12:00:00Z")


@pytest.fixture
def store() -> Iterator[Store]:
    opened = Store(":memory:", "b", "b", StorageConfig(), now=0)
    yield opened
    opened.close()


def put(store: Store, *texts: str, embedder: HashingEmbedder | None = None, **more: Any) -> list[int]:
    first = store.memories.last_rowkey()
    keys = [first + 1 + n for n in range(len(texts))]
    fields = {"recorded_at": 0, "timestamp": NOW, "session_id": "s"} | more
    with store.transaction():
        store.memories.put(
            Prepared(Memory(f"{key:032x}", 1, "note", text, **fields), tokens.shadow(text))
            for key, text in zip(keys, texts, strict=True)
        )
        if embedder is not None:
            made = embedder.embed_documents(texts)
            store.vectors.put(embedder.name, [(key, 0, row.tobytes()) for key, row in zip(keys, made, strict=True)])
    return keys


def search(store: Store, text: str, *, narrowed: bool = False, depth: int = DEPTH, **asked: Any) -> Search:
    every = tokens.terms(text)
    frequencies = dict.fromkeys(every, 0) | store.memories.frequencies(every)
    count, average = store.averages()
    question = evidence.ask(text, lambda terms: frequencies, count, average)
    admitted = filters.parameters("b", Filter(**asked), NOW)
    return Search(understand(text, NOW, UTC), question, frequencies, admitted, narrowed, Pool(depth), NOW)


def with_embedder(store: Store, embedder: Any) -> Retrievers:
    return Retrievers(store, embedder, "auto", lambda store: embedder)


def without(store: Store) -> Retrievers:
    return Retrievers(store, None, "auto", lambda store: None)


def run(found: Retrievers, names: Sequence[str], asked: Search) -> tuple[str, ...]:
    found.ask(names, asked)
    return found.run(names, asked)


def test_words_propose_what_has_them_the_best_first(store: Store) -> None:
    keys = put(store, "red kettle", "a red car and many more words about it", "blue", "the kettle is red, a red kettle")
    asked = search(store, "red kettle")
    assert without(store).run(["lexical"], asked) == ("lexical",)
    assert asked.pool.lists[0][:2] in ([keys[0], keys[3]], [keys[3], keys[0]])
    assert asked.pool.lists[0][2:] == [keys[1]]


def test_an_identifier_is_asked_for_alone(store: Store) -> None:
    keys = put(store, *["the build failed and the build failed"] * 100, "E1234")
    asked = search(store, "why did the build fail with E1234", depth=10)
    assert without(store).run(["identifier"], asked) == ("identifier",)
    assert asked.pool.found_by == {keys[-1]: ["identifier"]}


def test_a_phrase_is_asked_for_in_its_order(store: Store) -> None:
    keys = put(store, "reset the connection", "the connection reset by peer", "peer reset connection")
    for text in ("connection reset", 'who said "connection reset"'):
        asked = search(store, text)
        without(store).run(["identifier"], asked)
        assert asked.pool.found_by == {keys[1]: ["phrase"]}, text


def test_a_chinese_phrase_is_asked_for_in_its_order(store: Store) -> None:
    keys = put(store, "超时连接数据库", "昨天数据库连接超时了", "库据数")
    asked = search(store, "“数据库连接超时”")
    without(store).run(["identifier"], asked)
    assert asked.pool.found_by == {keys[1]: ["phrase"]}


def test_a_phrase_in_two_scripts_needs_both_parts(store: Store) -> None:
    keys = put(store, "部署 Kubernetes cluster 之前", "Kubernetes cluster", "部署")
    asked = search(store, "部署 kubernetes cluster")
    without(store).run(["identifier"], asked)
    assert asked.pool.found_by == {keys[0]: ["phrase"]}


def test_a_spoken_question_is_not_taken_for_a_phrase(store: Store) -> None:
    put(store, "where is the kettle")
    assert without(store).run(["identifier"], search(store, "where is the kettle now?")) == ()


def test_a_phrase_with_an_unknown_word_costs_no_statement(store: Store) -> None:
    put(store, "red kettle")
    assert without(store).run(["identifier"], search(store, "red giraffe kettle")) == ()


def test_nearness_in_meaning_proposes_with_its_cosine(store: Store) -> None:
    embedder = HashingEmbedder(64)
    keys = put(store, "deployment of the server", "a cup of tea", embedder=embedder)
    asked = search(store, "deploying servers")
    assert run(with_embedder(store, embedder), ["dense"], asked) == ("dense",)
    assert asked.pool.lists[0][0] == keys[0]
    assert asked.pool.cosines[keys[0]] > asked.pool.cosines[keys[1]]
    assert asked.pool.background is not None


def test_a_provider_that_fails_proposes_nothing_and_did_not_run(store: Store) -> None:
    put(store, "red kettle", embedder=HashingEmbedder())
    asked = search(store, "red kettle")
    found = with_embedder(store, BrokenEmbedder())
    assert run(found, ["dense", "lexical"], asked) == ("lexical",)
    found.measure(asked.pool, list(asked.pool.found_by))
    assert asked.pool.cosines == {}


def test_what_is_not_admitted_is_scanned_past(store: Store) -> None:
    embedder = HashingEmbedder(64)
    put(store, *[f"red kettle {n}" for n in range(300)], embedder=embedder, veracity="false")
    seen = put(store, "a kettle, once", embedder=embedder)
    for narrowed in (False, True):
        asked = search(store, "red kettle", narrowed=narrowed)
        run(with_embedder(store, embedder), ["dense"], asked)
        assert asked.pool.lists == [seen], narrowed


def test_a_narrow_filter_wider_than_its_limit_is_scanned_as_a_whole(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retrievers, "_NARROW", 50)
    embedder = HashingEmbedder(64)
    put(store, *[f"red kettle {n}" for n in range(100)], embedder=embedder, author_id="bob")
    own = put(store, *[f"kettle {n} of ours" for n in range(60)], embedder=embedder, author_id="ann")
    asked = search(store, "red kettle", narrowed=True, author_id="ann")
    run(with_embedder(store, embedder), ["dense"], asked)
    assert len(asked.pool.lists[0]) == DEPTH
    assert set(asked.pool.lists[0]) <= set(own)


def test_candidates_of_others_are_measured_with_the_vector_already_made(store: Store) -> None:
    class Counting(HashingEmbedder):
        calls = 0

        def embed_queries(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
            self.calls += 1
            if self.calls > 1:
                raise UnavailableError("once is enough")
            return super().embed_queries(texts)

    embedder = Counting(64)
    keys = put(store, *[f"red kettle {n}" for n in range(60)], embedder=embedder)
    asked = search(store, "red kettle", depth=5)
    found = with_embedder(store, embedder)
    run(found, ["dense"], asked)
    found.measure(asked.pool, keys)
    assert set(asked.pool.cosines) == set(keys)
    assert embedder.calls == 1


def test_a_period_proposes_what_happened_and_what_was_said_in_it(store: Store) -> None:
    day = dates.moment("2026-03-06")
    said = put(store, "bread", timestamp=day + 1000)
    happened = put(store, "fair", event=Interval(day, day + 86_400_000, "day"))
    put(store, "neither")
    asked = search(store, "what was last Friday")
    assert without(store).run(["temporal"], asked) == ("temporal",)
    assert set(asked.pool.found_by) == {*said, *happened}


def test_without_a_period_time_proposes_nothing(store: Store) -> None:
    put(store, "bread")
    assert without(store).run(["temporal"], search(store, "bread")) == ()


def test_the_latest_are_proposed_the_latest_first(store: Store) -> None:
    keys = [put(store, f"entry {n}", timestamp=NOW + n)[0] for n in range(30)]
    asked = search(store, "anything")
    without(store).run(["recent"], asked)
    assert asked.pool.lists[0] == keys[::-1][: retrievers.FEW]


def test_deeper_takes_many_more_and_says_when_there_are_none(store: Store) -> None:
    put(store, *[f"kettle {n}" for n in range(100)])
    asked = search(store, "kettle", depth=10)
    found = without(store)
    found.run(["lexical"], asked)
    assert len(asked.pool.found_by) == 10
    assert found.deeper(asked)
    assert len(asked.pool.found_by) == 100
    assert not found.deeper(asked)


def test_common_words_are_left_out_while_rarer_ones_are_there(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retrievers, "MOST_MATCHES", 20)
    keys = put(store, *[f"red kettle {n}" for n in range(50)], "red giraffe")
    asked = search(store, "red giraffe")
    without(store).run(["lexical"], asked)
    assert asked.pool.lists == [[keys[-1]]]


def test_common_words_alone_are_asked_together(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retrievers, "MOST_MATCHES", 20)
    put(store, *[f"red car {n}" for n in range(50)], *[f"blue kettle {n}" for n in range(50)])
    both = put(store, "red kettle")
    asked = search(store, "red kettle")
    without(store).run(["lexical"], asked)
    assert asked.pool.lists == [both]


def test_candidates_come_in_turn_the_best_of_each_list_first() -> None:
    pool = Pool()
    pool.propose([1, 2, 3], "lexical")
    pool.propose([4, 1], "dense")
    assert list(pool.in_turn()) == [1, 4, 2, 3]
    assert pool.found_by[1] == ["lexical", "dense"]
