"""When things happen, in English: meetings and releases on their days, what is due, and what was done on a day.

Rules for `text.patterns`. A date that was is no appointment, and a doing without a date no event.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from mnemopi.text.attributes_en import date_at
from mnemopi.text.claim_rules import LONGEST, Draft, Rule, Saying, subject_of, trimmed
from mnemopi.text.date_rules import compiled

_THE = r"(?:(?:the|our|my)\s+)"
_S = r"(?P<s>" + _THE + r"?[`\w][\w./+#@`-]*(?:\s+[\w./+#@`-]+){0,3}?)"
_OCCASION = (
    r"(?:meeting|call|demo|review|retro(?:spective)?|stand-?up|sync|workshop|interview|appointment"
    r"|conference|launch|release|party|wedding|flight|trip|exam|presentation|kick-?off|offsite|town\s+hall"
    r"|training|webinar|migration"
    r"|cutover|go-live|planning|dinner|concert|hackathon|audit|rehearsal|graduation|surgery|check-?up"
    r"|deployment|maintenance\s+window|code\s+freeze|hearing|defen[cs]e|1:1|one-on-one|all-hands|game|match"
    r"|recital|reunion)"
)
_OCCASION_NAME = (
    r"(?P<s>(?:(?!is\b|was\b|on\b|at\b)[\w.'-]+\s+){0,3}?"
    + _OCCASION
    + r"(?:\s+(?:with|of|for)\s+(?!\d)(?:the\s+)?[\w&.'-]+(?:\s(?-i:[A-Z])[\w&.'-]*){0,2})?)"
)
_DID = (
    r"met|visited|went|attended|started|finished|launched|shipped|released|deployed|signed|bought|sold"
    r"|adopted|married|graduated|ran|won|joined|left|moved|completed|passed|failed|gave|presented|published"
    r"|merged|migrated|celebrated|travell?ed|flew|drove"
    r"|hired|founded|quit|retired|had|saw|booked|held|hosted|broke|got|took|opened|closed|submitted"
    r"|delivered|interviewed|defended|upgraded|switched|lost|planted|climbed|hiked"
)
_AT_LAST = r"(?:finally|just|both|also|recently|actually|officially)"
_OCCASION_CUES = (
    "meeting call demo review retro retrospective standup stand-up sync workshop interview appointment conference "
    "launch release party wedding flight trip exam presentation kickoff offsite hall training webinar migration "
    "cutover go-live planning dinner concert hackathon audit rehearsal graduation surgery checkup check-up "
    "deployment window freeze hearing all-hands game match recital reunion"
)


def _occasion(found: re.Match[str], say: Saying) -> Iterator[Draft]:
    """Read "the demo moved to Thursday", "I have a dentist appointment on 18 March"."""
    span = date_at(say, found.start("o"))
    subject = found["s"].strip()
    if (
        span
        and say.ahead(span[0])
        and not compiled(r"(?i)\b(?:last|previous|no|any|every|each|next|this)\b").match(subject)
    ):
        subject = compiled(r"(?i)^(?:a|an|the|our|my|another)\s+").sub("", subject)
        yield Draft("event", "date", *span, subject)


def _due(found: re.Match[str], say: Saying) -> Iterator[Draft]:
    span, subject = date_at(say, found.start("o")), subject_of(found["s"])
    if span and subject:
        verb = found["verb"].lower()
        predicate = (
            "due_date"
            if "due" in verb
            else "start_date"
            if verb.startswith("start")
            else "end_date"
            if verb.startswith("end")
            else "release_date"
        )
        yield Draft("fact", predicate, *span, subject)


def _did(found: re.Match[str], say: Saying) -> Iterator[Draft]:
    """Read "we released version 2.0 on 3 March": what was done, from the verb to the date."""
    for mention in say.mentions:
        if mention.relation or mention.start < found.end("verb") or mention.start > found.end("verb") + LONGEST:
            continue
        if compiled(
            r"[,;:\x00]|\s-\s|\b(?:and|but|because|so|which|if|when|that|who|it|them|him|her|us|this|these|those)\b"
        ).search(say.folded, found.end("verb"), mention.start):
            return
        if (span := trimmed(say, found.start("verb"), mention.start + 1)) and span[1] > found.end("verb"):
            yield Draft("event", "did", *span, dated=True)
        return


RULES: Final = (
    Rule(
        _OCCASION_CUES,
        r"(?:(?:the|our|my)\s+)?"
        + _OCCASION_NAME
        + (
            r"(?:\s+(?:is|will\s+be|takes\s+place|has\s+been|was|got|gets|starts|happens|moved|moves"
            r"|has)(?:\s+(?:now|moved|pushed|postponed|rescheduled|scheduled|set|planned|back|been|happening|out"
            r"|again|shifted|delayed))*)(?:\s+(?:on|at|for|to|in|until))?\s+(?P<o>\S)"
        ),
        _occasion,
        cores=(r"\s(?:is|will\s+be|takes\s+place|has|was|got|gets|starts|happens|moved|moves)\s",),
        dated=True,
    ),
    Rule(
        _OCCASION_CUES,
        (
            r"(?:I|we)(?:'ve|\s+have)?\s+(?:just\s+|also\s+)?(?:have|got|scheduled|booked|arranged"
            r"|set\s+up)\s+(?:a|an|the|our|my|another)\s+"
        )
        + _OCCASION_NAME
        + r"(?:\s+(?:scheduled|booked|coming\s+up))?\s+(?:(?:on|at|for|in)\s+)?(?P<o>\S)",
        _occasion,
        cores=(r"(?:i|we)(?:'ve|\s+have)?\s+(?:just\s+|also\s+)?(?:have|got|scheduled|booked|arranged|set\s+up)\s",),
        dated=True,
    ),
    Rule(
        "due ships launches goes+live starts ends be+released scheduled expires will+ship will+launch",
        _S
        + (
            r"\s+(?P<verb>(?:is|are|was)\s+(?:now\s+)?due|ships|launches|goes\s+live|starts|ends|expires"
            r"|will\s+(?:ship|launch|be\s+released|go\s+live)|(?:is|are)\s+scheduled)\s+(?:(?:on|for|in|by"
            r"|at)\s+)?(?P<o>\S)"
        ),
        _due,
        dated=True,
    ),
    Rule(
        " ".join(f"i+{verb} we+{verb}" for verb in _DID.replace("l?", "l").split("|")),
        r"(?:I|we)(?:\s+" + _AT_LAST + r")?\s+(?P<verb>" + _DID + r")\s",
        _did,
        cores=(r"(?:i|we)(?:\s+" + _AT_LAST + r")?\s+(?:" + _DID + r")\s",),
        dated=True,
    ),
)
