"""What every Embedder keeps to, whoever wrote it: one suite over the providers and the fakes."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mnemopi.ports import Embedder
from mnemopi.providers import embedders, static
from mnemopi.providers.api import ApiEmbedder
from mnemopi.providers.callables import CallableEmbedder
from mnemopi.providers.client import Client
from mnemopi.providers.worker import WorkerEmbedder
from mnemopi.testing import BrokenEmbedder, HashingEmbedder

from .conftest import answering

TEXTS = ["The port is 8123.", "端口是 8123。", "Ann prefers tea", "x", "line\nbreak", "naïve café 🚀"]


def embedded(asked: Any) -> Any:
    """Speak the embeddings API with the vectors of a fake."""
    rows = HashingEmbedder(64).embed_documents(asked["input"]) * 3
    return {"data": [{"index": place, "embedding": row.tolist()} for place, row in enumerate(rows)]}


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with answering(embedded) as url:
        yield f"{url}/embeddings"


def plain(texts: list[str]) -> Any:
    return HashingEmbedder(64).embed_documents(texts).tolist()


async def later(texts: list[str]) -> Any:
    return plain(texts)


def mended() -> BrokenEmbedder:
    broken = BrokenEmbedder()
    broken.mend()
    return broken


def prepared(inner: Embedder) -> Embedder:
    return embedders.PreparedEmbedder(inner, cache=embedders.QueryCache(8), clip_at=8192)


def apart() -> Embedder:
    return WorkerEmbedder(HashingEmbedder(64), "mnemopi.testing:HashingEmbedder", {"dimensions": 64}, most=1024)


MAKERS: dict[str, Callable[[str], Embedder]] = {
    "static": lambda address: static.StaticEmbedder(),
    "static, prepared": lambda address: prepared(static.StaticEmbedder(64)),
    "api": lambda address: ApiEmbedder(Client(address), "fake", batch_size=4),
    "api, prepared": lambda address: prepared(ApiEmbedder(Client(address), "fake")),
    "function": lambda address: CallableEmbedder(plain),
    "coroutine function": lambda address: CallableEmbedder(later),
    "function, prepared": lambda address: prepared(CallableEmbedder(plain)),
    "in a process of its own": lambda address: apart(),
    "in a process of its own, prepared": lambda address: prepared(apart()),
    "hashing": lambda address: HashingEmbedder(),
    "mended": lambda address: mended(),
}


@pytest.fixture(params=MAKERS, scope="module")
def embedder(request: pytest.FixtureRequest, address: str) -> Embedder:
    if request.param.startswith("static") and not static.installed():
        pytest.skip("the package wordllama is not installed")
    return MAKERS[request.param](address)


@pytest.fixture(params=["embed_queries", "embed_documents"])
def embed(request: pytest.FixtureRequest, embedder: Embedder) -> Callable[[list[str]], Any]:
    side: Callable[[list[str]], Any] = getattr(embedder, request.param)
    return side


def test_rows_are_float32_of_the_told_width_and_unit_length(embed: Any, embedder: Embedder) -> None:
    rows = embed(TEXTS)
    assert rows.dtype == np.float32
    assert rows.shape == (len(TEXTS), embedder.dimensions)
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)


def test_no_texts_give_no_rows_of_the_same_width(embed: Any, embedder: Embedder) -> None:
    assert embed([]).shape == (0, embedder.dimensions)


def test_an_empty_text_is_a_zero_vector_among_others(embed: Any) -> None:
    rows = embed(["port", "", "tea"])
    assert not rows[1].any()
    assert rows[0].any() and rows[2].any()


def test_order_holds_and_company_does_not_matter(embed: Any) -> None:
    together = embed(TEXTS)
    for place, text in enumerate(TEXTS):
        assert np.allclose(embed([text])[0], together[place], atol=1e-6)


def test_the_same_text_gives_the_same_row_again(embed: Any) -> None:
    assert np.array_equal(embed(TEXTS), embed(TEXTS))


def test_the_rows_belong_to_the_caller(embed: Any) -> None:
    rows = embed(TEXTS)
    before = rows.copy()
    rows[:] = 0
    assert np.array_equal(embed(TEXTS), before)


def test_a_text_is_nearer_to_itself_than_to_another(embedder: Embedder) -> None:
    documents = embedder.embed_documents(TEXTS)
    assert (embedder.embed_queries(TEXTS) @ documents.T).argmax(axis=1).tolist() == list(range(len(TEXTS)))


def test_the_name_is_told_apart_by_kind_and_does_not_change(embedder: Embedder) -> None:
    before = embedder.name
    embedder.embed_documents(["port"])
    assert embedder.name == before
    assert ":" in before


def test_many_threads_may_embed_at_once(embed: Any) -> None:
    expected = embed(TEXTS)
    failures: list[str] = []

    def work() -> None:
        for _ in range(5):
            if not np.allclose(embed(TEXTS), expected, atol=1e-6):
                failures.append("rows differ")

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts=st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=40), min_size=1, max_size=4))
def test_any_text_gives_finite_rows_of_length_one_or_zero(embed: Any, texts: list[str]) -> None:
    norms = np.linalg.norm(embed(texts), axis=1)
    assert np.all(np.isclose(norms, 1, atol=1e-4) | (norms == 0))
