"""Sentences as spans."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemopi.text import spans


def cut(text: str) -> list[str]:
    return [text[start:stop] for start, stop in spans.spans(text)]


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
    found = spans.spans(text)
    places = [0, *(place for span in found for place in span), len(text)]
    assert places == sorted(places)
    between = "".join(text[stop:start] for stop, start in zip(places[::2], places[1::2], strict=True))
    assert not between.strip()
    assert all(text[start:stop].strip() == text[start:stop] != "" for start, stop in found)
