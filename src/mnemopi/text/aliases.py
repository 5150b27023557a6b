"""Which names a text says are one thing: "Kubernetes (K8s)", "also known as", `简称`. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mnemopi.text import entities, language

_SAID = (
    r"also known as|a\.?k\.?a\.?|also called|better known as|formerly(?: known as)?|nicknamed|short for|"
    r"abbreviated(?: as| to)?|alias|简称|又名|又称|也叫|全称|别名|原名|缩写"
)
_THING = (
    rf"[\"“`]?(?P<{{}}>[{entities.UPPER}][\w.+#-]*(?: [{entities.UPPER}][\w.+#-]*){{{{0,4}}}}"
    rf"|@?[a-z][\w.+#-]+|[{language.HAN}]{{{{2,16}}}})[\"”`]?"
)
_CALLED = re.compile(
    _THING.format("one")
    + rf"\s*(?:[(（,，]\s*(?:which is |是)?(?:{_SAID})[:：\s]*|[(（]or\s+| (?:is )?(?:{_SAID})[:：\s]+)"
    + _THING.format("other")
)
_SHORT = re.compile(
    rf"(?P<one>[{entities.UPPER}][\w-]*(?: (?:of|and|for|the|[{entities.UPPER}][\w-]*)){{0,6}})\s*"
    r"[(（](?P<other>[A-Za-z][\w-]{1,9})[)）]"
)
_NUMERONYM = re.compile(r"([a-z])(\d+)([a-z])")
_SAID_THERE = re.compile(rf"{_SAID}|[(（]or\s")
_REACH = 100
_HINTS = (
    "known as",
    " aka",
    "(aka",
    "a.k.a",
    "called",
    "formerly",
    "nicknamed",
    "short for",
    "abbreviat",
    " alias",
    "(or ",
)
_HINTS_ZH = ("简称", "又名", "又称", "也叫", "全称", "别名", "原名", "缩写")


def find(text: str) -> list[tuple[str, str]]:
    """Return pairs of names that a text says are one thing: said so in words, or a short form in brackets."""
    text = text[: entities.READ]
    pairs: dict[frozenset[str], tuple[str, str]] = {}
    for one, other in (*_called(text), *_shortened(text)):
        one, other = one.rstrip("."), other.rstrip(".")
        both = frozenset((entities.key_of(one), entities.key_of(other)))
        if len(both) == 2 and not any(entities.is_common(key) for key in both):
            pairs.setdefault(both, (one, other))
    return list(pairs.values())


def _called(text: str) -> Iterator[tuple[str, str]]:
    """Find names that are said to be one thing: where the words for it stand, what is before and after them."""
    if not _may_call(text):
        return
    for hint in _SAID_THERE.finditer(text):
        for match in _CALLED.finditer(text, max(0, hint.start() - _REACH), hint.end() + _REACH):
            yield match["one"], match["other"]


def _may_call(text: str) -> bool:
    if any(hint in text for hint in _HINTS):
        return True
    return not text.isascii() and any(hint in text for hint in _HINTS_ZH)


def _shortened(text: str) -> Iterator[tuple[str, str]]:
    """Find short forms in brackets made of the name before: its initials, or its length in figures (K8s)."""
    if "(" not in text and "（" not in text:
        return
    for match in _SHORT.finditer(text):
        words, short = match["one"].split(" "), match["other"]
        for first in range(len(words)):
            if _is_short_for(short.lower(), words[first:]):
                yield " ".join(words[first:]), short
                break


def _is_short_for(short: str, words: list[str]) -> bool:
    name = " ".join(words).lower()
    counted = _NUMERONYM.fullmatch(short)
    if counted is not None:
        return (name[0], len(name) - 2, name[-1]) == (counted[1], int(counted[2]), counted[3])
    capitals = "".join(word[0] for word in words if word[0].isupper()).lower()
    return len(words) > 1 and short in (capitals, "".join(word[0] for word in words).lower())
