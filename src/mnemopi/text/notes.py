"""What is to be remembered in its own words: "remember that ...", 记住…, where no other rule knows what it says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from mnemopi.text.claim_rules import Draft, Rule, Saying, bare
from mnemopi.text.date_rules import compiled

_MARKED = (
    r"(?i)(?:please\s+|also\s+)*(?:(?:remember|keep\s+in\s+mind|bear\s+in\s+mind|don't\s+forget"
    r"|do\s+not\s+forget)(?:,?\s+that\s+|\s*:\s*)"
    r"|(?:请|帮我|你要?|麻烦)*(?:记住|记一下|记下来?)(?:了)?[，,：:\s]*)"
)
_NOTHING = (
    r"(?i)(?:to|this|that|it|when|how|what|why|me|the\s+(?:time|milk)|you|your|consistency|practice)\b"
    r"|[就这那了]|一下|我说的"
)
_LEAST = 6
"""Characters of a note."""


def _note(found: re.Match[str], say: Saying) -> Iterator[Draft]:
    """Read what follows the mark, if the clause is the first: notes start their sentence."""
    marked = compiled(_MARKED).match(say.folded, say.start, say.stop)
    if marked is None or compiled(r"[,;，；]").search(say.folded, marked.end(), max(marked.end(), found.start())):
        return
    if compiled(_NOTHING).match(say.folded, marked.end(), say.stop):
        return
    span = bare(say, marked.end(), say.stop, dated=False)
    if span and span[1] - span[0] >= _LEAST:
        yield Draft("fact", "note", *span, confidence=0.7)


ENGLISH: Final = Rule(
    "remember mind forget",
    r"(?=.)",
    _note,
    cores=(r"remember(?:,?\s+that\s|\s*:)|mind(?:,?\s+that\s|\s*:)|forget(?:,?\s+that\s|\s*:)|记",),
)
CHINESE: Final = Rule("记住 记一下 记下", r"(?=.)", _note)
