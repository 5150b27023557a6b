"""Sentences as spans, and what makes one worth keeping."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemopi.consolidation import sentences


def cut(text: str) -> list[str]:
    return [text[start:stop] for start, stop in sentences.spans(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("No stop at the end", ["No stop at the end"]),
        ("It costs 3.50 euros. Cheap.", ["It costs 3.50 euros.", "Cheap."]),
        ("Dr. Ito met J. Weber. They spoke.", ["Dr. Ito met J. Weber.", "They spoke."]),
        ("Use tabs, e.g. in makefiles. Always.", ["Use tabs, e.g. in makefiles.", "Always."]),
        ("我叫小明。我住在上海！你呢？", ["我叫小明。", "我住在上海！", "你呢？"]),
        ("他说：“走吧。”然后走了。", ["他说：“走吧。”", "然后走了。"]),
        ("a line\n\nanother line", ["a line", "another line"]),
        ('She said "stop." Then left.', ['She said "stop."', "Then left."]),
        ("see parse.config.v2 there. Done.", ["see parse.config.v2 there.", "Done."]),
        ("   \n ", []),
        ("", []),
    ],
)
def test_a_text_falls_into_its_sentences(text: str, expected: list[str]) -> None:
    assert cut(text) == expected


def test_a_fenced_block_stays_whole() -> None:
    text = "Run this:\n```sh\nrm -rf build. Now!\nmake\n```\nThen wait. Done."
    assert cut(text) == ["Run this:", "```sh\nrm -rf build. Now!\nmake\n```", "Then wait.", "Done."]


@given(st.text(alphabet='ab .!?。\n`"1J', max_size=200))
def test_spans_follow_one_another_and_lose_nothing_but_white_space(text: str) -> None:
    spans = sentences.spans(text)
    places = [0, *(place for span in spans for place in span), len(text)]
    assert places == sorted(places)
    between = "".join(text[stop:start] for stop, start in zip(places[::2], places[1::2], strict=True))
    assert not between.strip()
    assert all(text[start:stop].strip() == text[start:stop] != "" for start, stop in spans)


@pytest.mark.parametrize(
    ("more", "less"),
    [
        ("Always run the tests first", "He often runs the tests first"),
        ("We decided on the blue logo", "We looked at the blue logo"),
        ("It opens on Monday", "It opens for people"),
        ("It costs 40 euros", "It costs some euros"),
        ("不要直接改主分支", "他直接改主分支"),
        ("我们决定用蓝色", "我们看看蓝色"),
        ("Look at src/app.py", "Look at the app"),
        ("The crane is broken.", "The crane is broken?"),
    ],
)
def test_rules_decisions_dates_and_figures_count_more_and_questions_less(more: str, less: str) -> None:
    assert sentences.weight(more) > sentences.weight(less)


def test_the_figures_of_a_text_are_its_numbers() -> None:
    assert sentences.figures("From 3.5 to 12:30 on 2026-03-01, v2") == {"3.5", "12:30", "2026-03-01", "2"}
