"""The frame of a question: words by which somebody asks, and that are no part of what is asked. English and Chinese.

`Can you remind me which port we chose?` asks `which port we chose?`: no memory of the port speaks of reminding. What is
a command where a sentence begins with it (`tell me`, `帮我查`) is a frame only there, and quotations are left alone.
Pure.
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

_QUOTED: Final = r"\"[^\"]{0,200}\"|“[^”]{0,200}”|「[^」]{0,200}」|`[^`]{0,200}`"
_BEGINS: Final = r"(?:^|(?<=[.!?;:,\n。！？；：，])) {0,2}"
_ME: Final = r"(?:me|us)"
_OF: Final = r"(?: again)?(?: (?:of|about))?"
_EARLIER: Final = r"(?:previous|last|earlier|past|prior) (?:conversation|discussion|chat|session)s?(?: about| on)?"
_COMMANDS: Final = "|".join(
    (
        rf"(?:please )?(?:(?:tell|remind|show|give) {_ME}|let {_ME} know){_OF}",
        r"(?:please )?(?:find out|figure out|look up)",
    )
)
_ENGLISH: Final = "|".join(
    (
        rf"(?:can|could|would|will) you (?:please )?(?:(?:tell|remind) {_ME}{_OF}|find out|figure out|look up)",
        r"(?:do|did|can|could|would) (?:you|we) (?:still |happen to )*(?:remember|recall|know)",
        r"i(?:['’]m| am|['’]ve been| have been| was|) ?(?:also |just )?(?:wondering|wonder|wondered|curious)"
        rf"(?: (?:if|whether) you (?:could|can|would|might)(?: (?:please )?(?:tell|remind|show|give) {_ME}{_OF})?)?",
        r"i(?:['’]d| would) like to (?:know|ask)|i (?:just )?(?:want|wanted|need|needed) to (?:know|ask)",
        r"i(?:['’]m| am| was) (?:just )?(?:going|looking|thinking) (?:back )?(?:to|at|on|through|over)"
        rf" (?:our|my) {_EARLIER}",
        rf"(?:in |from |during )?our {_EARLIER}",
        r"(?:that |as )?(?:you|i|we) (?:had |have |['’]ve )?(?:already )?(?:mentioned|discussed|talked about)",
    )
)
_CHINESE_COMMANDS: Final = "|".join(
    (
        "(?:请|請|麻烦|麻煩)?你?(?:能不能|可不可以|能否|可以|能)?(?:再)?(?:告诉|告訴|提醒)(?:一下)?我(?:一下)?",
        "[你您](?:还|還)?(?:记不记得|記不記得|记得|記得)(?:吗|嗎)?",
        "我(?:很)?(?:想|要)(?:知道|问|問)(?:一下)?",
        "(?:请|請)?(?:帮|幫)我(?:查|找|看|想)(?:一下|一查|一找|查|找|看)",
        "(?:在)?我(?:们|們)(?:之前|上次|以前)的?(?:对话|對話|聊天|谈话|談話|讨论|討論)(?:中|里|裡)?",
    )
)
_CHINESE: Final = "|".join(
    (
        "(?:请问|請問)(?:一下)?",
        "(?:你|我|我们|我們)(?:之前|上次|以前)?(?:说|說|聊)(?:过|過)的",
        "(?:你|我|我们|我們)(?:之前|上次|以前)?提到(?:过|過)?的",
    )
)
_FRAME: Final = (
    rf"(?i)({_QUOTED})|{_BEGINS}(?:(?:{_COMMANDS})(?![a-z0-9_])|{_CHINESE_COMMANDS}) ?"
    rf"| ?(?:(?<![a-z0-9_])(?:{_ENGLISH})(?![a-z0-9_])|{_CHINESE}) ?"
)

_ENGLISH_ASKING: Final = (
    r"(?i)(?<![a-z0-9_])(?:(?<=how )(?:long|many|much|often|far|old|big|large|tall|high|deep|wide|fast|late|early|soon)"
    r"|(?:(?<=what )|(?<=which ))(?:times?|dates?|days?|(?:kind|sort|type)s?(?: of)?)|the names? of)(?![a-z0-9_])"
)
_ASKING: Final = (
    "(?:什么|什麼)(?:时候|時候|时间|時間|地方)|多少|多久|多[长長](?:时间|時間)?|多[大远遠高]|[几幾][点點]钟?"
    "|(?:周|星期|礼拜|禮拜)[几幾]|[几幾][个個时時号號月年次岁歲天位条條种種楼樓层層]"
    "|为什么|為什麼|怎么样?|怎麼樣?|怎样|怎樣|如何|是否|何[时時]|啥"
    "|哪一?[里裡裏儿兒個个些天日次条條种種位家年月层層楼樓]"
)
_ENGLISH_WORDS: Final = ("how ", "what ", "which ", " of ")
_EITHER: Final = "([\u4e00-\u9fff])[不没沒]\\1"
_CHINESE_WORDS: Final = ("什", "多", "几", "幾", "为", "為", "怎", "如何", "哪", "不", "没", "沒", "是否", "何", "啥")


def without(question: str) -> str:
    """Return what is asked: a question without its frames; as it is where it has none, or nothing would be left."""
    lowered = question.lower()
    if not any(hint in lowered for hint in _HINTS):
        return question
    bare = compiled(_FRAME).sub(lambda found: found[1] or " ", question).strip()
    return bare if tokens.content_terms(bare) else question


def searched(question: str) -> str:
    """Return what is searched for: a question without the words that stand for its answer.

    The English ones are function words, or searched for (see `required`); the Chinese ones (`多少`, `什么时候`) would
    be read as content.
    """
    if question.isascii() or not any(word in question for word in _CHINESE_WORDS):
        return question
    return compiled(_EITHER).sub(r" \1", compiled(_ASKING).sub(" ", question))


def required(question: str) -> str:
    """Return what an answer is to meet: a question without the English words by which it names a kind of answer.

    What answers `how long` or `what time` may say so, and is searched by it; it has no cause to.
    """
    lowered = question.lower()
    if not any(word in lowered for word in _ENGLISH_WORDS):
        return question
    return compiled(_ENGLISH_ASKING).sub(" ", question)
