"""How a sentence becomes claims: a vocabulary is a list of rules, and this is what rules are made of.

A rule has cues (words of which its sentences hold one), a pattern that is matched where a clause begins, and a reader
that turns the match into drafts. A reader finds where an object ends (`value`): objects are what the author wrote,
without the rest of the sentence. Which sentences state anything at all is not decided here (`text.attitude`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import tzinfo
from functools import cached_property
from typing import Final, NamedTuple, TypeAlias

from mnemopi.model.fact import FactKind
from mnemopi.text import dates
from mnemopi.text.date_rules import compiled
from mnemopi.text.prose import BLANK

_WEEK = 7 * 86_400_000
LONGEST: Final = 120
"""Characters of an object, at most."""


class Draft(NamedTuple):
    """A claim in the making. `start` and `stop` are the object's place in the text; `subject` None is the author.

    `ended` says that it is over, `dated` that a date in the sentence says since when, not only with "since". `other` is
    what is over though the sentence does not name it: something that cannot be along with its object.
    """

    kind: FactKind
    predicate: str
    start: int
    stop: int
    subject: str | None = None
    ended: bool = False
    dated: bool = False
    confidence: float = 0.8
    other: str | None = None


Span: TypeAlias = tuple[int, int]


class Saying:
    """A sentence at `text[start:stop]`; `folded` is the plain form of the whole text, position by position.

    `topic` is what the sentence names before its rule ("for SQL files, ..."), `standing` whether it announces
    something that stays ("from now on"). `said` are the dates of the text that reach into
    the sentence: those that reach beyond it are read anew.
    """

    def __init__(
        self, text: str, folded: str, start: int, stop: int, now: int, zone: tzinfo, said: Sequence[dates.Mention]
    ) -> None:
        self.text, self.folded, self.start, self.stop = text, folded, start, stop
        self._now, self._zone, self._said = now, zone, said
        self.topic: str | None = None
        self.standing = False

    def ahead(self, start: int) -> bool:
        """Whether the date at `start` may still lie ahead: it is not over, or a bare weekday of these days."""
        return any(
            each.interval.end > self._now - _WEEK
            and not compiled(r"(?i)^(?:last|yesterday|上|昨|去|前)").match(each.words)
            for each in self.mentions
            if each.start <= start < each.end
        )

    def recent(self, mention: dates.Mention) -> bool:
        """Whether a date is not long past: what begins there is news."""
        return mention.interval.start > self._now - 5 * _WEEK

    @cached_property
    def mentions(self) -> Sequence[dates.Mention]:
        """The dates that the sentence says, without the full stop that ends it ("at 2pm.")."""
        if all(self.start <= each.start and each.end <= self.stop for each in self._said):
            return [_unstopped(each) for each in self._said]
        at = self.start
        return [
            _unstopped(dates.Mention(each.interval, at + each.start, at + each.end, each.words, each.relation))
            for each in dates.find(self.text[at : self.stop], self._now, self._zone)
        ]


def _unstopped(mention: dates.Mention) -> dates.Mention:
    if not compiled(r"(?i)\d\s?[ap]m\.$").search(mention.words):
        return mention
    return replace(mention, end=mention.end - 1, words=mention.words[:-1])


Reader: TypeAlias = Callable[[re.Match[str], Saying], Iterator[Draft]]
Check: TypeAlias = Callable[[str], bool]


class Rule(NamedTuple):
    """One way to say something: cues apart by spaces (`a+b`: both words), a pattern on the plain text, its meaning.

    What it reads costs more than to see that it has nothing to read. So a rule may say what is told at a glance: that
    it reads nothing where no date is (`dated`), and `cores`, each of which stands wherever it reads something: patterns
    on the text in lower case, or as written (`cased`), in which `{cue}` is the word that called. No boundary leads
    them, so that they are found fast by their first letters. Before cores, `also` words are looked for: of these, too,
    one stands wherever it reads something in a text of ASCII.
    """

    cues: str
    pattern: str
    read: Reader
    cores: tuple[str, ...] = ()
    also: frozenset[str] = frozenset()
    cased: bool = False
    dated: bool = False


_TIME = (
    r"|\s(?:now|here|again|too|these days|nowadays|at the moment|at present|right now|currently|anymore"
    r"|any more|any longer|as well|btw|by the way|lol|please|pls"
    r"|though|instead|since|ago|already|finally|so far|of course|actually|anyway|also|still|and everything"
    r"|the most|most of all|so much|a lot|very much|xD)\b|\s:\)"
)
_CLAUSE = (
    r"[\x00,;:()\[\]{}!?，。；：、！？（）\n]|(?<!\b[DMS][rst])(?<!\bMrs)\.(?=\s|$)|\s[-–—=>]+\s|—|\s(?:because|cause|cuz|but|so|which"
    r"|who|whom|that|when|whenever|while|whereas|where|though"
    r"|although|unless|if|until|till|then|and\s(?:I|we|you|it|he|she|they|then|the|my|our|that|this|now|also"
    r"|so|is|are|was"
    r"|has|have|would|will|can|am|not|never|always|please|don't|only|just|maybe|work|live|use|love|like)\b"
    r"|except|despite|due to)\b"
) + _TIME
_TIGHT = (
    _CLAUSE
    + r"|\s(?:as|for|in|on(?! rails)|at|with|to|from|by|during|after|before|rather|over|via|than|or|about|into|under"
    r"|between|against|across|through|throughout|without|is|are|was|were|will|has|have|had"
    r"|and(?=\s+\S+(?:ing|s)\s))\b"
)
_LOOSE = _CLAUSE + (
    r"|\s(?:over|rather than|more than|instead of|better than|(?<!ing\s)to (?=(?-i:[A-Z]))|during|as much as|than|is"
    r"|are|was|were|has|had)\b"
)
CUTS: Final = {
    "tight": f"(?i){_TIGHT}",
    "loose": f"(?i){_LOOSE}",
    "rule": r"\x01",
    "word": r"[\s,;()，。；：（）!?]|\.(?=\s|$)",
}
"""Where an object ends: tight for names and tools, loose for likes, rule for instructions, word for an address."""
_ENDS = " \t\n.,;:!?\"'`()[]{}*~，。；：！？「」“”‘’（）《》、…\x00"
_RULE_ENDS = " \t\n.,;:!*~，。；：！、…\x00"
_OPENS = r"(?i)(?:the|a|an)\s+(?=\S)"
_EMPTY = re.compile(
    r"(?i)^(?:it|its|this|that|these|those|them|they|he|she|him|her|you|me|us|we|i|one|ones|both|all|some"
    r"|something|anything|nothing|everything|someone"
    r"|stuff|things?|there|here|so|not|no|yes|none|what|how|either|same|the same|others?|another|more|less"
    r"|much|many|a lot|lot|lots|few|bit|way|the way|myself|ourselves"
    r"|well|ok|okay|fine|too|very|just|up|down|out|off|back|today|tomorrow|yesterday|now"
    r"|它|他|她|这|那|这个|那个|这些|那些|这样|那样|这种|这里|那里|这儿|那儿|你|我|我们|你们|他们|什么|谁|的|了)$"
)
_NO_VALUE = (
    r"(?i)(?!(?-i:[A-Z][a-z]+\s+[A-Z]))(?:(?:[a-z]+ly|still|just|also|yet|maybe|perhaps)\s+){0,2}"
    r"(?:(?:not|never|no|neither|nor|none|nothing|nobody|nowhere|hardly)(?!\S)"
    r"|(?:unknown|unclear|undecided|undisclosed|undefined|unspecified|confidential|an?\s+(?:secret|mystery)|tb[acd]"
    r"|to\s+be\s+(?:decided|determined|defined|announced|confirmed|seen))(?=\s+(?:to|for|as|at|yet)\b|$))"
    r"|(?:(?:既|并|绝|都|也|还|从来?)?(?:不[是会用再]|没(?:有|定|想好?|决定))|[并绝]非|从[不未]|尚未|未[知定]|待定)(?!.*的\S)"
    r"|(?:不[详明]|保密|(?:一?个)?(?:秘密|机密|谜))$"
)
"""What denies a value, or keeps it back: "not Vim", "neither of them", "a secret". "No Man's Sky" is a name, and code
without tests (没有测试的代码) is a thing."""


def value(say: Saying, start: int, cut: str = "tight", limit: int | None = None) -> Span | None:
    """Return where the object that begins at `start` stands, or None where nothing of worth is left.

    It ends at the first word of what does not belong to it (by `cut`), and at a date; outer punctuation and a leading
    article are left out. Pronouns alone are nothing, and so is what is denied, or longer than an object may be.
    """
    stop = say.stop if limit is None else limit
    end = compiled(CUTS[cut]).search(say.folded, min(start + 1, stop), stop)
    return trimmed(say, start, end.start() if end else stop, dated=cut != "rule")


def verbatim(say: Saying, start: int, stop: int) -> Span | None:
    """Return the span of a rule without outer white space and full stops; None where nothing is left."""
    while start < stop and say.text[start] in _RULE_ENDS:
        start += 1
    while stop > start and say.text[stop - 1] in _RULE_ENDS:
        stop -= 1
    return (start, stop) if 1 < stop - start <= LONGEST else None


def trimmed(say: Saying, start: int, stop: int, dated: bool = True) -> Span | None:
    """Return what `bare` leaves of a span; None where that says what is not so, or not known ("not Vim")."""
    span = bare(say, start, stop, dated)
    while start < stop and say.text[start] in _ENDS:
        start += 1
    # From before the article: "a secret" tells nothing, and "The Secret" is a book.
    return None if span is None or compiled(_NO_VALUE).match(say.folded, start, span[1]) else span


def bare(say: Saying, start: int, stop: int, dated: bool = True) -> Span | None:
    """Return the span without outer punctuation, leading article and trailing date; None where it is no object."""
    text = say.text
    if dated and (end := _date_in(say, start, stop)) is not None:
        stop = end
    while start < stop and text[start] in _ENDS:
        start += 1
    if opens := compiled(_OPENS).match(text, start, stop):
        start = opens.end()
    while start < stop and (text[start] in _ENDS):
        start += 1
    while stop > start and text[stop - 1] in _ENDS and not text.endswith(("C++", "..."), start, stop):
        stop -= 1
    said = text[start:stop]
    if not said or len(said) > LONGEST or _EMPTY.match(said) or (dated and compiled(_JOINTS).match(said)):
        return None
    return start, stop


def _date_in(say: Saying, start: int, stop: int) -> int | None:
    """Return where a date begins inside an object, with its preposition; the object ends there."""
    for mention in say.mentions:
        if start < mention.start < stop:
            tail = compiled(
                r"(?i)\s+(?:on|in|at|by|since|from|until|till|as of|back in|starting|early|late|for|this"
                r"|around|about|over|almost|roughly|nearly|just)?\s*(?:the\s*|about\s*|almost\s*)?$"
            )
            before = tail.search(say.folded, start, mention.start)
            return before.start() if before and before.start() > start else mention.start
    return None


_JOINTS = r"(?i)(?:for|because|in|on|at|when|if|with|about|and|but|or|that|which|of|from|as|by|so)\s"
_AND = r"(?i)\s*(?:,\s*(?:and|or|plus)?|、|\s(?:and|plus)\s|\s&\s|(?<=\w)[和与跟及](?=\w))\s*"


def items(say: Saying, start: int, cut: str = "tight", check: Check | None = None) -> Iterator[Span]:
    """Yield the objects of an enumeration ("Vim, tmux and zsh"), one span each, up to six."""
    place = start
    for _ in range(6):
        joint = compiled(_AND).search(say.folded, place + 1, say.stop)
        end = joint.start() if joint else None
        span = value(say, place, cut, end)
        if (
            span is None
            or (place > start and not _item(say.text[slice(*span)]))
            or (check and not check(say.text[slice(*span)]))
        ):
            return
        yield span
        rest = compiled(CUTS[cut]).search(say.folded, place + 1, end or say.stop)
        if joint is None or (rest is not None and rest.start() < joint.start()):
            return
        place = joint.end()


def _item(said: str) -> bool:
    """Whether a further part of an enumeration is a thing, not the next clause."""
    words = said.split()
    return len(words) <= 3 and not compiled(
        r"(?i)^(?:i|we|you|he|she|it|they|my|our|also|then|so|not|never|always|please|just|sometimes|even"
        r"|very|little|a\s+(?:little|bit|lot)|but|and|or|have|has|had|been|being|is|are|was|do|did|though"
        r"|although|however|yet|which|who|where|when|because|since|as|for|with|in|on|to|at|love|like|hate|am"
        r"|would|could|find|want|trying|我|你|他|她)\b"
    ).match(said)


def subject_of(said: str) -> str | None:
    """Return a thing as written without its article, or None where the words are no name of a thing."""
    said = said.strip(_ENDS)
    owned = compiled(r"(?i)^(?:the|our|my)\s+").match(said)
    bare = said[owned.end() :] if owned else said
    if not bare or len(bare) > 60 or BLANK in bare or _EMPTY.match(bare) or compiled(_NOISE).search(bare):
        return None
    if owned or compiled(r"^`?(?:[A-Z]\w|[A-Z]$|[\w.]+[-_/.0-9]\w|\w+\d$|[一-鿿])").match(said):
        return bare.strip(_ENDS)
    return None


_NOISE = (
    r"(?i)(?:^|\s)(?:who|whom|that|which|and|or|to|if|when|i|we|you|he|she|they|it|this|these|those|because"
    r"|not|never|always|does|do|did|is|are|was|were|has|have|had"
    r"|would|could|should|will|can|may|might|must|no|than|like|as|what|why|how|where|people|someone|everyone"
    r"|nobody|nothing|there|here|your|his|her|their"
    r"|only|just|maybe|today|so|then|but|each|every|most|some|many|any|all|please|says?|said|only|lol|hero"
    r"|character|protagonist|narrator|user|reader|author|player|customer)(?=\s|$)"
)


def says(
    kind: FactKind,
    predicate: str,
    cut: str = "tight",
    check: Check | None = None,
    *,
    many: bool = False,
    dated: bool = False,
    confidence: float = 0.8,
) -> Reader:
    """Make the reader of group `o` as object; group `s`, where the pattern has one, is the subject."""

    def read(found: re.Match[str], say: Saying) -> Iterator[Draft]:
        subject = None
        if "s" in found.re.groupindex and found["s"]:
            subject = subject_of(found["s"])
            if subject is None:
                return
        if many:
            spans: Iterator[Span] = items(say, found.start("o"), cut, check)
        else:
            one = value(say, found.start("o"), cut)
            spans = iter(() if one is None or (check and not check(say.text[slice(*one)])) else (one,))
        for start, stop in spans:
            yield Draft(kind, predicate, start, stop, subject, dated=dated, confidence=confidence)

    return read


def changes(check: Check | None = None, kind: FactKind = "fact", predicate: str = "uses", cut: str = "tight") -> Reader:
    """Make the reader of a change from group `x`, which ends, to group `o`, which begins; either may be missing."""

    def read(found: re.Match[str], say: Saying) -> Iterator[Draft]:
        groups = found.groupdict()
        spans: list[tuple[Span | None, bool]] = []
        if groups.get("x"):
            spans.append((trimmed(say, *found.span("x")), True))
        if groups.get("o"):
            spans.append((value(say, found.start("o"), cut), False))
        for span, _ in spans:
            if span is None or (check and not check(say.text[slice(*span)])):
                return
        for span, ended in spans:
            if span is not None:
                yield Draft(kind, predicate, *span, ended=ended, dated=True)

    return read


def named(said: str) -> bool:
    """Whether words are a name: one to five of them, one with a capital, a figure or a sign inside."""
    words = said.split()
    return 0 < len(words) <= 5 and (
        not said.isascii() or any(compiled(r"[A-Z0-9]|\w[-_./+#]\w|[+#]$").search(word) for word in words)
    )
