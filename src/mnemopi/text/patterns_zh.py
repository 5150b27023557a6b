"""What people say about themselves, in Chinese: who they are, what they use, what they like.

Rules for `text.patterns`, on simplified characters. A rule's cues are parts of its sentences, since there are no
spaces to tell words by. Things stand in `patterns_zh_things`, instructions in `patterns_zh_rules`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from mnemopi.text import rivals
from mnemopi.text.claim_rules import Draft, Rule, Saying, items, trimmed
from mnemopi.text.claim_rules_zh import MORE, NO_TOOL, says, short, span_at, tool_at
from mnemopi.text.date_rules import compiled

_ME = r"(?:我|我们|咱们?|本人|我们(?:团队|公司|项目|组|这边)|我这边|团队|公司)"
_OFTEN = (
    r"(?:现在|目前|一直|主要|平时|通常|统一|都|全|全部|也|就|在|正在|还|还是|其实|真的|一般|已经|刚|最近|改|仍然"
    r"|基本上?|自己|日常){0,4}"
)
_NOW = r"(?:现在|如今|目前|最近|已经|也|都|就){0,2}"
_VERY = r"(?:很|最|特别|非常|比较|更|超级?|也|都|真的|挺|蛮|十分|一直|还是|其实|尤其|就|相当|极其|格外|从小就?){0,3}"
_JOBS = (
    r"(?:师|员|生|者|家|医生|老师|经理|开发|程序员|架构师|设计师|律师|总监|主管|教授|负责人|博士|组长|护士|司机"
    r"|顾问|助理|编辑|记者|会计|作家|翻译|运营|测试|前端|后端|运维|产品|校长|队长|主任|秘书|厨子|学徒|老板"
    r"|创始人|工|官|警察|军人|演员|歌手|导演|摄影师|客服|销售|CTO|CEO|DBA|SRE)$"
)
_KIN = (
    r"(?:太太|妻子|老婆|老公|丈夫|先生|爱人|女朋友|男朋友|女友|男友|女儿|儿子|孩子|爸爸|妈妈|父亲|母亲|哥哥|弟弟"
    r"|姐姐|妹妹|爷爷|奶奶|外公|外婆|猫|狗|小狗|小猫|老板|上司|经理|室友|同桌|导师|宝宝)"
)
_OF_A_THING = r"(?:我们的?|[一-鿿]{1,4}的)?(?:数据库|框架|包管理器|包管理工具|编辑器|操作系统|编程语言|开发语言)从"
_CHANGE = (
    r"(?:换成|换到|换为|改成|改为|改用|切换到|切到|切换成|迁移到|迁到|迁移至|替换为|替换成|转到|转向|换用|升级到"
    r"|升级成)"
)


def _name(said: str) -> bool:
    return (2 <= len(said) <= 4 or (said.isascii() and len(said) <= 30)) and not compiled(
        r"^(?:了|外卖|车|什么|他|她|你|不|做|人|的|过|醒|错|救|停|板|一|上|服务员|救护车|好|得|着|出|号"
        r"|起[床来]|回家|吃饭|帮|去|来)"
    ).match(said)


def _job(said: str) -> bool:
    return (
        len(said) <= 14
        and bool(compiled(_JOBS).search(said))
        and not compiled(
            r"第一|这里|男生|女生|学渣|新生|说|先生|医学生物|一家|大家|自家|人家|专家组|过来|陌生|亲生"
            r"|受害者|失败者|初学者|爱好者|素食者|独生|工作|负责|不"
        ).search(said)
    )


def _role(found: re.Match[str], say: Saying) -> Iterator[Draft]:
    span = span_at(say, found.start("o"))
    if span and _job(say.folded[slice(*span)]):
        yield Draft("identity", "role", *span)


def _worker(found: re.Match[str], say: Saying) -> Iterator[Draft]:
    """Read 我在…工作 and 我在…当律师: the employer, the role."""
    if where := trimmed(say, *found.span("o"), dated=False):
        said = say.folded[slice(*where)]
        if (
            not compiled(
                r"^(?:家|公司|这|那|办公室|线|外面|学校|国外|国内|外地|晚上|周末|努力|认真|一起|加班|远程"
                r"|上班|白天|夜里|哪|什么|一线|不同|[一-鿿]{1,3}[市省县区]$)|^(?:北京|上海|广州|深圳|杭州"
                r"|成都|南京|武汉|西安|重庆|苏州|天津|香港|台北|厦门|长沙|青岛|东京|纽约|伦敦|新加坡)$"
            ).match(said)
            and "verb" in found.re.groupindex
            and not found["verb"].startswith(("当", "做"))
        ):
            yield Draft("identity", "employer", *where)
    if found["verb"].startswith(("当", "做")):
        span = span_at(say, found.end("verb"))
        if span and _job(say.folded[slice(*span)]):
            yield Draft("identity", "role", *span)


def _place(said: str) -> bool:
    return len(said) <= 12 and not compiled(
        r"^(?:这|那|哪|家|一起|一个|隔壁|附近|学校|宿舍|楼上|楼下|酒店|医院|心里|他|她|你|得|不|过|着|院)"
    ).match(said)


def _change(found: re.Match[str], say: Saying) -> Iterator[Draft]:
    """Read "从X换成了Y", "把X换成Y", "改用Y": what ends and what begins."""
    if compiled(_OF_A_THING).match(found[0]):
        return  # which database it is, and not only what is used: an attribute
    new = tool_at(say, found.start("o"))
    old = trimmed(say, *found.span("x"), dated=False) if found.groupdict().get("x") else None
    if new is None or len(say.text[slice(*new)]) > 30 or compiled(NO_TOOL).match(say.folded[slice(*new)]):
        return
    new_said = say.text[slice(*new)]
    if compiled(r"^[\d.:]+$|^(?:异步|同步|默认|中文|英文|红|蓝|白|黑|绿)").match(new_said):
        return
    if old and not compiled(r"(?i)[a-z]").search(say.text[slice(*old)] + new_said):
        return
    if old:
        if compiled(
            r"^(?:这|那|它|函数|颜色|端口)|函数|接口|按钮|变量|分支|端口|版本|时间|日期|名字|名称|标题|密码|地址|状态"
        ).search(say.text[slice(*old)]):
            return
        yield Draft("fact", "uses", *old, ended=True, dated=True)
    yield from rivals.ending([Draft("fact", "uses", *new, dated=True)], say, "uses", "prefers")


def _uses(found: re.Match[str], say: Saying) -> Iterator[Draft]:
    drafts = says("fact", "uses", short(12), tool=True, many=True)(found, say)
    yield from rivals.ending(drafts, say, "uses", "prefers") if "改" in found[0] else drafts


def _origin(found: re.Match[str], say: Saying) -> Iterator[Draft]:
    """Read 我是湖南人; a kind of person (好人, 当事人) is no place."""
    if not compiled(r"[好坏老男女新病主客恋情本成年轻普通自由负责当事局外明过来器乡同个种的什么哪候持]").search(
        found["o"]
    ):
        yield Draft("identity", "origin", *found.span("o"))


def _over(found: re.Match[str], say: Saying) -> Iterator[Draft]:
    if (span := tool_at(say, found.start("o"))) and not compiled(NO_TOOL).match(say.folded[slice(*span)]):
        yield Draft("fact", "uses", *span, ended=True, dated=True)


def _likable(said: str) -> bool:
    return len(said) <= 40 and not compiled(
        r"你|^(?:这|那|它|他|她|你|的|了|上|吗|过|不|就|就好|就行|一下|得|呀|啊|哦|什么)"
    ).match(said)


def _favourite(found: re.Match[str], say: Saying) -> Iterator[Draft]:
    kinds = {
        "颜色": "color",
        "编辑器": "editor",
        "语言": "language",
        "编程语言": "language",
        "电影": "movie",
        "歌": "song",
        "书": "book",
        "食物": "food",
        "菜": "food",
        "水果": "fruit",
        "运动": "sport",
        "季节": "season",
        "城市": "city",
        "动物": "animal",
        "歌手": "singer",
        "作家": "author",
        "游戏": "game",
        "饮料": "drink",
        "音乐": "music",
        "乐队": "band",
    }
    if span := span_at(say, found.start("o")):
        what = kinds.get(found["a"])
        yield Draft("preference", f"favorite_{what}" if what else "likes", *span)


def _pet(found: re.Match[str], say: Saying) -> Iterator[Draft]:
    span = span_at(say, found.start("o"))
    if span and _name(say.folded[slice(*span)]):
        yield Draft("relation", "name", *span, found["s"])


def _moved(found: re.Match[str], say: Saying) -> Iterator[Draft]:
    span = span_at(say, found.start("o"))
    if (
        span is None
        or not _place(say.folded[slice(*span)])
        or not compiled(r"我").search(say.folded, say.start, found.end())
    ):
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
    for more in compiled(r"(?:和|、|以及|还有|跟)(?:一点|一些)?([一-鿿]{1,4}?[语文话])").finditer(
        say.folded, *found.span("more")
    ):
        yield Draft("fact", "speaks", *more.span(1))


RULES: Final = (
    Rule("我叫 叫做", r"(?:我|本人)(?:的名字)?叫(?:做)?(?P<o>\S)", says("identity", "name", _name)),
    Rule("我的名字", r"我的(?:中文|英文)?名字?(?:是|叫)(?P<o>\S)", says("identity", "name", _name)),
    Rule(
        "叫我",
        r"(?:请|你|你们|大家|朋友们?|同事们?|可以|都|以后|就){0,4}叫我(?P<o>\S)",
        says("identity", "name", _name, ends=MORE + "|就|吧|都"),
    ),
    Rule(
        "我是 本人是",
        (
            r"(?:我|本人)(?:现在|目前|其实)?是(?:一名|一个|一位|个|名|位|做)?(?P<o>(?!第一|昨|今|明|说|不|在|从"
            r"|用|来|想|要)\S)"
        ),
        _role,
    ),
    Rule(
        "从事 担任", r"(?:我|本人)(?:现在|目前)?(?:的职业是|担任|的职位是|的工作是)(?:一名|一个|一位)?(?P<o>\S)", _role
    ),
    Rule("职业 职位 工作是", r"我的(?:职业|职位|工作|岗位)是(?:一名|一个|一位)?(?P<o>\S)", _role),
    Rule(
        "我+工作 我+上班 任职 我+当 我+做 就职",
        r"(?:我|本人)" + _OFTEN + r"在(?P<o>[^，。；\s]{2,20}?)(?P<verb>工作|上班|任职|就职|当(?!地)|做(?!饭|客|梦))",
        _worker,
    ),
    Rule(
        "就职于 供职于 任职于",
        r"(?:我|本人)(?:现在|目前)?(?:就职|供职|任职)于(?P<o>\S)",
        says("identity", "employer", short(20)),
    ),
    Rule(
        "加入",
        r"我" + _OFTEN + r"(?:入职|加入)了?(?P<o>\S)",
        says(
            "identity",
            "employer",
            lambda said: (
                bool(compiled(r"公司|集团|科技|[A-Z]|字节|腾讯|阿里|百度|华为|美团").search(said)) and len(said) <= 20
            ),
            dated=True,
        ),
    ),
    Rule(
        "我+住 我+定居 现居",
        r"(?:我|我们|我家)" + _OFTEN + r"(?:住在|定居在|定居|居住在|现居|常住|住)(?P<o>\S)",
        says("identity", "location", _place),
    ),
    Rule(
        "我+搬",
        (
            r"(?:我|我们|我家)?(?:已经|刚刚?|最近|终于|上个?月|去年|前年|今年"
            r"|上周)?(?:从(?P<x>[^，。到]{1,10}?))?搬(?:家)?(?:到|去|来)了?(?P<o>\S)"
        ),
        lambda found, say: _moved(found, say),
    ),
    Rule(
        "来自 老家",
        r"我(?:来自|老家在|老家是|的?家乡是|出生在|的老家在|的家乡在)(?P<o>\S)",
        says("identity", "origin", _place),
    ),
    Rule(
        "我+岁",
        r"我(?:今年|现在|刚满|已经)*(?P<o>\d{1,3})岁",
        lambda found, say: iter([Draft("identity", "age", *found.span("o"))]),
    ),
    Rule(
        "过敏",
        r"我(?:从小)?对(?P<o>[^，。；\s]{1,15}?)(?<!不)(?<!不太)(?<!不怎么)(?<!没有)(?:严重)?过敏",
        lambda found, say: _allergy(found, say),
    ),
    Rule(
        "吃素 素食",
        r"我" + _OFTEN + r"(?:是(?:一[个名])?)?(?:吃(?P<o>素)|(?P<p>素食(?:主义)?者))",
        lambda found, say: iter([Draft("preference", "diet", *found.span("o" if found["o"] else "p"))]),
    ),
    Rule(
        "会说",
        (
            r"我(?:也)?(?:会说|会讲|能说)(?:一点|流利的?)?(?P<o>[一-鿿]{1,4}?[语文话])(?P<more>(?:(?:和|、|以及"
            r"|还有|跟)(?:一点|一些)?[一-鿿]{1,4}?[语文话])*)"
        ),
        lambda found, say: _speaks(found, say),
    ),
    Rule("我+叫", r"(?:我|我们)(?:家)?(?:的)?(?P<s>" + _KIN + r")(?:的名字)?叫(?P<o>\S)", _pet),
    Rule(
        "我+叫",
        (
            r"(?:我|我们)(?:家)?(?:养了?|有)(?:一)?(?:只|条|个)(?P<s>[一-鿿]{1,6}?)[，,]?\s?(?:它|名字"
            r"|名)?叫(?:做)?(?P<o>\S)"
        ),
        _pet,
    ),
    Rule(
        "我+用 我+采用 团队+用 公司+用 咱+用 团队+采用",
        r"(?:[^，。；\s我你他她]{2,8})?"
        + _ME
        + _OFTEN
        + r"(?:都)?(?:用的是|使用的是|使用|采用|用)(?:了(?=[A-Za-z]))?(?P<o>(?![了过完来心力户途])\S)",
        _uses,
    ),
    Rule(
        "我是+人",
        r"我(?:其实)?是(?:地道的?)?(?P<o>[一-鿿]{2,4})人(?=[，。！,!]|$)",
        _origin,
    ),
    Rule(
        "改用 换用",
        r"(?:现在|目前|已经|统一|全部|都)*(?:改用|换用)了?(?P<o>[A-Za-z]\S)",
        lambda found, say: _change(found, say) if "我" in say.folded[say.start : found.start()] else iter(()),
    ),
    Rule(
        "从+换 从+改 从+切 从+迁 从+替换 从+转 从+升级",
        _ME + r"?" + _OFTEN + r"(?:把)?(?:[一-鿿]{1,6}?)??从(?P<x>[^，。；]{1,24}?)" + _CHANGE + r"了?(?P<o>\S)",
        _change,
    ),
    Rule(
        "把+换 把+改 把+切 把+迁 把+替换 把+转 将+换 将+替换 将+迁",
        _ME + _OFTEN + r"(?:把|将)(?P<x>[^，。；]{1,24}?)(?:都|全部|全|也)?" + _CHANGE + r"了?(?P<o>\S)",
        _change,
    ),
    Rule(
        "换成 换到 改用 切换到 切到 迁移到 迁到 换用 转到 转向",
        _ME + _OFTEN + r"(?:换成|换到|改用|切换到|切到|迁移到|迁到|换用|转到|转向)了?(?P<o>\S)",
        _change,
    ),
    Rule("不再 停用 弃用", _ME + r"?(?:已经|现在|都)*(?:不再(?:使用|用)|停用了?|弃用了?|停止使用)(?P<o>\S)", _over),
    Rule("我+不用 团队+不用", _ME + r"(?:已经|现在|早就|都)+不用(?P<o>\S+?)了", lambda found, say: _over(found, say)),
    Rule("最喜欢", r"我最(?:喜欢|爱)(?:吃|喝|看|听|玩)?的(?P<a>[一-鿿]{1,4}?)(?:是|就是)(?P<o>\S)", _favourite),
    Rule(
        "更喜欢 更爱 更偏爱 更倾向 偏好 偏爱 倾向",
        r"(?:相?比(?:起|于)?[^，。]{1,20}?[，,]?)?(?:我|我们|本人)"
        + _NOW
        + _VERY
        + r"(?:更喜欢|更爱|更偏爱|更倾向于?|偏好|偏爱|倾向于?)(?:使用|用)?(?P<o>\S)",
        rivals.preferring(says("preference", "prefers", _likable)),
    ),
    Rule(
        "偏好 偏爱 倾向 宁愿",
        r"(?:我|我们|本人)(?:个人)?" + _NOW + _VERY + r"(?:偏好|偏爱|偏向|倾向于?|宁愿|宁可)(?:使用|用)?(?P<o>\S)",
        rivals.preferring(says("preference", "prefers", _likable)),
    ),
    Rule(
        "喜欢 我+爱 热爱 迷上 我+享受",
        r"(?:我|我们|本人)(?:个人)?(?!.{0,4}(?:不|没))"
        + _VERY
        + r"(?:喜欢|热爱|酷爱|享受|爱(?=[吃喝看听玩打踢画唱跑写读])|迷上了?|喜爱)(?P<o>\S)",
        says("preference", "likes", _likable),
    ),
    Rule(
        "不再+喜欢 不再+爱 不再+偏好 不喜欢+了",
        r"(?:我|我们|本人)(?:个人)?"
        + _NOW
        + r"(?:不再(?:那么)?(?:喜欢|爱|偏好|偏爱|更喜欢)|不喜欢(?=[^，。；！？]{1,20}了(?:[，。；！]|$)))"
        + r"(?:使用|用)?(?P<o>\S)",
        rivals.tired(says("preference", "likes", _likable)),
    ),
    Rule(
        "讨厌 不喜欢 不太喜欢 不怎么喜欢 不是很喜欢 受不了 反感 不爱 不太爱 不怎么爱 厌恶 痛恨 最烦",
        r"(?:我|我们|本人)(?:个人)?"
        + _VERY
        + r"(?:讨厌|不(?:太|怎么|是很)?喜欢|受不了|反感|不(?:太|怎么)?爱(?=[吃喝看听玩打])|厌恶|最烦|痛恨)(?P<o>\S)",
        says("preference", "dislikes", _likable),
    ),
)
