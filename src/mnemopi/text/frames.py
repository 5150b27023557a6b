"""The frame of a question: words by which somebody asks, and that are no part of what is asked. English and Chinese.

`Can you remind me which port we chose?` asks `which port we chose?`: no memory of the port speaks of reminding. Pure.
"""

from __future__ import annotations

from typing import Final

from mnemopi.text import tokens
from mnemopi.text.regex import compiled

_WORDS = (
    "tell remind show give let find figure look remember recall know ask wonder curious conversation discuss chat "
    "session mentioned talked 告 提 问 問 记 記 想 帮 幫 对 對 谈 談 讨 討 聊 说 說"
)
_HINTS: Final = tuple(_WORDS.split())
"""Every frame has one of them: a question that has none needs no pattern."""

_ME: Final = r"(?:me|us)"
_OF: Final = r"(?: again)?(?: (?:of|about))?"
_EARLIER: Final = r"(?:previous|last|earlier|past|prior) (?:conversation|discussion|chat|session)s?(?: about| on)?"
_ENGLISH: Final = "|".join(
    (
        rf"(?:(?:can|could|would|will) you )?(?:please )?(?:tell|remind) {_ME}{_OF}",
        rf"(?:(?:can|could|would|will) you )?(?:please )?(?:show|give) {_ME}",
        rf"(?:please )?let {_ME} know{_OF}",
        r"(?:(?:can|could|would|will) you )?(?:please )?(?:find out|figure out|look up)",
        r"(?:do|did|can|could|would) (?:you|we) (?:still |happen to )*(?:remember|recall|know)",
        r"i(?:['’]m| am|['’]ve been| have been| was|) ?(?:also |just )?(?:wondering|wonder|wondered|curious)"
        r"(?: (?:if|whether) you (?:could|can|would|might))?",
        r"i(?:['’]d| would) like to (?:know|ask)|i (?:just )?(?:want|wanted|need|needed) to (?:know|ask)",
        r"i(?:['’]m| am| was) (?:just )?(?:going|looking|thinking) (?:back )?(?:to|at|on|through|over)"
        rf" (?:our|my) {_EARLIER}",
        rf"(?:in |from |during )?our {_EARLIER}",
        r"(?:that |as )?(?:you|i|we) (?:had |have |['’]ve )?(?:already )?(?:mentioned|discussed|talked about)",
    )
)
_CHINESE: Final = "|".join(
    (
        "(?:请|請)?(?:你)?(?:能不能|可不可以|能否|可以|能)?(?:再)?(?:告诉|告訴|提醒)(?:一下)?我(?:一下)?",
        "(?:请问|請問)(?:一下)?",
        "[你您](?:还|還)?(?:记不记得|記不記得|记得|記得)(?:吗|嗎)?",
        "我(?:很)?(?:想|要)(?:知道|问|問)(?:一下)?",
        "(?:请|請)?(?:帮|幫)我(?:查|找|看|想)(?:一下|一查|一找|查|找|看)?",
        "(?:在)?我(?:们|們)(?:之前|上次|以前)的?(?:对话|對話|聊天|谈话|談話|讨论|討論)(?:中|里|裡)?",
        "(?:你|我|我们|我們)(?:之前|上次|以前)?(?:说|說|聊)(?:过|過)的",
        "(?:你|我|我们|我們)(?:之前|上次|以前)?提到(?:过|過)?的",
    )
)
_FRAME: Final = rf"(?i)[ \t]*(?:(?<![a-z0-9_])(?:{_ENGLISH})(?![a-z0-9_])|{_CHINESE})[ \t]*"


def without(question: str) -> str:
    """Return what is asked: a question without its frames; as it is where it has none, or nothing would be left."""
    lowered = question.lower()
    if not any(hint in lowered for hint in _HINTS):
        return question
    bare = compiled(_FRAME).sub(" ", question).strip()
    return bare if tokens.content_terms(bare) else question
