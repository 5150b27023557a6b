"""From the statements of one slot to the facts that follow: pure, so that the order of arrival cannot matter.

A *slot* is what can be contradicted: same scope, same subject, same predicate. A *functional* predicate (a port, a
name) has one object at a time: the statement with the later valid time supersedes, and closes the earlier one's
interval. Of other predicates objects accumulate, and only a statement about the same object ends one. What no rule
settles (two objects at the very same valid time) stays, both sides contested, until a person prefers one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from mnemopi.model import trust
from mnemopi.model.fact import Fact, Source, Statement
from mnemopi.model.values import dataclass
from mnemopi.text.names import key, object_key, predicate_key

_ONE_AT_A_TIME = (
    "name address email phone employer job_title role location home birthday age language timezone default_branch "
    "branch version port host url domain endpoint path status state owner lead assignee maintainer deadline "
    "release_date launch_date due_date start_date end_date date time priority database db framework license price "
    "budget size limit timeout password_policy indentation package_manager formatter linter editor shell os "
    "region environment color colour capital mode level model line_length naming_style quote_style is prefix "
    "suffix rate_limit log_level retention hosted_on runs_on manager reports_to spouse mentor doctor origin "
    "birthplace diet test_runner build_tool cloud_provider "
)
FUNCTIONAL: Final = frozenset(_ONE_AT_A_TIME.split())
"""Predicates with one object at a time; of all others objects accumulate."""
MOST_SOURCES: Final = 20
"""How many of its sources a fact names; the statements know them all."""


def slot_of(statement: Statement) -> str:
    """Name the slot of a statement: who may see it, subject and predicate (a digest).

    Where objects accumulate they have nothing to do with each other, and each is a slot of its own: however much is
    said of a subject, a write looks only at what was said of the same thing.
    """
    where = {"session": statement.session_id, "channel": statement.channel_id or statement.session_id}
    parts = (
        statement.scope,
        where.get(statement.scope, ""),
        statement.kind if statement.kind in ("instruction", "event") else "",
        key(statement.subject),
        predicate_key(statement.predicate),
        "" if is_functional(statement.predicate) else object_key(statement.object),
    )
    return _digest(parts)[:20]


def _digest(parts: Iterable[str]) -> str:
    import hashlib  # noqa: PLC0415 -- a library of ciphers, which no recall needs

    return hashlib.sha256("\x00".join(parts).encode()).hexdigest()


def is_functional(predicate: str) -> bool:
    """Whether a predicate has one object at a time."""
    known = predicate_key(predicate)
    return known in FUNCTIONAL or known.startswith("favorite_")


def derive(statements: Iterable[Statement]) -> list[Fact]:
    """Return the facts that follow from the statements of one slot, in the order of valid time.

    Ids are digests of slot, object and the start of the interval; `version` and `recorded_at` are the store's to set.
    """
    return [fact for _, facts in stretches(sorted(statements, key=order)) for fact in facts]


def stretches(ordered: Sequence[Statement]) -> list[tuple[int, list[Fact]]]:
    """Return the facts that follow from the statements of one slot, which are in `order`, in stretches.

    A stretch begins with a statement that leaves nothing else open: what it and those after it lead to is the same
    whatever came before. The place of that statement comes with it; the first stretch begins at 0.
    """
    if not ordered:
        return []
    spans = _functional(ordered) if is_functional(ordered[0].predicate) else _accumulating(ordered)
    where = slot_of(ordered[0])
    found: list[tuple[int, dict[str, Fact]]] = [(0, {})]
    for span in spans:
        fact = _fact(span, where)
        if span.begins:
            found.append((span.begins, {}))
        found[-1][1][fact.id] = fact  # of what ended as it began and then begins again there is one
    return [(begins, list(facts.values())) for begins, facts in found]


@dataclass(slots=True)
class _Span:
    """A time in which one object holds, with the statements that say so; `begins` is the place of its first statement
    where that begins a stretch, else 0."""

    object_key: str
    first: Statement
    valid_from: int
    valid_to: int | None
    support: list[Statement]
    against: list[Statement]
    contested: bool = False
    superseded: _Span | None = None
    begins: int = 0


def order(statement: Statement) -> tuple[int | str, ...]:
    """By valid time; what decides between equal ones never is when they came in, but for their very last."""
    return (
        statement.valid_from,
        ("assert", "prefer", "end").index(statement.verb),
        object_key(statement.object),
        statement.object,
        statement.subject,
        statement.predicate,
        statement.kind,
        -1 if statement.valid_to is None else statement.valid_to,
        statement.memory or "",
        statement.version or 0,
        statement.start or 0,
        statement.at,
    )


def _functional(ordered: Sequence[Statement]) -> list[_Span]:
    """One object at a time: each later one closes the former; ties stay side by side, contested."""
    spans: list[_Span] = []
    open_spans: list[_Span] = []
    for place, statement in enumerate(ordered):
        own = object_key(statement.object)
        if statement.verb == "end":
            _close([span for span in open_spans if span.object_key == own or not own], statement.valid_from)
        elif statement.verb == "prefer":
            _prefer(spans, open_spans, statement)
        else:
            same = next((span for span in open_spans if span.object_key == own), None)
            if same is not None and len(open_spans) == 1:
                _restate(same, statement)
            elif open_spans and open_spans[0].valid_from == statement.valid_from:
                spans.append(_tied(open_spans, statement)) if same is None else _restate(same, statement)
            else:
                fresh = _opened(statement)
                fresh.begins = _begins(spans, statement, place)
                for span in open_spans:
                    if span.object_key != own:
                        span.superseded = fresh
                _close(open_spans, statement.valid_from)
                open_spans[:] = [fresh]
                spans.append(fresh)
        open_spans[:] = [span for span in open_spans if span.valid_to is None or span.valid_to > statement.valid_from]
    return spans


def _accumulating(ordered: Sequence[Statement]) -> list[_Span]:
    """Objects stand side by side; an end closes its own object only."""
    spans: list[_Span] = []
    current: dict[str, _Span] = {}
    for place, statement in enumerate(ordered):
        own = object_key(statement.object)
        span = current.get(own)
        if span is not None and span.valid_to is not None and span.valid_to <= statement.valid_from:
            span = None
        if statement.verb == "end":
            _close([span] if span else [], statement.valid_from)
        elif span is not None:
            _restate(span, statement)
        else:
            current[own] = _opened(statement)
            current[own].begins = _begins(spans, statement, place)
            spans.append(current[own])
    return spans


def _begins(spans: Sequence[_Span], statement: Statement, place: int) -> int:
    """Return where a stretch begins with a statement; what begins at one valid time stays together."""
    return place if spans and spans[-1].valid_from < statement.valid_from else 0


def _opened(statement: Statement) -> _Span:
    return _Span(object_key(statement.object), statement, statement.valid_from, statement.valid_to, [statement], [])


def _tied(open_spans: list[_Span], statement: Statement) -> _Span:
    """Two objects at the very same valid time: no rule decides."""
    fresh = _opened(statement)
    fresh.contested = True
    for span in open_spans:
        span.contested = True
        span.against.append(statement)
        fresh.against += span.support
    open_spans.append(fresh)
    return fresh


def _restate(span: _Span, statement: Statement) -> None:
    """The same is said again; where an end is told now, it counts."""
    span.support.append(statement)
    if span.valid_to is None:
        span.valid_to = statement.valid_to


def _close(spans: Sequence[_Span], at: int) -> None:
    for span in spans:
        if span.valid_to is None or span.valid_to > at:
            span.valid_to = at


def _prefer(spans: list[_Span], open_spans: list[_Span], statement: Statement) -> None:
    """A person settled it: what was preferred holds, and a side that was tied with it never did, ended or not.

    What is preferred out of the blue begins with the preference; whatever held before, it supersedes.
    """
    own = object_key(statement.object)
    winner = next((span for span in open_spans if span.object_key == own), None)
    tied = winner is not None
    if winner is None:
        winner = _opened(statement)
        spans.append(winner)
        open_spans.append(winner)
    winner.support.append(statement)
    winner.contested = False
    still = {id(span) for span in open_spans}
    for span in spans:
        ended = tied and span.contested and span.valid_from == winner.valid_from
        if span is not winner and (id(span) in still or ended):
            span.superseded = winner
            span.contested = span.contested and not tied
            _close([span], span.valid_from if tied else statement.valid_from)


def _fact(span: _Span, where: str) -> Fact:
    first = span.first
    return Fact(
        id=_id(span, where),
        version=1,
        slot=where,
        kind=first.kind,
        subject=first.subject,
        predicate=predicate_key(first.predicate),
        object=first.object,
        valid_from=span.valid_from,
        valid_to=span.valid_to,
        belief=_belief(span),
        veracity=max((each.veracity for each in span.support), key=trust.VERACITY.__getitem__),
        contested=span.contested,
        superseded_by=None if span.superseded is None else _id(span.superseded, where),
        scope=first.scope,
        session_id=first.session_id,
        channel_id=first.channel_id,
        recorded_at=0,
        sources=_sources(span.support),
    )


def _sources(support: Sequence[Statement]) -> tuple[Source, ...]:
    """What says so: at most so many, so that what is said every day does not grow a fact without end."""
    found: dict[Source, None] = {}
    for each in support:
        if len(found) == MOST_SOURCES:
            break
        if each.memory is not None:
            found[Source(each.memory, each.version or 1, each.start or 0, each.stop or 0)] = None
    return tuple(found)


def id_of(statement: Statement) -> str:
    """Name the fact that begins with a statement, where it begins one."""
    return _digest((slot_of(statement), object_key(statement.object), str(statement.valid_from)))[:16]


def _id(span: _Span, where: str) -> str:
    return _digest((where, span.object_key, str(span.valid_from)))[:16]


def _belief(span: _Span) -> float:
    """Noisy-or over independent sources, each its confidence times the weight of its veracity; what speaks against
    it counts half as much against. A person's preference settles it."""
    if any(each.verb == "prefer" for each in span.support):
        return 0.99
    return round(_together(span.support) * (1 - 0.5 * _together(span.against)), 4)


def _together(statements: Sequence[Statement]) -> float:
    """Statements of one memory count once, by the best of them."""
    best: dict[str, float] = {}
    for number, each in enumerate(statements):
        weight = min(0.98, each.confidence * trust.VERACITY[each.veracity])
        source = each.memory or f"person {number}"
        best[source] = max(best.get(source, 0.0), weight)
    doubt = 1.0
    for weight in best.values():
        doubt *= 1 - weight
    return 1 - doubt
