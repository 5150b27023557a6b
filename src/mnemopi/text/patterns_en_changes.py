"""Who a thing belongs to, in English, and what took its place: owners, new names, successors, moves.

Rules for `text.patterns`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from mnemopi.text.attributes_en import FITS, NAME, NP, PART, THING, is_tool
from mnemopi.text.claim_rules import Draft, Rule, Saying, says, subject_of, trimmed, value
from mnemopi.text.date_rules import compiled


def _someone(said: str) -> bool:
    return FITS[NAME](said) and not compiled(r"(?i)^(?:the|it|this|that)\b").match(said)


def _switched(found: re.Match[str], say: Saying) -> Iterator[Draft]:
    """Read "the billing service moved from Stripe to Adyen": the old is over, the new in use."""
    subject, new = subject_of(found["s"]), value(say, found.start("o"))
    old = trimmed(say, *found.span("x")) if found["x"] else None
    if subject is None or new is None or (found["x"] and old is None):
        return
    if not compiled(
        rf"(?i)\b(?:{PART}|product|project|repo|code|codebase|infra|infrastructure|store|system)s?$"
    ).search(subject):
        return
    if not all(is_tool(say.text[slice(*span)]) for span in (old or new, new)):
        return
    if old:
        yield Draft("fact", "uses", *old, subject, ended=True, dated=True)
    yield Draft("fact", "uses", *new, subject, dated=True)


def _other_port(found: re.Match[str], say: Saying) -> Iterator[Draft]:
    """Read "we moved the API from port 8080 to 9090"."""
    said = found["s"] if found["own"] is None else f"the {found['s']}"
    subject = subject_of(said) or (subject_of(f"the {said}") if " " not in said else None)
    if subject:
        yield Draft("fact", "port", *found.span("o"), subject, dated=True)


def _responsible(found: re.Match[str], say: Saying, predicate: str = "owner") -> Iterator[Draft]:
    """Read "Dana owns the billing module": the thing is the subject, the person the object."""
    who = trimmed(say, *found.span("who"))
    thing = value(say, found.start("s"))
    if who is None or thing is None or not _person(say.text[slice(*who)]):
        return
    said = say.folded[found.start("s") : thing[1]]
    named_for = compiled(r"(?i)\b(?:for|of|over)\s+$").search(say.folded, found.start(), found.start("s"))
    subject = subject_of(f"the {said}" if named_for and not said.lower().startswith(("the ", "our ", "my ")) else said)
    if subject and len(subject.split()) <= 5:
        yield Draft("relation", predicate, *who, subject)


def _person(said: str) -> bool:
    return (said[0].isupper() and len(said.split()) <= 3 and subject_of(said) is not None) or bool(
        compiled(r"(?i)^(?:the\s+)?[\w-]+\s(?:team|squad|guild)$").match(said)
    )


def _renamed(found: re.Match[str], say: Saying) -> Iterator[Draft]:
    old = found["old"] if found.groupdict().get("old") else found["s"]
    subject, span = subject_of("the " + compiled(r"(?i)^(?:the|our|my)\s+").sub("", old)), value(say, found.start("o"))
    if subject and span and len(say.text[slice(*span)].split()) <= 4:
        kept = (
            compiled(
                r"(?i)\s+(?:package|module|repo|repository|branch|project|service|folder|directory|function"
                r"|class|table|app|column|variable)$"
            )
            .sub("", subject)
            .strip("`\"'")
        )
        yield Draft("fact", "name", *span, kept, dated=True)


def _instead(found: re.Match[str], say: Saying) -> Iterator[Draft]:
    subject, span = subject_of(found["s"]), value(say, found.start("o"))
    if subject and span and len(say.text[slice(*span)].split()) <= 5:
        yield Draft("relation", "replaced_by", *span, subject, dated=True)


_TO_PORT = (
    r"\s+(?:over\s+|back\s+)?(?:from\s+port\s+\d{2,5}\s+to\s+(?:port\s+)?"
    r"|(?:from\s+\d{2,5}\s+)?to\s+port\s+)(?P<o>\d{2,5})\b(?![.:]\d)"
)


RULES: Final = (
    Rule(
        "moved+port switched+port changed+port migrated+port",
        r"(?:(?:I|we)(?:'ve|\s+have|\s+had\s+to)?\s+(?:just\s+|now\s+|also\s+)?(?:moved|switched|changed|migrated)\s+"
        r"(?P<own>the|our|my)?\s*(?P<s>" + NP + r"))" + _TO_PORT,
        _other_port,
    ),
    Rule(
        "moved+port switched+port changed+port migrated+port moves+port",
        THING
        + r"\s+(?:has\s+|have\s+|was\s+|were\s+|is\s+)?(?:now\s+|just\s+|been\s+)?"
        + r"(?:moved|switched|changed|migrated|moves)"
        + _TO_PORT,
        says("fact", "port", "word", dated=True),
    ),
    Rule(
        "moved+from switched+to migrated+to",
        THING
        + (
            r"\s+(?:has\s+|have\s+|was\s+|were\s+|is\s+being\s+)?(?:now\s+|just\s+|been\s+)?(?:(?:moved|switched|migrated|ported)"
            r"\s+(?:over\s+)?from\s+(?P<x>.{1,40}?)|switched|migrated|ported)\s+(?:over\s+)?to\s+(?P<o>\S)"
        ),
        _switched,
    ),
    Rule(
        "owned",
        THING + r"\s+(?:is|are)\s+(?:now\s+|currently\s+)?owned\s+by\s+(?P<o>\S)",
        says("relation", "owner", check=_someone),
    ),
    Rule(
        "maintained",
        THING + r"\s+(?:is|are)\s+(?:now\s+|currently\s+)?maintained\s+by\s+(?P<o>\S)",
        says("relation", "maintainer", check=_someone),
    ),
    Rule(
        "led headed",
        THING + r"\s+(?:is|are)\s+(?:now\s+)?(?:led|headed)\s+by\s+(?P<o>\S)",
        says("relation", "lead", check=_someone),
    ),
    Rule(
        "assigned",
        THING + r"\s+(?:is|was)\s+(?:now\s+)?assigned\s+to\s+(?P<o>\S)",
        says("relation", "assignee", check=_someone),
    ),
    Rule(
        "leads heads",
        (
            r"(?P<who>[\w'-]+(?:\s(?-i:[A-Z])[\w'-]+)?)\s+(?:now\s+|currently\s+)?(?:leads|heads)\s+(?P<s>(?:the"
            r"|our)\s+\S)"
        ),
        lambda found, say: _responsible(found, say, "lead"),
    ),
    Rule(
        "ownership",
        r"(?:the\s+)?ownership\s+of\s+(?P<s>(?:the|our)?\s*"
        + NP
        + (
            r")\s+(?:has\s+|was\s+|is\s+)?(?:now\s+)?(?:moved|moves|transferred|passed|goes|went|handed\s+over"
            r"|with)\s+(?:to\s+)?(?P<o>\S)"
        ),
        says("relation", "owner", check=_someone),
    ),
    Rule("belongs", THING + r"\s+(?:now\s+)?belongs\s+to\s+(?P<o>\S)", says("relation", "owner", check=_someone)),
    Rule(
        "owns maintains responsible charge takes+over took+over taking+over taken+over",
        (
            r"(?P<who>(?:the\s+)?[\w'-]+(?:\s[\w'-]+){0,2}?)\s+(?:(?:now|currently)\s+)?(?:owns|maintains"
            r"|is\s+(?:now\s+|currently\s+)?(?:responsible\s+for|in\s+charge\s+of)|takes\s+over|took\s+over"
            r"|is\s+taking\s+over|has\s+taken\s+over)\s+(?P<s>(?:the|our|my)?\s*\S)"
        ),
        _responsible,
    ),
    Rule(
        "owner+of owner+for maintainer+of maintainer+for lead+of lead+for assignee+of assignee+for",
        r"(?P<who>(?:the\s+)?[\w'-]+(?:\s[\w'-]+){0,2}?)(?:\s+(?:is|becomes|became|will\s+be|remains|stays)|'s)\s+"
        r"(?:(?:now|currently|still)\s+)?(?:the\s+)?(?:(?:new|current|official)\s+)?(?:product\s+|code\s+|tech\s+|team\s+)?"
        r"(?P<role>owner|maintainer|lead|assignee)\s+(?:of|for)\s+(?P<s>(?:the|our|my)?\s*\S)",
        lambda found, say: _responsible(found, say, found["role"].lower()),
        cores=(r"(?:owner|maintainer|lead|assignee)\s+(?:of|for)\s",),
    ),
    Rule(
        "deprecated superseded replaced",
        THING
        + (
            r"\s+(?:is|are|was|has\s+been|got|is\s+being)\s+(?:now\s+)?(?:deprecated\s+in\s+favou?r\s+of"
            r"|superseded\s+by|replaced\s+(?:by|with)|deprecated,?\s+(?:so\s+)?use)\s+(?P<o>\S)"
        ),
        _instead,
    ),
    Rule(
        "renamed",
        (
            r"(?:(?:I|we)(?:'ve|\s+have)?\s+(?:just\s+)?)renamed\s+(?:(?:the"
            r"|our)\s+\w+\s+from\s+)?(?P<s>.{1,50}?)\s+(?:to|into|as)\s+(?P<o>\S)"
        ),
        _renamed,
    ),
    Rule(
        "renamed",
        THING
        + (
            r"\s+(?:is|was|has\s+been|got)\s+(?:now\s+)?renamed\s+(?:from\s+(?P<old>.{1,40}?)\s+)?(?:to\s+"
            r"|into\s+)?(?P<o>\S)"
        ),
        _renamed,
    ),
    Rule("now+called now+named now+known", THING + r"\s+is\s+now\s+(?:called|named|known\s+as)\s+(?P<o>\S)", _renamed),
)
