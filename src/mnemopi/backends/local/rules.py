"""Read a session without a language model: what the person states as a rule, a preference, a decision or a fact. Pure.

The rules are the engine's own. What they find is told in the words of the person, a sentence each.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import tzinfo
from typing import Final

from mnemopi.backends.local.pieces import cleaned
from mnemopi.model.session import Message
from mnemopi.model.values import dataclass
from mnemopi.text import patterns

HEADINGS: Final = {
    "instruction": "Rules",
    "preference": "Preferences",
    "decision": "Decisions",
    "identity": "People and things",
    "relation": "People and things",
    "fact": "Facts",
}
"""The section of the document for each kind of statement, in the order of what helps most."""
_DECISION = re.compile(
    r"(?i)\b(?:we|let's|let us|i|i've|we've|i'll|we'll)\s+(?:have\s+|had\s+|just\s+|now\s+)?"
    r"(?:decided|agreed|settled|chose|picked"
    r"|(?:(?:will|'ll)\s+)?(?:go|going|went|stick|sticking|switch|switched|move|moved)\s+(?:with|to|over to))\b"
    r"|决定|改用|就用|定为|选定"
)
_SENTENCE = re.compile(r"[^.!?。！？\n]+(?:[.!?](?!\s|$)[^.!?。！？\n]*)*[.!?。！？]*")
_LONGEST: Final = 400
_SLUG = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True, slots=True)
class Stated:
    """One sentence of a person: of which kind (a key of `HEADINGS`), in their words, on one line."""

    kind: str
    text: str


def stated(messages: Iterable[Message], zone: tzinfo) -> list[Stated]:
    """Return what a person states, each sentence once, in the order in which it was said last."""
    found: dict[str, Stated] = {}
    for message in messages:
        if message.role != "user":
            continue
        for each in _in(cleaned(message), message.at or 0, zone):
            key = each.text.casefold().rstrip(".!。！")
            found.pop(key, None)
            found[key] = each
    return list(found.values())


def summary(messages: Iterable[Message]) -> tuple[str, str | None]:
    """Return what a session began with, and a short name made of it."""
    first = next((cleaned(each) for each in messages if each.role == "user"), "")
    line = " ".join(first.split())
    line = line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"
    return line, slug(line[:60])


def slug(text: str | None) -> str | None:
    """Return a short name fit for a file; None where nothing of a text is."""
    return _SLUG.sub("_", (text or "").lower()).strip("_")[:20].rstrip("_") or None


def _in(text: str, at: int, zone: tzinfo) -> Iterator[Stated]:
    spans: dict[tuple[int, int], str] = {}
    for claim in patterns.claims_in(text, now=at, zone=zone):
        if claim.kind in HEADINGS:
            spans.setdefault((claim.start, claim.stop), claim.kind)
    for sentence in _SENTENCE.finditer(text):
        if _DECISION.search(sentence[0]) and not sentence[0].rstrip().endswith(("?", "？")):
            inside = [span for span in spans if span[0] < sentence.end() and sentence.start() < span[1]]
            for span in inside:
                del spans[span]
            spans[sentence.span()] = "decision"
    for (start, stop), kind in sorted(spans.items()):
        line = " ".join(text[start:stop].split())
        if 0 < len(line) <= _LONGEST:
            yield Stated(kind, line)
