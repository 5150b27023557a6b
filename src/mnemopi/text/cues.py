"""Cues: which rules a text calls for, by the words in it. Most texts hold none, and cost one look.

A rule names words of which its sentences hold one; `a+b` wants both. Chinese cues are parts of a sentence, looked up by
their first character. Where words would call for a rule too often, it says what else can be told at a glance: that a
date is wanted, or its cores (`claim_rules.Rule`).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence, Set
from typing import Final, NamedTuple, TypeAlias

from mnemopi.text.claim_rules import Rule
from mnemopi.text.date_rules import compiled

_PLAIN: Final = bytes(32 if chr(code) in '.,:;!?()[]*_"\n/=' else ord(chr(code).lower()) for code in range(128)).ljust(
    256
)
"""Lower case, and blanks for signs: of a text in ASCII, as bytes, this is fastest."""
_WORD = r"[a-z][a-z'-]*"
_OFTEN_SAID = (
    "i i'm im i've we we're we've my me our you am is are be do have has was not to at as on in by for from with"
    " over all"
)
_FREQUENT: Final = frozenset(_OFTEN_SAID.split())
"""Words that nearly every text holds: of two words the other is looked up."""
_SHORT: Final = 600
"""Characters of a text whose cores are looked for. In a longer one they stand somewhere: its sentences are asked."""
_FEW: Final = 16
"""Words among which one is found as fast by going through them as by making a set of them first."""


class Called(NamedTuple):
    """The rules that a text calls for, in their order, and the cues by which it does, in lower case."""

    rules: Sequence[Rule]
    cues: Set[str]


_NONE: Final = Called((), frozenset())
_Call: TypeAlias = tuple[int, str]
"""The number of a rule, and the cue that calls for it: of two the one that is looked up."""


class Vocabulary:
    """The rules of both languages, by their cues."""

    def __init__(self, english: Sequence[Rule], chinese: Sequence[Rule]) -> None:
        self._rules = [*(rule._replace(pattern=f"(?i){rule.pattern}") for rule in english), *chinese]
        self._words: dict[str, dict[str, list[_Call]]] = {}
        self._parts: dict[str, list[tuple[str, _Call]]] = {}
        for number, rule in enumerate(english):
            for other, word in _pairs(rule):
                if word in _FREQUENT and other and other not in _FREQUENT:
                    word, other = other, word
                self._words.setdefault(word, {}).setdefault(other, []).append((number, word))
        for number, rule in enumerate(chinese, len(english)):
            for other, part in _pairs(rule):
                self._parts.setdefault(part[0], []).append((other, (number, part)))
        self._keys = frozenset(self._words)

    def called(self, said: str, dated: bool = True) -> Called:
        """Return the rules whose cues and cores stand in a simple text, English ones first.

        Without `dated` those that want a date are left out.
        """
        plain = said.isascii()
        low = "" if plain else said.lower()
        words = said.encode().translate(_PLAIN).decode().split() if plain else compiled(_WORD).findall(low)
        known = self._keys.intersection(words)
        calls = self._by_words(known, words if len(words) < _FEW else set(words)) if known else []
        if not plain:
            calls += self._by_parts(said)
        if calls and len(said) <= _SHORT:
            calls = self._with_cores(calls, dated, said, low or said.lower(), words if plain else ())
        if not calls:
            return _NONE
        return Called([self._rules[number] for number in sorted(dict(calls))], {cue for _, cue in calls})

    def _with_cores(
        self, calls: Sequence[_Call], dated: bool, said: str, low: str, words: Sequence[str]
    ) -> list[_Call]:
        """List the calls for rules that may read something; no `words`: they do not tell."""
        seen: dict[str, bool] = {}
        kept = []
        for call in calls:
            rule = self._rules[call[0]]
            if (rule.dated and not dated) or (rule.also and words and rule.also.isdisjoint(words)):
                continue
            for each in rule.cores:
                core = each.replace("{cue}", call[1])
                stands = seen.get(core)
                if stands is None:
                    stands = seen[core] = compiled(core).search(said if rule.cased else low) is not None
                if not stands:
                    break
            else:
                kept.append(call)
        return kept

    def _by_words(self, known: Set[str], words: Collection[str]) -> list[_Call]:
        """List the calls of words."""
        found: list[_Call] = []
        for word in known:
            for other, calls in self._words[word].items():
                if not other or other in words:
                    found += calls
        return found

    def _by_parts(self, said: str) -> list[_Call]:
        """List the calls of parts of a text."""
        return [
            call
            for first in set(said) & self._parts.keys()
            for other, call in self._parts[first]
            if call[1] in said and other in said
        ]


def _pairs(rule: Rule) -> list[tuple[str, str]]:
    """List the cues of a rule as (the other word or "", the word it is looked up by)."""
    return [(other, word) for other, _, word in (cue.rpartition("+") for cue in dict.fromkeys(rule.cues.split()))]
