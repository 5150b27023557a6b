"""How a Chinese sentence becomes claims: where its objects end, what can be a thing, and the readers made of that.

What `text.claim_rules` is to English. There are no spaces to tell words by: an object ends where the next verb,
particle or clause begins, and the name of a tool is mostly a run of Latin letters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from mnemopi.text.claim_rules import Check, Draft, Reader, Saying, trimmed
from mnemopi.text.date_rules import compiled

END = r"[\x00，。；：、！？,;:!?（）()\n]|\s[-—]|——|\.(?=\s|$)"
MORE = END + (
    r"|因为|所以|但是|但|不过|而且|然后|而不是|而非|胜过|多过|已经|就行|就好|即可|就可以"
    r"|[了吧啦呢哦哈呀啊的](?=$|[。！!，,\s；])"
)
_TOOL_END = MORE + (
    r"|(?<=[\w])(?:来|做|作为|存|部署|管理|写|处理|开发|跑|进行|搭建|当|沟通|画|记|发|构建|测试|监控|协作"
    r"|办公|打包|调试|渲染|训练|开会|托管|缓存|编译|聊|画图|实现|作|开始|以来|发布|代替|替代|了|的(?!士)"
    r"|和前端|这个|这套|那套)"
)
LATIN = r"[A-Za-z0-9@][A-Za-z0-9_.+#@/&-]*(?:[ ][A-Za-z0-9][A-Za-z0-9_.+#@/-]*){0,3}"
NO_TOOL = (
    r"^(?:不|没|别|这|那|他|她|它|你|我|过|完|起来|了|来|得|到|心|力|户|户|于|处|餐|词|法|途|一[下个种些套]?"
    r"|什么|哪|同一|自己|同样|一样|时间|的|着|作|不着|在|上了?|错|对|好|坏|光|惯|掉)"
)


def short(most: int) -> Check:
    return lambda said: len(said) <= most or (said.isascii() and len(said) <= 3 * most)


def span_at(say: Saying, start: int, ends: str = MORE) -> tuple[int, int] | None:
    end = compiled(ends).search(say.folded, start + 1, say.stop)
    return trimmed(say, start, end.start() if end else say.stop, dated=False)


def tool_at(say: Saying, start: int) -> tuple[int, int] | None:
    """Return the name of a tool at `start`: Latin words as far as they go, or Chinese ones up to a verb."""
    if latin := compiled(LATIN).match(say.folded, start, say.stop):
        span = trimmed(say, *latin.span(), dated=False)
        after = say.folded[latin.end() : latin.end() + 2]
        more = compiled(r"(?:系统|框架|数据库|模型|浏览器|编辑器|语言|平台|服务器|键盘|手机|电脑|云)").match(
            say.folded, latin.end(), say.stop
        )
        return (span[0], more.end()) if span and more and after else span
    return span_at(say, start, _TOOL_END)


def says(
    kind: str,
    predicate: str,
    check: Check | None = None,
    *,
    tool: bool = False,
    ends: str = MORE,
    many: bool = False,
    dated: bool = False,
) -> Reader:
    """Make the reader of group `o` as object; group `s`, where the pattern has one, is the subject."""

    def read(found: re.Match[str], say: Saying) -> Iterator[Draft]:
        subject = found.groupdict().get("s")
        if subject is not None and (subject := thing(subject)) is None:
            return
        first = tool_at(say, found.start("o")) if tool else span_at(say, found.start("o"), ends)
        if (
            first is None
            or (check and not check(say.text[slice(*first)]))
            or (tool and compiled(NO_TOOL).match(say.folded[slice(*first)]))
        ):
            return
        yield Draft(kind, predicate, *first, subject, dated=dated)  # type: ignore[arg-type]
        place = first[1]
        while many and (joint := compiled(r"\s*(?:和|跟|与|以及|及|、|还有)\s*").match(say.folded, place, say.stop)):
            nxt = tool_at(say, joint.end()) if tool else span_at(say, joint.end(), ends)
            if nxt is None or compiled(NO_TOOL).match(say.folded[slice(*nxt)]):
                return
            yield Draft(kind, predicate, *nxt, subject, dated=dated)  # type: ignore[arg-type]
            place = nxt[1]

    return read


def thing(said: str) -> str | None:
    """Return a thing as written, without 我们的 and 这个; None where the words are no name of a thing."""
    said = compiled(r"^(?:我们的?|我的|咱们的?|本|这个|该|当前的?|现在的?|目前的?|新的?)").sub("", said.strip())
    said = compiled(r"(?:现在|目前|已经|的|默认|上|里|这边)+$").sub("", said)
    if not said or len(said) > 20 or "\x00" in said:
        return None
    if not compiled(r"[A-Za-z一-鿿]").search(said) or compiled(
        r"[因其并又且故虽将被（(「年]|同时|正式|第[一二三四]次|前$|[^前]后$|时$|[到在]|之|是$|[我你他她]|[改成]$"
    ).search(said):
        return None
    if compiled(
        (
            r"^(?:(?:this|that|it|my|your|the)\b|他|她|它|你|这|那|谁|什么|哪|如果|要是|因为|所以|但|而|有|没|不|就|都|也|每|大家|别人|有人"
            r"|人们|客户|用户|主角|禁止|写[一个]|创建|实现|启动|增加|添加|加[一个]|做[一个]|今天|昨天|明天|先|再|请|把|被|让|给|对|是|看|说|想|觉得|可以|帮)"
        ),
    ).match(said):
        return None
    return said
