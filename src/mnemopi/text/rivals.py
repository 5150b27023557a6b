"""Tastes of which one has one at a time, and how one gives way to another: tabs or spaces, dark or light.

"I now prefer spaces" does not name tabs, and yet ends a preference for them. Such pairs are listed, in English and
Chinese: of everything else, what a preference ends is only what its sentence names. Whether a sentence tells of a
change at all is said by its words ("now", "no longer", 改用), never by the list.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from mnemopi.model.fact import FactKind
from mnemopi.text.claim_rules import Draft, Reader, Saying, value
from mnemopi.text.names import object_key
from mnemopi.text.regex import compiled

_LISTED: Final = """
tabs, 制表符 | spaces, 空格
two spaces, 2 spaces, 两个空格 | four spaces, 4 spaces, 四个空格
dark mode, dark theme, 深色模式 | light mode, light theme, 浅色模式
single quotes, 单引号 | double quotes, 双引号
camelcase, camel case, 驼峰命名 | snake_case, snake case, 下划线命名
tea, 茶, 喝茶 | coffee, 咖啡, 喝咖啡
vim | emacs
rebase, rebasing | merge, merging, merge commits
short answers, brief answers, concise answers, 简短的回答 | long answers, detailed answers, 详细的回答
metric units, 公制 | imperial units, 英制
window seats, window seat | aisle seats, aisle seat
"""


def _rivals() -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for line in _LISTED.strip().splitlines():
        sides = [tuple(each.strip() for each in side.split(",")) for side in line.split("|")]
        for side in sides:
            others = tuple(each for other in sides if other is not side for each in other)
            found |= {object_key(each): others for each in side}
    return found


_RIVALS: Final = _rivals()
_NOW = r"(?:(?<!right\s)(?<!just\s)\b(?:now|nowadays|these\s+days)\b|现在|如今)"
_WITHIN: Final = rf"(?i){_NOW}"
_BEFORE: Final = rf"(?i){_NOW}[\s,，]*$"
_BEHIND: Final = r"(?i)\s+(?:now|nowadays|these\s+days)\s*(?:$|[.,;!])"
_NAMED = (
    r"(?i)\s*,?\s*(?:(?P<plain>instead\s+of|no\s+longer)|rather\s+than|over|而不是|而非|不再(?:喜欢|用)?)"
    r"\s*(?P<x>\S)"
)


def of(said: str) -> tuple[str, ...]:
    """Return what cannot be preferred along with this, in all its spellings; mostly nothing."""
    return _RIVALS.get(object_key(compiled(r"(?i)^(?:using|to\s+use|with|使?用)\s*(?=\S)").sub("", said)), ())


def ending(drafts: Iterable[Draft], say: Saying, *predicates: str) -> Iterator[Draft]:
    """Yield drafts, and behind each that something begins that the rivals of it are over, under these predicates."""
    for draft in drafts:
        yield draft
        if not draft.ended and say.topic is None:
            yield from _over(draft, of(say.text[draft.start : draft.stop]), predicates)


def preferring(read: Reader) -> Reader:
    """Let a preference that takes the place of another end it: the one that is named, else those listed."""

    def both(found: re.Match[str], say: Saying) -> Iterator[Draft]:
        for draft in read(found, say):
            yield draft
            now = _tells_of_now(found, draft, say)
            named = compiled(_NAMED).match(say.folded, draft.stop, say.stop)
            if say.topic is not None or not (now or (named and named["plain"])):
                continue
            span = value(say, named.start("x")) if named else None
            if span:
                yield draft._replace(start=span[0], stop=span[1], ended=True, dated=True)
            elif now:
                yield from _over(draft, of(say.text[draft.start : draft.stop]), ("prefers",))

    return both


def tired(read: Reader) -> Reader:
    """Make a reader of what is no longer liked: neither a liking nor a preference for what `read` finds holds on."""

    def over(found: re.Match[str], say: Saying) -> Iterator[Draft]:
        for draft in read(found, say):
            yield draft._replace(predicate="likes", ended=True, dated=True)
            yield draft._replace(predicate="prefers", ended=True, dated=True)

    return over


def _over(draft: Draft, others: Iterable[str], predicates: Iterable[str]) -> Iterator[Draft]:
    for predicate in predicates:
        kind: FactKind = "fact" if predicate == "uses" else "preference"
        for other in others:
            yield draft._replace(kind=kind, predicate=predicate, ended=True, dated=True, other=other)


def _tells_of_now(found: re.Match[str], draft: Draft, say: Saying) -> bool:
    """Whether "now" stands with the verb, before its subject, or behind the object."""
    lead = say.folded[max(say.start, found.start() - 16) : found.start()]
    return bool(
        compiled(_WITHIN).search(found[0])
        or compiled(_BEFORE).search(lead)
        or compiled(_BEHIND).match(say.folded, draft.stop, say.stop)
    )
