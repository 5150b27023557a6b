import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks import measures

IDS = st.lists(st.sampled_from("abcdefghij"), max_size=10, unique=True)
GOLD = st.lists(st.sampled_from("abcdefghij"), min_size=1, max_size=4, unique=True)


def test_the_figures_of_a_ranking_are_those_of_the_textbook() -> None:
    found = measures.question(["x", "g1", "y", "g2"], ["g1", "g2"])
    assert found["R@1"] == 0
    assert found["R@5"] == found["All@5"] == 1
    assert found["MRR"] == 0.5
    ideal = 1 + 1 / math.log2(3)
    assert found["nDCG@10"] == pytest.approx((1 / math.log2(3) + 1 / math.log2(5)) / ideal)


def test_the_first_two_places_of_the_official_gain_weigh_the_same() -> None:
    first, second = (measures.official(ranked, ["g"]) for ranked in (["g", "x"], ["x", "g"]))
    assert first["ndcg_any@5"] == second["ndcg_any@5"] == 1
    assert measures.official(["x", "y", "g"], ["g"])["ndcg_any@5"] == pytest.approx(1 / math.log2(3))


def test_official_recall_wants_any_or_all_of_the_gold() -> None:
    found = measures.official(["g1", *"abcdefgh", "g2"], ["g1", "g2"])
    assert (found["recall_any@5"], found["recall_all@5"], found["recall_all@10"]) == (1, 0, 1)


@given(IDS, GOLD)
def test_no_figure_leaves_its_bounds_and_a_perfect_ranking_has_all(ranked: list[str], gold: list[str]) -> None:
    for figures in (measures.question, measures.official):
        assert all(0 <= value <= 1 + 1e-9 for value in figures(ranked, gold).values())
        perfect = figures([*gold, *ranked], gold)
        assert all(value == pytest.approx(1) for name, value in perfect.items() if name != "R@1")


@given(IDS, GOLD, st.integers(0, 8))
def test_a_ranking_is_worth_no_less_when_gold_moves_up(ranked: list[str], gold: list[str], place: int) -> None:
    if place + 1 >= len(ranked) or ranked[place] in gold or ranked[place + 1] not in gold:
        return
    better = [*ranked]
    better[place], better[place + 1] = better[place + 1], better[place]
    for figures in (measures.question, measures.official):
        before, after = figures(ranked, gold), figures(better, gold)
        assert all(after[name] >= before[name] - 1e-9 for name in before)


def test_a_session_stands_where_its_best_turn_does() -> None:
    assert measures.by_session(["b1", "a1", "b2", "odd"], {"a1": "a", "b1": "b", "b2": "b"}) == ["b", "a"]


@given(st.lists(st.floats(0, 1), min_size=1, max_size=40))
def test_an_interval_holds_its_mean_and_is_the_same_each_time(values: list[float]) -> None:
    mean, low, high = measures.interval(values)
    assert low - 1e-9 <= mean <= high + 1e-9
    assert (mean, low, high) == measures.interval(values)


def test_an_interval_narrows_as_questions_are_added() -> None:
    few, many = (measures.interval([0.0, 1.0] * count) for count in (10, 1000))
    assert many[2] - many[1] < few[2] - few[1]


def test_a_gain_is_paired_and_looks_only_at_what_both_were_asked() -> None:
    ours, theirs = {"a": 0.9, "b": 0.1, "c": 1.0}, {"a": 0.8, "b": 0.0}
    assert measures.gain(ours, theirs) == pytest.approx((0.1, 0.1, 0.1))
