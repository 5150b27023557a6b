"""What the suites of all backends share."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mnemopi.model.session import Message
from mnemopi.testing import FixedClock

NOON = 1_780_000_000_000


@pytest.fixture
def clock() -> FixedClock:
    """A clock that stands at noon."""
    return FixedClock(NOON)


@pytest.fixture
def say() -> Callable[..., Message]:
    """Make a message: an odd number is the user's, an even one the assistant's."""

    def made(number: int, text: str) -> Message:
        return Message(f"e{number}", "user" if number % 2 else "assistant", text, NOON + number * 1000)

    return made
