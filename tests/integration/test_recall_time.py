"""Questions about a time, and questions about now."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from mnemopi import Mnemopi
from mnemopi.testing import FixedClock
from mnemopi.text import dates

NOW = dates.moment("2026-03-11T12:00:00Z")
"""A Wednesday."""


@pytest.fixture
def bank() -> Iterator[Mnemopi]:
    with Mnemopi(":memory:", no_embeddings=True, clock=FixedClock(NOW), config={"write.timezone": "UTC"}) as opened:
        yield opened


def found(bank: Mnemopi, question: str, **options: object) -> list[str]:
    return [hit.memory.content for hit in bank.recall(question, 20, **options)]


def test_a_time_range_includes_both_its_days_and_nothing_around(bank: Mnemopi) -> None:
    for day in range(1, 10):
        bank.remember(f"standup number {day}", timestamp=f"2026-03-0{day}T23:30:00Z")
    between = found(bank, "standup", from_date="2026-03-03", to_date="2026-03-05")
    assert sorted(between) == ["standup number 3", "standup number 4", "standup number 5"]
    assert len(found(bank, "standup", from_date="2026-03-08")) == 2
    assert len(found(bank, "standup", to_date="2026-03-02")) == 2
    assert found(bank, "standup", from_date="2026-03-05T23:31:00Z", to_date="2026-03-06T23:29:00Z") == []


def test_a_time_range_also_takes_what_happened_in_it(bank: Mnemopi) -> None:
    bank.remember("the fair took place on 2025-12-24", timestamp="2026-03-01")
    assert found(bank, "fair", from_date="2025-12-20", to_date="2025-12-26") == ["the fair took place on 2025-12-24"]
    assert found(bank, "fair", from_date="2026-01-01", to_date="2026-01-31") == []


@pytest.mark.parametrize(
    ("question", "texts"),
    [
        ("what did the team decide last Friday", "the team decide to keep plan {}"),
        ("上周五团队决定了什么", "团队决定保留方案 {}"),
    ],
)
def test_last_friday_lifts_what_was_said_then(bank: Mnemopi, question: str, texts: str) -> None:
    for day, name in enumerate("ABCDEFGHI", start=1):
        bank.remember(texts.format(name), timestamp=f"2026-03-0{day}T10:00:00Z")
    hits = bank.recall(question, 3)
    assert hits[0].timestamp.startswith("2026-03-06")
    assert hits[0].temporal_score == 1
    assert hits[0].explanation.terms["period"] > 0
    assert "temporal" in hits.retrievers


def test_in_march_lifts_what_happened_then_whenever_it_was_told(bank: Mnemopi) -> None:
    bank.remember("the harbour trip was on 2025-08-03", timestamp="2026-03-10")
    bank.remember("the harbour trip was on 2026-02-03", timestamp="2026-03-10")
    assert found(bank, "the harbour trip in August 2025")[0] == "the harbour trip was on 2025-08-03"
    assert found(bank, "the harbour trip in February")[0] == "the harbour trip was on 2026-02-03"


def test_a_question_of_time_alone_finds_what_was_said_then(bank: Mnemopi) -> None:
    bank.remember("dentist at noon", timestamp="2026-03-10T08:00:00Z")
    bank.remember("bought a bicycle", timestamp="2026-02-01T08:00:00Z")
    assert found(bank, "what happened yesterday")[0] == "dentist at noon"
    assert found(bank, "昨天发生了什么")[0] == "dentist at noon"


def test_query_time_moves_what_yesterday_means(bank: Mnemopi) -> None:
    bank.remember("lunch was soup", timestamp="2026-03-10T12:00:00Z")
    bank.remember("lunch was bread", timestamp="2024-07-09T12:00:00Z")
    assert found(bank, "lunch yesterday")[0] == "lunch was soup"
    assert found(bank, "lunch yesterday", query_time="2024-07-10")[0] == "lunch was bread"


def test_a_bare_query_time_prefers_what_is_near_it(bank: Mnemopi) -> None:
    bank.remember("lunch was soup", timestamp="2026-03-10T12:00:00Z")
    bank.remember("lunch was bread", timestamp="2024-07-09T12:00:00Z")
    assert found(bank, "lunch", query_time="2024-07-09T13:00:00Z")[0] == "lunch was bread"


@pytest.mark.parametrize("question", ["the current owner of the build", "the latest owner of the build"])
def test_the_present_prefers_the_younger_of_two_equals(bank: Mnemopi, question: str) -> None:
    bank.remember("the owner of the build is Ann", timestamp="2026-03-09")
    bank.remember("the owner of the build is Bob", timestamp="2025-06-01")
    assert found(bank, question)[0] == "the owner of the build is Ann"


def test_the_present_prefers_the_younger_in_chinese_too(bank: Mnemopi) -> None:
    bank.remember("数据库是甲库", timestamp="2026-03-09")
    bank.remember("数据库是乙库", timestamp="2025-06-01")
    assert found(bank, "现在的数据库是哪个")[0] == "数据库是甲库"
    assert bank.recall("数据库是哪个", 2)[0].explanation.terms.get("recency", 0) == 0


def test_without_a_word_of_time_age_does_not_count(bank: Mnemopi) -> None:
    bank.remember("notes on the build by Ann", timestamp="2026-03-09")
    bank.remember("notes on the build by Bob", timestamp="2019-06-01")
    first, second = bank.recall("notes on the build", 2)
    assert first.explanation.order == second.explanation.order


def test_recency_halves_with_each_halflife() -> None:
    settings = {"write.timezone": "UTC", "recall.recency_halflife": 24.0}
    with Mnemopi(":memory:", no_embeddings=True, clock=FixedClock(NOW), config=settings) as bank:
        for days in range(4):
            bank.remember(f"build report {days}", timestamp=NOW - days * 86_400_000)
        scores = sorted((hit.recency_score for hit in bank.recall("build report")), reverse=True)
    assert scores == pytest.approx([1, 1 / 2, 1 / 4, 1 / 8])


def test_the_recent_profile_proposes_and_prefers_the_latest(bank: Mnemopi) -> None:
    for day in range(1, 10):
        bank.remember(f"entry number {day}", timestamp=f"2026-03-0{day}")
    hits = bank.recall("anything about giraffes", 3, profile="recent")
    assert [hit.content for hit in hits] == ["entry number 9", "entry number 8", "entry number 7"]
    assert hits[0].explanation.found_by == ("recent",)


def test_a_closer_time_never_counts_less_whatever_the_weight(bank: Mnemopi) -> None:
    for day in range(1, 10):
        bank.remember(f"status of the ship {day}", timestamp=f"2026-03-0{day}T12:00:00Z")
    for weight in (0.1, 0.2, 0.35, 0.5):
        hits = bank.recall("status of the ship on March 9", 9, temporal_weight=weight)
        times = [hit.temporal_score for hit in hits]
        assert times == sorted(times, reverse=True), weight


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What was the budget before the launch?", "20,000"),
        ("What was the budget after the launch?", "50,000"),
        ("上线之前的预算是多少", "两万"),
        ("上线之后的预算是多少", "五万"),
    ],
)
def test_a_period_may_be_named_by_an_event(bank: Mnemopi, question: str, expected: str) -> None:
    bank.remember("The launch is on 12 May 2026.", timestamp="2026-03-01")
    bank.remember("The budget is 20,000 euros for the quarter.", timestamp="2026-04-20")
    bank.remember("The budget is 50,000 euros for the quarter.", timestamp="2026-06-20")
    bank.remember("上线定在 2026年5月12日。", timestamp="2026-03-01")
    bank.remember("预算是两万欧元", timestamp="2026-04-20")
    bank.remember("预算是五万欧元", timestamp="2026-06-20")
    budgets = [hit.content for hit in bank.recall(question, 4) if "budget" in hit.content or "预算" in hit.content]
    assert expected in budgets[0]


@pytest.mark.parametrize("question", ["what is the staging port today?", "今天 staging port 是多少"])
def test_who_asks_for_today_gets_what_holds_now_first(bank: Mnemopi, question: str) -> None:
    bank.remember("Staging port is 5433.", timestamp="2026-02-06")
    bank.remember("Staging port is 5432.", timestamp="2026-01-02")
    first, second = bank.recall(question)
    assert "5433" in first.content
    assert "superseded" in str(second.explanation)
