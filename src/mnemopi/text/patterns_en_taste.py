"""What people use and like, in English, and what they gave up: tools, likes and dislikes, changes from one to another.

Rules for `text.patterns`. A change says two things: that the old is over and the new is in use.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from mnemopi.text import rivals
from mnemopi.text.claim_rules import Draft, Rule, Saying, changes, named, says, trimmed, value
from mnemopi.text.date_rules import compiled
from mnemopi.text.words_en import AM, I_AM, I_WE, NOT_I, OFTEN, tool, unless_behind

_TASTE = r"(?!the\s(?-i:[a-z])(?!\S+\sof\s(?!it\b|this|that|these|those|your)))"
"""Not "the idea", "the new page": what is spoken of just now is no taste."""
_HAVE = r"(?:I|we)(?:'ve|\s+have|\s+had\s+to)?\s+"
_OURS = r"(?:I|we|our\s+(?:team|company|project|shop|org)|(?:my|the)\s+team)"
_SPOKEN_OF = (
    r"(?i)^(?:idea|sound|look|thought|way|concept|feel|combination|fact|mix|energy|thoughts)s? of\b|\b(?:ideas?"
    r"|suggestions?|options?|recommendations?|approach|examples?)$|\byour?\b|\b(?:of|to|with|and|for|in|a|the)$"
)


def _favourite(found: re.Match[str], say: Saying) -> Iterator[Draft]:
    what = found["a"].lower().replace(" ", "_").replace("-", "_").replace("colour", "color")
    start = found.start("o")
    if span := value(say, start, "loose"):
        yield Draft("preference", f"favorite_{what}", *span)


def _likable(said: str) -> bool:
    return (
        len(said.split()) <= 12
        and not compiled(_SPOKEN_OF).search(said)
        and not compiled(
            r"(?i)^(?:to (?:think|say|believe|know|see|be able|be\b|point|thank|note|imagine|hear|admit"
            r"|bother|break|ask|add|mention|have|make sure)|it|that|this|these|those|its|how|what|when|where"
            r"|the (?:way|idea|sound|look|fact|new|suggestion|approach|result|first|second)|your|his|her"
            r"|their|you|him|them|seeing|not\b|nothing|both|either|where|everything|none|having to|being)\b"
        ).match(said)
    )


def _over(found: re.Match[str], say: Saying, predicate: str, kind: str) -> Iterator[Draft]:
    span = value(say, found.start("o"), limit=found.end("o") if found.end("o") > found.start("o") + 1 else None)
    if span and tool(say.text[slice(*span)]):
        yield Draft(kind, predicate, *span, ended=True, dated=True)  # type: ignore[arg-type]


def _over_of(found: re.Match[str], say: Saying) -> Iterator[Draft]:
    predicate = "employer" if found["verb"].lower().startswith("work") else "location"
    if span := value(say, found.start("o")):
        yield Draft("identity", predicate, *span, ended=True, dated=True)


def _switched(found: re.Match[str], say: Saying) -> Iterator[Draft]:
    """Read "I switched from tabs to spaces": tabs are neither used nor preferred from then on."""
    yield from rivals.ending(changes(tool)(found, say), say, "uses", "prefers")


def _favourite_first(found: re.Match[str], say: Saying) -> Iterator[Draft]:
    what = found["a"].lower().replace("-", "_").replace("colour", "color")
    if span := trimmed(say, *found.span("o")):
        yield Draft("preference", f"favorite_{what}", *span)


RULES: Final = (
    Rule(
        "use using",
        _OURS + r"(?:'m|'re|\s+am|\s+are|'ve\s+been|\s+have\s+been)?\s+" + OFTEN + r"(?:use|using|uses)\s+(?P<o>\S)",
        says("fact", "uses", many=True, check=tool),
        cores=(
            unless_behind(NOT_I, "{cue}", r"\s"),
            r"(?:i|we|team|company|project|shop|org)(?:'m|'re|\s+am|\s+are|'ve\s+been|\s+have\s+been)?\s+"
            + OFTEN
            + r"us(?:e|ing|es)\s",
        ),
    ),
    Rule(
        "we+run rely running+on",
        r"we(?:'re|\s+are)?\s+" + OFTEN + r"(?:run|running|rely)\s+(?:everything\s+)?on\s+(?P<o>\S)",
        says("fact", "uses", check=lambda said: tool(said) and named(said)),
    ),
    Rule(
        "we+deploy we're+deploying we+host we+ship",
        r"we(?:'re)?\s+"
        + OFTEN
        + r"(?:deploy|deploying|host|ship)\s+(?:everything\s+|it\s+all\s+)?(?:on|to|with|via)\s+(?P<o>\S)",
        says("fact", "deploys_to", check=named),
    ),
    Rule(
        "we're we+are",
        r"(?:we're|we\s+are)\s+(?:now\s+|currently\s+|still\s+)?on\s+(?P<o>\S)",
        says("fact", "uses", check=lambda said: tool(said) and bool(compiled(r"[A-Z]\w*.*\d").search(said))),
        cores=(r"we(?:'re|\s+are)\s+(?:now\s+|currently\s+|still\s+)?on\s",),
    ),
    Rule(
        "stack",
        r"(?:our|my)\s+(?:tech\s+|whole\s+|current\s+)?stack\s+is\s+(?P<o>\S)",
        says("fact", "uses", many=True, check=tool),
    ),
    Rule(
        "switched migrated changed ported converted transitioned upgraded",
        _HAVE
        + OFTEN
        + (
            r"(?:switched|migrated|changed|ported|converted|transitioned|upgraded)\s+(?:(?:over|everything"
            r"|it\s+all|our\s+\w+|the\s+(?:whole\s+)?\w+)\s+)?(?:from\s+(?P<x>.{1,40}?)\s+)?(?:over\s+)?t"
            r"o\s+(?P<"
            r"o>\S)"
        ),
        _switched,
        cores=(I_WE + r"(?:switched|migrated|changed|ported|converted|transitioned|upgraded)\s",),
    ),
    Rule(
        "ci ide orm hosting",
        _HAVE
        + OFTEN
        + r"(?:switched|migrated|moved|changed|ported)\s+(?:(?:the|our|my)\s+)?(?:CI(?:/CD)?|IDE|ORM|hosting)\s+"
        + r"(?:back\s+|over\s+)?(?:from\s+(?P<x>.{1,40}?)\s+)?(?:back\s+|over\s+)?to\s+(?P<o>\S)",
        changes(lambda said: tool(said) and named(said)),
    ),
    Rule(
        "switched",
        _HAVE
        + OFTEN
        + r"switched\s+away\s+from\s+(?P<x>\S+(?:\s(?-i:[A-Z])\S+)?)(?:\s+(?:to|in\s+favou?r\s+of)\s+(?P<o>\S))?",
        changes(tool),
    ),
    Rule(
        "replaced swapped ditched",
        _HAVE + OFTEN + r"(?:replaced|swapped(?:\s+out)?|ditched)\s+(?P<x>.{1,40}?)\s+(?:with|by|for)\s+(?P<o>\S)",
        changes(lambda said: tool(said) and named(said)),
    ),
    Rule(
        "dropped abandoned ditched",
        _HAVE + OFTEN + r"(?:dropped|abandoned|ditched)\s+(?P<x>.{1,40}?)\s+(?:in\s+favou?r\s+of|for)\s+(?P<o>\S)",
        changes(lambda said: tool(said) and named(said)),
    ),
    Rule(
        "longer",
        r"(?:I|we)\s+(?:are\s+)?no\s+longer\s+(?:use|using|rely\s+on|run)\s+(?P<o>\S)",
        lambda found, say: _over(found, say, "uses", "fact"),
    ),
    Rule(
        "longer",
        r"I\s+(?:am\s+)?no\s+longer\s+(?P<verb>live\s+in|living\s+in|work\s+(?:at|for))\s+(?P<o>\S)",
        _over_of,
    ),
    Rule(
        "longer",
        r"(?:I|we)\s+no\s+longer\s+(?:really\s+)?(?:like|enjoy|love|prefer|favou?r)\s+(?P<o>" + _TASTE + r"\S)",
        rivals.tired(says("preference", "likes", "loose", _likable)),
    ),
    Rule(
        "anymore any+more any+longer",
        r"(?:I|we)\s+(?:really\s+)?(?:don't|do\s+not|dont)\s+(?:really\s+)?(?:like|enjoy|love|prefer)\s+(?P<o>"
        + _TASTE
        + r"\S)(?=[^,;.!?]{0,60}?\sany\s?(?:more|longer)\s*(?:$|[.,;!]))",
        rivals.tired(says("preference", "likes", "loose", _likable)),
    ),
    Rule(
        "don't+use not+use dont+use",
        (
            r"(?:I|we)\s+(?:don't|do\s+not|dont)\s+(?:really\s+)?use\s+(?P<o>[^,;.]{1,60}?)\s+(?:any\s?more"
            r"|any\s+longer)\b"
        ),
        lambda found, say: _over(found, say, "uses", "fact"),
    ),
    Rule(
        "stopped quit",
        _HAVE + OFTEN + r"(?:stopped|quit)\s+using\s+(?P<o>\S)",
        lambda found, say: _over(found, say, "uses", "fact"),
        cores=(I_WE + r"(?:stopped|quit)\s+using\s",),
    ),
    Rule(
        "rid",
        _HAVE + OFTEN + r"(?:got|gotten)\s+rid\s+of\s+(?P<o>(?-i:[A-Z])\S)",
        lambda found, say: _over(found, say, "uses", "fact"),
    ),
    Rule(
        "started+using adopted began+using",
        _HAVE + OFTEN + r"(?:(?:started|began)\s+using|adopted)\s+(?P<o>\S)",
        says("fact", "uses", check=tool, dated=True),
    ),
    Rule(
        "decided+use decided+on decided+with decided+adopt decided+to settled+on went+with chose picked",
        (
            r"(?:I|we|our\s+team|the\s+team)(?:'ve|\s+have|\s+has)?\s+"
            + OFTEN
            + r"(?:decided\s+(?:to\s+(?:use|go\s+with|adopt"
            r"|switch\s+to|standardi[sz]e\s+on|stick\s+(?:with|to))|on)|settled\s+on|standardi[sz]ed\s+on|went\s+with|chose"
            r"|picked)\s+(?P<o>\S)"
        ),
        says("fact", "uses", check=lambda said: tool(said) and named(said), dated=True),
        cores=(
            r"(?:i|we|team)(?:'ve|\s+have|\s+has)?\s+"
            + OFTEN
            + r"(?:decided\s+(?:to|on)|settled\s+on|standardi[sz]ed\s+on|went\s+with|chose|picked)\s",
        ),
    ),
    Rule(
        "i+like we+like love enjoy adore",
        r"(?:I|we)\s+" + OFTEN + r"(?:like|love|enjoy|adore)\s+(?P<o>" + _TASTE + r"\S)",
        says("preference", "likes", "loose", _likable),
        cores=(I_WE + r"(?:like|love|enjoy|adore)\s",),
    ),
    Rule(
        "prefer favour favor",
        r"(?:I|we|my\s+preference\s+is|I'd\s+say\s+I)\s+" + OFTEN + r"(?:prefer|favou?r)\s+(?P<o>" + _TASTE + r"\S)",
        rivals.preferring(says("preference", "prefers", "loose", _likable)),
    ),
    Rule(
        "preference",
        r"(?:my|our)\s+(?:strong\s+|personal\s+)?preference\s+is\s+(?:now\s+)?(?:for\s+)?(?P<o>" + _TASTE + r"\S)",
        rivals.preferring(says("preference", "prefers", "loose", _likable)),
    ),
    Rule(
        "fan",
        AM + r"(?:a\s+)?(?:big\s+|huge\s+|massive\s+|great\s+)?fan\s+of\s+(?P<o>" + _TASTE + r"\S)",
        says("preference", "likes", "loose", _likable),
    ),
    Rule(
        "i'm+into am+into",
        AM + r"(?:really\s+|very\s+)(?:much\s+)?into\s+(?P<o>" + _TASTE + r"\S)",
        says("preference", "likes", "loose", _likable),
        cores=(I_AM + r"(?:really|very)\s",),
    ),
    Rule(
        "obsessed", AM + r"obsessed\s+with\s+(?P<o>" + _TASTE + r"\S)", says("preference", "likes", "loose", _likable)
    ),
    Rule(
        "favourite favorite",
        (
            r"(?:my|our)\s+(?:all-time\s+)?favou?rite\s+(?P<a>[\w-]+(?:\s[\w-]+)?)\s+(?:is|are)\s+(?:still\s+"
            r"|definitely\s+|probably\s+)?(?P<o>\S)"
        ),
        _favourite,
        cores=(r"favou?rite\s+[\w-]+(?:\s[\w-]+)?\s+(?:is|are)\s",),
    ),
    Rule(
        "favourite favorite",
        (
            r"(?P<o>(?-i:[A-Z])[\w'+#.-]*(?:\s[\w'-]+){0,3}?)\s+is\s+(?:still\s+|definitely\s+)?(?:my"
            r"|our)\s+(?:all-time\s+)?favou?rite\s+(?!because|for|so|when|thing|one|part|of|and|but|to|too|since"
            r"|by)(?P<a>[\w-]+)"
        ),
        lambda found, say: _favourite_first(found, say),
        cores=(r"\sis\s+(?:still\s+|definitely\s+)?(?:my|our)\s",),
    ),
    Rule(
        "hate dislike detest loathe despise",
        r"(?:I|we)\s+" + OFTEN + r"(?:hate|dislike|detest|loathe|despise)\s+(?P<o>" + _TASTE + r"\S)",
        says("preference", "dislikes", "loose", _likable),
        cores=(I_WE + r"(?:hate|dislike|detest|loathe|despise)\s",),
    ),
    Rule(
        "can't+stand cannot+stand cant+stand not+stand",
        r"(?:I|we)\s+(?:really\s+)?(?:can't|cannot|can\s+not|cant)\s+stand\s+(?P<o>" + _TASTE + r"\S)",
        says("preference", "dislikes", "loose", _likable),
    ),
    Rule(
        "don't+like not+like dont+like don't+enjoy not+enjoy don't+care",
        (
            r"(?:I|we)\s+(?:really\s+)?(?:don't|do\s+not|dont)\s+(?:really\s+|particularly\s+)?(?:like|enjoy"
            r"|care\s+for)\s+(?P<o>"
        )
        + _TASTE
        + r"\S)",
        says("preference", "dislikes", "loose", _likable),
    ),
    Rule(
        "fan",
        AM + r"not\s+(?:really\s+)?(?:a\s+)?(?:big\s+|huge\s+|great\s+)?fan\s+of\s+(?P<o>" + _TASTE + r"\S)",
        says("preference", "dislikes", "loose", _likable),
    ),
)
