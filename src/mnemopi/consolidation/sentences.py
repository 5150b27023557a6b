"""Sentences of a text as spans, and what marks one as worth keeping. English and Chinese.

A span is verbatim: nothing is shortened within. A fenced block is one span, and so is a line without a full stop.
Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from mnemopi.text import tokens
from mnemopi.text.date_rules import compiled

_FENCED: Final = r"(?ms)^[ \t]*(```+|~~~+).*?(?:^[ \t]*\1[`~]*[ \t]*$|\Z)"
_END: Final = r"[。！？；]+[”’」』）]*|(?<![.!?…])[.!?…]+[\"'”’)\]]*(?=\s)|\n+"
_INITIAL: Final = r"(?:^|[\s(])(?:[A-Za-z]|Mr|Mrs|Ms|Dr|St|No|vs|etc|e\.g|i\.e|cf)\.$"
_RULE: Final = (
    r"(?i)\b(?:always|never|must(?:n't)?|do not|don't|make sure|remember to|from now on|only ever|at least|at most"
    r"|is required|are required|not allowed|forbidden|prefers?|instead of)\b"
    r"|总是|始终|必须|不要|不得|不能|禁止|务必|一定要|记得|记住|请用|以后|偏好|而不是"
)
_DECISION: Final = (
    r"(?i)\b(?:decid\w+|decision|agreed|chose|chosen|settled on|switched|moved to|renamed|released|shipped|fixed"
    r"|deadline|due|because|the reason|turns? out|root cause|plan to|going to|finally)\b"
    r"|决定|同意|选择|选了|改成|改为|换成|搬到|发布|上线|修复|截止|因为|原因|计划|打算|终于"
)
_FIGURE: Final = r"\d|[一二三四五六七八九十百千万两][个年月日号点分次人岁块元天周]"
_DATE: Final = (
    r"(?i)\b(?:yesterday|tomorrow|today|tonight|(?:last|next|this) (?:week|month|year|weekend|night|summer|winter"
    r"|spring|fall|\w+day)|\w+ ago|(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|june|july"
    r"|august|september|october|november|december)\b|昨天|今天|明天|上周|下周|去年|明年|星期|周[一二三四五六日末]|[年月]"
)
_QUOTE: Final = r"\"[^\"\n]{4,}\"|“[^“”]{2,}”|「[^「」]{2,}」|`[^`\n]+`"
_NAME: Final = r"(?<=[a-z,;:] )[A-Z][a-z]+"


def spans(text: str) -> list[tuple[int, int]]:
    """Return where each sentence of a text stands: (start, end), without the white space around it."""
    found: list[tuple[int, int]] = []
    place = 0
    for block in compiled(_FENCED).finditer(text):
        found += _sentences(text, place, block.start())
        found.append((block.start(), block.end()))
        place = block.end()
    found += _sentences(text, place, len(text))
    return [span for span in (_bare(text, *each) for each in found) if span[0] < span[1]]


def weight(text: str) -> float:
    """Say how much a sentence counts beside its words: rules and decisions more, questions less; 1 is plain."""
    share = 1.0
    for pattern, factor in ((_RULE, 1.6), (_DECISION, 1.25), (_DATE, 1.15), (_FIGURE, 1.15), (_QUOTE, 1.15)):
        if compiled(pattern).search(text):
            share *= factor
    if tokens.identifiers(text):
        share *= 1.2
    if compiled(_NAME).search(text):
        share *= 1.1
    return share * (0.5 if asks(text) else 1.0)


def asks(text: str) -> bool:
    """Whether a sentence ends by asking."""
    return text.rstrip("\"'”’)] ").endswith(("?", "？"))


def is_rule(text: str) -> bool:
    """Whether a sentence says what is always, or never, to be done."""
    return compiled(_RULE).search(text) is not None


def figures(text: str) -> set[str]:
    """Return the numbers of a text: what a summary may not make up."""
    return set(re.findall(r"\d+(?:[.,:/-]\d+)*", text))


def _sentences(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    begin = start
    for mark in compiled(_END).finditer(text, start, end):
        if "." in mark.group() and _goes_on(text, begin, mark):
            continue
        yield begin, mark.end()
        begin = mark.end()
    yield begin, end


def _goes_on(text: str, begin: int, mark: re.Match[str]) -> bool:
    """A full stop in the middle: after an initial or an abbreviation, or before a small letter."""
    following = text[mark.end() : mark.end() + 2].lstrip(" ")[:1]
    if following.islower():
        return True
    return compiled(_INITIAL).search(text, max(begin, mark.start() - 5), mark.start() + 1) is not None


def _bare(text: str, start: int, end: int) -> tuple[int, int]:
    piece = text[start:end]
    return start + len(piece) - len(piece.lstrip()), end - len(piece) + len(piece.rstrip())
