"""What is to be done from now on, in Chinese: 总是, 一律, 不要, 以后都, 提交前必须.

Rules for `text.patterns`. A task is no rule: what is about this one thing, or about now, is over when it is done.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from mnemopi.text.claim_rules import LONGEST, Draft, Rule, Saying, bare
from mnemopi.text.date_rules import compiled

_IDLE = (
    r"^(?:担心|急|忘|客气|怕|慌|管我|紧|说了|闹|误会|介意|着急|生气|难过|理|想太多|走|问我|告诉|吵|哭|笑|人|的"
    r"|了|看|墅|称|紧张|害怕|放弃|灰心|这么|那么|太|再说|名|处|提了|逗|骗|总|动|等我|打扰|让我|吓)"
)
_ONCE = r"这|那|先|刚才|今天|现在|明天|它|此|一下|暂时|上面|下面|再(?:说|改|动)|还没|昨天|这次|等会|稍后|马上|了$"
_KINDS = (
    r"(?:信息|注释|变量名?|函数名?|文件名?|代码|提交|接口|分支名?|测试|文档|邮件|回答|回复|标题|日志|密码|密钥"
    r"|配置|命名|类名?|方法名?|表名?|字段名?|日期|时间戳?|字符串|组件|样式|图片|报告|周报|日报|会议纪要|PR|pr|MR"
    r"|发布|部署|合并|评审|依赖|脚本|常量|参数|路径|请求|响应|异常|错误码?|迁移|版本号|模块|页面|按钮|文案|金额"
    r"|价格|单位|编码|缩进|数据|表格|图表|总结|摘要|翻译|示例|文章|说明|结构|查询|SQL|API|脚本|镜像|服务|仓库"
    r"|需求|改动|修改|变更|任务|备份|引号|分号|换行)$"
)
"""Kinds of things that rules are made about."""


def _rule(found: re.Match[str], say: Saying, predicate: str, group: str = "o") -> Iterator[Draft]:
    start = found.start(group)
    stop = say.stop
    if stop - start > LONGEST or (
        cut := compiled(r"[，,]?(?:因为|不然|否则|以免|免得|这样|谢谢|拜托|好吗)").search(say.folded, start + 2, stop)
    ):
        stop = (
            cut.start()
            if (
                cut := compiled(r"[，,]?(?:因为|不然|否则|以免|免得|这样|谢谢|拜托|好吗)").search(
                    say.folded, start + 2, stop
                )
            )
            else start + LONGEST
        )
    if span := bare(say, start, stop, dated=False):
        subject = found.groupdict().get("s")
        about = _about(subject) if subject else None
        if subject and about is None:
            return
        yield Draft("instruction", predicate, *span, about or say.topic)


def _about(said: str) -> str | None:
    said = compiled(r"(?:都|请|一定|也|永远|以后|从不|千万|应该|应当|需要)+$").sub("", said.strip("，, ")).strip()
    if compiled(
        r"^(?:请?(?:大家|你|你们|我们|团队|我|咱们|所有人)|我?希望你|我要你|你应该|请|以后|今后|在?代码里?)$"
    ).match(said):
        return ""
    every = compiled(r"^(?:所有的?|全部的?|每个|每次|任何)").sub("", said)
    if every == said and not compiled(_KINDS).search(said):
        return None
    if (
        not said
        or len(said) > 16
        or compiled(
            r"^(?:他|她|它|这|那|有|没|不|如果|我(?!们的)|你|他们|小[一-鿿]$|老[一-鿿]$|人|为什么|的|今天"
            r"|昨天|总是|天气|孩子|妈妈|爸爸|老板|同事|客户|用户|可能)|[是有说会能把被给让]|^(?:别人|人家"
            r"|大家都|很多|多数|有些|其他人|老是)"
        ).search(every)
    ):
        return None
    return said


def _always(found: re.Match[str], say: Saying) -> Iterator[Draft]:
    said = say.folded[found.start("o") : say.stop]
    if compiled(
        r"^(?:这样|那样|如此|的|都是|都有|有|会|很|太|觉得|感觉|忘|迟到|出错|报错|失败|超时|是"
        r"|在(?![\w一-鿿]*[写用])|想|不|没|记不|找不|能|爱|喜欢|说|让我|被|要加班|下雨|一起|令人|走神|忍不住"
        r"|能够|可以|认为)|.*(?:了|过)$"
    ).match(said):
        return
    before = say.folded[say.start : found.start()].strip()
    if (
        before
        and not say.standing
        and not found.groupdict().get("s")
        and compiled(r"总是|始终|永远").search(found[0][:12])
    ):
        return
    yield from _rule(found, say, "always")


def _never(found: re.Match[str], say: Saying) -> Iterator[Draft]:
    said = say.folded[found.start("o") : say.stop]
    if compiled(_IDLE).match(said) or compiled(_ONCE).search(said):
        return
    strict = compiled(r"禁止|不准(?!确|时|备)|不许|绝不|决不").search(say.folded, found.start(), found.start("o"))
    if strict and not found.groupdict().get("s") and not say.standing and say.folded[say.start : found.start()].strip():
        return
    other = compiled(
        r"[，,]\s*(?:而是|改|请|要|应该|直接|统一)?(?P<use>(?:用|使用|改用|写|采用|调用|走)[^，。]+)"
    ).search(say.folded, found.start("o"), say.stop)
    if other and compiled(r"用|使用|写|调用|走").match(said):
        if span := bare(say, found.start("o"), other.start(), dated=False):
            yield Draft("instruction", "never", *span, say.topic)
        yield from _rule(other, say, "always", "use")
        return
    if len(said.strip("。！!，, ")) < 2:
        return
    yield from _rule(found, say, "never")


def _must(found: re.Match[str], say: Saying) -> Iterator[Draft]:
    if not compiled(_ONCE).search(found["o"]) and not say.mentions:
        yield from _rule(found, say, "always")


def _standing(found: re.Match[str], say: Saying) -> Iterator[Draft]:
    if say.standing and not compiled(_ONCE).search(found["o"]):
        yield from _rule(found, say, "always")


RULES: Final = (
    Rule(
        "别 不要 禁止 切勿 严禁 绝不 不准 不许 勿",
        (
            r"(?:(?:请|大家|你|我们|千万|以后|今后|永远|也|都|记得|一定|我?希望你)*)(?:不要"
            r"|别(?![人的墅名处称号致具扭样离出看开国家字])|禁止|切勿|严禁|绝不(?:能|要)?|不准(?!确|时|备)|不许"
            r"|请勿|永远不要|决不)(?:再)?(?P<o>\S[^。！\n]*)"
        ),
        _never,
    ),
    Rule(
        "不要 禁止 不准 不许 严禁 切勿 一律不",
        (
            r"(?P<s>[^\s，。；：,;:\x00我你他她]{2,14}?)(?:都|里|中)?(?:一律|绝对|永远|千万|都)?(?:不要|禁止"
            r"|不准(?!确|时|备)|不许|严禁|切勿|一律不)(?P<o>\S[^。！\n]*)"
        ),
        _never,
    ),
    Rule(
        "总是 一律 始终 务必 永远 统一 一定要",
        (
            r"(?:(?:请|大家|以后|今后|要|记得|应该|都|我?希望你)*)(?:总是|一律|始终|务必|永远(?!不)|统一|一定(?=要))(?:要"
            r"|请)?(?P<o>(?!是的)\S[^。！\n]*)"
        ),
        _always,
    ),
    Rule(
        "一律 始终 务必 统一",
        (
            r"(?P<s>[^\s，。；：,;:\x00我你他她总]{2,14}?)(?:都)?(?:一律|务必|始终|统一(?=用|使用|以|采用|放"
            r"|写))(?:要|请)?(?P<o>\S[^。！\n]*)"
        ),
        _always,
    ),
    Rule(
        "必须 都要 都得 都用 要用",
        (
            r"(?P<s>(?:所有|每个|全部|任何)?[^\s，。；：,;:\x00我你他她前后时每]{2,12}?)(?:都)?(?:必须|都要|都得"
            r"|都(?=用)|要(?=用))(?:要)?(?P<o>\S[^。！\n]*)"
        ),
        _must,
    ),
    Rule(
        "每次 前+必须 前+要 后+必须 后+要 时+必须 时+要 前+务必 时+务必",
        (
            r"(?P<o>(?:每次[^。\n]{1,20}?|[^，。我你他她它这那\n]{2,12}?(?:之前|前|之后|后|的时候"
            r"|时))[，,]?(?:都)?(?:要先|必须先?|都要|务必|一定要|都得|都必须|先要)\S[^。！\n]*)"
        ),
        _must,
    ),
    Rule(
        "以后 今后 起 从+开始 往后 默认情况",
        (
            r"(?:都|就|请|全部|全|统一|一直|我们|你)*(?P<o>(?:用|使用|以|按|写|把|回复|回答|叫|在|先|只|说|要"
            r"|称呼|采用|走|放|返回|加|带|保持|给)\S[^。！\n]*)"
        ),
        _standing,
    ),
)
