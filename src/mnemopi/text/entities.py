"""Which things a text names: people, handles, paths, versions, products, organisations, works. By pattern alone.

Precision before completeness: a pronoun, a date, a weekday or a common word is never an entity, however it is written.
What a name is compared by is its key (`text.names`). Not a language model, and no list of known names but the Chinese
family names.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Final, Literal, NamedTuple, TypeAlias

from mnemopi.model.values import dataclass
from mnemopi.text import entities_zh, language, names
from mnemopi.text.entity_words import COMMON, EMPTY, OPENING, SPEAKING

Kind: TypeAlias = Literal["name", "handle", "path", "url", "version", "product", "organisation", "work", "reference"]
READ: Final = 20_000
"""Characters of a text that are read, at most."""
MOST: Final = 40
"""Entities of one text, at most."""
MOST_KEYS: Final = 300
"""Keys of one question, at most."""
_LONGEST = 80
_WORDS = 4

UPPER: Final = "A-Z\u00c0-\u00d6\u00d8-\u00de\u0391-\u03a9\u0410-\u042f"
_LETTER = r"0-9A-Za-z\u00c0-\u024f\u0370-\u04ff"
_LINK_WORDS = frozenset("of the de von van der den da del della di bin la le du".split())  # noqa: SIM905
_LINKS = f"(?: (?:{'|'.join(sorted(_LINK_WORDS))})){{0,2}}"
_REST = rf"[{_LETTER}]*(?:['’-][{_LETTER[3:]}]+)*(?![{_LETTER}]|[-_@/:\\]+[{_LETTER}]|\.[{_LETTER}]|_|\+\+|\#)"
_NAME: Final = re.compile(
    rf"[{UPPER}](?<![{_LETTER}_'’].){_REST}(?:{_LINKS} [{UPPER}]{_REST}){{0,4}}(?P<release> v?\d+(?:\.\d+)+(?!\w))?"
)
"""Capitalised words in a row, with the version that follows. (The lookbehind stands after the first letter, so that the
search may leap from capital to capital.)"""

_FILES = (
    "py|js|ts|tsx|jsx|md|rst|toml|yaml|yml|json|jsonl|sql|sh|txt|rs|go|c|h|cpp|hpp|java|kt|rb|php|db|sqlite|env|cfg|"
    "ini|lock|log|csv|html|css|ipynb|pdf|docx?|xlsx?|pptx?|png|jpe?g|svg|gif|zip|tar|gz|proto|tf|xml"
)
_FILE = rf"\.(?:{_FILES})(?![\w.]*\w)"
_DOMAIN = r"\.(?:com|org|net|io|dev|ai|cn|app|edu|gov)(?![\w.-]*\w)"
_RELEASE = r"(?:[-.]?(?:rc|alpha|beta|dev)\.?\d*)?(?![\w.]*\w)"

_NAMING = "0123456789_-abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


class _Shape(NamedTuple):
    """What is told by its marks: `hint` is quick to miss where there are none.

    Where a mark stands within a word, the word is looked at from its beginning; `within` are its characters.
    """

    kind: Kind
    hint: re.Pattern[str]
    pattern: re.Pattern[str]
    within: frozenset[str] = frozenset()

    @classmethod
    def of(cls, kind: Kind, hint: str, *patterns: str, within: str = "") -> _Shape:
        return cls(kind, re.compile(hint), re.compile("|".join(patterns)), frozenset(within))


_SHAPES: Final = (
    _Shape.of("url", "://", r"\b(?:https?|ftp|ssh|git)://[\w.~:/?#@!$&*+,;=%-]*[\w/]"),
    _Shape.of("handle", "@", r"(?<![\w.])[\w.+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+", r"(?<![\w/.])@[A-Za-z][\w-]+"),
    _Shape.of(
        "url", _DOMAIN, rf"(?<![\w@.-])[A-Za-z0-9][A-Za-z0-9-]*(?:\.[A-Za-z0-9-]+)*?{_DOMAIN}", within=_NAMING + "."
    ),
    _Shape.of(
        "path",
        "/",
        r"(?<![\w/])(?:(?:~|\.{1,2})?/[A-Za-z_.][\w.-]*(?:/[\w.-]+)*(?<!\.)",
        r"[A-Za-z_.][\w.-]*(?:/[\w.-]+)*/[\w-]+\.[a-z]{1,5}\b",
        r"[A-Za-z_][\w-]*(?:/[\w.-]*\w){2,})",
        within=_NAMING + "/~.",
    ),
    _Shape.of("path", r":\\", r"(?<!\w)[A-Z]:\\[\w\\.-]+"),
    _Shape.of("path", _FILE, rf"(?<![\w./])[A-Za-z_][\w-]*{_FILE}", within=_NAMING),
    _Shape.of("reference", "#", r"(?<![\w/&])#\d{1,7}\b"),
    _Shape.of("handle", "#", r"(?<![\w/&])#[^\W\d_]\w+"),
    _Shape.of(
        "version",
        r"\.\d",
        rf"(?<![\w.])v\d+(?:\.\d+)+{_RELEASE}",
        rf"(?<![\w.])\d{{1,4}}\.\d{{1,4}}\.\d{{1,5}}{_RELEASE}",
    ),
    _Shape.of("product", "`", r"(?<=`)[^`\s]{2,50}(?=`)"),
    _Shape.of("work", '[“"《「]', rf'[“"](?=[{UPPER}])[^“”"\n]{{3,50}}[”"]', r"《[^》\n]{1,40}》|「[^」\n]{2,40}」"),
)
"""Of two that overlap the first counts, and all of them before names."""
_MIXED: Final = _Shape.of(
    "product",
    r"[0-9_A-Z](?:(?<=[0-9_])|(?<=[a-z].)|(?=[A-Z][a-z])|(?=[+#]))",
    r"(?<![^\W_])[A-Za-z]+(?:-[A-Za-z]+)*-?\d[A-Za-z0-9]*(?:[-.][A-Za-z0-9]+)*(?!\w)",
    r"(?<!\w)(?:[A-Za-z][A-Za-z0-9]*_\w+|[a-z]+[A-Z]\w*|[A-Z][a-z0-9]+[A-Z]\w*|[A-Z]{2,}[a-z]\w{2,})(?!\w)",
    r"(?<!\w)C(?:\+\+|\#)(?!\w)",
    within=_NAMING,
)
_MARKS = '“”"《》「」'
_TITLE = re.compile(r"\b(?:Dr|Mr|Mrs|Ms|Prof)\. $")
_CONTRACTED = re.compile(r"['’](?:s|m|re|ve|ll|d|t)$", re.IGNORECASE)
_STARTED = re.compile(r"(?:^|[.!?:;…\n。！？：；])[\s\"'“‘(\[*>#•–—-]*$")
_INFLECTED = re.compile(r"(?:ing|ed|ly)$")
_DOES = re.compile(rf" (?:{SPEAKING})\b|['’]s ")
_MEASURE = re.compile(r"(?:q|fy|h|w)\d{1,4}$", re.IGNORECASE)
_DATE = re.compile(r"\d{1,2}\.\d{1,2}\.\d{4}$|(?:19|20)\d\d\.\d{1,2}\.\d{1,2}$")
_TELLING = re.compile(r"[^\W\d_]|#\d|\.")
_CAMEL = re.compile(rf"[^{UPPER}][{UPPER}]|\d")
_COMPANY = re.compile(r" (?:Inc|Ltd|LLC|Corp|Corporation|GmbH|AG|University|Institute|Foundation|Bank|Labs?|Group)$")
_RUN = re.compile(rf"[^\s{language.UNSPACED},;!?()\"“”]+(?: [^\s{language.UNSPACED},;!?()\"“”]+)*")


@dataclass(frozen=True, slots=True)
class Entity:
    """Something that a text names, as written, and where it stands."""

    kind: Kind
    value: str
    start: int

    @property
    def key(self) -> str:
        """What the entity is compared by."""
        return key_of(self.value)


def find(text: str) -> list[Entity]:
    """Return what a text names, in text order, each thing once; at most 40 out of its first 20,000 characters.

    Never raises, for any text.
    """
    text = text[:READ]
    found: dict[str, Entity] = {}
    taken: list[tuple[int, int]] = []
    everything = [*_marked(text, _SHAPES, taken)]
    if not text.islower():
        everything += _named(text, taken)
    everything += _marked(text, (_MIXED,), taken)
    if language.has_unspaced_script(text):
        everything += [Entity(kind, value, start) for kind, value, start in entities_zh.find(text)]
    if len(everything) > 1:
        everything.sort(key=lambda entity: entity.start)
    for entity in everything:
        if 1 < len(entity.value) <= _LONGEST and (key := entity.key) and not is_common(key):
            found.setdefault(key, entity)
            if len(found) == MOST:
                break
    return list(found.values())


def is_common(key: str) -> bool:
    """Whether a key names nothing: a pronoun, a date, a weekday, a figure, a word of everyday."""
    return key in COMMON or key in entities_zh.COMMON or not _TELLING.search(key)


def keys_of(question: str) -> list[str]:
    """Return the keys of all that a question may name, however it is written.

    Runs of up to four words, or of characters where a script has no spaces; at most 300, what is written like a name
    first.
    """
    found = dict.fromkeys(entity.key for entity in find(question))
    for run in _RUN.findall(question):
        if len(found) >= MOST_KEYS:
            break
        words = run.split(" ")
        for first in range(len(words)):
            for stop in range(first + 1, min(first + _WORDS, len(words)) + 1):
                if {words[first].lower(), words[stop - 1].lower()} & EMPTY:
                    continue
                key = names.key(_bare(" ".join(words[first:stop]).rstrip(".:")))
                if len(key) > 1 and not is_common(key):
                    found[key] = None
    if language.has_unspaced_script(question):
        found |= dict.fromkeys(entities_zh.runs(question))
    return list(found)[:MOST_KEYS]


key_of = lru_cache(maxsize=4096)(names.key)


def _marked(text: str, shapes: Iterable[_Shape], taken: list[tuple[int, int]]) -> Iterator[Entity]:
    """Yield what its marks tell: addresses, paths, versions, what is quoted; and take where it stands."""
    for shape in shapes:
        for match in _within(text, shape) if shape.within else _anywhere(text, shape):
            if not _overlaps(*match.span(), taken) and (value := _plain(shape, match[0])):
                taken.append(match.span())
                yield Entity(shape.kind, value, match.start())


def _anywhere(text: str, shape: _Shape) -> Iterable[re.Match[str]]:
    return shape.pattern.finditer(text) if shape.hint.search(text) else ()


def _within(text: str, shape: _Shape) -> Iterator[re.Match[str]]:
    end = 0
    for hint in shape.hint.finditer(text):
        if hint.start() < end:
            continue
        start = hint.start()
        while start > end and text[start - 1] in shape.within:
            start -= 1
        match = shape.pattern.match(text, start)
        end = hint.end() if match is None else match.end()
        if match is not None:
            yield match


def _overlaps(start: int, stop: int, taken: Sequence[tuple[int, int]]) -> bool:
    return any(start < until and since < stop for since, until in taken)


def _plain(shape: _Shape, value: str) -> str:
    """Return the value of a shape without its marks; "" where it is none after all."""
    if shape.kind == "work":
        return value.strip(_MARKS).rstrip(".,!?")
    if shape is _MIXED and (_MEASURE.match(value) or value.lower().rstrip("0123456789.-") in COMMON):
        return ""
    return "" if shape.kind == "version" and _DATE.match(value) else value


def _named(text: str, taken: list[tuple[int, int]]) -> Iterator[Entity]:
    """Yield names written with capitals, and with their versions where these follow."""
    shouted: list[tuple[int, int]] | None = None
    known = _Known(text)
    for match in _NAME.finditer(text):
        start, release = match.start(), match["release"] or ""
        words = match[0].removesuffix(release).split(" ")
        if len(words) == 1 and not release and _bare(words[0]).lower() in COMMON:
            continue
        shouted = _shouted(text) if shouted is None else shouted
        if _overlaps(start, match.end(), taken) or _overlaps(start, start + 1, shouted):
            continue
        opening = _opens(text, start) and not _TITLE.search(text, max(0, start - 6), start)
        while words and _says_nothing(words[0], known, opening=opening):
            start += len(words[0]) + 1
            words, opening = words[1:], False
        while words and (_bare(words[-1]).lower() in EMPTY or words[-1] in _LINK_WORDS):
            words = words[:-1]
        if words and (not opening or len(words) > 1 or release or _stands(words[0], start, known)):
            name = _bare(" ".join(words))
            taken.append((start, match.end()))
            yield Entity(_kind(name), name, start)
            if release:
                yield Entity("version", name + release, start)


def _kind(name: str) -> Kind:
    if " " not in name:
        return "product" if _CAMEL.search(name) else "name"
    return "organisation" if _COMPANY.search(name) else "name"


def _bare(word: str) -> str:
    """Take the `'s` and its like from the end."""
    return _CONTRACTED.sub("", word) if "'" in word or "’" in word else word


def _opens(text: str, start: int) -> bool:
    """Whether a sentence, or what stands for one, begins here."""
    return _STARTED.search(text[max(0, start - 12) : start]) is not None


def _says_nothing(word: str, known: _Known, *, opening: bool) -> bool:
    """Whether the first of capitalised words is no part of a name; more so where it begins a sentence."""
    plain = _bare(word).lower()
    if plain in EMPTY or len(plain) == 1 or word in _LINK_WORDS:
        return True
    return opening and (plain in OPENING or _INFLECTED.search(plain) is not None) and not known[_bare(word)]


def _stands(word: str, start: int, known: _Known) -> bool:
    """Whether a lone word that begins a sentence is a name: it does what names do, or is one elsewhere."""
    bare = _bare(word)
    if word != bare or _CAMEL.search(bare) or (bare.isupper() and len(bare) > 1):
        return True
    return _DOES.match(known.text, start + len(bare)) is not None or known[bare]


class _Known(dict[str, bool]):
    """Whether a word has its capital also where no sentence begins, and never is without."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = text

    def __missing__(self, word: str) -> bool:
        text, place, capital = self.text, self.text.find(word), False
        while place >= 0 and not capital:
            whole = not text[place + len(word) : place + len(word) + 1].isalnum()
            capital = whole and text[place - 1 : place] == " " and not _opens(text, place)
            place = text.find(word, place + 1)
        self[word] = capital and re.search(rf"\b{re.escape(word.lower())}\b", text) is None
        return self[word]


def _shouted(text: str) -> list[tuple[int, int]]:
    """Lines that are headings or shouted: nearly all of their words are capitalised, so that it says nothing."""
    spans, start = [], 0
    for line in text.splitlines(keepends=True):
        words = line.split()
        if len(words) >= 4 and sum(word[0].isupper() for word in words) > 0.75 * len(words):
            spans.append((start, start + len(line)))
        start += len(line)
    return spans
