"""Whether sleep runs is a visible state, with words."""

from __future__ import annotations

import pytest

from mnemopi.errors import UsageError
from mnemopi.testing import FixedClock

from .conftest import BOATS, DAY, NOW, Opened, talk


def test_a_bank_in_which_nothing_waits_is_healthy(opened: Opened) -> None:
    state = opened().health()
    assert (state.status, state.last, state.waiting, state.oldest) == ("healthy", None, 0, None)


def test_sleep_that_never_ran_is_told_with_what_waits(opened: Opened) -> None:
    memory = opened()
    talk(memory, *BOATS)
    state = memory.health()
    assert (state.status, state.waiting, state.oldest, state.since) == ("no_data", 5, NOW - 2 * DAY, None)
    assert state.words == (
        "sleep never ran; 5 wait, the oldest from 2025-06-13T15:06:40.000Z: `mnemopi sleep --all-sessions`"
    )


def test_it_is_stale_once_something_waits_for_too_long(opened: Opened, clock: FixedClock) -> None:
    memory = opened()
    talk(memory, *BOATS)
    memory.sleep()
    assert (memory.health().status, memory.health().episodes) == ("healthy", 1)
    clock.advance(days=3)
    assert memory.health().status == "healthy"
    talk(memory, *BOATS, session="other")
    assert (memory.health().status, memory.health().since) == ("stale", 72.0)
    assert memory.health(stale_hours=100).status == "healthy"


def test_the_sleep_of_one_session_is_not_that_of_the_others(opened: Opened) -> None:
    memory = opened()
    talk(memory, *BOATS, session="other")
    memory.sleep()
    assert (memory.health().status, memory.health().last) == ("no_data", None)
    memory.sleep_all_sessions()
    assert memory.health().status == "healthy"


def test_an_error_of_the_last_sleep_shows_until_the_next(opened: Opened) -> None:
    memory = opened()
    memory.bank._store.meta.set("sleep_error", "busy")
    assert memory.health().status == "failing"
    assert "busy" in memory.health().words
    memory.sleep()
    assert memory.health().status == "healthy"


@pytest.mark.parametrize("hours", [0, -1, float("nan"), "24", True])
def test_a_threshold_is_a_number_of_hours(opened: Opened, hours: object) -> None:
    with pytest.raises(UsageError, match="stale_hours"):
        opened().health(hours)  # type: ignore[arg-type]


def test_stats_carry_the_state(opened: Opened) -> None:
    memory = opened()
    talk(memory, *BOATS)
    assert memory.stats()["sleep"] == memory.health().as_dict()
