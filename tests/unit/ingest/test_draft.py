"""What a caller gives, checked field by field."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemopi.errors import UsageError
from mnemopi.ingest import draft as drafts
from mnemopi.ingest.draft import Draft
from mnemopi.model.memory import Identity

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**60), 2**60)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.parametrize(
    ("fields", "turn"),
    [
        ({}, False),
        ({"session_id": "s"}, True),
        ({"position": 0}, True),
        ({"external_id": "e"}, True),
        ({"author_id": "a"}, False),
    ],
)
def test_a_turn_is_what_was_given_with_its_conversation(fields: dict[str, Any], turn: bool) -> None:
    assert Draft("text", **fields).is_turn is turn


@pytest.mark.parametrize(
    "item", [{}, {"source": "user"}, {"content": "x", "colour": "red"}, {"content": "x", 1: 2}, "text", None]
)
def test_what_is_no_memory_is_refused(item: Any) -> None:
    with pytest.raises(UsageError):
        drafts.of(item)


@given(st.integers() | st.floats())
def test_an_importance_is_clamped_and_what_is_no_finite_number_is_refused(value: float) -> None:
    if isinstance(value, float) and not math.isfinite(value):
        with pytest.raises(UsageError):
            drafts.importance(value)
    else:
        made = drafts.importance(value)
        assert type(made) is float and 0 <= made <= 1
        assert made == value or not 0 <= value <= 1


@given(st.text(max_size=50))
def test_a_text_is_kept_as_it_is_or_refused(value: str) -> None:
    good = bool(value.strip()) and "\x00" not in value and not any("\ud800" <= each <= "\udfff" for each in value)
    if good:
        assert drafts.text(value, "content", 50) == value
    else:
        with pytest.raises(UsageError):
            drafts.text(value, "content", 50)


def test_the_limit_of_a_text_is_included() -> None:
    assert drafts.text("x" * 10, "content", 10)
    with pytest.raises(UsageError, match="at most 10"):
        drafts.text("x" * 11, "content", 10)


@given(st.dictionaries(st.text(max_size=8), JSON, max_size=4))
def test_metadata_comes_back_as_json_would_have_it(value: dict[str, Any]) -> None:
    try:
        made = drafts.metadata(value, 100_000)
    except UsageError:
        assert any(bad in repr(value) for bad in ("\\x00", "\\ud"))
    else:
        assert made == value


@pytest.mark.parametrize("good", ["a literal \\u0000 in code", "\\\\u0000", "C:\\u0000dir"])
def test_a_written_escape_is_not_the_character(good: str) -> None:
    assert drafts.metadata({"code": good}, 1000) == {"code": good}
    with pytest.raises(UsageError, match="NUL"):
        drafts.metadata({"code": good + "\x00"}, 1000)


def test_metadata_is_a_copy() -> None:
    inner = ["a"]
    made = drafts.metadata({"list": inner}, 1000)
    inner.append("b")
    assert made == {"list": ["a"]}


def test_metadata_that_goes_round_in_a_circle_is_refused() -> None:
    circle: dict[str, Any] = {}
    circle["self"] = circle
    with pytest.raises(UsageError, match="JSON"):
        drafts.metadata(circle, 1000)


@pytest.mark.parametrize("value", ["s1", "会话-1", "a" * 200, "with space", "C:/path", "x@y.z"])
def test_an_identifier_is_never_rewritten(value: str) -> None:
    assert drafts.name(value, "session_id") == value


@pytest.mark.parametrize("value", ["", " ", "a" * 201, "a\tb", "a\x7f", "\ud800", 7, b"x", "ghp_" + "a1B2c3D4e5" * 4])
def test_an_identifier_that_will_not_do_is_refused(value: Any) -> None:
    for _ in range(2):
        with pytest.raises(UsageError):
            drafts.name(value, "session_id")


@pytest.mark.parametrize(
    "who",
    [
        Identity(""),
        Identity("s", author_id=""),
        Identity("s", channel_id="a\nb"),
        Identity("s", scopes=("global",)),
        Identity("s", scopes=("team", "")),
        Identity("s", scopes=["team"]),  # type: ignore[arg-type]
    ],
)
def test_who_acts_is_checked_too(who: Identity) -> None:
    with pytest.raises(UsageError):
        drafts.identity(who)


def test_who_acts_comes_back_as_it_is() -> None:
    who = Identity("s", "ines", "user", "red", ("team",))
    assert drafts.identity(who) is who
