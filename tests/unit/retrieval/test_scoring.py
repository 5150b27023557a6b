import math
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemopi.model.hit import Explanation
from mnemopi.retrieval import scoring
from mnemopi.retrieval.evidence import Evidence, Question
from mnemopi.retrieval.scoring import SCALES, Candidate, Scales
from mnemopi.retrieval.weights import CALIBRATION, WEIGHTS
from mnemopi.text import tokens

SHARE = st.floats(0, 1)
BM25 = st.floats(0, 30)
EVIDENCE = st.builds(
    Evidence,
    bm25=BM25,
    coverage=st.floats(0, 0.5),
    gain=st.floats(0, 0.5),
    before=BM25,
    around=BM25,
    length=st.integers(0, 2000),
    after_question=st.booleans(),
    speaker=st.sampled_from([-1, 0, 1]),
    dated=st.booleans(),
    meaning=st.none() | st.floats(-3, 8),
    exact=SHARE,
    importance=SHARE,
    trust=SHARE,
    recency=SHARE,
    period=SHARE,
    relevance=st.none() | SHARE,
)
MORE = {
    "bm25": BM25,
    "coverage": st.floats(0, 0.5),
    "gain": st.floats(0, 0.5),
    "before": BM25,
    "around": BM25,
    "after_question": st.booleans(),
    "speaker": st.sampled_from([-1, 0, 1]),
    "dated": st.booleans(),
    "meaning": st.floats(-3, 8),
    "exact": SHARE,
    "importance": SHARE,
    "trust": SHARE,
    "recency": SHARE,
    "period": SHARE,
    "relevance": SHARE,
}
QUESTION = Question(terms=("deploy", "cluster"), idf=(2.0, 1.0), mass=3.0, average=20.0)


def scored(evidence: Evidence, best: float = 30.0, scales: Scales = SCALES) -> Explanation:
    return scoring.score(evidence, best, 120.0, scales=scales)


@pytest.mark.parametrize("name", MORE)
@given(data=st.data())
def test_more_of_any_evidence_never_lowers_order_or_belief(name: str, data: st.DataObject) -> None:
    evidence = data.draw(EVIDENCE)
    less, more = sorted(data.draw(st.tuples(MORE[name], MORE[name])))
    low, high = scored(replace(evidence, **{name: less})), scored(replace(evidence, **{name: more}))
    assert low.order <= high.order + 1e-9
    assert low.belief <= high.belief + 1e-9


@given(EVIDENCE)
def test_the_terms_of_an_explanation_add_up_to_the_order(evidence: Evidence) -> None:
    explanation = scored(evidence)
    assert math.isclose(sum(explanation.terms.values()), explanation.order, abs_tol=1e-9)
    assert 0 <= explanation.belief <= 1


@given(
    st.builds(Scales, *[st.floats(1, 50)] * 2, *[st.floats(1, 1e6)] * 4),
    st.tuples(st.integers(0, 10), st.integers(0, 10)),
)
def test_however_large_its_weight_the_more_important_of_two_comes_first(
    scales: Scales, tenths: tuple[int, int]
) -> None:
    low, high = (scored(Evidence(importance=each / 10), scales=scales).order for each in sorted(tenths))
    assert low < high or tenths[0] == tenths[1]


@given(
    EVIDENCE.map(lambda each: replace(each, exact=1.0)),
    st.builds(Evidence, importance=SHARE, trust=SHARE, recency=SHARE, period=SHARE, length=st.integers(0, 99)),
    st.builds(Scales, *[st.floats(1, 50)] * 6),
)
def test_no_prior_lifts_a_hit_without_evidence_over_an_exact_match(
    exact: Evidence, empty: Evidence, scales: Scales
) -> None:
    exact = replace(exact, meaning=None)
    assert scored(exact, scales=scales).order > scored(empty, scales=scales).order


@given(EVIDENCE.map(lambda each: replace(each, exact=1.0)), EVIDENCE, SHARE, SHARE)
def test_what_is_met_to_the_letter_is_not_pushed_below_by_a_reranker(
    exact: Evidence, other: Evidence, one: float, another: float
) -> None:
    above, below = (scored(replace(each, relevance=None)).order for each in (exact, other))
    judged = scored(replace(exact, relevance=one)).order - scored(replace(other, relevance=another)).order
    assert above < below or judged >= -1e-9


@given(EVIDENCE, st.floats(0, 20), st.floats(0, 20))
def test_a_larger_scale_makes_its_term_larger(evidence: Evidence, one: float, other: float) -> None:
    less, more = sorted((one, other))
    important = replace(evidence, importance=1.0, trust=0.8, recency=0.0, period=0.0)
    low, high = (scored(important, scales=Scales(importance=scale)).order for scale in (less, more))
    assert low <= high + 1e-9


def test_a_scale_of_nothing_silences_its_term() -> None:
    evidence = Evidence(bm25=3.0, coverage=0.5, meaning=2.0)
    assert set(scored(evidence, scales=Scales(words=0.0)).terms) <= {"words", "meaning"}
    assert scored(evidence, scales=Scales(words=0.0)).terms.get("words", 0.0) == 0.0
    assert scored(evidence, scales=Scales(meaning=0.0)).terms["meaning"] == 0.0


def explanations(beliefs: list[float]) -> list[tuple[int, Explanation]]:
    return [(place, Explanation(-place, belief, belief, {})) for place, belief in enumerate(beliefs)]


@given(st.lists(SHARE))
def test_scores_fall_along_the_order_and_keep_the_sum_of_beliefs(beliefs: list[float]) -> None:
    levelled = scoring.level(explanations(beliefs))
    scores = [explanation.score for _, explanation in levelled]
    assert [place for place, _ in levelled] == list(range(len(beliefs)))
    assert all(above >= below - 1e-12 for above, below in pairwise(scores))
    assert math.isclose(sum(scores), sum(beliefs), abs_tol=1e-9)


@given(st.lists(SHARE).map(lambda beliefs: sorted(beliefs, reverse=True)))
def test_beliefs_that_agree_with_the_order_are_the_scores(beliefs: list[float]) -> None:
    scores = [explanation.score for _, explanation in scoring.level(explanations(beliefs))]
    assert scores == pytest.approx(beliefs)


def candidate(text: str, **more: object) -> Candidate:
    return Candidate(tokens.shadow(text), content=text, **more)  # type: ignore[arg-type]


def best(question: Question, *candidates: Candidate) -> int:
    return scoring.rank(question, candidates)[0][0]


def test_the_text_with_the_words_comes_first() -> None:
    found = [candidate("We had lunch"), candidate("We deploy the cluster on Friday"), candidate("deploy")]
    assert [place for place, _ in scoring.rank(QUESTION, found)] == [1, 2, 0]


def test_candidates_that_say_the_same_keep_their_order() -> None:
    assert [place for place, _ in scoring.rank(QUESTION, [candidate("deploy")] * 3)] == [0, 1, 2]


def test_what_says_again_what_others_say_does_not_change_how_these_are_measured() -> None:
    found = [candidate("We had lunch"), candidate("We deploy on Friday")]
    summed_up = candidate("deploy the cluster, deploy the cluster on Friday", derived=True)
    alone = dict(scoring.rank(QUESTION, found))
    beside = dict(scoring.rank(QUESTION, [*found, summed_up]))
    assert {place: beside[place].order for place in alone} == {place: told.order for place, told in alone.items()}


def test_nothing_to_rank_ranks_nothing() -> None:
    assert scoring.rank(QUESTION, []) == []


def test_a_short_answer_is_found_by_the_question_before_it() -> None:
    question = tokens.shadow("When do we deploy the cluster?")
    found = [candidate("Lunch was fine"), candidate("On Friday at noon", before=question)]
    assert best(QUESTION, *found) == 1


def test_the_named_speaker_comes_before_others() -> None:
    question = replace(QUESTION, named=frozenset({"Mira"}))
    assert best(question, candidate("deploy it", author="Tomas"), candidate("deploy it", author="Mira")) == 1


def test_similarity_decides_between_equal_words() -> None:
    assert best(QUESTION, candidate("deploy", cosine=0.1), candidate("deploy", cosine=0.6)) == 1


def test_meaning_counts_for_more_where_the_words_leave_more_open() -> None:
    found = [Evidence(bm25=3.0, meaning=3.0)]
    terms = [scoring.score(found[0], 3.0, mass).terms["meaning"] for mass in (3.0, 6.0, 60.0)]
    assert terms[0] == 0 < terms[1] < terms[2]


def test_a_long_prompt_is_answered_by_the_nearest_in_meaning_though_another_shares_a_word() -> None:
    found = [candidate("we deploy", cosine=0.1), candidate("a quiet evening at home", cosine=0.7)]
    near = {"background": (0.1, 0.15)}
    assert best(replace(QUESTION, mass=2.0, **near), *found) == 0
    assert best(replace(QUESTION, mass=60.0, **near), *found) == 1


@given(EVIDENCE.map(lambda each: replace(each, bm25=0.0, exact=0.0)), st.floats(0, 500), st.floats(0, 1e3))
def test_what_is_only_near_in_meaning_never_passes_what_is_met_to_the_letter(
    other: Evidence, mass: float, nearness: float
) -> None:
    near = scoring.order_terms(replace(other, meaning=nearness), 3.0, mass)["meaning"]
    exact = scoring.order_terms(Evidence(bm25=3.0, exact=1.0, meaning=0.0), 3.0, mass)
    assert near < sum(exact.values())


def test_a_false_memory_comes_after_a_true_one() -> None:
    assert best(QUESTION, candidate("deploy", trust=0.0), candidate("deploy", trust=1.0)) == 1


def test_belief_is_low_where_little_of_the_question_is_covered() -> None:
    question = replace(QUESTION, mass=30.0)
    covered = scoring.rank(QUESTION, [candidate("deploy the cluster")])[0][1]
    stray = scoring.rank(question, [candidate("deploy the cluster")])[0][1]
    assert stray.order > 0.9
    assert stray.belief < covered.belief / 2


@given(found=st.lists(EVIDENCE, min_size=1, max_size=5), mass=st.floats(0.1, 500), named=st.booleans())
def test_more_evidence_never_makes_an_answer_less_likely(found: list[Evidence], mass: float, named: bool) -> None:
    question = replace(QUESTION, mass=mass, named=frozenset({"Mira"} if named else ()))
    known = scoring.answerable(question, found)
    assert 0 <= known <= 1
    assert scoring.answerable(question, [*found, Evidence(bm25=9.0, coverage=0.5)]) >= known
    assert scoring.answerable(replace(question, named=frozenset({"Mira"})), found) >= known


@given(found=st.lists(EVIDENCE, min_size=1, max_size=5), mass=st.floats(0.1, 500))
def test_the_more_sentences_a_prompt_has_the_less_its_bank_is_doubted(found: list[Evidence], mass: float) -> None:
    known = [scoring.answerable(replace(QUESTION, mass=mass, sentences=count), found) for count in (1, 2, 3, 10)]
    assert known == sorted(known)
    assert known[-1] >= 0.99


def test_what_stays_far_behind_the_best_is_believed_less() -> None:
    beside = scoring.rank(QUESTION, [candidate("deploy"), candidate("deploy the cluster, deploy, deploy")])
    alone = scoring.rank(QUESTION, [candidate("deploy")])
    assert dict(beside)[0].belief < dict(alone)[0].belief


def test_an_answer_is_believed_no_less_where_its_question_was_asked_before() -> None:
    question = replace(QUESTION, text="When do we deploy the cluster?")
    answer, echo = candidate("we deploy it on Friday"), candidate("When do we deploy the cluster?")
    alone, beside = scoring.rank(question, [answer]), scoring.rank(question, [answer, echo])
    assert dict(beside)[0].belief == pytest.approx(dict(alone)[0].belief, rel=1e-3)
    assert dict(scoring.rank(QUESTION, [answer, echo]))[0].belief < dict(alone)[0].belief


def test_an_episode_does_not_set_what_the_others_are_measured_by_where_the_question_was_asked_before() -> None:
    question = replace(QUESTION, text="When do we deploy the cluster?")
    said = [candidate("we deploy it on Friday"), candidate("When do we deploy the cluster?")]
    episode = candidate("deploy the cluster, deploy the cluster on Friday", derived=True)
    alone, beside = scoring.rank(question, said), scoring.rank(question, [*said, episode])
    assert dict(beside)[0].belief == pytest.approx(dict(alone)[0].belief, rel=1e-3)


def test_what_another_said_than_the_one_asked_about_is_believed_less() -> None:
    question = replace(QUESTION, named=frozenset({"Mira"}), names=frozenset({"mira"}))
    said = [candidate("we deploy the cluster", author=author) for author in ("Mira", "Tomas")]
    mentioned = candidate("Mira, we deploy the cluster", author="Tomas")
    beliefs = [told.belief for _, told in sorted(scoring.rank(question, [*said, mentioned]))]
    assert beliefs[1] < beliefs[2] <= beliefs[0]


def test_what_is_said_twice_is_believed_no_less() -> None:
    once = scoring.rank(QUESTION, [candidate("deploy the cluster")])
    twice = scoring.rank(QUESTION, [candidate("deploy the cluster")] * 2)
    assert twice[1][1].belief == twice[0][1].belief == once[0][1].belief


def test_where_nothing_was_found_there_is_nothing_to_doubt() -> None:
    assert scoring.answerable(QUESTION, []) == 1.0


def test_a_bank_that_meets_little_of_a_question_is_doubted_as_a_whole() -> None:
    question = replace(QUESTION, terms=("deploy", "cluster", "harbour"), idf=(2.0, 1.0, 3.0), mass=24.0)
    foreign = scoring.rank(question, [candidate("deploy it"), candidate("the cluster")])
    own = scoring.rank(replace(question, mass=6.0), [candidate("deploy the cluster in the harbour"), candidate("it")])
    assert all(told.answerable == foreign[0][1].answerable for _, told in foreign)
    assert foreign[0][1].answerable < 0.1
    assert own[0][1].answerable > 0.9


def test_the_numbers_are_not_negative_but_for_the_constants() -> None:
    assert all(getattr(WEIGHTS, name) >= 0 for name in WEIGHTS.__slots__)
    assert all(getattr(CALIBRATION, name) >= 0 for name in CALIBRATION.__slots__ if "bias" not in name)
