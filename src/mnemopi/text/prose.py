"""Which part of a text is its author's own prose: code, quotes, logs, injected blocks and pasted documents are blanked.

The first gate in front of the readers of statements (`text.patterns`); what a sentence of the rest means is judged by
`text.attitude`. Positions stay, so that what is found can be shown in the text as written.
"""

from __future__ import annotations

import re
from typing import Final

from mnemopi.text import tags
from mnemopi.text.date_rules import compiled

BLANK: Final = "\x00"
"""Stands for each character that is not the author's own prose: it matches no word, and positions stay."""

_SIMPLE = str.maketrans(
    "們總歡厭換從責別記時間發佈號嗎個這說過沒還為當應該麼請務須將與啟據單員師長產學醫國東車遷寫導開關門問題實"
    "現檔劃對錯負叫養隻兒媽爸給帶"
    "讓試應雲電網絡認證碼庫變數據機構維護環境遠區級優選擇設計",
    "们总欢厌换从责别记时间发布号吗个这说过没还为当应该么请务须将与启据单员师长产学医国东车迁写导开关门问题实"
    "现档划对错负叫养只儿妈爸给带"
    "让试应云电网络认证码库变数据机构维护环境远区级优选择设计",
)
_FOREIGN = frozenset(map(chr, _SIMPLE))
_HINT = r"[`\"“«<>「『]|~~~|^[ \t\[$+@#-]|^(?:\d|[A-Z]{4})|Error:|Traceback|:\s*(?:\n|$)|：|: "
_FENCED = r"(?ms)^[ \t]*(```+|~~~+).*?(?:^[ \t]*\1|\Z)"
_BLOCK = r"<([a-zA-Z][\w-]*)(?:\s[^<>]*)?>"
_BLOCK_REACH = 5000
"""Characters that a block may hold; a tag that is closed further on counts as one that nothing closes."""
_INJECTED = (
    r"(?is)<((?:memor(?:y|ies)|mnemopi|context|system|recall|hindsight|untrusted)[\w-]*)(?:\s[^<>]*)?>"
    r"(?:.*?</\1>|.*)"
)
_LINES = (
    r"[ \t]*(?:"
    r">.*|\$ .*|#!.*|@@.*|(?:diff|index|commit) [\w-].*|[+-](?=[^\s\d]).*"
    r"|`[^`\n]+`[.;]?[ \t]*$"
    r"|[\[(]?\d{4}-\d\d-\d\d[T ]\d\d:\d\d.*|[\[(]?\d\d:\d\d:\d\d\b.*"
    r"|(?:\S+ )?[\[(]?(?:DEBUG|INFO|WARN|WARNING|ERROR|FATAL|TRACE|CRITICAL|NOTICE)\b[\])]?[: ].*"
    r"|Traceback .*|File \".*|(?:[\w.]+)?(?:Error|Exception): .*|at [\w.$]+\(.*)$"
    r"|(?m:(?<=\n\n)(?: {4}|\t)(?![-*•\d \t]).*$)"
)
_QUOTED = (
    r"\"([^\"\n]{4,2000})\"|“([^“”]{2,2000})”|«([^«»]{4,2000})»|「([^「」]{2,2000})」|『([^『』]{2,2000})』"
    r"|``?([^`\n]{4,400})``?|'(?<![\w']')((?:[^'\n]|(?<=\w)'(?=\w)){8,600})'(?![\w'])|‘([^‘’]{8,600})’"
)
_STOPS = "\n.!?。！？"
_PASTED = (
    r"\b(?:summari[sz]e|translat\w+|review|explain|proofread|rewrite|rephrase|paraphrase|edit|parse"
    r"|classify|analy[sz]e|correct|here(?:'s| is| are)|following|below"
    r"|sa(?:ys|id)|wrote|writes|reads?|states?|output|prints?|logs?|e-?mail|letter|message|article"
    r"|documentation|docs?|document"
    r"|readme|prompt|text|passage|paragraph|lyrics|poem|quote|example|subject|snippet|transcript|error|story"
    r"|ticket)\b"
    r"|翻译|总结|润色|改写|校对|解释|分析|原文|以下|下面|内容|邮件|文章|文档|台词|歌词|例句|例子|写道|报错"
    r"|日志|提示词"
)
_OWN = r"\b(?:my|our)\b|我的|我们的"
_REACH = 120
"""Characters before a colon that may announce what follows it."""
_COLON = r"[:：](?!//|\d)"


def simple(text: str) -> str:
    """Return the text with simplified characters and plain apostrophes, so that a rule need know one form only."""
    if text.isascii():
        return text
    text = text.replace("’", "'").replace("‘", "'")
    return text if _FOREIGN.isdisjoint(text) else text.translate(_SIMPLE)


def plain(folded: str) -> str:
    """Return a simple text with everything blanked that is not its author's prose; the length stays.

    Quotes of one or two words stay: they are values and names.
    """
    if _bare(folded) or not compiled(f"(?m){_HINT}").search(folded):
        return folded
    if "```" in folded or "~~~" in folded:
        folded = compiled(_FENCED).sub(_blank, folded)
    if "<" in folded:
        folded = compiled(_INJECTED).sub(_blank, folded)
        folded = tags.replaced(folded, compiled(_BLOCK), _blanked, _BLOCK_REACH)
    if first := compiled(f"(?m){_LINES}").match(folded):
        folded = _blank(first) + folded[first.end() :]
    folded = compiled(f"(?m)\n{_LINES}").sub(_blank, folded)
    folded = compiled(_QUOTED).sub(_unquote, folded)
    return _unpasted(folded) if ":" in folded or "：" in folded else folded


def _bare(folded: str) -> bool:
    """Whether one line, certainly, holds no hint: told faster than by looking for one."""
    return not (
        compiled(r"[`\"“«<>「『:：~\n]").search(folded)
        or compiled(r"[ \t\[$+@#\d-]|[A-Z]{4}").match(folded)
        or "Traceback" in folded
    )


def _unpasted(folded: str) -> str:
    """Blank what stands behind an announcement: the rest of a line, or all that follows a line that ends with it."""
    place = 0
    while colon := compiled(_COLON).search(folded, place):
        place = colon.end()
        near = folded[max(0, colon.start() - _REACH) : colon.start()].lower()
        lead = near[max(map(near.rfind, _STOPS)) + 1 :]
        if not compiled(_PASTED).search(lead) or compiled(_OWN).search(lead):
            continue
        line = folded.find("\n", place)
        stop = len(folded) if line < 0 or not folded[place:line].strip() else line
        folded = folded[:place] + _blanked(folded[place:stop]) + folded[stop:]
        place = stop
    return folded


def _blank(found: re.Match[str]) -> str:
    return _blanked(found[0])


def _blanked(part: str) -> str:
    return "\n".join([BLANK * len(line) for line in part.split("\n")])


def _unquote(found: re.Match[str]) -> str:
    inner = found[found.lastindex or 0]
    words = len(inner.split())
    if words < 3 and len(compiled(r"[一-鿿]").findall(inner)) < 4:
        return found[0]
    return found[0][0] + _blanked(found[0][1:-1]) + found[0][-1]
