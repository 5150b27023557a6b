"""What a language model answered, checked before any of it is believed. Pure.

Two gates. An answer of another shape than it was asked for is none (`BadAnswer`): the model is told why, once. A claim
must stand in the text: its quote to the letter, its object and subject within what was said, its dates where the text
has some, and it may not turn a "not" into a "yes", a question into a statement. What does not stand is left out and
counted, however well it may be written.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import tzinfo
from typing import Any, Final, get_args

from mnemopi.errors import UsageError
from mnemopi.model.fact import KINDS, Claim, FactKind
from mnemopi.model.interval import Interval
from mnemopi.model.values import dataclass
from mnemopi.text import attitude, dates, names, redact, tokens

MOST: Final = 40
"""Claims in one answer."""
_LENGTHS: Final = {"subject": 120, "predicate": 60, "object": 500, "quote": 2000}
_FIELDS: Final = frozenset({"kind", *_LENGTHS, "valid_from", "valid_to", "confidence"})
_USUAL: Final = 0.7
_SUREST: Final = 0.9
"""A model's confidence counts up to here."""
_DAY_MS: Final = 86_400_000
_ENDS = re.compile(r"[.!?](?=\s|$)|[。！？\n]")
_FIGURE = re.compile(r"\d+(?:[.,:]\d+)*")
_AUTHOR = "user the_user i me my myself we us our the_speaker speaker author 用户 我 我们 本人 说话人"
_SPEAKERS: Final = frozenset(_AUTHOR.split())
_REFUSALS = re.compile(
    r"(?i)\b(?:dis\w+|avoid\w*|hat(?:es?|ed)|refus\w+|reject\w*|forbid\w*|stop\w*|without)\b|讨厌|禁|避"
)

SCHEMA: Final[Mapping[str, Any]] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["claims"],
    "properties": {
        "claims": {
            "type": "array",
            "maxItems": MOST,
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["kind", "subject", "predicate", "object", "quote"],
                "properties": {
                    "kind": {"type": "string", "enum": list(get_args(FactKind))},
                    "subject": {"type": "string"},
                    "predicate": {"type": "string"},
                    "object": {"type": "string"},
                    "quote": {"type": "string"},
                    "valid_from": {"type": ["string", "null"]},
                    "valid_to": {"type": ["string", "null"]},
                    "confidence": {"type": "number", "minimum": 0, "maximum": 1},
                },
            },
        }
    },
}
"""The JSON schema of an answer."""


class BadAnswer(Exception):
    """An answer that cannot be used, and why; the words hold nothing of the text."""


@dataclass(frozen=True, slots=True)
class Piece:
    """What a model was shown: a text, who says it and when (UTC ms), and the zone in which its dates are read."""

    text: str
    author: str
    now: int
    zone: tzinfo


def read(answer: str, piece: Piece) -> tuple[list[Claim], int]:
    """Return the claims that stand in the text, and how many did not. Raises BadAnswer for another shape."""
    told = [_checked(number, item) for number, item in enumerate(_items(answer))]
    claims: dict[tuple[str, ...], Claim] = {}
    for each in told:
        claim = _founded(each, piece)
        if claim is not None:
            key = (claim.kind, names.key(claim.subject), claim.predicate, names.object_key(claim.object))
            claims.setdefault(key, claim)
    return list(claims.values()), len(told) - len(claims)


def unfenced(answer: str) -> str:
    """Return an answer without the fence around it, where it has one."""
    text = answer.strip()
    first, _, rest = text.partition("\n")
    inside, _, last = rest.rpartition("\n")
    return inside if first.rstrip().lower() in ("```", "```json") and last.strip() == "```" else text


def _items(answer: str) -> list[Any]:
    try:
        told = json.loads(unfenced(answer))
    except (ValueError, RecursionError) as error:
        where = f" at character {error.pos}" if isinstance(error, json.JSONDecodeError) else ""
        raise BadAnswer(f"it is no JSON{where}") from None
    if not isinstance(told, dict) or told.keys() != {"claims"} or not isinstance(told["claims"], list):
        raise BadAnswer("it is no object with the one member `claims`, a list")
    if len(told["claims"]) > MOST:
        raise BadAnswer(f"it has more than {MOST} claims")
    return told["claims"]


def _checked(number: int, item: Any) -> dict[str, Any]:
    """Check the shape of one claim. Raises BadAnswer."""
    where = f"claims[{number}]"
    if not isinstance(item, dict):
        raise BadAnswer(f"{where} is no object")
    if item.get("kind") not in KINDS:
        raise BadAnswer(f"{where}.kind is not one of {', '.join(KINDS)}")
    for name, longest in _LENGTHS.items():
        value = item.get(name)
        if not isinstance(value, str) or not value.strip():
            raise BadAnswer(f"{where}.{name} is no text")
        if len(value) > longest:
            raise BadAnswer(f"{where}.{name} is longer than {longest} characters")
    if not _FIELDS.issuperset(item):
        raise BadAnswer(f"{where} has members that were not asked for")
    sure = item.get("confidence")
    if sure is not None and (isinstance(sure, bool) or not isinstance(sure, int | float) or not 0 <= sure <= 1):
        raise BadAnswer(f"{where}.confidence is no number from 0 to 1")
    read = dict(item)
    for name in ("valid_from", "valid_to"):
        read[name] = _date(item.get(name), f"{where}.{name}")
    return read


def _date(value: Any, where: str) -> Interval | None:
    if value is None:
        return None
    try:
        return dates.parse(value) if isinstance(value, str) else dates.parse("")
    except UsageError:
        raise BadAnswer(f"{where} is no ISO date") from None


def _founded(told: Mapping[str, Any], piece: Piece) -> Claim | None:
    """Return a claim that the text bears out, None for another."""
    quote, subject, predicate, value = (told[name].strip() for name in ("quote", "subject", "predicate", "object"))
    start = piece.text.find(quote)
    if start < 0 or redact.has_secret(predicate) or not _is_said(told["kind"], piece.text, start, start + len(quote)):
        return None
    if not _is_within(value, quote, piece) or _is_turned(predicate, value, quote, told["valid_to"]):
        return None
    if names.predicate_key(subject) in _SPEAKERS:
        subject = piece.author
    elif not _is_within(subject, piece.text, piece):
        return None
    valid_from, valid_to = (_moment(told[name], piece) for name in ("valid_from", "valid_to"))
    if told["valid_to"] is not None and (valid_to is None or (valid_from is not None and valid_from >= valid_to)):
        return None
    sure = told.get("confidence")
    return Claim(
        kind=told["kind"],
        subject=subject,
        predicate=names.predicate_key(predicate),
        object=value,
        start=start,
        stop=start + len(quote),
        confidence=min(_SUREST, _USUAL if sure is None else float(sure)),
        valid_from=valid_from,
        valid_to=valid_to,
    )


def _is_said(kind: str, text: str, start: int, stop: int) -> bool:
    """Whether the sentence of a quote states, or demands, something."""
    begins = max((found.end() for found in _ENDS.finditer(text, 0, start)), default=0)
    ends = _ENDS.search(text, max(stop - 1, start))
    sentence = text[begins : ends.end() if ends else len(text)].strip()
    if kind == "instruction":
        return not sentence.endswith(("?", "？"))
    return not (attitude.asks(sentence) or attitude.supposes(sentence))


def _is_within(value: str, text: str, piece: Piece) -> bool:
    """Whether a text says a value: to the letter, by its words and figures, or as a date that it means."""
    if value.casefold() in text.casefold():
        return True
    if _means_date(value, text, piece):
        return True
    if not set(_FIGURE.findall(value)) <= set(_FIGURE.findall(text)):
        return False
    wanted = tokens.content_terms(value) or tokens.terms(value)
    return bool(wanted) and set(wanted) <= set(tokens.terms(text))


def _means_date(value: str, text: str, piece: Piece) -> bool:
    try:
        meant = dates.parse(value)
    except UsageError:
        return False
    return any(
        mention.interval.start < meant.end and meant.start < mention.interval.end
        for mention in dates.find(text, piece.now, piece.zone)
    )


def _is_turned(predicate: str, value: str, quote: str, ends: Interval | None) -> bool:
    """Whether a claim leaves out a "not" that stands before what it is about: "never use tabs" does not say "tabs"."""
    place = quote.casefold().find(value.casefold())
    if not attitude.denies(quote if place < 0 else quote[:place]):
        return False
    words = f"{predicate.replace('_', ' ')} {value}"
    return ends is None and not attitude.denies(words) and _REFUSALS.search(words) is None


def _moment(told: Interval | None, piece: Piece) -> int | None:
    """Return since or until when (UTC ms), where the text has such a date, or it is the time of the text itself."""
    if told is None:
        return None
    if told.start <= piece.now < told.end or abs(told.start - piece.now) < _DAY_MS:
        return piece.now
    found = dates.find(piece.text, piece.now, piece.zone)
    borne_out = any(each.interval.start < told.end and told.start < each.interval.end for each in found)
    return told.start if borne_out else None
