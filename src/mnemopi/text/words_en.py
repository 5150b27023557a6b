"""Words that English rules share: the person who speaks, adverbs in front of verbs, and what can be a tool or a place.

For `text.patterns_en` and `text.patterns_en_taste`; no rules here.
"""

from __future__ import annotations

from collections.abc import Sequence

from mnemopi.text.date_rules import compiled

OFTEN = (
    r"(?:(?:really|absolutely|quite|also|still|just|now|currently|mostly|mainly|usually|generally|primarily"
    r"|exclusively|only|always|all|both"
    r"|actually|very much|recently|finally|already|do|truly|personally|typically|normally|basically|simply"
    r"|strongly|definitely|especially|daily|completely|fully|totally|genuinely|successfully|officially"
    r"|gradually|since|never really)\s+){0,3}"
)
AM = r"(?:I'm|I\s+am|im)\s+"
I_AM = r"i(?<!\wi)(?:'m|\s+am|m)\s+"
"""The beginning of a core (`claim_rules.Rule`): in lower case, what stands where `AM` does."""
I_WE = r"(?:i|we)(?:'ve|\s+have|\s+had\s+to)?\s+" + OFTEN
"""The beginning of a core that goes on with a verb: in lower case, what its subject and its adverbs are."""
NOT_I = [rf"\b{word}" for word in ("to", "you", "can", "could", "would", "will", "should", "they", "people", "not")]
"""Words behind which a verb has another subject than the author, or none."""


def unless_behind(words: Sequence[str], first: str, rest: str = "") -> str:
    """Write a core that begins with `first` where none of these words stands before it, and goes on with `rest`."""
    return first + "".join(rf"(?<!{word}\s{first})" for word in words) + rest


def tool(said: str) -> bool:
    return (
        len(said.split()) <= 5
        and not said.isdigit()
        and not compiled(
            r"(?i)^(?:my|your|his|her|their|our|this|that|these|those|a lot|lots|some|any|many|much|most|time"
            r"|same|word|words|term|phrase|opportunity|chance|to|it|them|all|both|every|each|about|around|up"
            r"|more|less|different"
            r"|several|few|another|what|whatever|only|too|very|such|one|two|three|other|public|him|being|own"
            r"|wrong|right|correct|new\b|old\b|above|latest|following|combination|mix|mixture|couple|bit|kind"
            r"|type|variety|number|set|lot|little)\b|^port\s\d+$"
        ).match(said)
    )
