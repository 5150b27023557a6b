"""Times in text and in arguments, as intervals.

`parse` is strict and for arguments. `find` reads the dates that are said in a text, in English, Chinese and
figures, against the moment the text was said; a text without dates costs it one search. Not here: what "recently"
means to a question, and how a relation ("before Friday") narrows a search; a mention only names the relation.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, tzinfo

from mnemopi.model.interval import Interval
from mnemopi.text import date_figures, date_hours, date_words, date_words_zh
from mnemopi.text.date_iso import iso, moment, parse
from mnemopi.text.date_mentions import Mention, Relation, beside, joined
from mnemopi.text.date_rules import Found, compiled
from mnemopi.text.date_units import Reference

__all__ = ["Mention", "Relation", "event_time", "find", "found", "iso", "moment", "parse", "periods"]

_SCANNERS = (date_words.SCANNER, date_figures.SCANNER, date_words_zh.SCANNER)
_HINT = f"{date_words.SCANNER.anchor}|{date_figures.SCANNER.anchor}"
_NARROW = {0xFEE0 + code: code for code in map(ord, "-/:.0123456789")}
_BEFORE = (
    r"(?:(?<![a-z])(?P<word>before|prior to|after|since|until|till|by|up to|no later than|from)"
    r"(?: (?:the|about|around))?[ \n]|(?P<zh>截至|截止到?|直到|自从|自|从|早于|不晚于|晚于))[ \n]?$"
)
_AFTER = (
    r"(?: (?P<onward>on(?:wards?)?(?![a-z])(?! (?:the|a|my|our|his|her)\b))"
    r"|(?P<zh>之前|以前|前(?![端台面提往来天年])|之后|以后|之後|以後|[后後](?![端台面来续天年])|以来|以來|起(?![来点草])|开始|为止))"
)
_RELATIONS: dict[str, Relation] = {"before": "before", "prior to": "before", "after": "after", "since": "since"}
_RELATIONS |= {"until": "until", "till": "until", "by": "until", "up to": "until", "截至": "until", "截止": "until"}
_RELATIONS |= {"no later than": "until", "不晚于": "until"}
_RELATIONS |= {"截止到": "until", "直到": "until", "自从": "since", "自": "since", "早于": "before", "晚于": "after"}
_RELATIONS |= {"之前": "before", "以前": "before", "前": "before", "之后": "after", "以后": "after", "之後": "after"}
_RELATIONS |= {"以後": "after", "后": "after", "後": "after", "以来": "since", "以來": "since", "为止": "until"}


_last: tuple[str, int, tzinfo | None, Sequence[Mention]] = "", 0, None, ()


def found(text: str, now: int, zone: tzinfo) -> Sequence[Mention]:
    """Find the dates of a text (`find`); the last answer is kept, since readers of it come one after the other."""
    global _last
    last = _last
    if last[0] is not text or last[1] != now or last[2] is not zone:
        last = _last = text, now, zone, find(text, now, zone)
    return last[3]


def find(text: str, now: int, zone: tzinfo) -> list[Mention]:
    """Find the dates a text says, in text order and without overlaps.

    Words are read against `now` (UTC ms) in `zone`; ISO dates without a zone are UTC. Never raises for any text:
    what is no date of the calendar is no mention.
    """
    if not _hints(text):
        return []
    try:
        at = Reference(now, zone)
    except (ValueError, OverflowError):
        return []
    folded = _fold(text)
    mentions: list[Mention] = []
    place = 0
    scanners = _SCANNERS[:2] if text.isascii() else _SCANNERS
    every = [found for scanner in scanners for found in scanner.scan(text, folded, at)]
    for found in sorted(every, key=lambda found: (found.start, -found.end)):
        if found.start < place or date_words.doubtful(text, found.start, found.end):
            continue
        if mention := _mention(text, folded, found, at, place):
            mentions.append(mention)
            place = mention.end
    return mentions


def periods(text: str, now: int, zone: tzinfo) -> Sequence[Mention]:
    """Find the dates of a text (`find`), two that name the ends of one stretch of time as that: "1 June to 12 June"."""
    mentions = found(text, now, zone)
    return mentions if len(mentions) < 2 else joined(mentions, text, _fold(text), Reference(now, zone))


def event_time(text: str, now: int, zone: tzinfo) -> Interval | None:
    """Return when the event that a text tells of happened, or None where the text does not say.

    It is the first date that is not merely a bound (before, after, until); a later one that lies within it says
    the same more exactly and takes its place ("in March ... on March 5").
    """
    best = None
    for mention in periods(text, now, zone):
        if mention.relation in ("before", "after", "until"):
            continue
        there = mention.interval
        if best is None or (best.start <= there.start and there.end <= best.end):
            best = there
    return best


def _hints(text: str) -> bool:
    """Look once whether a text may hold a date: a text in one alphabet needs no look for the other's."""
    if compiled(_HINT).search(text):
        return True
    return not text.isascii() and compiled(date_words_zh.SCANNER.anchor).search(text) is not None


def _fold(text: str) -> str:
    """Lower the case and narrow wide figures without moving a character: what would grow longer stays."""
    lower = text.lower()
    if not text.isascii() and re.search("[０-９]", text):
        lower = lower.translate(_NARROW)
    if len(lower) == len(text):
        return lower
    return "".join(low if len(low := char.lower()) == 1 else char for char in text)


def _mention(text: str, folded: str, found: Found, at: Reference, place: int) -> Mention | None:
    start, end, interval = found.start, found.end, found.meaning
    if isinstance(interval, date):
        try:
            start, end, interval = date_hours.attach(folded, place, start, end, interval, at)
            if interval.precision == "day":
                start, interval = beside(folded, place, start, interval, at)
        except (ValueError, OverflowError):
            return None  # the last evening of the calendar
    relation = _relation(folded, start, end)
    if relation == "since" and interval.start < at.now:
        interval = Interval(interval.start, at.now, "span")
    return Mention(interval, start, end, text[start:end], relation)


def _relation(folded: str, start: int, end: int) -> Relation:
    before = compiled(_BEFORE).search(folded, max(0, start - 20), start)
    word = (before["word"] or before["zh"]) if before else ""
    after = compiled(_AFTER).match(folded, end)
    said = (after["onward"] or after["zh"]) if after else ""
    if word in ("from", "从") or said in ("起", "开始"):
        return "since" if said in ("on", "onward", "onwards", "起", "开始", "以来") else ""
    return _RELATIONS.get(word) or _RELATIONS.get(said, "")
