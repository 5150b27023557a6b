"""Scripts and function words: what a text is written in, and which of its words carry no content.

For the tokeniser (`text.tokens`) and the readers of dates and patterns. Not a language identifier: it tells scripts
apart, and names English and Chinese where the script decides it.
"""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

from mnemopi.text.regex import compiled

Language: TypeAlias = Literal["en", "zh", "ja", "ko", "und"]

HAN: Final = "\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
KANA: Final = "\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"
HANGUL: Final = "\u1100-\u11ff\u3131-\u318e\ua960-\ua97c\uac00-\ud7a3\ud7b0-\ud7fb"
SOUTH_EAST: Final = "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0edf\u1000-\u109f\u1780-\u17d3"
UNSPACED: Final = HAN + KANA + HANGUL + SOUTH_EAST
"""Members of a character class: the scripts whose words are found by n-grams (Thai, Lao, Burmese, Khmer too)."""

_ENGLISH = (
    "a about above after again against all also am an and any are aren as at be because been before being below "
    "between both but by can cannot could couldn d did didn do does doesn doing don down during each either else "
    "ever every few for from further get gets getting go goes going got had hadn has hasn have haven having he "
    "her here hers herself him himself his how i if in into is isn it its itself just let ll m me might mightn "
    "more most much must mustn my myself neither no nor not of off on once one only onto or other others our ours "
    "ourselves out over own per please re s shall shan she should shouldn since so some such t than that the "
    "their theirs them themselves then there these they this those though through to too under until up upon us "
    "ve very via was wasn we were weren what whatever when where whether which while who whom whose why will with "
    "within without would wouldn yes yet you your yours yourself yourselves "
)
ENGLISH_FUNCTION_WORDS: Final = frozenset(_ENGLISH.split())
CHINESE_FUNCTION_CHARACTERS: Final = frozenset(
    "的了是在和与或及而且也都就又还再把被让给从到对于以之其着过吗呢吧啊呀嘛哦么什哪谁个这那您你我他她它们"
)

_TIME_TERMS = (
    "yesterday today tomorrow tonight ago last next week weekend month year day morn recent monday tuesday wednesday "
    "thursday friday saturday sunday januari februari march april june juli august septemb octob novemb decemb "
    "昨天 今天 明天 前天 后天 上周 本周 下周 周末 上个 下个 星期 月 日 年 昨日 今年 去年 明年 早上 晚上 下午"
)
_TIME = f"(?<![^ ])(?:{_TIME_TERMS.replace(' ', '|')}|(?:19|20)[0-9]{{2}})(?![^ ])"

_LATIN_WORD = r"[A-Za-z]{2,}"


def is_function_word(term: str) -> bool:
    """Whether a term of the tokeniser is an English function word or a Chinese function character."""
    return term in ENGLISH_FUNCTION_WORDS or term in CHINESE_FUNCTION_CHARACTERS


def tells_time(shadow: str) -> bool:
    """Whether a shadow text (terms joined by spaces) holds a word or figure by which people date things."""
    return compiled(_TIME).search(shadow) is not None


def has_unspaced_script(text: str) -> bool:
    """Whether the text holds a character of a script written without spaces between words, or of Korean."""
    return not text.isascii() and compiled(f"[{UNSPACED}]").search(text) is not None


def detect(text: str) -> Language:
    """Name the language of a text by its script: kana is Japanese, hangul Korean, other Han text Chinese.

    In mixed text a Han character weighs as much as a word of Latin letters; text with neither is `und`.
    """
    if text.isascii():
        return "en" if compiled(_LATIN_WORD).search(text) else "und"
    han, kana, hangul, latin = (
        len(compiled(kind).findall(text)) for kind in (f"[{HAN}]", f"[{KANA}]", f"[{HANGUL}]", _LATIN_WORD)
    )
    if max(han + kana, hangul) < max(latin, 1):
        return "en" if latin else "und"
    if hangul > han + kana:
        return "ko"
    return "ja" if kana * 5 > han + kana else "zh"
