"""A token agrees to what was shown, to nothing else, and not for long."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemopi.tools.confirm import VALID_MS, Confirmations, UnconfirmedError


def token(confirmations: Confirmations, preview: dict[str, Any]) -> str:
    with pytest.raises(UnconfirmedError) as caught:
        confirmations.require("Really?", preview, None)
    return caught.value.token


def test_a_token_lets_just_that_pass() -> None:
    confirmations = Confirmations(lambda: 1000)
    given = token(confirmations, {"notes": 21})
    confirmations.require("Really?", {"notes": 21}, given)
    with pytest.raises(UnconfirmedError):
        confirmations.require("Really?", {"notes": 22}, given)


def test_a_token_of_another_process_is_none() -> None:
    given = token(Confirmations(lambda: 1000), {"notes": 21})
    with pytest.raises(UnconfirmedError):
        Confirmations(lambda: 1000).require("Really?", {"notes": 21}, given)


def test_a_token_is_valid_for_five_minutes() -> None:
    now = [1000]
    confirmations = Confirmations(lambda: now[0])
    given = token(confirmations, {"notes": 21})
    now[0] += VALID_MS
    confirmations.require("Really?", {"notes": 21}, given)
    now[0] += 1
    with pytest.raises(UnconfirmedError):
        confirmations.require("Really?", {"notes": 21}, given)


def test_the_expiry_of_a_token_cannot_be_moved() -> None:
    confirmations = Confirmations(lambda: 1000)
    _, _, signature = token(confirmations, {"notes": 21}).partition(".")
    with pytest.raises(UnconfirmedError):
        confirmations.require("Really?", {"notes": 21}, f"{10**15:x}.{signature}")


@given(st.text(max_size=60))
def test_no_other_text_is_a_token(text: str) -> None:
    with pytest.raises(UnconfirmedError):
        Confirmations(lambda: 1000).require("Really?", {"notes": 21}, text)
