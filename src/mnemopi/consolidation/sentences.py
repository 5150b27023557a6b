"""What marks a sentence as worth keeping. English and Chinese. Pure."""

from __future__ import annotations

import re
from typing import Final

from mnemopi.text import tokens
from mnemopi.text.regex import compiled

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


def figures(text: str) -> set[str]:
    """Return the numbers of a text: what a summary may not make up."""
    return set(re.findall(r"\d+(?:[.,:/-]\d+)*", text))
