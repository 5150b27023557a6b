"""The gate against secrets: replace each credential in a text by `[REDACTED:kind]`, and count them.

A memory is sent to a model again and again, so a key that slipped into one would be too. This is a pure function,
used on each text field before it is first written and again before text leaves the machine. Shapes are known to
`redact_patterns`, names and their syntaxes to `redact_pairs`, headers and addresses to `redact_transport`; here they
are put together. Identifiers are never rewritten, since rows are found by them: `has_secret` says that one must be
refused.

What is not promised: a secret with neither a known shape nor a telling name beside it stays. High entropy alone never
redacts, or hashes, ids and lock files would be destroyed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from typing import Literal, TypeAlias

from mnemopi.model.values import dataclass
from mnemopi.text import redact_pairs, redact_patterns, redact_transport

Level: TypeAlias = Literal["off", "vendor", "full"]
Span: TypeAlias = tuple[int, int, str]


@dataclass(frozen=True, slots=True)
class Redaction:
    """A text without its secrets, and how many of each kind were taken out."""

    text: str
    counts: Mapping[str, int] = field(default_factory=dict)


def redact(text: str, level: Level = "full") -> Redaction:
    """Replace the secrets of a text; all else stays byte for byte.

    `vendor` takes out what can be told by its shape (vendors' prefixes, JSON web tokens, private key blocks), `full`
    also the values of names such as `password`, `Authorization` headers and passwords in addresses, `off` nothing.
    A second run finds nothing more: passes are made until one is clean.
    """
    counts: dict[str, int] = {}
    while found := _found(text, level):
        parts: list[str] = []
        end = 0
        for start, stop, kind in found:
            parts += text[end:start], f"[REDACTED:{kind}]"
            counts[kind] = counts.get(kind, 0) + 1
            end = stop
        text = "".join([*parts, text[end:]])
    return Redaction(text, counts)


def has_secret(identifier: str) -> bool:
    """Whether an id, a session's name or the like holds a secret: it is then to be refused, not rewritten."""
    return bool(_found(identifier, "full"))


def _found(text: str, level: Level) -> list[Span]:
    """List the spans of secrets in order and apart; nearly all texts pass only the cheap tests."""
    if level == "off":
        return []
    # Positions stay; Chinese turns into blanks, and so a token beside it into a word of its own.
    plain = text if text.isascii() else text.encode("ascii", "replace").decode().replace("?", " ")
    folded = plain.lower()
    found = [*_shaped(text, plain, folded)]
    if level == "full":
        found += redact_pairs.spans(text, folded)
        found += redact_transport.spans(text, folded)
    return _apart(found) if found else found


def _shaped(text: str, plain: str, folded: str) -> Iterator[Span]:
    """Yield what can be told by its shape."""
    if redact_patterns.PEM_ANCHOR in plain:
        yield from redact_patterns.pem_spans(text)
    long_words = [word for word in plain.split() if len(word) >= redact_patterns.SHORTEST]
    if not long_words:
        return
    words = " ".join(long_words)
    for rule in _anchored(words):
        yield from rule.spans(text)
    for rule in redact_patterns.NAMED_RULES:
        if rule.anchor in folded:
            yield from rule.spans(text)


def _anchored(words: str) -> list[redact_patterns.Rule]:
    """List the rules whose anchor is there, in their own order: of spans that overlap the first gives the kind."""
    by_mark = redact_patterns.RULES_BY_MARK
    found = [rule for mark, rules in by_mark if mark in words for rule in rules if rule.anchor in words]
    return sorted(found, key=redact_patterns.RULES.index) if len(found) > 1 else found


def _apart(spans: Iterable[Span]) -> list[Span]:
    """Join spans that overlap; the kind that was found first, a vendor's before a name's, stays."""
    ranked = sorted((start, end, rank, kind) for rank, (start, end, kind) in enumerate(spans))
    joined: list[tuple[int, int, int, str]] = []
    for start, end, rank, kind in ranked:
        if joined and start < joined[-1][1]:
            last = joined[-1]
            rank, kind = min((last[2], last[3]), (rank, kind))
            joined[-1] = (last[0], max(last[1], end), rank, kind)
        else:
            joined.append((start, end, rank, kind))
    return [(start, end, kind) for start, end, _, kind in joined]
