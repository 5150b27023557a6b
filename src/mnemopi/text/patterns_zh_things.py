"""What is said about things, in Chinese: their port, version, owner, deadline; what they use, and what became of them.

Rules for `text.patterns`. An attribute takes only what can be its value (a port a number, an owner a name). Dates of
meetings and what happened on a day are events.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from mnemopi.text.claim_rules import Draft, Rule, Saying, trimmed
from mnemopi.text.claim_rules_zh import END, LATIN, MORE, says, short, span_at, thing
from mnemopi.text.date_rules import compiled

_UNIT = (
    r"(?:毫秒|秒钟?|分钟|小时|天|周|个月|个?月|年|个|次|元|块|万元?|个字符|字符|列|行|条|个?空格|ms|s|MB|GB|KB|M"
    r"|G|%|次/分钟|次每分钟)"
)
_NUMBER = r"\d[\d.,:]*\s?" + _UNIT + r"?(?:[/每]\s?" + _UNIT + r")?"
_VALUES: Final = {
    "port": r"\d{2,5}(?![.\d])",
    "number": _NUMBER,
    "digits": r"[vV]?\d[A-Za-z0-9_.\-]*",
    "word": r"[A-Za-z0-9][A-Za-z0-9_./-]*",
    "address": r"(?:https?://)?[A-Za-z0-9_.+-]+[.@:][A-Za-z0-9_./@:%?=&+-]*[A-Za-z0-9_]",
    "name": (
        r"(?:@?[A-Za-z][A-Za-z0-9_.-]*(?: [A-Z][a-z]*)?|(?:小|老|阿)?[一-鿿]{1,3}?(?:团队|小组|组|部|老师|哥|姐"
        r"|总|工)?)(?=[\s，。；！,;!.”」》\"]|$|了|和|来|负责)"
    ),
    "tool": LATIN,
    "date": r"",
    "status": (
        r"(?:已)?(?:上线|下线|废弃|归档|冻结|完成|暂停|停用|启用|取消|只读|进行中|开发中|测试中|维护中"
        r"|已[一-鿿]{2})"
    ),
    "zone": r"[A-Z][a-z]+/[A-Za-z_]+|[A-Z]{2,5}(?:[+-]\d+)?|北京时间|东[一二三四五六七八九十]+区",
    "short": r"(?:\d+|[两二三四八])\s?(?:个)?(?:空格|字符)|tab|Tab|制表符",
}
_ATTRIBUTES: Final[dict[str, tuple[str, str]]] = {
    **dict.fromkeys(("端口号", "端口"), ("port", "port")),
    **dict.fromkeys(("版本号", "版本"), ("version", "digits")),
    **dict.fromkeys(("默认分支", "主分支"), ("default_branch", "word")),
    **dict.fromkeys(("数据库",), ("database", "tool")),
    **dict.fromkeys(("框架", "前端框架", "后端框架"), ("framework", "tool")),
    **dict.fromkeys(("包管理器", "包管理工具"), ("package_manager", "tool")),
    **dict.fromkeys(("编辑器",), ("editor", "tool")),
    **dict.fromkeys(("操作系统",), ("os", "tool")),
    **dict.fromkeys(("编程语言", "开发语言"), ("language", "tool")),
    **dict.fromkeys(("域名",), ("domain", "address")),
    **dict.fromkeys(("主机", "主机名"), ("host", "address")),
    **dict.fromkeys(("地址", "网址", "链接"), ("url", "address")),
    **dict.fromkeys(("邮箱", "邮件地址", "电子邮箱"), ("email", "address")),
    **dict.fromkeys(("电话", "手机号", "手机号码", "电话号码"), ("phone", "number")),
    **dict.fromkeys(("负责人", "产品负责人"), ("owner", "name")),
    **dict.fromkeys(("维护者", "维护人"), ("maintainer", "name")),
    **dict.fromkeys(("技术负责人", "组长"), ("lead", "name")),
    **dict.fromkeys(("状态",), ("status", "status")),
    **dict.fromkeys(("截止日期", "截止时间", "最后期限", "交付日期", "交付时间", "死线"), ("deadline", "date")),
    **dict.fromkeys(("发布时间", "发布日期", "发版时间", "发版日期"), ("release_date", "date")),
    **dict.fromkeys(("上线时间", "上线日期"), ("launch_date", "date")),
    **dict.fromkeys(("开始时间", "开始日期"), ("start_date", "date")),
    **dict.fromkeys(("结束时间", "结束日期"), ("end_date", "date")),
    **dict.fromkeys(("生日",), ("birthday", "date")),
    **dict.fromkeys(("时区",), ("timezone", "zone")),
    **dict.fromkeys(("超时时间", "超时"), ("timeout", "number")),
    **dict.fromkeys(("预算",), ("budget", "number")),
    **dict.fromkeys(("价格",), ("price", "number")),
    **dict.fromkeys(("限流", "速率限制", "限流阈值"), ("rate_limit", "number")),
    **dict.fromkeys(("上限",), ("limit", "number")),
    **dict.fromkeys(("缩进",), ("indentation", "short")),
    **dict.fromkeys(("行宽", "最大行宽", "行长"), ("line_length", "number")),
    **dict.fromkeys(("日志级别",), ("log_level", "word")),
    **dict.fromkeys(("代号", "名称", "名字"), ("name", "name")),
}
_ATTR = "(?P<a>" + "|".join(sorted(_ATTRIBUTES, key=len, reverse=True)) + ")"
_IS = (
    r"(?:(?:现在|目前|已经?|依然|仍然|统一|暂定|最终|默认|初步|也|都|又|再次|被|刚)*(?:"
    r"(?:从\s?(?P<x>[^，。；\s]{1,20}?)\s?)?(?:改成|改为|改到|改至|变成|变为|换成|换为|换到|调整为|调整到|调到"
    r"|调成|升级到|升级为|升到|推迟到|提前到|延期到|延后到|延长到|推到|挪到|更新为|更新到|切换到|提高到|降到"
    r"|降低到|迁移到)了?"
    r"|是|为|定在|定为|定于|设为|设置为|设成|叫|就是|用的是|用|[:：])\s*)"
)
_OCCASION = (
    r"(?:会议|评审会|周会|例会|晨会|站会|发布会|客户会议|面试|约会|培训|演示|考试|婚礼|聚会|聚餐|手术|体检"
    r"|演唱会|比赛|答辩|复盘会|启动会|(?<![国委协议员商学理])会|上线|发布|割接|航班|团建|讲座|家长会|年会)"
)
_MIXED = r"(?:[一-鿿]{1,8}\s(?=[A-Za-z]))?(?:[A-Za-z][A-Za-z0-9_.+#/-]*\s(?=\S)){0,3}?"
"""Words that blanks stand around in the name of a thing, for it holds both scripts: 支付 API, billing 服务."""
_S = r"(?P<s>[^\s，。；：,;:！!\x00]{1,20}?)"
_WHO = (
    r"^(?:[A-Za-z@]|[小老阿][一-鿿]$|[一-鿿]{1,3}(?:团队|小组|组|部|老师|哥|姐|总|工)$"
    r"|[赵钱孙李周吴郑王冯陈褚卫蒋沈韩杨朱秦尤许何吕施张孔曹严华金魏陶姜戚谢邹喻柏窦章苏潘葛范彭鲁韦马方俞任"
    r"袁柳鲍史唐薛雷贺倪汤滕殷罗毕郝邬安常乐于傅齐康伍余顾孟黄穆萧尹姚邵汪祁毛"
    r"米贝明戴宋庞熊纪舒屈项祝董梁杜阮蓝闵季贾路江童颜郭梅盛林钟徐邱骆高夏蔡田樊胡凌霍万柯管卢莫房解应丁宣邓"
    r"洪包左石崔龚程邢裴陆翁荀于甄封储靳段焦谷车侯宁武刘景詹龙叶黎白蒲赖卓乔翟谭曾关欧肖游涂闻覃][一-"
    r"鿿]{1,2}"
    r"$|(?:欧阳|上官|司马|诸葛|东方|慕容|司徒)[一-鿿]{1,2}$)"
)


def _attribute(found: re.Match[str], say: Saying) -> Iterator[Draft]:
    """Read "网关的端口改成9000了": thing, attribute, value."""
    predicate, kind = _ATTRIBUTES[found["a"]]
    said = compiled(r"^(?:我|我们|咱们)(?:已经|刚|昨天|今天|上周)*(?:把|将)").sub("", found["s"] or "")
    subject = thing(said) if said else None
    own = bool(
        compiled(r"^(?:我|我们|咱们|本人)?(?:现在|目前|平时|日常|一直|主要|常)*(?:用)?(?:的)?$").match(said)
    ) or bool(compiled(r"^(?:当前|现在|目前|新|最新|默认|项目当前)的?$").match(said))
    if not own and subject is None:
        return
    subject = None if own else subject
    span = _fit(say, found.end(), kind)
    if span is None or (subject is None and predicate in ("price", "name")):
        return
    mine = subject is None and said.startswith("我") and predicate in ("email", "phone", "birthday", "timezone")
    yield Draft(
        "relation" if predicate in ("owner", "maintainer", "lead") else "identity" if mine else "fact",
        predicate,
        *span,
        subject,
        dated=kind != "date" and bool(found["x"]),
    )


def _fit(say: Saying, start: int, kind: str) -> tuple[int, int] | None:
    if kind == "date":
        return next(((each.start, each.end) for each in say.mentions if start <= each.start <= start + 2), None)
    while start < say.stop and say.folded[start] in '“"「《':
        start += 1
    found = compiled(_VALUES[kind]).match(say.folded, start, say.stop)
    return trimmed(say, *found.span(), dated=False) if found else None


def _occasion(found: re.Match[str], say: Saying) -> Iterator[Draft]:
    for mention in say.mentions:
        if (
            found.start("o") <= mention.start <= found.start("o") + 2
            and say.ahead(mention.start)
            and (subject := thing(found["s"]))
            and len(subject) > 1
        ):
            yield Draft("event", "date", mention.start, mention.end, subject)
            return


def _scheduled(found: re.Match[str], say: Saying) -> Iterator[Draft]:
    """Read "下周三有一个客户会议": the day first, the occasion behind it."""
    for mention in say.mentions:
        between = say.folded[mention.end : found.start("s")]
        if (
            mention.end <= found.start("s")
            and say.ahead(mention.start)
            and compiled(
                r"^[\s，,]*(?:我们|我|公司|团队|要|将|会|还|安排了|约了|定了|预约了|有|开|参加|一[个场次]|个)*$"
            ).match(between)
        ):
            yield Draft("event", "date", mention.start, mention.end, found["s"])
            return


def _did(found: re.Match[str], say: Saying) -> Iterator[Draft]:
    """Read "我3月18日约了牙医": what was done on a day."""
    for mention in say.mentions:
        if mention.relation in ("before", "until") or not (found.start() <= mention.start < found.start("o")):
            continue
        if (span := span_at(say, found.start("o"), END)) and len(say.text[slice(*span)]) <= 30:
            yield Draft("event", "did", *span, dated=True)
        return


def _owner(found: re.Match[str], say: Saying) -> Iterator[Draft]:
    who = trimmed(say, *found.span("o"), dated=False)
    subject = thing(found["s"]) if found["s"] else None
    if (
        who
        and subject
        and compiled(_WHO).match(say.folded[slice(*who)])
        and not compiled(
            r"^(?:我们|我|你|他|她|谁|大家|自己|专人|别人|团队|哪|它|主要|这|那|有人|不|没|也|都|由|于|且|并"
            r"|一|我方)|.*[不没]$"
        ).match(say.folded[slice(*who)])
    ):
        yield Draft("relation", "owner", *who, compiled(r"^(?:整个|全部|所有)").sub("", subject))


def _port(found: re.Match[str], say: Saying) -> Iterator[Draft]:
    if subject := thing(found["s"]):
        yield Draft("fact", "port", *found.span("o"), subject)


def _written(found: re.Match[str], say: Saying) -> Iterator[Draft]:
    if subject := thing(found["s"]):
        yield Draft("fact", "language", *found.span("o"), subject)


RULES: Final = (
    Rule(
        " ".join(_ATTRIBUTES),
        r"(?P<s>"
        + _MIXED
        + r"[^\s，。；：,;:！!\x00是为]{0,20}?)\s?(?:的)?\s?(?:当前|现在的?|默认(?!分支))?"
        + _ATTR
        + r"\s?"
        + _IS,
        _attribute,
    ),
    Rule(
        "部署在 托管在 跑在 运行在",
        _S + r"(?:现在|目前|都|全部|统一)?(?:部署在|托管在|跑在|运行在)(?!.{0,4}端口|\d|这|那|哪|本地)(?P<o>\S)",
        says("fact", "hosted_on", short(12), tool=True),
    ),
    Rule(
        "端口",
        _S
        + (
            r"(?:现在|目前|默认)?(?:跑在|运行在|监听在?|部署在|开在"
            r"|占用)(?:了)?(?:端口)?\s?(?P<o>\d{2,5})(?:\s?(?:号)?端口)?"
        ),
        lambda found, say: _port(found, say),
    ),
    Rule(
        "写的 编写 开发的",
        _S + r"(?:主要|全部|都)?(?:是)?(?:用|使用)\s?(?P<o>" + LATIN + r")\s?(?:语言)?(?:来)?(?:写|编写|开发|实现)的",
        lambda found, say: _written(found, say),
    ),
    Rule(
        "使用 采用 用的是 用",
        _S
        + (
            r"(?:现在|目前|统一|主要|都)?(?<![利作使费适实应引信通起运动公常占专器录])(?:使用的是|用的是|使用的"
            r"|使用|采用|用(?=[A-Z]))(?:了)?(?P<o>[A-Za-z]\S)"
        ),
        says("fact", "uses", short(12), tool=True, many=True),
    ),
    Rule(
        "依赖",
        _S + r"(?:现在|目前|强|还|也)?(?:依赖于?)(?P<o>\S)",
        says("relation", "depends_on", short(14), ends=MORE + r"|[和跟与及、]|以及", many=True),
    ),
    Rule(
        "负责 维护 接手 接管",
        _S + r"(?:现在|目前|以后|改|今后)?由(?P<o>[^，。；\s]{1,10}?)(?:来|同学|老师)?(?:负责|维护|接手|接管|跟进)",
        _owner,
    ),
    Rule(
        "负责 接手 接管",
        (
            r"(?P<o>[A-Z][\w.]*|(?:小|老|阿)?[一-鿿]{1,3}?)(?:现在|目前|以后|将)?(?:负责(?!人)|接手了?"
            r"|接管了?)(?P<s>[^，。；\s的]{2,16})"
        ),
        _owner,
    ),
    Rule(
        "负责人",
        (
            r"(?P<o>[A-Z][\w.]*|(?:小|老|阿)?[一-鿿]{1,3}?)(?:现在|目前|以后|今后)?(?:就|还|仍然?|成了?)?\s?[是为]\s?"
            r"(?P<s>[^，。；\s的]{2,16})的(?:新|现任)?负责人(?=\s*(?:$|[，。；,.;!！]))"
        ),
        _owner,
    ),
    Rule(
        "改名 更名 重命名",
        _S + r"(?:已经|现在|正式|刚)*(?:改名|更名|重命名)(?:为|成|叫|到)?了?(?P<o>\S)",
        says("fact", "name", short(12), dated=True),
    ),
    Rule(
        "废弃 弃用 下线 淘汰",
        _S
        + (
            r"(?:已经|已|现在|被|正式)*(?:废弃|弃用|下线|淘汰)了?[，,]?\s?(?:请|现在|统一|以后)*(?:改用|换成|由"
            r"|用|使用)(?P<o>\S)"
        ),
        says("relation", "replaced_by", short(12), tool=True, dated=True),
    ),
    Rule(
        "废弃 归档 下线 冻结 弃用 只读 停用",
        _S + r"(?:已经|现在已?|已|目前)+(?:被)?(?:经)?(?P<o>废弃|归档|下线|冻结|弃用|停用|只读)了?(?=$|[，。！,!])",
        says("fact", "status"),
    ),
    Rule(
        "改到 改在 改期到 推迟到 提前到 定在 定于 安排在 挪到 延期到 会+是 上线+是 发布+是",
        r"(?P<s>[^\s，。；：,;:\x00]{0,10}?"
        + _OCCASION
        + (
            r")(?:的?时间)?(?:已经?|被|又|将|临时)*(?:改到|改在|改期到|推迟到|提前到|定在|定于|安排在|挪到"
            r"|延期到|是在|是)了?(?P<o>\S)"
        ),
        _occasion,
    ),
    Rule(
        (
            "会议 评审会 周会 例会 晨会 站会 发布会 家长会 年会 有+会 开+会 面试 培训 演示 考试 婚礼 聚餐 体检"
            " 比赛 答辩 航班 团建 讲座 手术"
        ),
        r"[^\n。]{0,24}?(?:有|开|参加|安排了?|约了|预约了)(?:一?[个场次])?(?P<s>[^\s，。；：,;:\x00有个]{0,8}?"
        + _OCCASION
        + r")(?=$|[，。！,!（(])",
        _scheduled,
    ),
    Rule(
        "我+月 我+号 我+日 我+周 我+昨天 我+去年 我+前天",
        (
            r"(?:我们?|咱们)[^，。]{0,16}?(?P<o>(?:约|买|卖|去|参加|发布|上线|完成|入职|离职|结婚|毕业|搬|开始"
            r"|拜访|见|签|提交|修复|升级|跑|考|生|领养|订|办|拿到|通过|开)(?:完|过)?了[^，。；]{1,24})"
        ),
        _did,
    ),
    Rule(
        "我+月 我+号 我+日 我+周 我+昨天 我+去年 我+前天",
        (
            r"[^，。]{2,12}?(?:我们?|咱们)(?P<o>(?:约|买|卖|去|参加|发布|上线|完成|入职|离职|结婚|毕业|开始|拜访"
            r"|见|签|提交|修复|升级|跑|考|领养|订|办|拿到|通过|开)(?:完|过)?了[^，。；]{1,24})"
        ),
        _did,
    ),
)
