"""What is said about things, in English: their attributes, where they run, what they use and what became of them.

Rules for `text.patterns`; attributes and their values stand in `attributes_en`, days in `patterns_en_events`, owners
and changes in `patterns_en_changes`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from mnemopi.text.attributes_en import (
    ATTRIBUTE,
    ATTRIBUTES,
    CUES,
    DATE,
    KNOWN_TOOLS,
    NP,
    PART,
    PEOPLE,
    STATES,
    THE,
    THING,
    fit,
    is_tool,
)
from mnemopi.text.claim_rules import Draft, Rule, Saying, named, says, subject_of, value
from mnemopi.text.date_rules import compiled
from mnemopi.text.patterns_en import is_kin

_IS = (
    r"(?:\s+(?:is|are|will\s+be|remains|stays)(?:\s+(?:now|currently|still|set\s+to|always|called"
    r"|going\s+to\s+be|officially|on|at|just|actually))*(?:\s*:)?"
    r"|\s*=|\s*:"
    r"|\s+(?:(?:has|have|was|is|got|been|being|just|gets)\s+){0,3}(?:changed|moved|bumped|raised|lowered"
    r"|increased|decreased|reduced|updated|set|switched|pushed|postponed|delayed"
    r"|extended|brought\s+forward|slipped|shifted|rescheduled|upgraded|renamed|went|moves|changes"
    r"|dropped)(?:\s+(?:back|up|down|out|again))?(?:\s+from\s+(?P<x>.{1,40}?))?\s+(?:to|until|till)"
    r")\s+(?:the\s+)?(?P<o>\S)"
)
_NEW = r"(?:(?:new|current|latest|official|actual|final|max|maximum|default)\s+)?"
_LASTING = (
    r"(?:down|live|deprecated|archived|read-only|frozen|retired|obsolete|offline|in\s+(?:beta|alpha"
    r"|maintenance(?:\s+mode)?)|end[- ]of[- ]life|unmaintained|feature-complete|cancell?ed|on\s+hold"
    r"|decommissioned)"
)
_FROM_TO = r"\s+(?:from\s+(?P<x>.{1,40}?)\s+)?to\s+(?P<o>\S)"
_CHANGED = r"(?:change|update|switch|set|bump|raise|lower|increase|decrease|reduce|extend|move|push|upgrade|downgrade)"
_HAS = (
    r"{cue}(?:\s*[=:]|\s+(?:is|are|will|remains|stays|has|have|was|got|been|being|just|gets|changed|moved|bumped"
    r"|raised|lowered|increased|decreased|reduced|updated|set|switched|pushed|postponed|delayed|extended"
    r"|brought|slipped|shifted|rescheduled|upgraded|renamed|went|moves|changes|dropped)\b)"
)
_OF = r"{cue}\s+(?:of|for|on|in)\s"
_CHANGE = _CHANGED + r"\s+(?:the|our|my)\s"
_CHANGES = (
    r"(?:i|we)(?:'ve|\s+have)?\s+(?:just\s+|now\s+)?(?:changed|updated|switched|set|bumped|raised"
    r"|lowered|increased|decreased|reduced|extended|moved|pushed|upgraded|downgraded)\s"
)
_PHRASE = (
    r"(?:^|\s)(?:now|use|question|place|mind|general|particular|effect|fact|case|total|time|hand|choice|sight|call|view"
    r"|today|tomorrow|me|us|good|sure|free|record|course|interest|need|those|work|life)$|^an?\s"
)
"""Words behind which "of" and "for" make a phrase, and no owner of an attribute."""
_ON = r"\s+(?:now\s+|still\s+|also\s+)?(?:depends|relies)\s+(?:heavily\s+)?(?:up)?on\s+"


def _attribute(found: re.Match[str], say: Saying) -> Iterator[Draft]:
    """Read "the API server's port is 8443": thing, attribute, value."""
    predicate, kind = ATTRIBUTES[" ".join(found["a"].lower().split())]
    groups = found.groupdict()
    subject: str | None = None
    if groups.get("s"):
        said = groups["s"]
        subject = subject_of(said if groups.get("own") is None else f"{groups['own']} {said}")
        if subject is None and groups.get("of") and _bare(said):
            subject = subject_of(f"the {said}")
        if subject is None:
            return
        if compiled(
            r"(?i)^(?:new|current|old|latest|official|previous|former|next|default|same|main|wrong|original"
            r"|last|first)$"
        ).match(subject):
            if compiled(r"(?i)^(?:old|previous|former|wrong|original|same|last|first)$").match(subject):
                return
            subject = None
    span = fit(say, found.start("o"), kind)
    if span is None or (subject is None and predicate in ("name", "capital", "price", "status")):
        return
    moved = "moved" in found[0].lower() or bool(groups.get("x"))
    related = predicate in PEOPLE or (subject is not None and is_kin(subject))
    yield Draft(
        "relation"
        if related
        else "identity"
        if predicate in ("email", "phone", "timezone", "birthday") and subject is None
        else "fact",
        predicate,
        *span,
        subject,
        dated=moved and kind != DATE,
    )


def _bare(said: str) -> bool:
    """Whether words behind "the port of" name a thing without an article: billing, checkout service."""
    return said.islower() and len(said.split()) <= 2 and not compiled(_PHRASE).search(said)


def _status(found: re.Match[str], say: Saying) -> Iterator[Draft]:
    if subject := subject_of(found["s"]):
        yield Draft("fact", "status", *found.span("o"), subject)


def _is_now(found: re.Match[str], say: Saying) -> Iterator[Draft]:
    subject, span = subject_of(found["s"]), value(say, found.start("o"))
    if subject and span and named(say.text[slice(*span)]):
        yield Draft("fact", "is", *span, subject, dated=True, confidence=0.6)


RULES: Final = (
    Rule(
        CUES,
        r"(?P<s>(?:(?:the|our|my)\s+)?[\w./+#@-]+(?:\s+[\w./+#@-]+){0,3}?)'s?\s+" + _NEW + ATTRIBUTE + _IS,
        _attribute,
        (_HAS,),
    ),
    Rule(
        CUES,
        r"(?:(?:the|our)\s+)?"
        + _NEW
        + ATTRIBUTE
        + r"\s+(?:(?P<of>of|for)|on|in)\s+(?P<own>the|our|my)?\s*(?P<s>"
        + NP
        + r")"
        + _IS,
        _attribute,
        (_OF,),
    ),
    Rule(CUES, r"(?P<own>the|our|my)\s+(?:(?P<s>" + NP + r")\s+)??" + _NEW + ATTRIBUTE + _IS, _attribute, (_HAS,)),
    Rule(CUES, r"(?P<s>(?-i:[A-Z])[\w./+#-]*(?:\s(?-i:[A-Z])[\w./+#-]*)?)\s+" + ATTRIBUTE + _IS, _attribute, (_HAS,)),
    Rule(CUES, _NEW + ATTRIBUTE + _IS, _attribute, (_HAS,)),
    Rule(
        CUES,
        _CHANGED
        + r"\s+(?:the|our|my)\s+"
        + _NEW
        + r"(?:(?P<s>"
        + NP
        + r")\s+)??"
        + ATTRIBUTE
        + r"\s+from\s+(?P<x>.{1,40}?)\s+to\s+(?P<o>\S)",
        _attribute,
        (r"from\s", _CHANGE),
    ),
    Rule(
        CUES,
        _CHANGED
        + r"\s+(?:the|our|my)\s+"
        + _NEW
        + ATTRIBUTE
        + r"\s+(?:of|for|on|in)\s+(?P<own>the|our|my)?\s*(?P<s>"
        + NP
        + r")\s+from\s+(?P<x>.{1,40}?)\s+to\s+(?P<o>\S)",
        _attribute,
        (r"from\s", _CHANGE),
    ),
    Rule(
        CUES,
        (
            r"(?:I|we)(?:'ve|\s+have)?\s+(?:just\s+|now\s+)?(?:changed|updated|switched|set|bumped|raised"
            r"|lowered|increased|decreased|reduced|extended|moved|pushed|upgraded"
            r"|downgraded)\s+(?:back\s+)?(?P<own>the|our|my)\s+"
        )
        + _NEW
        + r"(?:(?P<s>"
        + NP
        + r")\s+)??"
        + ATTRIBUTE
        + r"(?:\s+back)?"
        + _FROM_TO,
        _attribute,
        (_CHANGES,),
    ),
    Rule(
        "port listens runs+on listening running+on",
        THING
        + (
            r"\s+(?:(?:is\s+)?(?:now\s+|currently\s+)?(?:listens|listening|runs|running|lives|sits"
            r"|is)\s+(?:now\s+)?on\s+(?:port\s+)?)(?P<o>\d{2,5})\b(?![.:]\d)"
        ),
        says("fact", "port", "word"),
        cores=(r"\son\s+(?:port\s+)?\d\d",),
    ),
    Rule(
        "binds exposes exposed",
        THING + r"\s+(?:binds\s+to|exposes|is\s+exposed\s+on)\s+port\s+(?P<o>\d{2,5})\b",
        says("fact", "port", "word"),
    ),
    Rule(
        "runs+on running+on",
        THING + r"\s+(?:is\s+)?(?:now\s+)?(?:runs|running)\s+on\s+(?!port)(?P<o>\S)",
        says("fact", "runs_on", check=named),
    ),
    Rule(
        "uses is+using",
        THING
        + (
            r"\s+(?:now\s+|currently\s+|still\s+|is\s+(?:now\s+)?using\s+)?(?:uses\s+)?(?<=(?:uses"
            r"|sing)\s)(?P<o>\S)"
        ),
        says(
            "fact",
            "uses",
            many=True,
            check=lambda said: len(said.split()) <= 4 and (named(said) or said.lower() in KNOWN_TOOLS),
        ),
    ),
    Rule(
        "depends relies",
        THING + _ON + r"(?P<o>(?=the\s|our\s|`|(?-i:[A-Z])|\w*[-_./\d])\S)",
        says("relation", "depends_on", many=True),
    ),
    Rule(
        "depends relies",
        r"(?P<s>" + THE + r"(?:[\w-]+\s+){0,2}" + PART + r"|[\w.]+[-_./]\w[\w./-]*)" + _ON + r"(?P<o>\S)",
        says("relation", "depends_on", many=True, check=lambda said: " " not in said),
    ),
    Rule(
        "written implemented",
        THING
        + (
            r"\s+(?:is|are)\s+(?:mostly\s+|entirely\s+|now\s+|currently\s+)?(?:written"
            r"|implemented)\s+in\s+(?P<o>\S)"
        ),
        says("fact", "language", check=is_tool),
    ),
    Rule(
        "is+built are+built",
        THING
        + (
            r"\s+(?:is|are)\s+(?:mostly\s+|entirely\s+|now\s+|currently\s+)?built\s+(?:with|on|in"
            r"|using)\s+(?P<o>\S)"
        ),
        says("fact", "uses", many=True, check=is_tool),
    ),
    Rule(
        "hosted deployed",
        THING + r"\s+(?:is|are)\s+(?:now\s+|currently\s+)?(?:hosted|deployed)\s+(?:on|at|to|in|with|via)\s+(?P<o>\S)",
        says("fact", "hosted_on", check=is_tool),
    ),
    Rule(
        "is+now are+now",
        THING
        + r"\s+(?:is|are)\s+now\s+(?P<o>"
        + STATES
        + r")(?=\s*(?:$|[.,;!)]|again\b|for\b|since\b|and\b|until\b|as\b))",
        _status,
        cores=(r"\s(?:is|are)\s+now\s",),
    ),
    Rule(
        (
            "down live deprecated archived read-only frozen retired obsolete offline end-of-life unmaintained"
            " feature-complete cancelled canceled hold beta alpha maintenance decommissioned"
        ),
        THING
        + r"\s+(?:is|are|has\s+been|was)\s+(?P<o>"
        + _LASTING
        + r")(?=\s*(?:$|[.,;!)]|again\b|for\b|since\b|until\b|as\b))",
        _status,
        cores=(r"\s(?:is|are|has\s+been|was)\s+" + _LASTING,),
    ),
    Rule(
        "works",
        (
            r"(?P<s>(?:my\s+)?[\w'-]+(?:\s(?-i:[A-Z])[\w'-]+|\s(?:wife|brother|sister"
            r"|in-law))?)\s+(?:now\s+)?works\s+(?:at|for)\s+(?P<o>(?-i:[A-Z])\S)"
        ),
        says("fact", "employer", check=named),
        cores=(r"\sworks\s+(?:at|for)\s",),
    ),
    Rule(
        "lives",
        (
            r"(?P<s>(?:my\s+)?[\w'-]+(?:\s(?-i:[A-Z])[\w'-]+|\s(?:wife|brother|sister"
            r"|in-law))?)\s+(?:now\s+)?lives\s+in\s+(?P<o>(?-i:[A-Z])\S)"
        ),
        says("fact", "location", check=named),
        cores=(r"\slives\s+in\s",),
    ),
    Rule(
        "https http com net org io dev app local localhost internal",
        THING
        + (
            r"\s+(?:is|are|lives)\s+(?:now\s+)?(?:at|available\s+at|reachable\s+at|under)\s+(?P<o>(?:https?://"
            r"|[\w-]+\.[\w-]+\.?\w)\S*)"
        ),
        says("fact", "url", "word"),
        cores=(r"\s(?:is|are|lives)\s+(?:now\s+)?(?:at|available\s+at|reachable\s+at|under)\s",),
    ),
    Rule(
        "is+now are+now",
        THING
        + (
            r"\s+(?:is|are)\s+now\s+(?!a\s|not\b|too\b|very\b|in\s+(?:the|my)|going|being|working|gone|fixed"
            r"|able|possible|clear|ok\b|okay|fine|about|at\b|ready|passing|failing|running|what)(?P<o>\S)"
        ),
        _is_now,
        cores=(r"\s(?:is|are)\s+now\s",),
    ),
)
