"""How deep JSON is nested, looked for in what is written; what is too deep becomes a text."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemopi.model import nesting

JSON = st.recursive(
    st.none() | st.integers() | st.text('[]{}"\\a漢', max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text('{["\\', max_size=3), inner, max_size=3),
    max_leaves=12,
)


def depth(value: Any) -> int:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    return 0 if inner is None else 1 + max(map(depth, inner), default=0)


def told(value: Any) -> Any:
    """Read again what stands as text where it had to be made flat: only for values without texts that are JSON."""
    if isinstance(value, dict):
        return {name: told(each) for name, each in value.items()}
    if isinstance(value, list):
        return [told(each) for each in value]
    return json.loads(value) if isinstance(value, str) else value


@given(JSON, st.integers(1, 4))
def test_what_is_made_flat_is_no_deeper_than_was_asked_and_else_as_it_was(value: Any, most: int) -> None:
    written = json.dumps(value, ensure_ascii=False)
    flat = nesting.flat(written, most)
    assert depth(json.loads(flat)) <= most
    if depth(value) <= most:
        assert flat == written


@given(st.recursive(st.integers(), lambda inner: st.lists(inner, max_size=3), max_leaves=20), st.integers(1, 4))
def test_nothing_of_what_is_deeper_is_lost(value: Any, most: int) -> None:
    assert told(json.loads(nesting.flat(json.dumps(value), most))) == value


@pytest.mark.parametrize(("levels", "fits"), [(1, True), (nesting.DEEPEST, True), (nesting.DEEPEST + 1, False)])
def test_the_deepest_level_still_fits(levels: int, fits: bool) -> None:
    assert nesting.fits("[" * levels + "]" * levels) is fits


def test_brackets_in_texts_are_no_levels() -> None:
    assert nesting.fits(json.dumps({"code": "[" * 1000, "{" * 1000: '"[' * 1000}))


def test_no_depth_is_too_much_to_be_looked_at() -> None:
    written = "[" * 100_000 + "]" * 100_000
    assert not nesting.fits(written)
    assert not nesting.fits(nesting.carried(written)), "it can still be refused"
    json.loads(nesting.carried(written))


@pytest.mark.parametrize("written", ["[" * 100_000, '{"a":' * 100_000 + "1", "[" * 99 + "]" * 3])
def test_what_is_cut_short_stays_no_json_and_can_be_read_to_its_end(written: str) -> None:
    with pytest.raises(json.JSONDecodeError):
        json.loads(nesting.carried(written))


@given(st.text('{}[]"\\a', max_size=200))
def test_no_text_is_refused(text: str) -> None:
    assert nesting.flat(text, 200) == text
    assert isinstance(nesting.flat(text, 1), str)
