from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from mnemopi.errors import BudgetError, RefusedError, UnavailableError
from mnemopi.providers import judging
from mnemopi.providers.judging import CallableReranker, PatientReranker
from mnemopi.testing import OverlapReranker


class Stuck:
    """Judges when it is let go."""

    name = "test:stuck"

    def __init__(self) -> None:
        self.let_go = threading.Event()

    def score(self, question: str, texts: Sequence[str]) -> list[float]:
        self.let_go.wait(60)
        return [1.0] * len(texts)


def test_what_hangs_is_given_up_at_the_deadline_and_not_asked_without_end() -> None:
    stuck = Stuck()
    patient = PatientReranker(stuck, 0.01)
    try:
        for _ in range(judging.MOST):
            with pytest.raises(UnavailableError, match="did not answer within"):
                patient.score("a", ["b"])
        with pytest.raises(UnavailableError, match="still at earlier questions"):
            patient.score("a", ["b"])
    finally:
        stuck.let_go.set()
    for thread in threading.enumerate():
        if thread.name == "mnemopi-reranker":
            thread.join()
    assert PatientReranker(stuck, 30).score("a", ["b"]) == [1.0]
    assert patient._asked and not any(thread.is_alive() for thread in patient._asked)


def test_what_the_reranker_raises_is_raised_where_it_was_asked() -> None:
    class Broken(OverlapReranker):
        def score(self, question: str, texts: Sequence[str]) -> list[float]:
            raise BudgetError("no more today")

    with pytest.raises(BudgetError, match="no more today"):
        PatientReranker(Broken(), 30).score("a", ["b"])


@pytest.mark.parametrize(
    ("raised", "kind"),
    [(ValueError("private"), RefusedError), (OSError("private"), UnavailableError), (BudgetError("own"), BudgetError)],
)
def test_what_a_function_raises_is_one_of_the_providers_errors(raised: Exception, kind: type[Exception]) -> None:
    def judge(question: str, texts: list[str]) -> list[float]:
        raise raised

    with pytest.raises(kind) as caught:
        CallableReranker(judge).score("a", ["b"])
    assert "private" not in str(caught.value)


def generator(question: str, texts: list[str]) -> Any:
    yield from ([1, 2.5] if texts else ())


async def stream(question: str, texts: list[str]) -> Any:
    for each in (1, 2.5):
        yield each


@pytest.mark.parametrize("function", [generator, stream, lambda question, texts: (1, 2.5)])
def test_a_function_may_give_its_numbers_in_any_way(function: Callable[..., Any]) -> None:
    assert CallableReranker(function).score("a", ["b", "c"]) == [1.0, 2.5]


def test_a_function_is_named_by_where_it_stands() -> None:
    assert CallableReranker(generator).name == f"callable:{__name__}.generator"
