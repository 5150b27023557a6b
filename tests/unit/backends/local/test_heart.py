"""A claim is lengthened for as long as it is held, whatever other claims come and go meanwhile."""

from __future__ import annotations

import threading
from contextlib import ExitStack
from typing import Any, cast

import pytest

from mnemopi.backends.local.heart import Heart
from mnemopi.storage.jobs import Claim, Jobs

PATIENCE = 20.0


def claim(name: str) -> Claim:
    return Claim("session", name, name, 1, 1)


class Beats:
    """Jobs that note who is lengthened."""

    def __init__(self) -> None:
        self.of = {name: threading.Event() for name in "abc"}

    def beat(self, claim: Claim, now: int, lease_ms: int) -> bool:
        self.of[claim.token].set()
        return True

    def go_on(self, name: str) -> bool:
        """Whether a claim is lengthened from now on."""
        self.of[name].clear()
        return self.of[name].wait(PATIENCE)


@pytest.fixture
def beats() -> Beats:
    return Beats()


@pytest.fixture
def heart(beats: Beats) -> Heart:
    return Heart(cast("Jobs", beats), lambda: 0, 0.005)


def test_what_is_held_is_lengthened_and_the_thread_ends_with_the_last(heart: Heart, beats: Beats) -> None:
    before = set(threading.enumerate())
    with heart.holding(claim("a"), 1000):
        with heart.holding(claim("b"), 1000):
            assert beats.go_on("a") and beats.go_on("b")
        assert beats.go_on("a") and not heart.is_ours(claim("b"))
    assert set(threading.enumerate()) == before


def test_a_claim_that_is_taken_while_the_last_other_is_let_go_of_is_lengthened(
    heart: Heart, beats: Beats, monkeypatch: pytest.MonkeyPatch
) -> None:
    rest = heart._rest
    with ExitStack() as stack:

        def meanwhile() -> Any:
            monkeypatch.setattr(heart, "_rest", rest)
            stack.enter_context(heart.holding(claim("b"), 1000))
            rest()

        monkeypatch.setattr(heart, "_rest", meanwhile)
        with heart.holding(claim("a"), 1000):
            pass
        assert beats.go_on("b")
