"""When a turn is looked back at: examples, and the laws of the state machine whatever a host does."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from mnemopi.agent_settings import AutolearnConfig
from mnemopi.backends import autolearn
from mnemopi.backends.autolearn import State, Stop
from mnemopi.config import Config

ON = AutolearnConfig(enabled=True, auto_continue=True)


def turn(calls: int, *, goal: bool = False, state: State | None = None) -> State:
    state = autolearn.began(state or State(), goal=goal)
    for _ in range(calls):
        state = autolearn.called(state)
    return state


def test_a_turn_of_five_calls_is_looked_back_at() -> None:
    assert autolearn.stopped(turn(4), Stop(), ON)[1] is False
    state, capture = autolearn.stopped(turn(5), Stop(), ON)
    assert capture
    assert state.is_capturing


def test_how_many_calls_are_enough_is_a_setting() -> None:
    config = Config.load({"autolearn.enabled": True, "autolearn.auto_continue": True, "autolearn.min_tool_calls": 2})
    assert autolearn.stopped(turn(2), Stop(), config.autolearn)[1]
    assert not autolearn.stopped(turn(1), Stop(), config.autolearn)[1]


@pytest.mark.parametrize(
    ("stop", "config", "goal"),
    [
        (Stop(aborted=True), ON, False),
        (Stop(plan=True), ON, False),
        (Stop(goal=True), ON, False),
        (Stop(), ON, True),
        (Stop(), AutolearnConfig(enabled=True), False),
        (Stop(), AutolearnConfig(auto_continue=True), False),
    ],
)
def test_no_turn_is_looked_back_at_where_that_would_be_in_the_way(
    stop: Stop, config: AutolearnConfig, goal: bool
) -> None:
    assert autolearn.stopped(turn(9, goal=goal), stop, config) == (State(), False)


def test_nothing_runs_by_itself_by_default() -> None:
    assert autolearn.stopped(turn(99), Stop(), Config().autolearn) == (State(), False)


def test_calls_of_one_turn_do_not_count_in_the_next() -> None:
    state, _ = autolearn.stopped(turn(4), Stop(), ON)
    assert autolearn.stopped(turn(1, state=state), Stop(), ON) == (State(), False)


def test_stops_meanwhile_come_to_one_more_look() -> None:
    state, _ = autolearn.stopped(turn(5), Stop(), ON)
    for _ in range(3):
        state, capture = autolearn.stopped(turn(5, state=state), Stop(), ON)
        assert not capture
    state, again = autolearn.captured(state, ON)
    assert again
    assert autolearn.captured(state, ON) == (State(), False)


def test_a_turn_too_short_asks_for_no_further_look() -> None:
    state, _ = autolearn.stopped(turn(5), Stop(), ON)
    state, _ = autolearn.stopped(turn(1, state=state), Stop(), ON)
    assert autolearn.captured(state, ON) == (State(), False)


def test_switched_off_meanwhile_what_waits_is_not_run() -> None:
    state, _ = autolearn.stopped(turn(5), Stop(), ON)
    state, _ = autolearn.stopped(turn(5, state=state), Stop(), ON)
    assert autolearn.captured(state, replace(ON, enabled=False)) == (State(), False)


def test_what_is_told_of_learning_follows_the_tools_that_are_there() -> None:
    assert autolearn.guidance(["recall", "learn"]) == ""
    both = autolearn.guidance(["learn", "manage_skill"])
    assert "`learn`" in both
    assert "`learn`" not in autolearn.guidance(["manage_skill"])
    assert autolearn.capture(["recall"]) == ""
    assert "`learn` and `manage_skill`" in autolearn.capture(["manage_skill", "recall", "learn"])
    assert "`learn`" not in autolearn.capture(["manage_skill"])


class AnyHost(RuleBasedStateMachine):
    """A host that does anything in any order. Captures that run are counted beside."""

    def __init__(self) -> None:
        super().__init__()
        self.state, self.running, self.calls, self.goal = State(), 0, 0, False
        self.config = ON

    @rule(goal=st.booleans())
    def begins(self, goal: bool) -> None:
        self.state, self.goal = autolearn.began(self.state, goal=goal), goal

    @rule(times=st.integers(1, 6))
    def calls_tools(self, times: int) -> None:
        for _ in range(times):
            self.state = autolearn.called(self.state)
        self.calls += times

    @rule(stop=st.builds(Stop, st.booleans(), st.booleans(), st.booleans()))
    def stops(self, stop: Stop) -> None:
        before = self.state
        self.state, capture = autolearn.stopped(before, stop, self.config)
        eligible = (
            self.calls >= self.config.min_tool_calls
            and self.config.enabled
            and self.config.auto_continue
            and stop == Stop()
            and not self.goal
        )
        assert capture is (eligible and not before.is_capturing)
        assert self.state.is_pending is (before.is_pending or (eligible and before.is_capturing))
        self.running += capture
        self.calls, self.goal = 0, False

    @precondition(lambda self: self.running)
    @rule()
    def a_capture_ends(self) -> None:
        pending = self.state.is_pending
        self.state, again = autolearn.captured(self.state, self.config)
        assert not again or pending
        self.running += again - 1

    @rule()
    def the_person_leaves(self) -> None:
        self.state, self.running, self.calls, self.goal = autolearn.dropped(), 0, 0, False

    @rule(enabled=st.booleans(), auto=st.booleans(), least=st.integers(0, 9))
    def settings_change(self, enabled: bool, auto: bool, least: int) -> None:
        self.config = AutolearnConfig(enabled=enabled, auto_continue=auto, min_tool_calls=least)

    @invariant()
    def at_most_one_runs(self) -> None:
        assert self.running in (0, 1)
        assert self.state.is_capturing is bool(self.running)
        assert not self.state.is_pending or self.running
        assert self.state.calls == self.calls


TestAnyHost = AnyHost.TestCase
TestAnyHost.settings = settings(max_examples=40, stateful_step_count=25, deadline=None)
