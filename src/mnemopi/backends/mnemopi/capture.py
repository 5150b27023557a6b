"""From messages to memories: each is one of its own, with its session, place, author and the host's id for it.

The same message told again changes nothing, an edited one is the next version: the bank knows the id. So a message
needs no cursor to be kept once, neither after a crash nor in a fork of the session, which brings the same messages
under another session's name.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import Any, Final, cast

from mnemopi.backends import framing, stripping
from mnemopi.bank import Bank
from mnemopi.errors import UsageError
from mnemopi.ingest import draft
from mnemopi.model.session import Message, SessionRef
from mnemopi.model.values import dataclass
from mnemopi.settings import WriteConfig
from mnemopi.text import dates, redact
from mnemopi.text.redact import Level

SOURCE: Final = "coding-agent-transcript"
IMPORTANCE: Final = 0.65
_LEAST_PART: Final = 0.6
"""From which share of the longest text on a long message is cut at the end of a paragraph, line or word."""


@dataclass(frozen=True, slots=True)
class Kept:
    """What became of messages: how many memories are new, of how many user's turns, and what was cut or repaired.

    `last` is the position of the last of them, -1 where that is not known.
    """

    created: int = 0
    turns: int = 0
    blocks: int = 0
    repaired: int = 0
    last: int = -1


def keep(bank: Bank, session: SessionRef, messages: Sequence[Message], write: WriteConfig) -> Kept:
    """Keep messages in one transaction; those without a letter or digit are none."""
    blocks = repaired = 0
    items: list[dict[str, Any]] = []
    begins: set[str] = set()
    for message in messages:
        done = stripping.stripped(message.text)
        blocks, repaired = blocks + done.blocks, repaired + done.repaired
        if framing.is_substantive(done.text):
            # As a whole, before it is cut: half a secret has no shape that is known.
            clean = redact.redact(done.text, cast("Level", write.redact)).text
            items += _items(session, message, clean, write.max_content_chars)
            begins.update({fit(message.entry)} if message.role == "user" else ())
    fresh = [item for item in items if not _is_from_a_fork(bank, item)]
    receipts = bank.remember_many(fresh, batch_size=max(len(fresh), 1))
    made = [item for item, receipt in zip(fresh, receipts, strict=True) if receipt.outcome == "created"]
    last = bank.get(receipts[-1].id) if receipts else None
    return Kept(
        len(made),
        sum(item["external_id"] in begins for item in made),
        blocks,
        repaired,
        -1 if last is None or last.position is None else last.position,
    )


def session_name(session: SessionRef) -> str:
    """Return the name of a session in the bank: of one host and one id, whatever these are."""
    return fit(f"{session.host}:{session.id}")


def fit(identifier: str) -> str:
    """Return an identifier that can be stored: itself, else a digest of it."""
    try:
        return draft.name(identifier, "id", optional=False) or ""
    except UsageError:
        return f"x-{hashlib.sha256(identifier.encode('utf-8', 'surrogatepass')).hexdigest()[:32]}"


def _items(session: SessionRef, message: Message, text: str, longest: int) -> Iterator[dict[str, Any]]:
    """Yield what `remember_many` takes for a message; one that is too long for a memory becomes several."""
    entry = fit(message.entry)
    for number, part in enumerate(_parts(text, longest)):
        told = {
            "content": part,
            "source": SOURCE,
            "importance": IMPORTANCE,
            "session_id": session_name(session),
            "external_id": entry if not number else fit(f"{entry[:190]}#{number}"),
            "author_id": fit(message.author or message.role),
            "author_type": message.role,
            "metadata": {"cwd": stripping.repair(session.cwd)[0]},
        }
        yield told | _when(message.at)


def _when(at: int | None) -> dict[str, int]:
    """Return when a message was said, nothing where that is no time that can be stored."""
    try:
        return {} if at is None else {"timestamp": dates.moment(at)}
    except UsageError:
        return {}


def _parts(text: str, longest: int) -> Iterator[str]:
    while len(text) > longest:
        least = int(longest * _LEAST_PART)
        cuts = (text.rfind(mark, least, longest) + len(mark) for mark in ("\n\n", "\n", " "))
        cut = next((each for each in cuts if each >= least), longest)
        if part := text[:cut].strip():
            yield part
        text = text[cut:]
    if text.strip():
        yield text.strip()


def _is_from_a_fork(bank: Bank, item: dict[str, Any]) -> bool:
    """Whether a session of the same host holds this very message: the same id, time, author and text."""
    if "timestamp" not in item:
        return False
    host = item["session_id"].partition(":")[0]
    return any(
        known.session_id != item["session_id"]
        and known.session_id.partition(":")[0] == host
        and (known.timestamp, known.author_id) == (item["timestamp"], item["author_id"])
        and known.content == item["content"]
        for known in bank.known_as(item["external_id"])
    )
