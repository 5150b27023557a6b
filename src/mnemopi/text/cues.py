"""Cues: which rules a sentence calls for, by the words in it. Most texts hold none, and cost one look.

A rule names words of which its sentences hold one; `a+b` wants both. Chinese cues are parts of a sentence, looked up by
their first character.
"""

from __future__ import annotations

from collections.abc import Sequence

from mnemopi.text.claim_rules import Rule
from mnemopi.text.date_rules import compiled

_SIGNS = str.maketrans(dict.fromkeys('.,:;!?()[]*_"“”\n、，。/=', " ") | {"’": "'", "‘": "'"})


class Vocabulary:
    """The rules of both languages, by their cues."""

    def __init__(self, english: Sequence[Rule], chinese: Sequence[Rule]) -> None:
        self._english = [rule._replace(pattern=f"(?i){rule.pattern}") for rule in english]
        self._chinese = list(chinese)
        self._words: dict[str, list[tuple[int, str]]] = {}
        self._parts: dict[str, list[tuple[int, str, str]]] = {}
        for number, rule in enumerate(english):
            for other, word in _pairs(rule):
                self._words.setdefault(word, []).append((number, other))
        for number, rule in enumerate(chinese):
            for other, part in _pairs(rule):
                self._parts.setdefault(part[0], []).append((number, other, part))

    def called(self, said: str) -> list[Rule]:
        """Return the rules whose cues stand in a simple text, in their order, English ones first."""
        low = said.lower()
        words = set(low.translate(_SIGNS).split() if said.isascii() else compiled(r"[a-z][a-z'-]*").findall(low))
        english: set[int] = set()
        for word in words & self._words.keys():
            english.update([number for number, other in self._words[word] if not other or other in words])
        rules = [self._english[number] for number in sorted(english)]
        if not said.isascii():
            rules += [self._chinese[number] for number in sorted(self._numbers(said))]
        return rules

    def _numbers(self, said: str) -> set[int]:
        return {
            number
            for first in set(said) & self._parts.keys()
            for number, other, part in self._parts[first]
            if part in said and other in said
        }


def _pairs(rule: Rule) -> list[tuple[str, str]]:
    """List the cues of a rule as (the other word or "", the word it is looked up by)."""
    return [(other, word) for other, _, word in (cue.rpartition("+") for cue in dict.fromkeys(rule.cues.split()))]
