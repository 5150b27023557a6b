"""What another name and a link count for: bounded, monotone, and part of the score that explains itself."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mnemopi.retrieval import evidence, scoring
from mnemopi.retrieval.evidence import Candidate
from mnemopi.retrieval.weights import WEIGHTS

FREQUENCY = {"k8s": 2, "upgrad": 5, "kubernet": 2}


def question() -> evidence.Question:
    return evidence.ask("k8s upgrade", lambda terms: {term: FREQUENCY.get(term, 0) for term in terms}, 100, 10.0)


def test_a_term_said_by_another_name_counts_once_as_if_it_stood_there() -> None:
    plain, otherwise = Candidate("kubernet upgrad"), Candidate("kubernet upgrad", otherwise=frozenset({"k8s"}))
    said, there = Candidate("k8s upgrad"), Candidate("k8s upgrad", otherwise=frozenset({"k8s"}))
    found = evidence.gather(question(), [plain, otherwise, said, there])
    assert found[0].coverage < found[1].coverage == found[2].coverage == found[3].coverage
    assert found[0].bm25 < found[1].bm25 and found[2] == found[3]


def test_a_name_that_the_question_does_not_have_counts_nothing() -> None:
    plain, other = Candidate("kubernet upgrad"), Candidate("kubernet upgrad", otherwise=frozenset({"quay"}))
    first, second = evidence.gather(question(), [plain, other])
    assert first == second


@given(st.floats(0, 1), st.floats(0, 1))
def test_a_stronger_link_never_lowers_a_text_and_stays_within_its_weight(one: float, other: float) -> None:
    weak, strong = sorted((one, other))
    ranked = dict(scoring.rank(question(), [Candidate("diver", linked=weak), Candidate("diver", linked=strong)]))
    assert ranked[0].order <= ranked[1].order <= ranked[0].order + WEIGHTS.linked


def test_a_link_alone_does_not_pass_what_has_the_words() -> None:
    ranked = scoring.rank(question(), [Candidate("diver", linked=1.0), Candidate("k8s upgrad")])
    assert ranked[0][0] == 1
