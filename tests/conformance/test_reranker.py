"""What every Reranker keeps to, whoever wrote it: one suite over the providers and the fake."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mnemopi.ports import Reranker
from mnemopi.providers.client import Client
from mnemopi.providers.judging import CallableReranker, PatientReranker
from mnemopi.providers.rerank_api import SHAPES, ApiReranker
from mnemopi.providers.rerankers import PreparedReranker
from mnemopi.providers.worker import WorkerReranker
from mnemopi.testing import OverlapReranker

from .conftest import answering

QUESTION = "which port has the staging database"
TEXTS = ["The port is 8123.", "端口是 8123。", "Ann prefers tea", "x", "the port of the staging\ndatabase", "café 🚀"]


def judged(asked: Any) -> Any:
    """Speak all three shapes with the judgements of the fake, the best first as real servers do."""
    texts = asked.get("documents") or asked.get("texts")
    score = "relevance_score" if "documents" in asked else "score"
    found = enumerate(OverlapReranker().score(asked["query"], texts))
    listed = [{"index": place, score: value} for place, value in sorted(found, key=lambda each: -each[1])]
    return {"results": listed} if "documents" in asked else listed


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with answering(judged) as url:
        yield url


def plain(question: str, texts: list[str]) -> list[float]:
    return OverlapReranker().score(question, texts)


async def later(question: str, texts: list[str]) -> list[float]:
    return plain(question, texts)


def api(shape: str) -> Callable[[str], Reranker]:
    return lambda address: ApiReranker(Client(SHAPES[shape].address(address)), shape, "fake")


def apart() -> Reranker:
    return WorkerReranker(OverlapReranker(), "mnemopi.testing:OverlapReranker", {}, most=1024)


MAKERS: dict[str, Callable[[str], Reranker]] = {
    **{shape: api(shape) for shape in SHAPES},
    "jina, prepared": lambda address: PreparedReranker(api("jina")(address), gate=str),
    "function": lambda address: CallableReranker(plain),
    "coroutine function": lambda address: CallableReranker(later),
    "function, waited for": lambda address: PreparedReranker(PatientReranker(CallableReranker(plain), 30)),
    "in a process of its own": lambda address: apart(),
    "overlap": lambda address: OverlapReranker(),
}


@pytest.fixture(params=MAKERS, scope="module")
def reranker(request: pytest.FixtureRequest, address: str) -> Reranker:
    return MAKERS[request.param](address)


def test_each_text_has_a_finite_number_in_its_place(reranker: Reranker) -> None:
    judged = reranker.score(QUESTION, TEXTS)
    assert len(judged) == len(TEXTS)
    assert all(isinstance(each, float) and math.isfinite(each) for each in judged)
    assert max(range(len(TEXTS)), key=judged.__getitem__) == TEXTS.index("the port of the staging\ndatabase")


def test_what_stands_beside_a_text_does_not_matter(reranker: Reranker) -> None:
    together = reranker.score(QUESTION, TEXTS)
    for text, judged in zip(TEXTS, together, strict=True):
        assert reranker.score(QUESTION, [text]) == pytest.approx([judged], abs=1e-6)


def test_order_does_not_matter(reranker: Reranker) -> None:
    turned = reranker.score(QUESTION, TEXTS[::-1])
    assert turned == pytest.approx(list(reranker.score(QUESTION, TEXTS))[::-1], abs=1e-6)


def test_the_name_is_told_apart_by_kind_and_does_not_change(reranker: Reranker) -> None:
    before = reranker.name
    reranker.score(QUESTION, TEXTS)
    assert reranker.name == before
    assert ":" in before


def test_many_threads_may_ask_at_once(reranker: Reranker) -> None:
    expected = list(reranker.score(QUESTION, TEXTS))
    failures: list[str] = []

    def work() -> None:
        for _ in range(5):
            if reranker.score(QUESTION, TEXTS) != pytest.approx(expected, abs=1e-6):
                failures.append("judgements differ")

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    question=st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=40),
    texts=st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=40), min_size=1, max_size=4),
)
def test_any_text_is_judged(reranker: Reranker, question: str, texts: list[str]) -> None:
    judged = reranker.score(question, texts)
    assert len(judged) == len(texts)
    assert all(map(math.isfinite, judged))
