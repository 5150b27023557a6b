"""The bucket of each who asks: what is taken comes back with time, and nobody's is anybody else's."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemopi.http.limits import Rate
from mnemopi.http.refusals import TooOftenError
from mnemopi.testing import FixedClock


def taken(rate: Rate, who: str = "one") -> bool:
    """Whether a request passes."""
    try:
        rate.take(who)
    except TooOftenError:
        return False
    return True


def test_two_seconds_worth_pass_at_once_then_as_many_as_come_in() -> None:
    clock = FixedClock(0)
    rate = Rate(5, clock)
    assert [taken(rate) for _ in range(12)] == [True] * 10 + [False] * 2
    clock.now += 400
    assert [taken(rate) for _ in range(3)] == [True, True, False]
    assert taken(rate, "another")


def test_it_says_when_to_come_again_and_is_right() -> None:
    clock = FixedClock(0)
    rate = Rate(0.25, clock)
    assert taken(rate)
    with pytest.raises(TooOftenError) as caught:
        rate.take("one")
    clock.now += caught.value.retry_after * 1000
    assert taken(rate)


def test_no_rate_is_no_limit() -> None:
    rate = Rate(0, FixedClock(0))
    assert all(taken(rate) for _ in range(1000))


@given(st.lists(st.integers(0, 3000), max_size=60), st.sampled_from([0.5, 1.0, 3.0]))
def test_never_more_pass_than_a_full_bucket_and_what_came_in(steps: list[int], rate: float) -> None:
    clock = FixedClock(0)
    bucket = Rate(rate, clock)
    passed = 0
    for step in steps:
        clock.now += step
        passed += taken(bucket)
        assert passed <= max(1.0, 2 * rate) + rate * clock.now / 1000 + 1e-9


def test_a_clock_that_goes_back_gives_and_takes_nothing() -> None:
    clock = FixedClock(10_000)
    rate = Rate(1, clock)
    assert [taken(rate) for _ in range(3)] == [True, True, False]
    clock.now = 0
    assert not taken(rate)
