"""How memories and hits look: to people on a terminal, to people behind a pipe, and to programs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from mnemopi.cli import output
from mnemopi.cli.everywhere import Asked
from mnemopi.engine import system_clock
from mnemopi.model.hit import Hit, Hits
from mnemopi.model.interval import iso
from mnemopi.model.memory import Erasure, Event, Memory, Receipt

_DAY_MS: Final = 86_400_000
_AGES: Final = ((365 * _DAY_MS, "y"), (30 * _DAY_MS, "mo"), (_DAY_MS, "d"), (3_600_000, "h"), (60_000, "min"))


def age(moment: int, now: int) -> str:
    """Tell how long ago a moment (UTC ms) was, in its largest unit."""
    passed = now - moment
    sign, passed = ("in ", -passed) if passed < 0 else ("", passed)
    return next((f"{sign}{passed // length} {unit}" for length, unit in _AGES if passed >= length), "now")


def document_of(memory: Memory) -> dict[str, Any]:
    """Render a memory for programs: the names of its fields, times as ISO 8601 in UTC."""
    event = memory.event
    return {
        "id": memory.id,
        "content": memory.content,
        "version": memory.version,
        "kind": memory.kind,
        "tier": memory.tier,
        "source": memory.source,
        "timestamp": iso(memory.timestamp),
        "event": event and {"start": _moment(event.start), "end": _moment(event.end), "precision": event.precision},
        "session_id": memory.session_id,
        "position": memory.position,
        "external_id": memory.external_id,
        "author_id": memory.author_id,
        "author_type": memory.author_type,
        "channel_id": memory.channel_id,
        "scope": memory.scope,
        "importance": memory.importance,
        "veracity": memory.veracity,
        "trust_tier": memory.trust_tier,
        "memory_type": memory.memory_type,
        "pinned": memory.pinned,
        "metadata": dict(memory.metadata) if memory.metadata else None,
        "embed_text": memory.embed_text,
        "valid_until": _moment(memory.valid_until),
        "superseded_by": memory.superseded_by,
        "recorded_at": iso(memory.recorded_at),
        "retired_at": _moment(memory.retired_at),
    }


def whole(memory: Memory) -> None:
    """Print a memory for people: its fields that say something, then its text."""
    told = document_of(memory)
    told["event"] = memory.event and f"{_moment(memory.event.start)} ({memory.event.precision})"
    quiet = {"content", "embed_text"}
    shown = [(name, str(value)) for name, value in told.items() if name not in quiet and value not in (None, False)]
    output.pairs(shown)
    output.lines("", memory.content)


def history(wanted: Asked, id: str, events: Sequence[Event]) -> None:
    """Print what happened to a memory."""
    if wanted.json:
        told = [
            {
                "at": iso(event.at),
                "verb": event.verb,
                "memory": event.memory,
                "version": event.version,
                "actor": event.actor,
                "reason": event.reason,
            }
            for event in events
        ]
        output.document({"id": id, "history": told})
        return
    rows = [
        (iso(event.at), event.verb, str(event.version or ""), event.actor or "", _why(event, id)) for event in events
    ]
    output.table(("When", "What", "Version", "Who", "Why"), rows, prose=("Why",), quiet=wanted.quiet)


def _why(event: Event, id: str) -> str:
    """Say why: the reason that was given, and the memory that brought it about, where that is another one."""
    source = f"memory {event.memory}" if event.memory and event.memory != id else ""
    return "; ".join(part for part in (event.reason, source) if part)


def receipt(wanted: Asked, verb: str, done: Receipt, *more: str) -> None:
    """Print what is committed, now: what follows may take its time."""
    if wanted.json:
        output.document(done.as_dict())
    elif wanted.quiet:
        output.lines(done.id)
    else:
        shown = [f"{verb}: {done.id}", *more]
        if done.outcome not in ("created", "updated", "invalidated"):
            shown.append(f"  {done.outcome}, version {done.version}")
        shown += [f"  redacted: {number} {kind}" for kind, number in sorted(done.redacted.items())]
        output.lines(*shown)


def erasures(wanted: Asked, done: list[Erasure]) -> None:
    """Print what was erased, and what holds it still."""
    if wanted.json:
        output.document({"count": len(done), "deleted": [erasure.as_dict() for erasure in done]})
        return
    for erasure in done:
        held = [f"  still held by {holder}" for holder in erasure.held_by]
        output.lines(*([erasure.id] if wanted.quiet else [f"Deleted: {erasure.id}", *held]))


def drawn(hits: Hits, *, full: bool) -> None:
    """Draw the hits as a table on a terminal."""
    now = system_clock()
    rows = [
        (
            f"{hit.score:.2f}",
            hit.content if full else output.shortened(hit.content, 300),
            age(hit.memory.timestamp, now),
            _origin(hit),
            str(hit.explanation),
            hit.id,
        )
        for hit in hits
    ]
    output.table(("Score", "Content", "Age", "Source", "Why", "ID"), rows, prose=("Content", "Why"))


def listed(hits: Hits, *, explain: bool, full: bool) -> None:
    """Print the hits one after the other."""
    output.lines("", f"Results for: {hits.query}", "")
    for hit in hits:
        text = _indented(hit.content) if full else output.shortened(hit.content, 600)
        output.lines(f"  ID: {hit.id}", f"  Content: {text}", f"  Score: {hit.score:.3f}")
        output.lines(f"  When: {hit.timestamp}", f"  Source: {_origin(hit)}", *_stale(hit))
        output.lines(f"  Why: {hit.explanation}", *(_terms(hit) if explain else ()), "")


def _terms(hit: Hit) -> Iterator[str]:
    told = hit.explanation
    yield f"    order {told.order:.4f}, belief {told.belief:.4f}, found by {', '.join(told.found_by) or 'nobody'}"
    yield from (f"    {name:<24} {value:+.4f}" for name, value in told.terms.items())


def _stale(hit: Hit) -> Iterator[str]:
    if hit.valid_until is not None:
        by = f", superseded by {hit.superseded_by}" if hit.superseded_by else ""
        yield f"  Valid until: {hit.valid_until}{by}"


def _origin(hit: Hit) -> str:
    memory = hit.memory
    who = f" ({memory.author_id})" if memory.author_id else ""
    where = f", session {memory.session_id}" if memory.kind == "turn" else ""
    return f"{memory.source}{who}{where}"


def _indented(text: str) -> str:
    return text.replace("\n", "\n    ")


def _moment(value: int | None) -> str | None:
    return None if value is None else iso(value)
