import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemopi.text import passages

PIECES = st.sampled_from(["word ", "Sentence ends. ", "句子。", "\n\n", "\n", "x", "好", "？！", " "])
TEXTS = st.one_of(st.text(max_size=400), st.lists(PIECES, max_size=200).map("".join))


@given(TEXTS, st.integers(1, 60))
def test_passages_follow_one_another_and_cover_the_text(text: str, size: int) -> None:
    spans = passages.passages(text, size)
    assert "".join(text[start:end] for start, end in spans) == text
    assert all(0 < end - start <= size for start, end in spans)
    assert [start for start, _ in spans[1:]] == [end for _, end in spans[:-1]]


def test_a_short_text_is_one_passage_and_an_empty_one_none() -> None:
    assert passages.passages("a" * 1200) == [(0, 1200)]
    assert passages.passages("") == []


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("One two three four.\n\nFive six. Seven\neight nine", "One two three four.\n\n"),
        ("One two three four.\nFive six. Seven eight nine", "One two three four.\n"),
        ("One two three. Four five six seven eight nine", "One two three. "),
        ("一二三四五六七八九十一二三四。五六七八九十一二三四五六七", "一二三四五六七八九十一二三四。"),
        ('He said: "it is done." Then he went away at once', 'He said: "it is done." '),
        ("one two three four five six seven eight nine ten", "one two three four five "),
        ("a" * 50, "a" * 25),
        ("Hi. " + "a" * 50, "Hi. " + "a" * 21),
    ],
)
def test_a_cut_falls_at_the_largest_break_in_the_room_left(text: str, first: str) -> None:
    start, end = passages.passages(text, 25)[0]
    assert text[start:end] == first


def test_a_text_of_a_quarter_of_a_million_characters_is_cut() -> None:
    spans = passages.passages("Some words stand here. " * 11_000)
    assert len(spans) < 11_000 * 23 / 1200 * 1.1
