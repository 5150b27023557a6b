from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mnemopi.providers.clipping import MARKER, clip


def test_a_text_within_the_limit_stays_as_it_is() -> None:
    assert clip("abc", 3) == "abc"


def test_a_limit_of_zero_is_no_limit() -> None:
    assert clip("x" * 100_000, 0) == "x" * 100_000


def test_head_and_tail_stay_around_the_marker() -> None:
    text = "a" * 500 + "b" * 500
    assert clip(text, 30) == "a" * 10 + MARKER + "b" * 11


def test_a_small_limit_keeps_the_tail_alone() -> None:
    text = "".join(chr(0x4E00 + n) for n in range(100))
    assert clip(text, 25) == text[-25:]
    assert MARKER in clip(text, 26)


@given(st.text(max_size=300), st.integers(1, 200))
def test_the_limit_holds_and_the_end_is_kept(text: str, limit: int) -> None:
    clipped = clip(text, limit)
    assert len(clipped) == min(len(text), limit)
    assert text.endswith(clipped[-8:] if len(text) > limit > 25 else clipped)
