"""From a ranking to what is handed out: threshold, quotas, near-duplicates, diversity, cut."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemopi.model.hit import Explanation
from mnemopi.model.memory import Identity
from mnemopi.retrieval import arrange as arranging
from mnemopi.retrieval.arrange import ALIKE, MOST_ALIKE, Ranked, arrange, attached, notes
from mnemopi.retrieval.profiles import Options
from mnemopi.settings import RecallConfig
from mnemopi.storage.memories import Candidate


def options(top_k: int = 5, **given: Any) -> Options:
    return Options.of(given, top_k, Identity(), RecallConfig())


def judged(rowkey: int, shadow: str, score: float = 0.5, kind: str = "note") -> tuple[Candidate, Explanation]:
    row = Candidate(rowkey, "s", None, kind, None, 0.5, "unknown", "STATED", 0, None, None, 0, shadow)
    return row, Explanation(order=score, belief=score, score=score, terms={})


def keys(arranged: tuple[Ranked, bool]) -> list[int]:
    return [row.rowkey for row, _ in arranged[0]]


def distinct(count: int, first: int = 0, **given: Any) -> list[tuple[Candidate, Explanation]]:
    return [judged(n, f"alpha{n} beta{n} gamma{n}", **given) for n in range(first, first + count)]


def test_the_best_come_in_their_order() -> None:
    assert keys(arrange(distinct(9), options(4))) == [0, 1, 2, 3]


def test_what_is_below_the_threshold_stays_out() -> None:
    ranked = [judged(n, f"word{n}", score=0.9 - n / 10) for n in range(9)]
    assert keys(arrange(ranked, options(9, min_score=0.65))) == [0, 1, 2]


def test_a_quota_caps_its_kind_only() -> None:
    ranked = distinct(4, kind="turn") + distinct(4, first=4)
    assert keys(arrange(ranked, options(6, quotas={"turn": 1}))) == [0, 4, 5, 6, 7]
    assert keys(arrange(ranked, options(6, quotas={"turn": 0}))) == [4, 5, 6, 7]


def test_near_duplicates_leave_room_for_others() -> None:
    same = [judged(n, "the same five words over again") for n in range(6)]
    assert keys(arrange(same + distinct(3, first=6), options(5))) == [0, 1, 6, 7, 8]


def test_near_duplicates_fill_what_nothing_else_wants() -> None:
    same = [judged(n, "the same five words over again") for n in range(6)]
    assert keys(arrange(same + distinct(1, first=6), options(5))) == [0, 1, 6, 2, 3]


def test_it_says_when_duplicates_or_quotas_took_all_the_places() -> None:
    same = [judged(n, "the same five words over again") for n in range(6)]
    assert arrange(same, options(5))[1]
    assert arrange(distinct(6, kind="turn"), options(5, quotas={"turn": 2}))[1]
    assert not arrange(distinct(6), options(5))[1]
    assert not arrange(distinct(2), options(5))[1]


def test_mmr_prefers_the_different_over_the_same() -> None:
    ranked = [
        judged(0, "tea green leaf", score=0.9),
        judged(1, "tea green leaf", score=0.89),
        judged(2, "coffee black bean", score=0.8),
    ]
    assert keys(arrange(ranked, options(2, use_mmr=True))) == [0, 2]
    assert keys(arrange(ranked, options(2, use_mmr=True, mmr_lambda=1))) == [0, 1]


def test_mmr_hands_out_as_many_as_are_asked_for() -> None:
    assert len(arrange(distinct(90), options(80, use_mmr=True))[0]) == 80


@given(
    words=st.lists(st.sampled_from(["a b c d e", "a b c d f", "x y z", "p q", ""]), max_size=30),
    top_k=st.integers(0, 12),
    mmr=st.booleans(),
)
def test_it_hands_out_each_at_most_once_and_as_many_as_there_are(words: list[str], top_k: int, mmr: bool) -> None:
    ranked = [judged(n, shadow, score=1 - n / 100) for n, shadow in enumerate(words)]
    found = keys(arrange(ranked, options(top_k, use_mmr=mmr)))
    assert len(found) == len(set(found)) == min(top_k, len(words))


@given(words=st.lists(st.sampled_from(["a b c d e f", "x y z u v w", "p q r s t"]), min_size=1, max_size=30))
def test_no_text_takes_more_places_than_its_share_while_others_wait(words: list[str]) -> None:
    ranked = [judged(n, shadow) for n, shadow in enumerate(words)]
    top_k = MOST_ALIKE * len(set(words))
    shares = sum(min(MOST_ALIKE, words.count(word)) for word in set(words))
    found = [row.shadow for row, _ in arrange(ranked, options(top_k))[0]][:shares]
    assert all(found.count(shadow) <= MOST_ALIKE for shadow in found)


def apart(ranked: list[tuple[Candidate, Explanation]], top_k: int) -> list[int]:
    """Which are chosen when each is compared with each."""
    chosen: list[tuple[int, set[str]]] = []
    for row, _ in ranked:
        own = set(row.shadow.split())
        alike = sum(len(own & other) >= ALIKE * len(own | other) > 0 for _, other in chosen)
        if alike < MOST_ALIKE and len(chosen) < top_k:
            chosen.append((row.rowkey, own))
    return [rowkey for rowkey, _ in chosen]


@given(
    texts=st.lists(
        st.tuples(st.integers(0, 2), st.sets(st.integers(0, 14)), st.sets(st.sampled_from("uvwxyz"), max_size=2)),
        max_size=40,
    ),
    top_k=st.integers(1, 20),
)
def test_near_duplicates_are_those_that_comparing_each_with_each_finds(texts: list[Any], top_k: int) -> None:
    shadows = [
        " ".join({f"word{topic}{n}" for n in range(15) if n not in without or n % 3} | more)
        for topic, without, more in texts
    ]
    ranked = [judged(n, shadow) for n, shadow in enumerate(shadows)]
    wanted = apart(ranked, top_k)
    assert keys(arrange(ranked, options(top_k)))[: len(wanted)] == wanted


def test_texts_that_share_only_common_words_are_not_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    compared = 0

    def alike(one: frozenset[str], other: frozenset[str]) -> float:
        nonlocal compared
        compared += 1
        return 0

    monkeypatch.setattr(arranging, "_alike", alike)
    ranked = [judged(n, f"we met and talked about the plan and budget {n} a{n} b{n} c{n}") for n in range(500)]
    assert len(keys(arrange(ranked, options(400)))) == 400
    assert compared == 0


def test_an_episode_needs_no_place_where_enough_of_its_sources_are_listed() -> None:
    parts = {7: ("e7", {1, 2, 3}), 8: ("e8", {1}), 9: ("e9", {4, 5})}
    assert attached(parts, {1, 2}) == {7}
    assert attached(parts, {1, 4, 5}) == {9}
    assert attached(parts, set()) == set()


def test_each_source_says_which_episodes_it_is_part_of() -> None:
    assert notes({7: ("e7", [1, 2]), 8: ("e8", [2])}) == {
        1: ["part of episode e7"],
        2: ["part of episode e7", "part of episode e8"],
    }
