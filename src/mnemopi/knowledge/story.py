"""What made a fact what it is, from the statements of its slot: who said so, what ended it, what took its place. Pure.

The journal knows what persons did to a fact; most facts follow from memories, and their past stands in statements.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from mnemopi.model.fact import Fact, Statement
from mnemopi.model.memory import Event
from mnemopi.text.names import object_key

_TOLD = {"assert": "stated", "end": "ended", "prefer": "preferred"}
_LOGGED = {"assert": "asserted", "end": "ended", "prefer": "preferred"}
"""What the journal calls the same when a person does it."""


def of(fact: Fact, statements: Iterable[Statement], successor: Fact | None, journalled: Iterable[Event]) -> list[Event]:
    """Return the past of a fact, the oldest first: events of the journal, and statements that it does not tell of.

    An event of a statement has the memory that makes it as `memory`; None where a person made it. `successor` is the
    fact that supersedes this one.
    """
    logged = list(journalled)
    known = {(event.at, event.verb) for event in logged}
    told = [event for each in statements for event in _events(fact, successor, each) if not _known(event, known)]
    return sorted([*told, *logged], key=lambda event: event.at)


def _known(event: Event, logged: set[tuple[int, str]]) -> bool:
    verbs = [event.verb, *(_LOGGED[verb] for verb, name in _TOLD.items() if name == event.verb)]
    return event.memory is None and any((event.at, verb) in logged for verb in verbs)


def _events(fact: Fact, successor: Fact | None, told: Statement) -> Iterator[Event]:
    if _supports(fact, told) or _ends(fact, told):
        yield _event(told, _TOLD[told.verb])
    elif successor is not None and told.verb != "end" and _supports(successor, told):
        yield _event(told, "superseded")
        return
    elif fact.contested and told.verb == "assert" and told.valid_from == fact.valid_from:
        yield _event(told, "contradicted")
    else:
        return
    if told.withdrawn_at is not None:
        yield Event(told.withdrawn_at, "withdrawn", told.memory, told.version)


def _event(told: Statement, verb: str) -> Event:
    return Event(told.at, verb, told.memory, told.version, told.author_id)


def _supports(fact: Fact, told: Statement) -> bool:
    """Whether a statement says what the fact says, of a moment in its stretch of time."""
    inside = fact.valid_from <= told.valid_from and (fact.valid_to is None or told.valid_from < fact.valid_to)
    same = object_key(told.object) == object_key(fact.object)
    return told.verb != "end" and same and (inside or told.valid_from == fact.valid_from)


def _ends(fact: Fact, told: Statement) -> bool:
    same: Sequence[str] = ("", object_key(fact.object))
    return told.verb == "end" and told.valid_from == fact.valid_to and object_key(told.object) in same
