"""When a turn is worth looking back at for what it taught, and what the model is told of learning.

A state machine without a clock or a thread: a host tells what happens, keeps the state that comes back, and does what
is decided. Only the session that a person talks to has one.

    state = began(state, goal=False)                 # a turn begins
    state = called(state)                            # a tool was called, well or not
    state, capture = stopped(state, Stop(), config)  # the turn is over: if `capture`, run one
    state, capture = captured(state, config)         # it is over, well or not: if `capture`, run one more

A capture is a run of the model apart from the conversation, with the tools `learn` and `manage_skill` alone, whose
messages never come back into it. At most one runs in a session; a stop meanwhile asks for one more, however many there
are. What was counted in one turn is never counted in another.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Final

from mnemopi.agent_settings import AutolearnConfig
from mnemopi.model.values import dataclass

LEARN: Final = "learn"
SKILLS: Final = "manage_skill"
CAPTURE: Final = """\
This is an automatic look back at the turn that has just ended. No person wrote it, nothing is approved by it, and \
nobody waits for an answer. Do not go on with the task, and call nothing but {tools}.

Ask yourself what of this turn would have saved work had it been known before: a procedure with its traps, a cause \
that took long to find, a correction that the user made. Keep that, in words that stand on their own, and nothing that \
the files say anyway. Where nothing of the kind happened, as is usual, keep nothing. Then stop."""
_GUIDANCE: Final = """\
# Learning

A procedure that will be needed again may be kept as a skill with `manage_skill`: the steps, the traps, how to tell \
that it worked. These skills are the only ones that you may write; a person's are not touched. Keep few, and change \
one that is there rather than make another beside it."""
_LESSONS: Final = """\

What is a fact or a lesson and no procedure goes to `learn`; where something is both, one call of `learn` takes the \
skill along."""


@dataclass(frozen=True, slots=True)
class State:
    """What is known of a session: calls of tools in this turn, whether it began with a goal, what runs and waits."""

    calls: int = 0
    goal: bool = False
    is_capturing: bool = False
    is_pending: bool = False


@dataclass(frozen=True, slots=True)
class Stop:
    """How a turn ended: broken off, while a plan is made, or while a goal is pursued."""

    aborted: bool = False
    plan: bool = False
    goal: bool = False


def began(state: State, *, goal: bool = False) -> State:
    """A turn begins, perhaps on the way to a goal."""
    return replace(state, goal=goal)


def called(state: State) -> State:
    """A tool came to its end, well or not."""
    return replace(state, calls=state.calls + 1)


def stopped(state: State, stop: Stop, config: AutolearnConfig) -> tuple[State, bool]:
    """A turn is over; return whether to begin a capture."""
    after = replace(state, calls=0, goal=False)
    if not _is_eligible(state, stop, config):
        return after, False
    if state.is_capturing:
        return replace(after, is_pending=True), False
    return replace(after, is_capturing=True), True


def captured(state: State, config: AutolearnConfig) -> tuple[State, bool]:
    """A capture is over, well or not; return whether to begin the one that was asked for meanwhile."""
    again = state.is_capturing and state.is_pending and config.enabled and config.auto_continue
    return replace(state, is_capturing=again, is_pending=False), again


def dropped() -> State:
    """The person broke off, or the session was left: what ran was stopped by the host, and nothing waits."""
    return State()


def guidance(tools: Collection[str]) -> str:
    """Return what the model is told of learning, by the names of the tools that it has; "" where it may not learn."""
    if SKILLS not in tools:
        return ""
    return _GUIDANCE + (_LESSONS if LEARN in tools else "")


def capture(tools: Collection[str]) -> str:
    """Return the prompt of a capture; "" where none of its tools is there, so that none is run."""
    names = [name for name in (LEARN, SKILLS) if name in tools]
    return CAPTURE.format(tools=" and ".join(f"`{name}`" for name in names)) if names else ""


def _is_eligible(state: State, stop: Stop, config: AutolearnConfig) -> bool:
    return (
        not stop.aborted
        and config.enabled
        and config.auto_continue
        and state.calls >= config.min_tool_calls
        and not stop.plan
        and not (state.goal or stop.goal)
    )
