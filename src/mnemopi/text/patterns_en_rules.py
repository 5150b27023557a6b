"""What is to be done from now on, in English: always, never, "don't use X, use Y", "commit messages must ...".

Rules for `text.patterns`. A task is no rule: "run the tests" is over when they ran, "always run the tests" stays.
A plain imperative counts only where something says that it stays ("from now on", "in all docs", "not spaces").
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from mnemopi.text.claim_rules import LONGEST, Draft, Rule, Saying, subject_of, verbatim
from mnemopi.text.date_rules import compiled
from mnemopi.text.rule_words_en import (
    ALL_WORDS,
    ALWAYS,
    ANY,
    ASKED_OF,
    DONT,
    FOR_ALL,
    FROM_THEN,
    IDLE,
    KINDS,
    MANNER,
    NEVER,
    NO,
    NONE_OF,
    NOT_VERB,
    ONCE,
    TO_ALL,
    WORK,
)

_ASKED = (
    r"(?:please,?\s+|pls\s+)?(?:(?:(?:you|we|everyone|everybody|developers|contributors)\s+(?:should|must"
    r"|need\s+to|have\s+to|are\s+to|shall)|we)\s+)?"
    r"(?:(?:I|we)(?:'d\s+like|\s+would\s+like|\s+want|\s+need|\s+expect|\s+ask|'d\s+prefer\s+for"
    r"|\s+prefer\s+for)\s+(?:for\s+)?(?:you|everyone|all\s+of\s+you|us|everybody)\s+to\s+)?"
    r"(?:(?:try\s+to|be\s+sure\s+to|make\s+sure\s+(?:to|you|that\s+you|we|that\s+we)|remember\s+to|do"
    r"|let's)\s+)?(?:please\s+)?"
)
_REASON = (
    r"(?i)[,\s(–—-]+(?:because|cause|cuz|since|as (?:it|they|we|the|this|that)|so that|so we|so I|so it"
    r"|otherwise|in order to|to indicate|to make (?:it|sure))\s|[,–—-]+\s*(?:it's|it is|that's|they|we|I|which"
    r"|but|lol|and then)\s"
)
_ASIDE = (
    r"(?i)[\s,]*\b(?:please|pls|thanks|thank you|ok|okay|thx|from now on|going forward"
    r"|in (?:the )?future)[\s.!]*$"
)
_AFFIX = (
    r"(?i)(?:(?P<suffix>end)|(?:start|begin|prefix))\s+(?:all\s+|every\s+|each\s+|the\s+|your\s+|our\s+|any\s+"
    r"|of\s+)*(?P<t>[\w-]+(?:\s[\w-]+){0,2}?)\s+(?:names?\s+)?with\s"
)
_PLAIN_CUES = (
    "use answer respond reply keep prefix suffix format indent wrap prefer follow stick speak address quote sort"
    " capitalize capitalise spell lint write talk cite now+on going+forward future+in henceforth by+default as+rule"
    " starting from+on"
)
_PLAIN = r"(?:please,?\s+|pls\s+|only\s+|just\s+|you\s+(?:should|must)\s+)*(?P<o>[a-z]+\s\S)"
_NONE = (
    r"no\s+(?P<o>(?!errors?|issues?|problems?|changes?|results?|luck|worries|idea|one|need|way"
    r"|more\s+than|doubt|matter|thanks?|longer|wonder|news|questions?|rush|time"
    r"|updates?)[a-z][\w'-]*(?:\s[\w'-]+){0,8})(?=\s*(?:[.!]|,|$))"
)
_PLURAL = r"(?P<s>(?:(?:all|any|every|each)\s+)?[\w'-]+(?:\s[\w'-]+){0,3}?)"


def _rule(
    say: Saying, start: int, predicate: str, subject: str | None = None, confidence: float = 0.8
) -> Iterator[Draft]:
    """Yield the rule that reaches from `start` to the end of the sentence, its reasons left out.

    A rule too long for an object ends with the last clause that has room. "Avoid" makes a *never* of it, and what
    names begin or end with has a predicate of its own, since there is one at a time.
    """
    stop = say.stop
    for ending in (_ASIDE, _REASON):
        if cut := compiled(ending).search(say.folded, start + 4, stop):
            stop = cut.start()
    if predicate == "always" and (avoid := compiled(r"(?i)(?:avoid|never|not)\s+").match(say.folded, start, stop)):
        start, predicate = avoid.end(), "never"
    if stop - start > LONGEST:
        cuts = [
            cut.start()
            for cut in compiled(r"[,;:(—]|\s(?:as|but|which|and)\s").finditer(say.folded, start + 8, start + LONGEST)
        ]
        if not cuts:
            return
        stop = cuts[-1]
    span = verbatim(say, start, stop)
    if span is None:
        return
    affix = compiled(_AFFIX).match(say.folded, *span) if predicate == "always" else None
    if affix and affix["t"].lower().split()[0] not in ("by", "from", "using", "working", "a", "it", "off"):
        predicate = "suffix" if affix["suffix"] else "prefix"
        subject = subject or say.folded[affix.start("t") : affix.end() - 5].strip()
    yield Draft("instruction", predicate, *span, subject or say.topic, confidence=confidence)


def _opens(found: re.Match[str], say: Saying) -> bool:
    """Whether the rule opens its sentence, or follows a word that joins two: in mid-sentence it may have a subject."""
    before = say.folded[say.start : found.start()]
    return (
        say.standing
        or not before.strip()
        or bool(
            compiled(
                r"(?i)(?:\b(?:and|but|so|please|also|always|that|ok|yes|no|hi|hey|note|reminder|remember)"
                r"|[:;–—])[\s,]*$"
            ).search(before)
        )
        or say.topic is not None
    )


def _habit(found: re.Match[str], said: str) -> bool:
    """Whether "we always ..." tells what people are wont to do, not how the work is done."""
    return compiled(r"(?i)we\s").match(found[0]) is not None and not compiled(WORK).match(said)


def _always(found: re.Match[str], say: Saying) -> Iterator[Draft]:
    said = say.folded[found.start("o") : say.stop]
    if compiled(NOT_VERB).match(said) or _habit(found, said):
        return
    yield from _rule(say, found.start("o"), "always", _about(found))


def _never(found: re.Match[str], say: Saying) -> Iterator[Draft]:
    said = say.folded[found.start("o") : say.stop]
    if compiled(NOT_VERB).match(said) or compiled(IDLE).match(said) or _habit(found, said):
        return
    yield from _rule(say, found.start("o"), "never", _about(found))


def _about(found: re.Match[str]) -> str | None:
    about = found.groupdict().get("s")
    return compiled(r"(?i)^(?:all|any|every|each|the|our|my)\s+").sub("", about.strip()) if about else None


def _dont(found: re.Match[str], say: Saying) -> Iterator[Draft]:
    """Read "don't use X": a rule, unless it is about this one thing, or kind words. "..., use Y" is a second rule."""
    start = found.start("o")
    said = say.folded[start : say.stop]
    other = compiled(
        r"(?i)(?:\s*[,;–—-]+\s*|\s+but\s+)(?:(?:please|rather|always|just|instead)\s+)*(?P<use>(?:use|prefer"
        r"|write|go\s+with|stick\s+(?:to|with)|call|run|import|put)\s.+)"
    ).search(say.folded, start, say.stop)
    first = say.folded[start : other.start()] if other else said
    if (
        not _opens(found, say)
        or compiled(ONCE).search(said)
        or compiled(IDLE).match(said)
        or compiled(r"(?i)^(?:\w+ing|\w+ed|the|a|an)\b").match(said)
    ):
        return
    if not compiled(r"\S+\s+\S").match(first.strip()):
        return
    if other is None:
        yield from _rule(say, start, "never")
        return
    if span := verbatim(say, start, other.start()):
        yield Draft("instruction", "never", *span, say.topic)
    yield from _rule(say, other.start("use"), "always")


def _sure(found: re.Match[str], say: Saying) -> Iterator[Draft]:
    said = say.folded[found.start("o") : say.stop]
    if compiled(ONCE).search(said) or not compiled(ANY + r"\b").match(said.lower()):
        return
    if (
        say.standing
        or compiled(r"(?i)\b(?:every\b|each time|always|whenever|(?:in|for|across) all\b)").search(said)
        or compiled(
            r"(?i)\b(?:before|after|when|with)\s+(?:\w+ing|you|we|commits?|merg\w+|push\w*|releases?)\b"
        ).search(said)
    ):
        yield from _rule(say, found.start("o"), "always", confidence=0.7)


def _imperative(found: re.Match[str], say: Saying) -> Iterator[Draft]:
    """Read "use British spelling in all docs", "answer in German" after "from now on"."""
    said = say.folded[found.start("o") : say.stop]
    if not _opens(found, say):
        return
    if compiled(r"(?i)^(?:write|put|end|start|add)\s+(?:a|an|the|some|tests?|me)\b").match(said) and not say.standing:
        return
    if say.standing and compiled(ANY + r"\b").match(said.lower()):
        yield from _rule(say, found.start("o"), "always")
    elif (
        compiled(MANNER + r"\b").match(said.lower())
        and compiled(TO_ALL).search(said)
        and not compiled(ONCE).search(said)
    ):
        yield from _rule(say, found.start("o"), "always", confidence=0.7)


def _must(found: re.Match[str], say: Saying) -> Iterator[Draft]:
    """Read "commit messages must be in English": a rule about a kind of thing, not about one."""
    about = found["s"].strip()
    every = compiled(r"(?i)^(?:all|any|every|each)\s+(?:of\s+(?:the|our)\s+|the\s+|our\s+|new\s+)?").match(about)
    subject = about[every.end() :] if every else about
    if not compiled(KINDS).search(subject) or subject_of("the " + subject) is None:
        return
    no = (found["no"] or "").strip().lower()
    if not (every or no in ("always", "never")) and not compiled(
        r"(?i)^(?!the\b|our\b|my\b|this\b|these\b|those\b|changes\b|tests?\b|errors\b|features?\b|code\b)[\w' -]*s$"
    ).match(subject):
        return
    if (
        say.mentions
        or compiled(ONCE).search(say.folded[found.start("o") : say.stop])
        or (not every and found["modal"].lower() in ("need", "needs"))
    ):
        return
    yield from _rule(say, found.start("o"), "never" if no in ("not", "never") else "always", subject)


def _whenever(found: re.Match[str], say: Saying) -> Iterator[Draft]:
    if not compiled(ONCE).search(found["when"]):
        yield from _rule(say, found.start("o"), "always")


def _both(found: re.Match[str], say: Saying) -> Iterator[Draft]:
    """Read "lint with ruff, never with flake8"."""
    if not compiled(ONCE).search(found["o"]) and compiled(
        r"(?i),\s*(?:and\s+)?(?:never|always)\s+(?:with|in|on|to|by|from|use|into)\b"
    ).search(found["o"]):
        yield from _rule(say, found.start("o"), "always", confidence=0.7)


def _must_not(found: re.Match[str], say: Saying) -> Iterator[Draft]:
    said = say.folded[found.start("o") : say.stop]
    if (
        not compiled(ONCE).search(said)
        and not compiled(IDLE).match(said)
        and not compiled(r"(?i)^\w+ing\b").match(said)
    ):
        yield from _rule(say, found.start("o"), "never")


def _avoid(found: re.Match[str], say: Saying) -> Iterator[Draft]:
    if _opens(found, say) and not compiled(ONCE).search(say.folded[found.start("o") : say.stop]):
        yield from _rule(say, found.start("o"), "never", confidence=0.7)


def _no(found: re.Match[str], say: Saying) -> Iterator[Draft]:
    asked = compiled(r"(?i)^[\s,]*please\b").match(say.folded[found.end("o") : say.stop])
    if (
        (asked or say.standing or compiled(r"(?i)\s(?:in|before|after|without|on)\s").search(found["o"]))
        and not compiled(ONCE).search(found["o"])
        and not compiled(r"(?i)\b(?:was|is|are|were|found|left|yet|so far)\b").search(found["o"])
    ):
        yield from _rule(say, found.start("o"), "never", confidence=0.7)


def _wanted(found: re.Match[str], say: Saying) -> Iterator[Draft]:
    """Read "from now on I need you to end all variable names with _x": wanted, and to stay."""
    said = say.folded[found.start("o") : say.stop]
    if (
        (say.standing or (compiled(TO_ALL).search(said) and not compiled(ONCE).search(said)))
        and "you to" in found[0].lower()
        and compiled(ANY + r"\b").match(said.lower())
    ):
        yield from _rule(say, found.start("o"), "always")


RULES: Final = (
    Rule(
        "don't dont do+not",
        r"(?:please,?\s+|pls\s+)?(?:don't|do\s+not|dont)\s+(?!ever\b)(?P<o>[a-z]\S*)",
        _dont,
        cores=(DONT,),
    ),
    Rule(
        "always",
        _ASKED + r"always\s+(?P<o>[a-z@`\"']\S*)",
        _always,
        cores=(ALWAYS,),
    ),
    Rule(
        "never",
        _ASKED + r"never\s+(?:ever\s+)?(?P<o>[a-z@`\"']\S*)",
        _never,
        cores=(NEVER,),
    ),
    Rule(
        "never always",
        r"(?P<o>" + ANY + r"\s[^,;]{2,60},?\s+(?:never|always)\s.+)",
        lambda found, say: _both(found, say),
        cores=(r",\s*(?:and\s+)?(?:never|always)\s",),
    ),
    Rule(
        "ever",
        r"(?:please\s+)?(?:don't|do\s+not|dont)\s+ever\s+(?P<o>[a-z]\S*)",
        _never,
        cores=(r"(?:don't|do\s+not|dont)\s+ever\s",),
    ),
    Rule(
        "must+not should+not shall+not are+not need+not mustn't shouldn't",
        _ASKED
        + (
            r"(?:(?:you|we|everyone)\s+(?:must|should|shall|may|are|need)\s+(?:not\s+(?:to\s+)?)|(?:you"
            r"|we)\s+(?:mustn't|shouldn't)\s+)(?:ever\s+)?(?P<o>[a-z]\S*)"
        ),
        lambda found, say: _must_not(found, say),
        cores=(r"(?:you|we|everyone)\s+(?:(?:must|should|shall|may|are|need)\s+not|mustn't|shouldn't)\s",),
    ),
    Rule(
        "want+not like+not need+not expect+not",
        (
            r"(?:please\s+)?(?:(?:I|we)(?:'d\s+like|\s+would\s+like|\s+want|\s+need|\s+expect)\s+(?:you"
            r"|everyone)\s+)(?:not\s+to|to\s+not)\s+(?P<o>[a-z]\S*)"
        ),
        lambda found, say: _must_not(found, say),
        cores=(r"(?:you|everyone)\s+(?:not\s+to|to\s+not)\s",),
    ),
    Rule("avoid", r"(?:please\s+)?(?:always\s+)?avoid\s+(?P<o>\S)", lambda found, say: _avoid(found, say)),
    Rule("stop", r"(?:please\s+)?stop\s+(?P<o>[a-z]+ing\s\S)", lambda found, say: _avoid(found, say)),
    Rule("no", _NONE, lambda found, say: _no(found, say), cores=(NO, NONE_OF)),
    Rule("no", _NONE, lambda found, say: _no(found, say), cores=(NO, FROM_THEN), dated=True),
    Rule(
        "make+sure be+sure ensure remember+to",
        (
            r"(?:please\s+)?(?:make\s+sure|be\s+sure|ensure|remember)\s+(?:to|that\s+you|you|that\s+we"
            r"|we)\s+(?:always\s+)?(?P<o>[a-z]\S*)"
        ),
        _sure,
        cores=(r"(?:make\s+sure|be\s+sure|ensure|remember)\s+(?:to|that\s+you|you|that\s+we|we)\s",),
    ),
    Rule(
        (
            "whenever every+time each+time before+run before+always after+always before+each before+every"
            " after+each after+every before after+any when+use when+write when+keep when+add"
        ),
        (
            r"(?P<o>(?P<when>(?:whenever|every\s+time|each\s+time|(?:before|after)\s+(?:each|every|any)"
            r"|(?:before|after|when)\s+(?=[a-z]+ing\b))\b[^,;]{2,70}),\s*(?:(?:please|you\s+(?:should|must)"
            r"|always|also)\s+)*"
        )
        + ANY
        + r"\s\S)",
        _whenever,
        cores=(
            r"(?:whenever|every\s+time|each\s+time|before\s+(?:each|every|any|[a-z]+ing)|after\s+(?:each|every|any|[a-z]+ing)"
            r"|when\s+[a-z]+ing)\b",
        ),
    ),
    Rule(
        "must should shall all+need every+needs each+needs all+have every+has each+has",
        _PLURAL
        + (
            r"\s+(?P<modal>must|should|shall|needs?|ha(?:ve|s)\s+to|(?:is|are)\s+to)\s+(?P<no>not\s|never\s"
            r"|always\s)?(?:to\s+)?(?P<o>\S)"
        ),
        _must,
        cores=(ASKED_OF,),
    ),
    Rule(
        "want+you need+you like+you expect+you",
        _ASKED.replace(r"(?:(?:I|we)", r"(?:(?:I|we)") + r"(?P<o>[a-z]+\s\S)",
        lambda found, say: _wanted(found, say),
        cores=("you to",),
    ),
    Rule(_PLAIN_CUES, _PLAIN, _imperative, cores=(FOR_ALL,), also=ALL_WORDS),
    Rule(_PLAIN_CUES, _PLAIN, _imperative, cores=(FROM_THEN,), dated=True),
)
