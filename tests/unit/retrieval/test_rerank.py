from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mnemopi.errors import UnavailableError
from mnemopi.retrieval import rerank
from mnemopi.retrieval.rerank import Judge, Verdict
from mnemopi.testing import OverlapReranker

FINITE = st.floats(allow_nan=False, allow_infinity=False)


@given(st.lists(FINITE, min_size=1))
def test_shares_lie_between_nothing_and_all_and_keep_the_order(relevance: list[float]) -> None:
    shares = rerank.shares(relevance)
    assert all(0 <= share <= 1 for share in shares)
    told = sorted(zip(relevance, shares, strict=True))
    assert [share for _, share in told] == sorted(shares)


@given(st.lists(st.integers(-100, 100), min_size=2), st.integers(-1000, 1000), st.integers(1, 50))
def test_the_scale_of_a_model_does_not_matter(relevance: list[int], start: int, unit: int) -> None:
    one, other = rerank.shares(relevance), rerank.shares([start + unit * each for each in relevance])
    assert all(abs(a - b) < 1e-9 for a, b in zip(one, other, strict=True))


def test_where_all_are_alike_nobody_is_told_apart() -> None:
    assert rerank.shares([7.0, 7.0]) == [0.0, 0.0]


def test_a_verdict_names_who_judged_what() -> None:
    verdict = Judge(OverlapReranker(), 5).hear("red kettle", {1: "the red kettle", "f": "a kettle", 9: "tea"})
    assert verdict == Verdict({1: 1.0, "f": 0.5, 9: 0.0}, "testing:overlap")


def test_a_verdict_that_was_not_reached_says_why() -> None:
    class Broken(OverlapReranker):
        def score(self, question: str, texts: object) -> list[float]:
            raise UnavailableError("gone")

    assert Judge(Broken(), 5).hear("kettle", {1: "kettle"}) == Verdict(notes=("not reranked: unavailable",))


def test_a_short_text_is_shown_whole_and_a_long_one_by_its_best_passage() -> None:
    assert rerank.passage("tea", None, {"tea": 1.0}, 0) == "tea"
    assert rerank.passage("tea", "ann", {"tea": 1.0}, 0) == "ann: tea"
    filler = "The committee met and talked about the budget. " * 60
    shown = rerank.passage(f"{filler}The zeppelin left. {filler}", None, {"zeppelin": 1.0}, 0)
    assert "The zeppelin left." in shown and len(shown) <= 1200
    assert shown[0].isupper() and shown.rstrip()[-1] == "."


def test_where_no_word_tells_the_passage_nearest_in_meaning_is_shown() -> None:
    sentences = [f"Sentence number {n} of the report. " for n in range(200)]
    text = "".join(sentences)
    assert "Sentence number 150 " in rerank.passage(text, None, {}, text.index("Sentence number 150 "))


def test_an_empty_text_is_shown_as_it_is() -> None:
    assert rerank.passage("", None, {}, 0) == ""
