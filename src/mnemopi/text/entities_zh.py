"""Names in Chinese text, which has no capitals and no spaces: by family names, titles, endings, and what stands beside.

A name of a person counts where a word beside it tells (`我叫`, `和`, `说`, `负责`, `老师`), an organisation by its
ending (`公司`, `大学`), a product written in Latin letters because it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, Literal, TypeAlias

from mnemopi.text.entity_words import COMMON as ENGLISH_COMMON
from mnemopi.text.entity_words import COMPOUND_SURNAMES, NOT_GIVEN, SURNAMES
from mnemopi.text.language import CHINESE_FUNCTION_CHARACTERS, HAN, UNSPACED

Kind: TypeAlias = Literal["name", "product", "organisation"]
_COMMON = (
    "今天 昨天 明天 前天 后天 今年 去年 明年 上周 本周 下周 上个月 这个月 下个月 周一 周二 周三 周四 周五 周六 "
    "周日 周末 星期一 星期二 星期三 星期四 星期五 星期六 星期日 星期天 早上 上午 中午 下午 晚上 现在 目前 最近 "
    "刚才 以后 以前 我们 你们 他们 她们 它们 大家 自己 公司 学校 大学 医院 银行 集团 本公司 我公司 贵公司 新公司 "
    "分公司 子公司 什么 怎么 为什么 哪里 哪个 这个 那个 这里 那里 时候 问题 东西 事情 地方 老师 经理 先生 女士 同学 "
    "医生"
)
COMMON: Final = frozenset(_COMMON.split())
"""Words that name nothing by themselves."""

_GIVEN = f"[{HAN}]"
_SURNAME = f"(?:{COMPOUND_SURNAMES}|[{SURNAMES}])"
_TITLES = "老师|经理|总监|医生|教授|博士|先生|女士|小姐|同学|师傅|主任|律师|工程师|院长|校长|老板|总裁|局长"
_BEFORE = (
    "我叫|名叫|名字叫|名字是|叫做|叫|同事|朋友|老板|经理|老师|负责人是|负责人|总监|同学|客户|我是|"
    "联系|请|找|问|跟|和|与|由|给|让|是|@"
)
_AFTER = (
    "说|表示|负责|认为|建议|觉得|喜欢|提到|提出|告诉|决定|同意|写|想|要|会|在|的|和|与|跟|也|是|来|去|已经|今天|昨天|明天|"
    "：|，|。|、|！|？|,|:|\\s|$|（|\\(|" + _TITLES
)
_PERSON = re.compile(
    f"(?:(?P<cue>{_BEFORE})|(?<![{HAN}]))(?P<name>{_SURNAME}(?:(?![{NOT_GIVEN}]){_GIVEN}){{1,2}}?)"
    f"(?=(?P<after>{_AFTER}))"
)
_TITLED = re.compile(
    f"(?P<name>[老小阿][{SURNAMES}](?![{HAN}])|[老小][{SURNAMES}](?=[说在的和与负也是来去想要会跟])"
    f"|{_SURNAME}(?:{_TITLES})|(?<![{HAN}])[{SURNAMES}](?:总|工)(?=[说在的和与负也是要会]|[^{HAN}]|$)"
    f"|(?<=[和跟与找问给让请是由])[{SURNAMES}]总)"
)
_ENDINGS = (
    "有限公司|公司|集团|大学|学院|中学|小学|医院|银行|研究院|研究所|实验室|委员会|基金会|出版社|电视台|"
    "俱乐部|协会|事务所|工作室|科技"
)
_ORGANISATION = re.compile(f"[{HAN}A-Za-z0-9]{{2,12}}?(?:{_ENDINGS})(?:有限公司|公司|集团)?")
_LEADING = re.compile(
    ".*(?:加入了?|就职于|任职于|供职于|毕业于|就读于|入职|来自|去了?|到|在|进入|离开了?|叫做?|是|和|与|跟|给|从|向|由|被|把|"
    "对|的|了|家|我们|他们|联系|签约|收购了?|合作|客户|一个|一所|那个|这个)"
)
_LATIN = re.compile(r"(?<![\w./@-])[A-Za-z][A-Za-z0-9+#.-]*[A-Za-z0-9+#](?![\w/@])", re.ASCII)
_HAN_NEAR = re.compile(f"[{HAN}]")
_SPACED = re.compile(f"[^{UNSPACED}]+|[{''.join(sorted(CHINESE_FUNCTION_CHARACTERS))}]")
_LONGEST_RUN = 8
_JOINING = frozenset(("的", "在", "和", "与", "跟", "也", "是", "来", "去", "要", "会", "想"))
_NAMING = frozenset(("我叫", "名叫", "名字叫", "名字是", "叫做", "同事", "朋友"))
_NOT_FIRST = frozenset("安关成单万方向文于任石金白高易时何曾温包管路武毛黄江计段纪")


def find(text: str) -> Iterator[tuple[Kind, str, int]]:
    """Yield (kind, name, where it stands) of what a text names in Chinese, and in Latin letters among Chinese."""
    for match in _PERSON.finditer(text):
        if _is_person(match):
            yield "name", match["name"], match.start("name")
    for match in _TITLED.finditer(text):
        yield "name", match["name"], match.start("name")
    for match in _ORGANISATION.finditer(text):
        led = _LEADING.match(match[0])
        value = match[0][led.end() :] if led else match[0]
        if len(value) > 3 and value not in COMMON and not value.startswith(tuple("本我贵新分子该某各一二两三几每")):
            yield "organisation", value, match.end() - len(value)
    for match in _LATIN.finditer(text):
        if match[0].lower() not in ENGLISH_COMMON and _HAN_NEAR.search(
            text[max(0, match.start() - 2) : match.end() + 2]
        ):
            yield "product", match[0], match.start()


def runs(question: str) -> list[str]:
    """Return all that a question may name: pieces of 2 to 8 characters between function characters."""
    found: dict[str, None] = {}
    for run in _SPACED.split(question):
        for first in range(len(run)):
            for stop in range(first + 2, min(first + _LONGEST_RUN, len(run)) + 1):
                if run[first:stop] not in COMMON:
                    found[run[first:stop]] = None
    return list(found)


def _is_person(match: re.Match[str]) -> bool:
    """A family name that is also a word wants a cue before it; any wants one on one side at least."""
    name, cue, after = match["name"], match["cue"], match["after"]
    if name[0] in _NOT_FIRST and len(name) < 3 and cue not in _NAMING:
        return False
    if cue in ("是", "给", "让", "请", "叫") and len(name) < 3:
        return False
    tells = after.strip(" ，。、！？,:\n（(") != "" and after not in _JOINING
    return cue is not None or tells
