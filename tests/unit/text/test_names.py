"""Names that are written differently and mean the same have one key."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemopi.text import names


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The staging database", "staging  Database."),
        ("default_branch", "default branch"),
        ("API-server", "api server"),
        ("“端口”", "端口"),
        ("ＡＢＣ", "abc"),
    ],
)
def test_what_is_the_same_thing_has_one_key(one: str, other: str) -> None:
    assert names.key(one) == names.key(other)


@pytest.mark.parametrize(("one", "other"), [("-5", "5"), ("x_", "x"), ("a-b", "a b")])
def test_values_keep_their_signs_and_joints(one: str, other: str) -> None:
    assert names.object_key(one) != names.object_key(other)


def test_a_predicate_is_one_word() -> None:
    assert names.predicate_key("Release Date") == "release_date"


@given(st.text(alphabet="abcXYZ0123 ", min_size=1).filter(str.strip))
def test_case_and_white_space_do_not_count(text: str) -> None:
    assert names.key(text) == names.key(f"  {text.upper()} ")
