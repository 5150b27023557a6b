"""Does an embedder read the language of a question? It is tried, once, and not known by its name.

A model made for English puts any two Chinese texts near each other, whatever they say, and what it calls near would
outweigh the words of a long question. So a few Chinese sentences are to find their paraphrases, which share no word
with them. For Japanese and Korean, which such models read as little, Chinese stands in.
"""

from __future__ import annotations

from typing import Final

from mnemopi.ports import Embedder
from mnemopi.text import language

PAIRS: Final = (
    ("我想换一份工作", "他打算辞职去别的公司"),
    ("孩子发烧了，要去医院", "宝宝生病，得看医生"),
    ("昨天的比赛我们输了", "球队没能赢下那场决赛"),
    ("她喜欢弹钢琴", "音乐是我女儿的爱好"),
    ("这家餐厅的菜太辣", "晚饭的味道让人受不了"),
    ("下个月搬到北京住", "新房子在首都，快要入住了"),
)
LEAST: Final = 4
"""So many must find theirs nearest: chance finds one. Small multilingual models find all, English ones at most one."""

_tried: dict[str, bool] = {}


def reads(embedder: Embedder, text: str) -> bool:
    """Whether an embedder reads the language of a text; one is tried when the first text comes that calls for it.

    Raises ProviderError.
    """
    if not language.has_unspaced_script(text):
        return True
    if embedder.name not in _tried:
        questions, answers = zip(*PAIRS, strict=True)
        near = embedder.embed_queries(questions) @ embedder.embed_documents(answers).T
        _tried[embedder.name] = sum(row.argmax() == place for place, row in enumerate(near)) >= LEAST
    return _tried[embedder.name]
