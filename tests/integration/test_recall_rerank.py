"""Recall with a reranker: what it moves, what it may not move, and that nobody waits for it longer than is said."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from mnemopi import Mnemopi
from mnemopi.errors import ConfigError, UsageError
from mnemopi.testing import FixedClock, OverlapReranker

START = 1_772_323_200_000
"""2026-03-01T00:00Z."""
TALK = (
    "the kettle is on the shelf",
    "the kettle is in the box",
    "the kettle is broken",
    "a kettle, they said long ago, or so it seems",
)


def prefers(*wanted: str) -> Callable[[str, list[str]], list[float]]:
    """A judge who likes texts that hold one of some words, the first word most."""
    return lambda question, texts: [
        max((1.0 / (1 + place) for place, word in enumerate(wanted) if word in text), default=0.0) for text in texts
    ]


def opened(reranker: Any, clock: FixedClock | None = None, **config: Any) -> Mnemopi:
    told = {"write.timezone": "UTC", **{f"rerank.{name}": value for name, value in config.items()}}
    return Mnemopi(":memory:", no_embeddings=True, reranker=reranker, clock=clock or FixedClock(START), config=told)


@pytest.fixture
def bank() -> Iterator[Mnemopi]:
    with opened(prefers("they said")) as made:
        made.remember_many([{"content": text} for text in TALK])
        yield made


def test_what_the_reranker_likes_comes_first_and_the_hits_say_whose_doing_it_is(bank: Mnemopi) -> None:
    plain, judged = bank.recall("the kettle"), bank.recall("the kettle", rerank=True)
    assert plain[-1].content == "a kettle, they said long ago, or so it seems"
    assert judged[0].content == plain[-1].content
    assert (plain.reranker, plain.notes) == ("", ())
    assert judged.reranker.startswith("callable:") and judged.notes == ()
    assert {hit.id for hit in plain} == {hit.id for hit in judged}


def test_the_score_is_still_its_own_explanation(bank: Mnemopi) -> None:
    hits = bank.recall("the kettle", rerank=True)
    for hit in hits:
        assert sum(hit.explanation.terms.values()) == pytest.approx(hit.explanation.order)
    assert hits[0].explanation.terms["rerank"] > hits[-1].explanation.terms["rerank"] == 0
    assert all(above.explanation.order >= below.explanation.order for above, below in pairwise(hits))
    assert all(above.score >= below.score for above, below in pairwise(hits))


def test_nobody_is_asked_unless_it_is_set_or_said() -> None:
    judge = OverlapReranker()
    with opened(judge) as bank:
        bank.remember("the kettle is red")
        bank.recall("kettle")
        bank.recall("kettle", rerank=False)
        assert judge.asked == []
        bank.recall("kettle", rerank=True)
        assert judge.asked == [("kettle", ["the kettle is red"])]


def test_the_setting_asks_in_each_recall_and_the_argument_wins_over_it() -> None:
    judge = OverlapReranker()
    with opened(judge, enabled=True) as bank:
        bank.remember("the kettle is red")
        assert bank.recall("kettle", rerank=False).reranker == ""
        assert judge.asked == []
        assert bank.recall("kettle").reranker == bank.acting_as(author_id="ann").recall("kettle").reranker == judge.name
        assert "red" in bank.context("kettle")
        assert len(judge.asked) == 3


def test_to_ask_where_there_is_nobody_is_an_error_with_a_hint() -> None:
    with opened(None) as bank, pytest.raises(UsageError, match="MNEMOPI_RERANK_PROVIDER"):
        bank.recall("kettle", rerank=True)
    with pytest.raises(ConfigError, match="MNEMOPI_RERANK_PROVIDER"):
        opened(None, enabled=True)
    with opened(False, enabled=True) as bank:
        assert bank.recall("kettle").notes == ()


def test_only_as_many_as_is_set_are_read_and_they_stay_above_the_rest() -> None:
    judge = OverlapReranker()
    with opened(judge, depth=3) as bank:
        bank.remember_many([{"content": f"kettle number {n}"} for n in range(12)])
        before = [hit.id for hit in bank.recall("kettle", 12)]
        judged = bank.recall("kettle", 12, rerank=True)
    assert len(judge.asked[0][1]) == 3
    assert {hit.id for hit in judged[:3]} == set(before[:3])
    assert [hit.id for hit in judged[3:]] == before[3:]
    assert all("rerank" not in hit.explanation.terms for hit in judged[3:])


def test_of_a_long_text_the_passage_around_the_match_is_read_and_who_said_it() -> None:
    judge = OverlapReranker()
    filler = "The committee met and talked about the budget of the year. "
    with opened(judge) as bank:
        bank.remember(filler * 100 + "Then the zeppelin left. " + filler * 100, author_id="ann")
        bank.recall("zeppelin", rerank=True)
    ((_, (shown,)),) = judge.asked
    assert shown.startswith("ann: ") and "the zeppelin left" in shown
    assert len(shown) < 1300


def test_a_text_of_one_passage_is_read_whole() -> None:
    judge = OverlapReranker()
    text = "x" * 900 + " zeppelin"
    with opened(judge) as bank:
        bank.remember(text)
        bank.recall("zeppelin", rerank=True)
    assert judge.asked[0][1] == [text]


def fails(question: str, texts: list[str]) -> list[float]:
    raise OSError("about private words")


@pytest.mark.parametrize(
    ("judge", "code"),
    [
        (fails, "unavailable"),
        (lambda question, texts: [1.0], "provider"),
        (lambda question, texts: [float("nan")] * len(texts), "provider"),
        (lambda question, texts: ["good"] * len(texts), "provider"),
        (lambda question, texts: None, "refused"),
        (lambda question, texts: texts[99], "refused"),
    ],
)
def test_a_reranker_that_fails_leaves_our_order_and_the_hits_say_so(
    judge: Any, code: str, caplog: pytest.LogCaptureFixture
) -> None:
    with opened(judge) as bank:
        bank.remember_many([{"content": text} for text in TALK])
        plain, judged = bank.recall("the kettle"), bank.recall("the kettle", rerank=True)
    assert [(hit.id, hit.score) for hit in judged] == [(hit.id, hit.score) for hit in plain]
    assert (judged.reranker, judged.notes) == ("", (f"not reranked: {code}",))
    assert all("rerank" not in hit.explanation.terms for hit in judged)
    assert "recall goes on without its reranker" in caplog.text
    assert "private" not in caplog.text


def test_a_reranker_that_hangs_is_waited_for_no_longer_than_is_set() -> None:
    release = threading.Event()

    def hang(question: str, texts: list[str]) -> list[float]:
        release.wait(60)
        return [0.0] * len(texts)

    with opened(hang, timeout=0.1) as bank:
        bank.remember("the kettle is red")
        try:
            hits = bank.recall("kettle", rerank=True)
        finally:
            release.set()
    assert [hit.content for hit in hits] == ["the kettle is red"]
    assert hits.notes == ("not reranked: unavailable",)


def test_while_the_reranker_reads_others_read_and_write(tmp_path: Path) -> None:
    asked, answer = threading.Event(), threading.Event()

    def slow(question: str, texts: Sequence[str]) -> list[float]:
        asked.set()
        assert answer.wait(30)
        return [1.0] * len(texts)

    with (
        Mnemopi(tmp_path / "b.db", no_embeddings=True, reranker=slow, config={"rerank.timeout": 60}) as bank,
        ThreadPoolExecutor(2) as threads,
    ):
        bank.remember("the kettle is red")
        hits = threads.submit(bank.recall, "kettle", rerank=True)
        assert asked.wait(30)
        try:
            id = threads.submit(bank.remember, "the cup is blue").result(30)
            assert bank.get(id) is not None
        finally:
            answer.set()
        assert len(hits.result(30)) == 1


def test_what_is_forgotten_hidden_or_changed_while_the_reranker_reads_is_not_handed_out() -> None:
    ids: dict[str, str] = {}

    def meddles(question: str, texts: list[str]) -> list[float]:
        bank.forget(ids["red"])
        bank.invalidate(ids["blue"])
        bank.update(ids["green"], "the kettle is grey")
        return [1.0] * len(texts)

    with opened(meddles) as bank:
        ids |= {colour: bank.remember(f"the kettle is {colour}").id for colour in ("red", "blue", "green", "black")}
        hits = bank.recall("kettle", 10, rerank=True)
    assert {hit.content for hit in hits} == {"the kettle is grey", "the kettle is black"}


def test_what_is_met_to_the_letter_stays_first() -> None:
    with opened(prefers("weather")) as bank:
        bank.remember("the job failed with ERR_CONN_4471")
        bank.remember_many([{"content": f"the job failed in bad weather {n}"} for n in range(5)])
        for question in ("why did the job fail with ERR_CONN_4471", '"failed with ERR_CONN_4471"'):
            hits = bank.recall(question, rerank=True)
            assert hits[0].content == "the job failed with ERR_CONN_4471"
            assert hits[0].explanation.terms["rerank"] >= max(hit.explanation.terms["rerank"] for hit in hits)


def test_a_superseded_memory_stays_below_its_successor() -> None:
    clock = FixedClock(START)
    with opened(prefers("5432"), clock) as bank:
        old = bank.remember("The staging database listens on port 5432, people call it the port of the database.")
        clock.advance(days=1)
        new = bank.remember("The staging database's port is now 5433.")
        clock.advance(days=1)
        hits = bank.recall("which port does the staging database listen on now?", rerank=True)
    assert [hit.id for hit in hits] == [new.id, old.id]
    assert all(above.score >= below.score for above, below in pairwise(hits))


def test_near_duplicates_still_leave_room_for_others() -> None:
    with opened(prefers("copper kettle")) as bank:
        bank.remember_many(
            [{"content": "the copper kettle stands here", "session_id": "s", "position": n} for n in range(8)]
        )
        bank.remember("kettle of iron")
        hits = bank.recall("kettle", 3, rerank=True)
    assert [hit.content for hit in hits].count("the copper kettle stands here") == 2


def test_a_fact_that_no_memory_says_is_read_too() -> None:
    judge = OverlapReranker()
    with opened(judge) as bank:
        fact = bank.facts.assert_("reviewer", "name", "Ines Costa")
        bank.remember("the reviewer is late")
        hits = bank.recall("name of the reviewer", rerank=True)
    assert any("Ines Costa" in text for text in judge.asked[0][1])
    assert "rerank" in next(hit for hit in hits if hit.id == fact.id).explanation.terms


def test_other_banks_are_judged_too_and_say_when_they_were_not(tmp_path: Path) -> None:
    calls: list[int] = []

    def once(question: str, texts: list[str]) -> list[float]:
        calls.append(len(texts))
        if len(calls) > 1:
            raise OSError
        return [1.0] * len(texts)

    with Mnemopi(tmp_path / "b.db", "other", no_embeddings=True) as other:
        other.remember("the kettle is red", scope="global")
    with Mnemopi(tmp_path / "b.db", no_embeddings=True, reranker=once) as bank:
        bank.remember("the kettle is blue")
        hits = bank.recall("kettle", rerank=True)
    assert len(hits) == 2 and calls == [1, 1]
    assert hits.reranker.startswith("callable:") and hits.notes == ("not reranked: unavailable",)


def test_rerank_is_true_or_false(bank: Mnemopi) -> None:
    with pytest.raises(UsageError, match="rerank is true or false"):
        bank.recall("kettle", rerank="yes")


def test_a_question_that_finds_nothing_asks_nobody() -> None:
    judge = OverlapReranker()
    with opened(judge) as bank:
        bank.remember("the kettle is red")
        assert len(bank.recall("zeppelin", rerank=True)) == 0
        assert len(bank.recall("  ", rerank=True)) == 0
    assert judge.asked == []
