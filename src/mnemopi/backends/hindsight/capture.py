"""From messages to parcels: pure functions of a session's record.

With `full-session` a session is one document on the server, and each parcel appends to it what is new: nothing is sent
again. With `last-turn` each parcel is a document of its own, which begins with the turns before it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from mnemopi.agent_settings import HindsightConfig
from mnemopi.backends import framing, stripping
from mnemopi.backends.hindsight.ledger import Kept, Parcel, mark
from mnemopi.backends.hindsight.scope import Scope
from mnemopi.model.session import Lesson, Message
from mnemopi.model.values import dataclass
from mnemopi.text import redact

LESSON: Final = "lesson:"
"""How the name of a lesson's document begins."""
_APART: Final = "\n"


@dataclass(frozen=True, slots=True)
class Sealing:
    """What parcels are made with: the settings, the time, and how a time is written."""

    config: HindsightConfig
    now: int
    iso: Callable[[int], str]


def within(kept: Kept, scope: Scope, by: Sealing) -> Kept:
    """Return the session as one of this scope: what was said in another is sealed for that one first."""
    if (kept.bank, kept.tags) == (scope.bank, scope.tags):
        return kept
    return replace(sealed(kept, by, least_turns=0), bank=scope.bank, tags=scope.tags)


def added(kept: Kept, messages: Iterable[Message]) -> Kept:
    """Return the session with the messages that it has not seen: freed of injected blocks and of secrets.

    One that was told before and is still open gets the text that it has now: it may have been unfinished then.
    """
    seen = set(kept.seen)
    marks: list[str] = []
    open_ = {message.entry: message for message in kept.open}
    for message in messages:
        entry = mark(message.entry)
        if entry in seen and message.entry not in open_:
            continue
        if entry not in seen:
            seen.add(entry)
            marks.append(entry)
        text = redact.redact(stripping.stripped(message.text).text, "full").text
        if framing.is_substantive(text):
            open_[message.entry] = replace(message, text=text)
    return replace(kept, seen=(*kept.seen, *marks), open=tuple(open_.values()))


def sealed(kept: Kept, by: Sealing, *, least_turns: int) -> Kept:
    """Return the session with its open messages in a parcel, where they make so many turns; 0: whatever there is."""
    turns = sum(message.role == "user" for message in kept.open)
    if not kept.open or turns < least_turns:
        return kept
    overlap = by.config.retain_overlap_turns if by.config.retain_mode == "last-turn" else 0
    text = framing.framed((*kept.before, *kept.open), by.iso)
    before = tuple(framing.last_turns((*kept.before, *kept.open), overlap))
    emptied = replace(kept, open=(), before=before)
    if not text:
        return emptied
    number = kept.sealed + 1
    # The time is in it since the count begins anew where the session was forgotten, and the server does nothing twice.
    name = f"{by.now}:{number:04}"
    key = _APART.join((kept.host, kept.session, name))
    parcel = Parcel(key, kept.bank, (_item(kept, by, text, name),), at=by.now)
    return replace(emptied, sealed=number, parcels=(*kept.parcels, parcel))


def with_lessons(kept: Kept, by: Sealing, lessons: Sequence[Lesson]) -> tuple[Kept, tuple[str, ...]]:
    """Return the session with lessons in a parcel, and the names of their documents: a lesson told again is the same.

    Lessons without a letter or digit are left out.
    """
    items = [_lesson(kept, by, lesson) for lesson in lessons if framing.is_substantive(lesson.content)]
    names = tuple(item["document_id"] for item in items)
    if not items:
        return kept, ()
    key = _APART.join((kept.bank, str(by.now), *names))
    parcel = Parcel(key, kept.bank, tuple({each["document_id"]: each for each in items}.values()), by.now)
    return replace(kept, parcels=(*kept.parcels, parcel)), names


def _item(kept: Kept, by: Sealing, text: str, name: str) -> Mapping[str, Any]:
    document = f"{kept.host}:{kept.session}"
    is_whole = by.config.retain_mode == "full-session"
    first = next((message.at for message in kept.open if message.at is not None), by.now)
    return {
        "content": text,
        "document_id": document if is_whole else f"{document}:{name}",
        "context": by.config.retain_context,
        "timestamp": by.iso(first),
        "metadata": {"session_id": kept.session, "host": kept.host},
        "tags": list(kept.tags),
    } | ({"update_mode": "append"} if is_whole else {})


def _lesson(kept: Kept, by: Sealing, lesson: Lesson) -> dict[str, Any]:
    text = redact.redact(stripping.stripped(lesson.content).text, "full").text
    context = redact.redact(lesson.context or by.config.retain_context, "full").text
    tags = () if lesson.everywhere else kept.tags
    source = {"source": lesson.source} if lesson.source else {}
    return {
        "content": text,
        "document_id": f"{LESSON}{mark(_APART.join((kept.bank, *tags, text)))}",
        "context": context,
        "timestamp": by.iso(by.now),
        "metadata": {"session_id": kept.session, "host": kept.host} | source,
        "tags": list(tags),
    }
