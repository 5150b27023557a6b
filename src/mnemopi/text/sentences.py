"""Cut a text into its sentences, each with the one who says it.

For the readers of statements (`text.patterns`), on plain text (`text.prose`). In a dialogue ("Emma: ...",
"Oliver: ...") the speaker says what stands behind the name; what an assistant says is left out.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence
from itertools import chain

from mnemopi.text.date_rules import compiled

_EMPTY = " \t\r\n\x00"
_LONGEST_SENTENCE = 600
_FEW_CUES = 8
"""Cues up to which a sentence without any is told sooner than read."""
_WIDE = r"[^\S\n]{17}"
"""White space within a sentence that is no sentence: rules try each way to divide it."""
_BREAK = (
    r"(?<![.!?\n。！？；;])[.!?\n。！？；;]+(?:(?<![.!?])|(?<=[!?])|(?=[\"')\]*_]*(?:\s|$"
    r"|[一-鿿]))(?<!\bMr\.)(?<!\bDr\.)(?<!\bMs\.)(?<!\bSt\.)(?<!\bvs\.)(?<!Mrs\.)(?<![eE]\.g\.)(?<![iI]\.e\.))"
)
_BULLET = r"[ \t]*(?:[-*•·–]\s+|\d{1,2}[.)、]\s*|#{1,6}\s+|\[[ xX]\]\s+|\*\*)*[ \t\"“'(\x00]*"
_LABEL = r"(?m)^[ \t]*(?:\*\*)?([A-Z][\w.'-]*(?: [A-Z][\w.'-]*)?|[一-鿿]{2,4})(?:\*\*)?[:：](?:\*\*)?[ \t]+"
_OWN_LABEL = r"(?i)^(?:user|me|human|i|我|用户)$"
_BOT_LABEL = r"(?i)^(?:assistant|ai|bot|system|claude|chatgpt|gpt|gemini|copilot|agent|tool|model|助手|系统|机器人)$"
_NO_LABEL = (
    r"(?i)^(?:note|notes|todo|fyi|ps|reminder|update|decision|rule|rules|preference|preferences|important"
    r"|remember|heads up|btw|also|info|about me|summary|context|convention|conventions|style|policy"
    r"|correction|news|status|fact|facts|team|stack|setup|warning|tip|goal|plan|hi|hello|hey|hi \w+|hey \w+"
    r"|hello \w+"
    r"|port|version|deadline|owner|language|name|branch|database|framework|role|location|email|timezone|记住"
    r"|注意|备注|更新|规则|偏好|提醒|约定|补充|说明|你好|大家好|另外|请注意|请记住|[一-鿿]*(?:端口|版本|日期"
    r"|时间|负责人|分支|数据库|框架|邮箱|地址|姓名|名字|规范))$"
)


def sentences(folded: str, author: str, cues: Collection[str] = ()) -> Iterator[tuple[int, int, str]]:
    """Yield the sentences of a plain text (start, stop, who says it), without bullets and outer white space.

    A mark at the end belongs to its sentence, since it tells a question. Sentences of more than 600 characters, or with
    a gap of more than 16, are left out, and those in which none of the cues stands (in lower case), where these are
    few.
    """
    if len(cues) > _FEW_CUES or len(folded.lower()) != len(folded):
        cues = ()
    labels = _labels(folded) if ":" in folded or "：" in folded else ()
    behind = {label.start(1): label.end() for label in labels}
    turns = [(label.start(1), speaker) for label, speaker in zip(labels, _speakers(labels, author), strict=True)]
    places = _places(folded, cues)
    last = len(folded)
    place = next(places, last)
    wide = compiled(_WIDE).search(folded) is not None
    after = 0
    for cut in chain(compiled(_BREAK).finditer(folded), (None,)):
        begin, stop = after, cut.start() if cut else len(folded)
        after = cut.end() if cut else stop
        if cues:
            while place < begin:
                place = next(places, last)
            if place == last:
                return
            if place >= stop:
                continue
        if opens := compiled(_BULLET).match(folded, begin, stop):
            begin = opens.end()
        if begin >= stop or stop - begin > _LONGEST_SENTENCE or not folded[begin:stop].strip(_EMPTY):
            continue
        if wide and compiled(_WIDE).search(folded, begin, stop):
            continue
        turn = bisect_right(turns, begin, key=lambda each: each[0]) if turns else 0
        speaker = turns[turn - 1][1] if turn else author
        begin = behind.get(begin, begin)
        end = begin + len(folded[begin:after].rstrip(_EMPTY))
        if speaker is not None and begin < end:
            yield begin, end, speaker


def _places(folded: str, cues: Collection[str]) -> Iterator[int]:
    """List where cues stand in a text that is in lower case as long as it is."""
    low = folded.lower()
    found = []
    for cue in cues:
        place = low.find(cue)
        while place >= 0:
            found.append(place)
            place = low.find(cue, place + 1)
    return iter(sorted(found))


def _labels(folded: str) -> Sequence[re.Match[str]]:
    """List where who begins to speak ("Emma: ..."), words such as "Note:" left out."""
    return [label for label in compiled(_LABEL).finditer(folded) if not compiled(_NO_LABEL).match(label[1])]


def _speakers(labels: Sequence[re.Match[str]], author: str) -> Iterator[str | None]:
    """Yield who says what stands behind each label; None where nobody states it.

    A single labelled line is what another person said, and no statement. From two speakers on it is a dialogue.
    """
    dialogue = len({label[1] for label in labels}) > 1
    for label in labels:
        if compiled(_OWN_LABEL).match(label[1]):
            yield author
        elif compiled(_BOT_LABEL).match(label[1]) or not dialogue:
            yield None
        else:
            yield label[1]
