"""What is said in Chinese: who people are, what they use and like, what holds of things, what is to be done.

Rules for `text.patterns`, on simplified characters. A rule's cues are parts of its sentences (there are no spaces to
tell words by), and an object ends where the next verb or clause begins.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from mnemopi.text.claim_rules import LONGEST, Check, Draft, Rule, Saying, items, trimmed
from mnemopi.text.date_rules import compiled

_END = r"[\x00，。；：、！？,;:!?（）()\n]|\s[-—]|——|\.(?=\s|$)"
_MORE = _END + r"|因为|所以|但是|但|不过|而且|然后|而不是|而非|胜过|多过|已经|就行|就好|即可|就可以|[了吧啦呢哦哈呀啊的](?=$|[。！!，,\s；])"
_TOOL_END = _MORE + (
    r"|(?<=[\w])(?:来|做|作为|存|部署|管理|写|处理|开发|跑|进行|搭建|当|沟通|画|记|发|构建|测试|监控|协作|办公|打包|调试|渲染|训练|开会|托管|缓存|编译|聊|画图|实现|作|开始|以来|发布|代替|替代|了|的(?!士)|和前端|这个|这套|那套)"
)
_LATIN = r"[A-Za-z0-9@][A-Za-z0-9_.+#@/&-]*(?:[ ][A-Za-z0-9][A-Za-z0-9_.+#@/-]*){0,3}"
_ME = r"(?:我|我们|咱们?|本人|我们(?:团队|公司|项目|组|这边)|我这边|团队|公司)"
_OFTEN = r"(?:现在|目前|一直|主要|平时|通常|统一|都|全|全部|也|就|在|正在|还|还是|其实|真的|一般|已经|刚|最近|改|仍然|基本上?|自己|日常){0,4}"
_VERY = r"(?:很|最|特别|非常|比较|更|超级?|也|都|真的|挺|蛮|十分|一直|还是|其实|尤其|就|相当|极其|格外|从小就?){0,3}"
_OLD_END = r"(?:和|跟|与|以及|及)"

_JOBS = r"(?:师|员|生|者|家|医生|老师|经理|开发|程序员|架构师|设计师|律师|总监|主管|教授|负责人|博士|组长|护士|司机|顾问|助理|编辑|记者|会计|作家|翻译|运营|测试|前端|后端|运维|产品|校长|队长|主任|秘书|厨子|学徒|老板|创始人|工|官|警察|军人|演员|歌手|导演|摄影师|客服|销售|CTO|CEO|DBA|SRE)$"


def _short(most: int) -> Check:
    return lambda said: len(said) <= most or said.isascii() and len(said) <= 3 * most


def _span(say: Saying, start: int, ends: str = _MORE) -> tuple[int, int] | None:
    end = compiled(ends).search(say.folded, start + 1, say.stop)
    return trimmed(say, start, end.start() if end else say.stop, dated=False)


def _tool(say: Saying, start: int) -> tuple[int, int] | None:
    """Return the name of a tool at `start`: Latin words as far as they go, or Chinese ones up to a verb."""
    if latin := compiled(_LATIN).match(say.folded, start, say.stop):
        span = trimmed(say, *latin.span(), dated=False)
        after = say.folded[latin.end() : latin.end() + 2]
        more = compiled(r"(?:系统|框架|数据库|模型|浏览器|编辑器|语言|平台|服务器|键盘|手机|电脑|云)").match(say.folded, latin.end(), say.stop)
        return (span[0], more.end()) if span and more and after else span
    return _span(say, start, _TOOL_END)


_NO_TOOL = r"^(?:不|没|别|这|那|他|她|它|你|我|过|完|起来|了|来|得|到|心|力|户|户|于|处|餐|词|法|途|一[下个种些套]?|什么|哪|同一|自己|同样|一样|时间|的|着|作|不着|在|上了?)"


def says(kind: str, predicate: str, check: Check | None = None, *, tool: bool = False, ends: str = _MORE, many: bool = False, dated: bool = False) -> object:
    """Make the reader of group `o` as object; group `s`, where the pattern has one, is the subject."""

    def read(found: re.Match[str], say: Saying) -> Iterator[Draft]:
        subject = found.groupdict().get("s")
        if subject is not None and (subject := _thing(subject)) is None:
            return
        first = _tool(say, found.start("o")) if tool else _span(say, found.start("o"), ends)
        if first is None or (check and not check(say.text[slice(*first)])) or (tool and compiled(_NO_TOOL).match(say.folded[slice(*first)])):
            return
        yield Draft(kind, predicate, *first, subject, dated=dated)  # type: ignore[arg-type]
        place = first[1]
        while many and (joint := compiled(r"\s*(?:和|跟|与|以及|及|、|还有)\s*").match(say.folded, place, say.stop)):
            nxt = _tool(say, joint.end()) if tool else _span(say, joint.end(), ends)
            if nxt is None or compiled(_NO_TOOL).match(say.folded[slice(*nxt)]):
                return
            yield Draft(kind, predicate, *nxt, subject, dated=dated)  # type: ignore[arg-type]
            place = nxt[1]

    return read


def _thing(said: str) -> str | None:
    """Return a thing as written, without 我们的 and 这个; None where the words are no name of a thing."""
    said = compiled(r"^(?:我们的?|我的|咱们的?|本|这个|该|当前的?|现在的?|目前的?|新的?)").sub("", said.strip())
    said = compiled(r"(?:现在|目前|已经|的|默认|上|里|这边)+$").sub("", said)
    if not said or len(said) > 20 or "\x00" in said:
        return None
    if not compiled(r"[A-Za-z一-鿿]").search(said) or compiled(r"[因其并又且故虽将被（(「年]|同时|正式|第[一二三四]次|前$|[^前]后$|时$|[到在]|之|是$").search(said):
        return None
    if compiled(r"^(?:他|她|它|你|这|那|谁|什么|哪|如果|要是|因为|所以|但|而|有|没|不|就|都|也|每|大家|别人|有人|人们|客户|用户|主角|今天|昨天|明天|先|再|请|把|被|让|给|对|是|看|说|想|觉得|可以|帮)", ).match(said):
        return None
    return said


_UNIT = r"(?:毫秒|秒钟?|分钟|小时|天|周|个月|个?月|年|个|次|元|块|万元?|个字符|字符|列|行|条|个?空格|ms|s|MB|GB|KB|M|G|%|次/分钟|次每分钟)"
_NUMBER = r"\d[\d.,:]*\s?" + _UNIT + r"?(?:[/每]\s?" + _UNIT + r")?"
_VALUES: Final = {
    "port": r"\d{2,5}(?![.\d])",
    "number": _NUMBER,
    "digits": r"[vV]?\d[A-Za-z0-9_.\-]*",
    "word": r"[A-Za-z0-9][A-Za-z0-9_./-]*",
    "address": r"(?:https?://)?[A-Za-z0-9_.+-]+[.@:][A-Za-z0-9_./@:%?=&+-]*[A-Za-z0-9_]",
    "name": r"(?:@?[A-Za-z][A-Za-z0-9_.-]*(?: [A-Z][a-z]*)?|(?:小|老|阿)?[一-鿿]{1,3}?(?:团队|小组|组|部|老师|哥|姐|总|工)?)(?=[\s，。；！,;!.]|$|了|和|来|负责)",
    "tool": _LATIN,
    "date": r"",
    "status": r"(?:已)?(?:上线|下线|废弃|归档|冻结|完成|暂停|停用|启用|取消|只读|进行中|开发中|测试中|维护中|已[一-鿿]{2})",
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
    **dict.fromkeys(("主机", "主机名", "服务器地址"), ("host", "address")),
    **dict.fromkeys(("地址", "网址", "链接", "接口地址", "仓库地址"), ("url", "address")),
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
    r"(?:(?:现在|目前|已经?|依然|仍然|统一|暂定|最终|默认|初步|也|都|又|再次|被|刚刚?|已经被)*(?:"
    r"(?:从(?P<x>[^，。；\s]{1,20}?))?(?:改成|改为|改到|改至|变成|变为|换成|换为|换到|调整为|调整到|调到|调成|升级到|升级为|升到|推迟到|提前到|延期到|延后到|延长到|推到|挪到|更新为|更新到|切换到|提高到|降到|降低到|迁移到)了?"
    r"|是|为|定在|定为|定于|设为|设置为|设成|叫|就是|用的是|用|[:：])\s*)"
)


def _attribute(found: re.Match[str], say: Saying) -> Iterator[Draft]:
    """Read "网关的端口改成9000了": thing, attribute, value."""
    predicate, kind = _ATTRIBUTES[found["a"]]
    said = found["s"] or ""
    subject = _thing(said) if said else None
    own = bool(compiled(r"^(?:我|我们|咱们|本人|我们的|我的)?(?:的)?$").match(said)) or bool(compiled(r"^(?:当前|现在|目前|新|最新|默认|项目当前)的?$").match(said))
    if not own and subject is None:
        return
    subject = None if own else subject
    span = _fit(say, found.end(), kind)
    if span is None or (subject is None and predicate in ("price", "name")):
        return
    mine = subject is None and said.startswith("我") and predicate in ("email", "phone", "birthday", "timezone")
    yield Draft("relation" if predicate in ("owner", "maintainer", "lead") else "identity" if mine else "fact", predicate, *span, subject, dated=kind != "date" and bool(found["x"]))


def _fit(say: Saying, start: int, kind: str) -> tuple[int, int] | None:
    if kind == "date":
        return next(((each.start, each.end) for each in say.mentions if start <= each.start <= start + 2), None)
    found = compiled(_VALUES[kind]).match(say.folded, start, say.stop)
    return trimmed(say, *found.span(), dated=False) if found else None


def _name(said: str) -> bool:
    return (2 <= len(said) <= 4 or said.isascii() and len(said) <= 30) and not compiled(r"^(?:了|外卖|车|什么|他|她|你|不|做|人|的|过|醒|错|救|停|板|一|上|服务员|救护车|好|得|着|出|号|起[床来]|回家|吃饭|帮|去|来)").match(said)


def _job(said: str) -> bool:
    return len(said) <= 14 and bool(compiled(_JOBS).search(said)) and not compiled(r"第一|这里|男生|女生|学渣|新生|说|先生|医学生物|一家|大家|自家|人家|专家组|过来|陌生|亲生|受害者|失败者|初学者|爱好者|素食者|独生|工作|负责|不").search(said)


def _role(found: re.Match[str], say: Saying) -> Iterator[Draft]:
    span = _span(say, found.start("o"))
    if span and _job(say.folded[slice(*span)]):
        yield Draft("identity", "role", *span)


def _worker(found: re.Match[str], say: Saying) -> Iterator[Draft]:
    """Read 我在…工作 and 我在…当律师: the employer, the role."""
    if where := trimmed(say, *found.span("o"), dated=False):
        said = say.folded[slice(*where)]
        if not compiled(r"^(?:家|公司|这|那|办公室|线|外面|学校|国外|国内|外地|晚上|周末|努力|认真|一起|加班|远程|上班|白天|夜里|哪|什么|一线|不同|[一-鿿]{1,3}[市省县区]$)|^(?:北京|上海|广州|深圳|杭州|成都|南京|武汉|西安|重庆|苏州|天津|香港|台北|厦门|长沙|青岛|东京|纽约|伦敦|新加坡)$").match(said) and "verb" in found.re.groupindex and not found["verb"].startswith(("当", "做")):
            yield Draft("identity", "employer", *where)
    if found["verb"].startswith(("当", "做")):
        span = _span(say, found.end("verb"))
        if span and _job(say.folded[slice(*span)]):
            yield Draft("identity", "role", *span)


def _place(said: str) -> bool:
    return len(said) <= 12 and not compiled(r"^(?:这|那|哪|家|一起|一个|隔壁|附近|学校|宿舍|楼上|楼下|酒店|医院|心里|他|她|你|得|不|过|着|院)").match(said)


def _change(found: re.Match[str], say: Saying) -> Iterator[Draft]:
    """Read "从X换成了Y", "把X换成Y", "改用Y": what ends and what begins."""
    new = _tool(say, found.start("o"))
    old = trimmed(say, *found.span("x"), dated=False) if found.groupdict().get("x") else None
    if new is None or len(say.text[slice(*new)]) > 30 or compiled(_NO_TOOL).match(say.folded[slice(*new)]):
        return
    new_said = say.text[slice(*new)]
    if compiled(r"^[\d.:]+$|^(?:异步|同步|默认|中文|英文|红|蓝|白|黑|绿)").match(new_said):
        return
    if old and not compiled(r"(?i)[a-z]").search(say.text[slice(*old)] + new_said):
        return
    if old:
        if compiled(r"^(?:这|那|它|函数|颜色|端口)|函数|接口|按钮|变量").match(say.text[slice(*old)]):
            return
        yield Draft("fact", "uses", *old, ended=True, dated=True)
    yield Draft("fact", "uses", *new, dated=True)


def _over(found: re.Match[str], say: Saying) -> Iterator[Draft]:
    if (span := _tool(say, found.start("o"))) and not compiled(_NO_TOOL).match(say.folded[slice(*span)]):
        yield Draft("fact", "uses", *span, ended=True, dated=True)


def _likable(said: str) -> bool:
    return len(said) <= 40 and not compiled(r"^(?:这|那|它|他|她|你|的|了|上|吗|过|不|就|就好|就行|一下|得|呀|啊|哦|什么)").match(said)


def _favourite(found: re.Match[str], say: Saying) -> Iterator[Draft]:
    kinds = {"颜色": "color", "编辑器": "editor", "语言": "language", "编程语言": "language", "电影": "movie", "歌": "song", "书": "book", "食物": "food", "菜": "food", "水果": "fruit", "运动": "sport", "季节": "season", "城市": "city", "动物": "animal", "歌手": "singer", "作家": "author", "游戏": "game", "饮料": "drink", "音乐": "music", "乐队": "band"}
    if span := _span(say, found.start("o")):
        what = kinds.get(found["a"])
        yield Draft("preference", f"favorite_{what}" if what else "likes", *span)


_KIN = r"(?:太太|妻子|老婆|老公|丈夫|先生|爱人|女朋友|男朋友|女友|男友|女儿|儿子|孩子|爸爸|妈妈|父亲|母亲|哥哥|弟弟|姐姐|妹妹|爷爷|奶奶|外公|外婆|猫|狗|小狗|小猫|老板|上司|经理|室友|同桌|导师|宝宝)"


def _pet(found: re.Match[str], say: Saying) -> Iterator[Draft]:
    span = _span(say, found.start("o"))
    if span and _name(say.folded[slice(*span)]):
        yield Draft("relation", "name", *span, found["s"])


_IDLE = r"^(?:担心|急|忘|客气|怕|慌|管我|紧|说了|闹|误会|介意|着急|生气|难过|理|想太多|走|问我|告诉|吵|哭|笑|人|的|了|看|墅|称|紧张|害怕|放弃|灰心|这么|那么|太|再说|名|处|提了|逗|骗|总|动|等我|打扰|让我|吓)"
_ONCE = r"这|那|先|刚才|今天|现在|明天|它|此|一下|暂时|上面|下面|再(?:说|改|动)|还没|昨天|这次|等会|稍后|马上|了$"


def _rule(found: re.Match[str], say: Saying, predicate: str, group: str = "o") -> Iterator[Draft]:
    start = found.start(group)
    stop = say.stop
    if stop - start > LONGEST or (cut := compiled(r"[，,]?(?:因为|不然|否则|以免|免得|这样|谢谢|拜托|好吗)").search(say.folded, start + 2, stop)):
        stop = cut.start() if (cut := compiled(r"[，,]?(?:因为|不然|否则|以免|免得|这样|谢谢|拜托|好吗)").search(say.folded, start + 2, stop)) else start + LONGEST
    if span := trimmed(say, start, stop, dated=False):
        subject = found.groupdict().get("s")
        about = _about(subject) if subject else None
        if subject and about is None:
            return
        yield Draft("instruction", predicate, *span, about or say.topic)


def _about(said: str) -> str | None:
    said = compiled(r"(?:都|请|一定|也|永远|以后|从不|千万|应该|应当|需要)+$").sub("", said.strip("，, ")).strip()
    if compiled(r"^(?:请?(?:大家|你|你们|我们|团队|我|咱们|所有人)|我?希望你|我要你|你应该|请|以后|今后|在?代码里?)$").match(said):
        return ""
    every = compiled(r"^(?:所有的?|全部的?|每个|每次|任何)").sub("", said)
    if every == said and not compiled(_KINDS).search(said):
        return None
    if not said or len(said) > 16 or compiled(r"^(?:他|她|它|这|那|有|没|不|如果|我(?!们的)|你|他们|小[一-鿿]$|老[一-鿿]$|人|为什么|的|今天|昨天|总是|天气|孩子|妈妈|爸爸|老板|同事|客户|用户|可能)|[是有说会能把被给让]|^(?:别人|人家|大家都|很多|多数|有些|其他人|老是)").search(every):
        return None
    return said


def _always(found: re.Match[str], say: Saying) -> Iterator[Draft]:
    said = say.folded[found.start("o") : say.stop]
    if compiled(r"^(?:这样|那样|如此|的|都是|都有|有|会|很|太|觉得|感觉|忘|迟到|出错|报错|失败|超时|是|在(?![\w一-鿿]*[写用])|想|不|没|记不|找不|能|爱|喜欢|说|让我|被|要加班|下雨)|.*(?:了|过)$").match(said):
        return
    yield from _rule(found, say, "always")


def _never(found: re.Match[str], say: Saying) -> Iterator[Draft]:
    said = say.folded[found.start("o") : say.stop]
    if compiled(_IDLE).match(said) or compiled(_ONCE).search(said):
        return
    strict = compiled(r"禁止|不准(?!确|时|备)|不许|绝不|决不").search(say.folded, found.start(), found.start("o"))
    if strict and not found.groupdict().get("s") and not say.standing and say.folded[say.start : found.start()].strip():
        return
    other = compiled(r"[，,]\s*(?:而是|改|请|要|应该|直接|统一)?(?P<use>(?:用|使用|改用|写|采用|调用|走)[^，。]+)").search(say.folded, found.start("o"), say.stop)
    if other and compiled(r"用|使用|写|调用|走").match(said):
        if span := trimmed(say, found.start("o"), other.start(), dated=False):
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


_OCCASION = r"(?:会议|评审会|周会|例会|晨会|站会|发布会|客户会议|面试|约会|培训|演示|考试|婚礼|聚会|聚餐|手术|体检|演唱会|比赛|答辩|复盘会|启动会|(?<![国委协议员商学理])会|上线|发布|割接|航班|团建|讲座|家长会|年会)"


def _occasion(found: re.Match[str], say: Saying) -> Iterator[Draft]:
    for mention in say.mentions:
        if found.start("o") <= mention.start <= found.start("o") + 2 and say.ahead(mention.start) and (subject := _thing(found["s"])) and len(subject) > 1:
            yield Draft("event", "date", mention.start, mention.end, subject)
            return


def _scheduled(found: re.Match[str], say: Saying) -> Iterator[Draft]:
    """Read "下周三有一个客户会议": the day first, the occasion behind it."""
    for mention in say.mentions:
        between = say.folded[mention.end : found.start("s")]
        if mention.end <= found.start("s") and say.ahead(mention.start) and compiled(r"^[\s，,]*(?:我们|我|公司|团队|要|将|会|还|安排了|约了|定了|预约了|有|开|参加|一[个场次]|有?个)*$").match(between):
            yield Draft("event", "date", mention.start, mention.end, found["s"])
            return


def _did(found: re.Match[str], say: Saying) -> Iterator[Draft]:
    """Read "我3月18日约了牙医": what was done on a day."""
    for mention in say.mentions:
        if mention.relation in ("before", "until") or not (found.start() <= mention.start < found.start("o")):
            continue
        if (span := _span(say, found.start("o"), _END)) and len(say.text[slice(*span)]) <= 30:
            yield Draft("event", "did", *span, dated=True)
        return


_KINDS = r"(?:信息|注释|变量名?|函数名?|文件名?|代码|提交|接口|分支名?|测试|文档|邮件|回答|回复|标题|日志|密码|密钥|配置|命名|类名?|方法名?|表名?|字段名?|日期|时间戳?|字符串|组件|样式|图片|报告|周报|日报|会议纪要|PR|pr|MR|发布|部署|合并|评审|依赖|脚本|常量|参数|路径|请求|响应|异常|错误码?|迁移|版本号|模块|页面|按钮|文案|金额|价格|单位|编码|缩进|数据|表格|图表|总结|摘要|翻译|示例|文章|说明|结构|查询|SQL|API|脚本|镜像|服务|仓库|需求|改动|修改|变更|任务|备份|引号|分号|换行)$"
"""Kinds of things that rules are made about."""
_CHANGE = r"(?:换成|换到|换为|改成|改为|改用|切换到|切到|切换成|迁移到|迁到|迁移至|替换为|替换成|转到|转向|换用|升级到|升级成)"
_S = r"(?P<s>[^\s，。；：,;:！!\x00]{1,20}?)"


_WHO = (
    r"^(?:[A-Za-z@]|[小老阿][一-鿿]$|[一-鿿]{1,3}(?:团队|小组|组|部|老师|哥|姐|总|工)$|[赵钱孙李周吴郑王冯陈褚卫蒋沈韩杨朱秦尤许何吕施张孔曹严华金魏陶姜戚谢邹喻柏窦章苏潘葛范彭鲁韦马方俞任袁柳鲍史唐薛雷贺倪汤滕殷罗毕郝邬安常乐于傅齐康伍余顾孟黄穆萧尹姚邵汪祁毛"
    r"米贝明戴宋庞熊纪舒屈项祝董梁杜阮蓝闵季贾路江童颜郭梅盛林钟徐邱骆高夏蔡田樊胡凌霍万柯管卢莫房解应丁宣邓洪包左石崔龚程邢裴陆翁荀于甄封储靳段焦谷车侯宁武刘景詹龙叶黎白蒲赖卓乔翟谭曾关欧肖游涂闻覃][一-鿿]{1,2}$|(?:欧阳|上官|司马|诸葛|东方|慕容|司徒)[一-鿿]{1,2}$)"
)


def _owner(found: re.Match[str], say: Saying) -> Iterator[Draft]:
    who = trimmed(say, *found.span("o"), dated=False)
    subject = _thing(found["s"]) if found["s"] else None
    if who and subject and compiled(_WHO).match(say.folded[slice(*who)]) and not compiled(r"^(?:我们|我|你|他|她|谁|大家|自己|专人|别人|团队|哪|它|主要|这|那|有人|不|没|也|都|由|于|且|并|一|我方)").match(say.folded[slice(*who)]):
        yield Draft("relation", "owner", *who, compiled(r"^(?:整个|全部|所有)").sub("", subject))


RULES: Final = (
    Rule("我叫 叫做", r"(?:我|本人)(?:的名字)?叫(?:做)?(?P<o>\S)", says("identity", "name", _name)),
    Rule("我的名字", r"我的(?:中文|英文)?名字?(?:是|叫)(?P<o>\S)", says("identity", "name", _name)),
    Rule("叫我", r"(?:请|你|你们|大家|朋友们?|同事们?|可以|都|以后|就){0,4}叫我(?P<o>\S)", says("identity", "name", _name, ends=_MORE + "|就|吧|都")),
    Rule("我是", r"(?:我|本人)(?:现在|目前|其实)?是(?:一名|一个|一位|个|名|位|做)?(?P<o>(?!第一|昨|今|明|说|不|在|从|用|来|想|要)\S)", _role),
    Rule("从事 担任", r"(?:我|本人)(?:现在|目前)?(?:的职业是|担任|的职位是|的工作是)(?:一名|一个|一位)?(?P<o>\S)", _role),
    Rule("职业 职位 工作是", r"我的(?:职业|职位|工作|岗位)是(?:一名|一个|一位)?(?P<o>\S)", _role),
    Rule("我+工作 我+上班 任职 我+当 我+做 就职", r"(?:我|本人)" + _OFTEN + r"在(?P<o>[^，。；\s]{2,20}?)(?P<verb>工作|上班|任职|就职|当(?!地)|做(?!饭|客|梦))", _worker),
    Rule("就职于 供职于 任职于", r"(?:我|本人)(?:现在|目前)?(?:就职|供职|任职)于(?P<o>\S)", says("identity", "employer", _short(20))),
    Rule("加入", r"我" + _OFTEN + r"(?:入职|加入)了?(?P<o>\S)", says("identity", "employer", lambda said: bool(compiled(r"公司|集团|科技|[A-Z]|字节|腾讯|阿里|百度|华为|美团").search(said)) and len(said) <= 20, dated=True)),
    Rule("我+住 我+定居", r"(?:我|我们|我家)" + _OFTEN + r"(?:住在|定居在|定居|居住在|住)(?P<o>\S)", says("identity", "location", _place)),
    Rule("我+搬", r"(?:我|我们|我家)?(?:已经|刚刚?|最近|终于|上个?月|去年|前年|今年|上周)?(?:从(?P<x>[^，。到]{1,10}?))?搬(?:家)?(?:到|去|来)了?(?P<o>\S)", lambda found, say: _moved(found, say)),
    Rule("来自 老家", r"我(?:来自|老家在|老家是|的?家乡是|出生在|的老家在|的家乡在)(?P<o>\S)", says("identity", "origin", _place)),
    Rule("我+岁", r"我(?:今年|现在|刚满|已经)*(?P<o>\d{1,3})岁", lambda found, say: iter([Draft("identity", "age", *found.span("o"))])),
    Rule("过敏", r"我(?:从小)?对(?P<o>[^，。；\s]{1,15}?)(?:严重)?过敏", lambda found, say: _allergy(found, say)),
    Rule("吃素 素食", r"我" + _OFTEN + r"(?:是(?:一[个名])?)?(?:吃(?P<o>素)|(?P<p>素食(?:主义)?者))", lambda found, say: iter([Draft("preference", "diet", *found.span("o" if found["o"] else "p"))])),
    Rule("会说", r"我(?:也)?(?:会说|会讲|能说)(?:一点|流利的?)?(?P<o>[一-鿿]{1,4}?[语文话])(?P<more>(?:(?:和|、|以及|还有|跟)(?:一点|一些)?[一-鿿]{1,4}?[语文话])*)", lambda found, say: _speaks(found, say)),
    Rule("我+叫", r"(?:我|我们)(?:家)?(?:的)?(?P<s>" + _KIN + r")(?:的名字)?叫(?P<o>\S)", _pet),
    Rule("我+叫", r"(?:我|我们)(?:家)?(?:养了?|有)(?:一)?(?:只|条|个)(?P<s>[一-鿿]{1,6}?)[，,]?\s?(?:它|名字|名)?叫(?:做)?(?P<o>\S)", _pet),
    Rule("我+用 我+采用 团队+用 公司+用 咱+用 团队+采用", _ME + _OFTEN + r"(?:都)?(?:用的是|使用的是|使用|采用|用)(?:了)?(?P<o>(?![了过完来心力户途])\S)", says("fact", "uses", _short(12), tool=True, many=True)),
    Rule("从+换 从+改 从+切 从+迁 从+替换 从+转 从+升级", _ME + r"?" + _OFTEN + r"(?:把)?(?:[一-鿿]{1,6}?)??从(?P<x>[^，。；]{1,24}?)" + _CHANGE + r"了?(?P<o>\S)", _change),
    Rule("把+换 把+改 把+切 把+迁 把+替换 把+转 将+换 将+替换 将+迁", _ME + _OFTEN + r"(?:把|将)(?P<x>[^，。；]{1,24}?)(?:都|全部|全|也)?" + _CHANGE + r"了?(?P<o>\S)", _change),
    Rule("换成 换到 改用 切换到 切到 迁移到 迁到 换用 转到 转向", _ME + _OFTEN + r"(?:换成|换到|改用|切换到|切到|迁移到|迁到|换用|转到|转向)了?(?P<o>\S)", _change),
    Rule("不再 停用 弃用", _ME + r"?(?:已经|现在|都)*(?:不再(?:使用|用)|停用了?|弃用了?|停止使用)(?P<o>\S)", _over),
    Rule("我+不用 团队+不用", _ME + r"(?:已经|现在|早就|都)+不用(?P<o>\S+?)了", lambda found, say: _over(found, say)),
    Rule("最喜欢", r"我最(?:喜欢|爱)(?:吃|喝|看|听|玩)?的(?P<a>[一-鿿]{1,4}?)(?:是|就是)(?P<o>\S)", _favourite),
    Rule("更喜欢 更爱 更偏爱 更倾向 偏好 偏爱 倾向", r"(?:相?比(?:起|于)?[^，。]{1,20}?[，,]?)?(?:我|我们|本人)" + _VERY + r"(?:更喜欢|更爱|更偏爱|更倾向于?|偏好|偏爱|倾向于?)(?:使用|用)?(?P<o>\S)", says("preference", "prefers", _likable)),
    Rule("偏好 偏爱 倾向 宁愿", r"(?:我|我们|本人)(?:个人)?" + _VERY + r"(?:偏好|偏爱|偏向|倾向于?|宁愿|宁可)(?:使用|用)?(?P<o>\S)", says("preference", "prefers", _likable)),
    Rule("喜欢 我+爱 热爱 迷上 我+享受", r"(?:我|我们|本人)(?:个人)?(?!.{0,4}(?:不|没))" + _VERY + r"(?:喜欢|热爱|酷爱|享受|爱(?=[吃喝看听玩打踢画唱跑写读])|迷上了?|喜爱)(?P<o>\S)", says("preference", "likes", _likable)),
    Rule("讨厌 不喜欢 不太喜欢 不怎么喜欢 不是很喜欢 受不了 反感 不爱 不太爱 不怎么爱 厌恶 痛恨 最烦", r"(?:我|我们|本人)(?:个人)?" + _VERY + r"(?:讨厌|不(?:太|怎么|是很)?喜欢|受不了|反感|不(?:太|怎么)?爱(?=[吃喝看听玩打])|厌恶|最烦|痛恨)(?P<o>\S)", says("preference", "dislikes", _likable)),
    Rule(" ".join(_ATTRIBUTES), r"(?P<s>[^\s，。；：,;:！!\x00是为]{0,20}?)(?:的)?(?:当前|现在的?|默认(?!分支))?" + _ATTR + _IS, _attribute),
    Rule("端口", _S + r"(?:现在|目前|默认)?(?:跑在|运行在|监听在?|部署在|开在|占用)(?:了)?(?:端口)?\s?(?P<o>\d{2,5})(?:\s?(?:号)?端口)?", lambda found, say: _port(found, say)),
    Rule("写的 编写 开发的", _S + r"(?:主要|全部|都)?(?:是)?(?:用|使用)\s?(?P<o>" + _LATIN + r")\s?(?:语言)?(?:来)?(?:写|编写|开发|实现)的", lambda found, say: _written(found, say)),
    Rule("使用 采用 用的是 用", _S + r"(?:现在|目前|统一|主要|都)?(?<![利作使费适实应引信通起运动公常占专器录])(?:使用的是|用的是|使用的|使用|采用|用(?=[A-Z]))(?:了)?(?P<o>[A-Za-z]\S)", says("fact", "uses", _short(12), tool=True, many=True)),
    Rule("依赖", _S + r"(?:现在|目前|强|还|也)?(?:依赖于?)(?P<o>\S)", says("relation", "depends_on", _short(14), tool=True, many=True)),
    Rule("负责 维护 接手 接管", _S + r"(?:现在|目前|以后|改|今后)?由(?P<o>[^，。；\s]{1,10}?)(?:来|同学|老师)?(?:负责|维护|接手|接管|跟进)", _owner),
    Rule("负责 接手 接管", r"(?P<o>[A-Z][\w.]*|(?:小|老|阿)?[一-鿿]{1,3}?)(?:现在|目前|以后|将)?(?:负责(?!人)|接手了?|接管了?)(?P<s>[^，。；\s的]{2,16})", _owner),
    Rule("改名 更名 重命名", _S + r"(?:已经|现在|正式|刚刚?)*(?:改名|更名|重命名)(?:为|成|叫|到)?了?(?P<o>\S)", says("fact", "name", _short(12), dated=True)),
    Rule("废弃 弃用 下线 淘汰", _S + r"(?:已经|已|现在|被|正式)*(?:废弃|弃用|下线|淘汰)了?[，,]?\s?(?:请|现在|统一|以后)*(?:改用|换成|由|用|使用)(?P<o>\S)", says("relation", "replaced_by", _short(12), tool=True, dated=True)),
    Rule("废弃 归档 下线 冻结 弃用 只读 停用", _S + r"(?:已经|现在已?|已|目前)+(?:被)?(?:经)?(?P<o>废弃|归档|下线|冻结|弃用|停用|只读)了?(?=$|[，。！,!])", says("fact", "status")),
    Rule("改到 改在 改期到 推迟到 提前到 定在 定于 安排在 挪到 延期到 会+是 上线+是 发布+是", r"(?P<s>[^\s，。；：,;:\x00]{0,10}?" + _OCCASION + r")(?:的?时间)?(?:已经?|被|又|将|临时)*(?:改到|改在|改期到|推迟到|提前到|定在|定于|安排在|挪到|延期到|是在|是)了?(?P<o>\S)", _occasion),
    Rule("会议 评审会 周会 例会 晨会 站会 发布会 家长会 年会 有+会 开+会 面试 培训 演示 考试 婚礼 聚餐 体检 比赛 答辩 航班 团建 讲座 手术", r"[^\n。]{0,24}?(?:有|开|参加|安排了?|约了|预约了)(?:一?[个场次])?(?P<s>[^\s，。；：,;:\x00有个]{0,8}?" + _OCCASION + r")(?=$|[，。！,!（(])", _scheduled),
    Rule("我+月 我+号 我+日 我+周 我+昨天 我+去年 我+前天", r"(?:我们?|咱们)[^，。]{0,16}?(?P<o>(?:约|买|卖|去|参加|发布|上线|完成|入职|离职|结婚|毕业|搬|开始|拜访|见|签|提交|修复|升级|跑|考|生|领养|订|办|拿到|通过|开)(?:完|过)?了[^，。；]{1,24})", _did),
    Rule("我+月 我+号 我+日 我+周 我+昨天 我+去年 我+前天", r"[^，。]{2,12}?(?:我们?|咱们)(?P<o>(?:约|买|卖|去|参加|发布|上线|完成|入职|离职|结婚|毕业|开始|拜访|见|签|提交|修复|升级|跑|考|领养|订|办|拿到|通过|开)(?:完|过)?了[^，。；]{1,24})", _did),
    Rule("别 不要 禁止 切勿 严禁 绝不 不准 不许 勿", r"(?:(?:请|大家|你|我们|千万|以后|今后|永远|也|都|记得|一定|我?希望你)*)(?:不要|别(?![人的墅名处称号致具扭样离出看开国家字])|禁止|切勿|严禁|绝不(?:能|要)?|不准(?!确|时|备)|不许|请勿|永远不要|决不)(?:再)?(?P<o>\S[^。！\n]*)", _never),
    Rule("不要 禁止 不准 不许 严禁 切勿 一律不", r"(?P<s>[^\s，。；：,;:\x00我你他她]{2,14}?)(?:都|里|中)?(?:一律|绝对|永远|千万|都)?(?:不要|禁止|不准(?!确|时|备)|不许|严禁|切勿|一律不)(?P<o>\S[^。！\n]*)", _never),
    Rule("总是 一律 始终 务必 永远 统一", r"(?:(?:请|大家|你|我们|以后|今后|要|记得|应该|都|我?希望你)*)(?:总是|一律|始终|务必|永远(?!不)|统一)(?:要|请)?(?P<o>(?!是的)\S[^。！\n]*)", _always),
    Rule("一律 始终 务必 统一", r"(?P<s>[^\s，。；：,;:\x00我你他她总]{2,14}?)(?:都)?(?:一律|务必|始终|统一(?=用|使用|以|采用|放|写))(?:要|请)?(?P<o>\S[^。！\n]*)", _always),
    Rule("必须 都要 都得 都用 要用", r"(?P<s>(?:所有|每个|全部|任何)?[^\s，。；：,;:\x00我你他她前后时每]{2,12}?)(?:都)?(?:必须|都要|都得|都(?=用)|要(?=用))(?:要)?(?P<o>\S[^。！\n]*)", _must),
    Rule("每次 前+必须 前+要 后+必须 后+要 时+必须 时+要 前+务必 时+务必", r"(?P<o>(?:每次[^。\n]{1,20}?|[^，。我你他她它这那\n]{2,12}?(?:之前|前|之后|后|的时候|时))[，,]?(?:都)?(?:要先|必须先?|都要|务必|一定要|都得|都必须|先要)\S[^。！\n]*)", _must),
    Rule("以后 今后 起 从+开始 往后 默认情况", r"(?:都|就|请|全部|全|统一|一直|我们|你)*(?P<o>(?:用|使用|以|按|写|把|回复|回答|叫|在|先|只|说|要|称呼|采用|走|放|返回|加|带|保持|给)\S[^。！\n]*)", _standing),
)


def _moved(found: re.Match[str], say: Saying) -> Iterator[Draft]:
    span = _span(say, found.start("o"))
    if span is None or not _place(say.folded[slice(*span)]) or not compiled(r"我").search(say.folded, say.start, found.end()):
        return
    if found["x"] and (old := trimmed(say, *found.span("x"), dated=False)):
        yield Draft("identity", "location", *old, ended=True, dated=True)
    yield Draft("identity", "location", *span, dated=True)


def _allergy(found: re.Match[str], say: Saying) -> Iterator[Draft]:
    for span in items(say, found.start("o"), "word"):
        stop = min(span[1], found.end("o"))
        yield Draft("fact", "allergic_to", span[0], stop)
        return


def _speaks(found: re.Match[str], say: Saying) -> Iterator[Draft]:
    yield Draft("fact", "speaks", *found.span("o"))
    for more in compiled(r"(?:和|、|以及|还有|跟)(?:一点|一些)?([一-鿿]{1,4}?[语文话])").finditer(say.folded, *found.span("more")):
        yield Draft("fact", "speaks", *more.span(1))


def _port(found: re.Match[str], say: Saying) -> Iterator[Draft]:
    if subject := _thing(found["s"]):
        yield Draft("fact", "port", *found.span("o"), subject)


def _written(found: re.Match[str], say: Saying) -> Iterator[Draft]:
    if subject := _thing(found["s"]):
        yield Draft("fact", "language", *found.span("o"), subject)
