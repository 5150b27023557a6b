"""How deep JSON may be nested."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from mnemopi.model import nesting


def depth(value: Any) -> int:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    return 0 if inner is None else 1 + max(map(depth, inner), default=0)


def test_sixty_four_levels_fit_and_no_more() -> None:
    most = "[" * nesting.DEEPEST + "]" * nesting.DEEPEST
    assert nesting.fits(most)
    assert not nesting.fits(f"[{most}]")
    assert not nesting.fits("[" * 100_000)


def test_braces_in_a_text_are_no_levels() -> None:
    assert nesting.fits(json.dumps({"a": '[{"' * 200, 'b"[': "\\" + "{" * 100}))


@given(
    st.recursive(
        st.none() | st.text('[]{}",\\'), lambda inner: st.lists(inner) | st.dictionaries(st.text('[{"'), inner)
    ),
    st.integers(60, 68),
)
def test_what_fits_is_what_is_no_deeper(value: Any, around: int) -> None:
    for _ in range(around):
        value = [value]
    assert nesting.fits(json.dumps(value)) == (depth(value) <= nesting.DEEPEST)
