"""What speaks for a candidate: its words, what stands around it, who said it, and how near it is in meaning.

Evidence is read from shadow texts (`text.tokens`) with the same arithmetic for every database, so that all engines
rank alike. It judges nothing: `scoring` does. Pure; no I/O.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from functools import lru_cache
from typing import NamedTuple

from mnemopi.model.values import dataclass
from mnemopi.retrieval import naming, standing
from mnemopi.retrieval.weights import WEIGHTS, Weights
from mnemopi.text import frames, intent, language, spans, tokens, unknown

_QUOTED = re.compile(r"\"([^\"]{2,200})\"|“([^”]{2,200})”|「([^」]{2,200})」|`([^`]{2,200})`")
_ECHOES = frozenset({"assistant", "agent", "system", "tool", "ai", "bot", "model"})
_LONGEST_PHRASE = 80
_JOINTS = frozenset("_-.")
_LEAST_COUNT = 100
_MOST_TERMS = 256
_ECHO = 0.5
"""Share of a question from which it is looked whether a text says anything besides."""
_MANY_TERMS = 24
"""From here on it is quicker to split a text into its terms than to look for each term in it."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question as scoring reads it: its terms with their weights, and what else it says.

    `terms` are those that occur in the bank, with their `idf`; `mass` is the idf of all that were asked for (nats),
    those that occur nowhere among them, dates excepted, and `spare` the part of it that names a kind of answer (`how
    long`) and need not be met. `named` are the authors it names, `names` the terms by which it does, `about` each of
    these with the term that follows, as a text has them that says the same of the named. `verbatim` are the identifiers
    and quotations to be found to the letter, each with what finding it counts for (1 in all at most); `phrase` is the
    question itself, where it is short. `average` is the mean length (terms) of the bank's texts; `background` the mean
    and deviation of the question's cosine to texts of the bank taken at random, None where it is not known (the
    candidates stand in). `native` says whether the embedder was made for the question's language;
    `sentences` is how many it has. `when` says that it asks for a time, `own` that somebody asks for something of their
    own, `current` that it asks for what holds now; `told` are its terms without those by which it says so. `unknown`
    are the words that no text of the bank has (of a prompt of several sentences none are told: it is not held to its
    every word). `text` is the question as it was asked.
    """

    terms: tuple[str, ...]
    idf: tuple[float, ...]
    mass: float
    average: float
    named: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    about: tuple[str, ...] = ()
    verbatim: tuple[tuple[str, float], ...] = ()
    phrase: str = ""
    background: tuple[float, float] | None = None
    native: bool = True
    sentences: int = 1
    spare: float = 0.0
    when: bool = False
    own: bool = False
    current: bool = False
    told: frozenset[str] = frozenset()
    unknown: tuple[str, ...] = ()
    text: str = ""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A text that may answer: its shadow, those of its neighbours in the session, and what is known beside.

    `before2` and `after2` stand two away; "" where there is none, or where the filter does not admit it. `content` is
    the verbatim text (needed only where the question has something to be found to the letter); `cosine` that of the
    best passage; `at` its place in time among the candidates; `dated` whether it says when something was. All others
    are 0 to 1; `recency` and `period` are halved with each half-life, and 0 where the question asks for no time.
    `derived` texts say again what others say: they are measured by these, and do not change how these are. `otherwise`
    are terms of the question that the text says by another name; they count as if they stood there. `linked` is the
    weight of the link by which the text came.
    `relevance` is what a reranker makes of it, 0 to 1 among those that it judged; None where none did.
    """

    shadow: str
    before2: str = ""
    before: str = ""
    after: str = ""
    after2: str = ""
    author: str | None = None
    content: str = ""
    cosine: float | None = None
    importance: float = 0.5
    trust: float = 0.8
    recency: float = 0.0
    period: float = 0.0
    at: int = 0
    dated: bool = False
    derived: bool = False
    otherwise: frozenset[str] = frozenset()
    linked: float = 0.0
    relevance: float | None = None


@dataclass(frozen=True, slots=True)
class Evidence:
    """Everything known about one candidate for one question.

    BM25 values are absolute (nats): `bm25` of the text, `before` of the one before it, `around` the mean of those two
    away. `coverage` is the share of the question's idf mass that the text covers, `gain` what its neighbours cover
    beyond it (both together at most 1). `length` is in terms. `speaker` is what `naming.speaker` makes of who is named,
    and 1 where the user asks for something of their own, and said this.
    `meaning` is the cosine in deviations from the background. `together` is the share of the question that stands close
    together in the text, where the present is asked about. `echo` says that the text has no word of its own beside
    those of a question that is open: it cannot be what was asked for. `dated` says that a time is asked for, and that
    the text says one.
    """

    bm25: float = 0.0
    coverage: float = 0.0
    gain: float = 0.0
    before: float = 0.0
    around: float = 0.0
    length: int = 0
    after_question: bool = False
    speaker: float = 0.0
    meaning: float | None = None
    exact: float = 0.0
    importance: float = 0.5
    trust: float = 0.8
    recency: float = 0.0
    period: float = 0.0
    together: float = 0.0
    linked: float = 0.0
    relevance: float | None = None
    echo: bool = False
    dated: bool = False


def ask(
    text: str,
    frequency: Callable[[Sequence[str]], Mapping[str, int]],
    count: int,
    average: float,
    authors: Iterable[str] = (),
    background: tuple[float, float] | None = None,
    undated: str | None = None,
) -> Question:
    """Read a question: `frequency` gives in how many of `count` texts each term occurs (missing: none).

    `undated` is the question without the dates that it names (by default it names none): they may be met by when
    something was, so that a date which no text says costs no belief.

    A term that names an author of the bank is no word to search for but evidence of who spoke, unless nothing else is
    asked. One that names a kind of answer (`how long`) is searched for, and costs no belief where no text says it. Of
    more than 256 terms the rarest are kept. A bank of fewer than 100 texts counts as one of 100: in it the rarity of a
    word says little, and a word that it holds once is evidence all the same. IDF is that of Lucene's BM25,
    log(1 + (n - df + .5) / (df + .5)).
    """
    count = max(count, _LEAST_COUNT)
    asked = frames.searched(text)
    content = tokens.content_terms(asked)
    terms = content or tokens.terms(text)
    named, names = naming.named(text, terms, authors)
    terms = [term for term in terms if term not in names] or terms
    found = frequency(terms)
    idf = {term: idf_of(found.get(term, 0), count) for term in terms}
    known = sorted((term for term in terms if found.get(term)), key=idf.__getitem__, reverse=True)[:_MOST_TERMS]
    of_time = tokens.content_terms(intent.words(text))
    bare = frames.required(asked)
    free = set(content).difference(tokens.content_terms(bare)) if bare != asked else frozenset()
    if undated is not None:
        asked = frames.searched(undated)
        content = tokens.content_terms(asked)
    timeless = set(content)
    wanted = [term for term in terms if found.get(term) or term in timeless] or terms
    due = [term for term in wanted if term not in free] or wanted
    mass = sum(map(idf.__getitem__, wanted))
    sentences = max(1, len(spans.spans(text)))
    absent = {term for term in due if not found.get(term)}.difference(of_time) if sentences == 1 else set()
    return Question(
        terms=tuple(known),
        idf=tuple(idf[term] for term in known),
        mass=mass,
        spare=mass - sum(map(idf.__getitem__, due)),
        average=max(average, 1.0),
        named=named,
        names=names,
        about=naming.about(text, names),
        verbatim=_verbatim(text, frequency, count),
        phrase=_phrase(text) if len(terms) > 1 else "",
        background=background,
        sentences=sentences,
        when=intent.asks_when(text),
        own=sentences == 1 and not named and intent.asks_of_oneself(text),
        current=intent.asks_state(text),
        told=frozenset(known).difference(of_time),
        unknown=tuple(unknown.words(asked, absent)) if absent else (),
        text=text,
    )


def idf_of(frequency: int, count: int) -> float:
    """Weigh a term that occurs in `frequency` of `count` texts (nats)."""
    frequency = min(frequency, count)
    return math.log(1 + (count - frequency + 0.5) / (frequency + 0.5))


def gather(question: Question, candidates: Sequence[Candidate], weights: Weights = WEIGHTS) -> list[Evidence]:
    """Read the evidence for each candidate."""
    reader = _Reader(question, weights)
    background = question.background or _spread([each.cosine for each in candidates if each.cosine is not None])
    return [reader.read(candidate, background) for candidate in candidates]


class _Words(NamedTuple):
    """The question's words in one text: BM25, and a bit for each term that occurs."""

    bm25: float = 0.0
    bits: int = 0
    length: int = 0


_NOTHING = _Words()


@dataclass(slots=True)
class _Reader:
    """Reads shadows for one question; each text once, since the neighbours of candidates are candidates too."""

    question: Question
    weights: Weights
    _read: dict[str, _Words] = field(default_factory=dict)
    _covered: dict[int, float] = field(default_factory=dict)
    _needles: dict[str, tuple[str, float, int]] = field(default_factory=dict)
    _told: dict[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        pairs = zip(self.question.terms, self.question.idf, strict=True)
        self._needles = {term: (f" {term} ", idf, 1 << place) for place, (term, idf) in enumerate(pairs)}
        if self.question.current:
            told = {term: idf for term, (_, idf, _) in self._needles.items() if term in self.question.told}
            self._told = standing.wanted(told)

    def read(self, candidate: Candidate, background: tuple[float, float] | None) -> Evidence:
        own, before, after = map(self._words, (candidate.shadow, candidate.before, candidate.after))
        if candidate.otherwise:
            own = self._besides(own, candidate.otherwise)
        far = (self._words(candidate.before2), self._words(candidate.after2))
        question, meaning, coverage = self.question, None, self._coverage(own.bits)
        if candidate.cosine is not None and background is not None:
            meaning = (candidate.cosine - background[0]) / max(background[1], 1e-3)
            meaning *= 1.0 if question.native else self.weights.foreign
        return Evidence(
            bm25=own.bm25,
            coverage=coverage,
            gain=self._coverage(own.bits | before.bits | after.bits) - coverage,
            before=before.bm25,
            around=(far[0].bm25 + far[1].bm25) / 2,
            length=own.length,
            after_question=tokens.asks(candidate.before),
            speaker=self._speaker(candidate),
            meaning=meaning,
            exact=_exact(question, candidate.content),
            importance=candidate.importance,
            trust=candidate.trust,
            recency=candidate.recency,
            period=candidate.period,
            together=standing.together(candidate.shadow, self._told) if self._told and _states(candidate) else 0.0,
            linked=candidate.linked,
            relevance=candidate.relevance,
            echo=coverage >= _ECHO and self._repeats(candidate.shadow) and intent.is_open(question.text),
            dated=question.when and candidate.dated,
        )

    def _speaker(self, candidate: Candidate) -> float:
        question = self.question
        if question.own:
            return float(naming.is_asker(candidate.author))
        return naming.speaker(candidate.shadow, candidate.author, question.named, question.names, question.about)

    def _repeats(self, shadow: str) -> bool:
        words = shadow.removesuffix(tokens.ASKS).split()
        return all(term in self._needles or language.is_function_word(term) for term in words)

    def _words(self, shadow: str) -> _Words:
        if not shadow:
            return _NOTHING
        words = self._read.get(shadow)
        if words is None:
            words = self._read[shadow] = self._count(shadow)
        return words

    def _besides(self, words: _Words, terms: Iterable[str]) -> _Words:
        """Add terms that a text says by another name, each once."""
        bm25, bits = words.bm25, words.bits
        for _, idf, bit in (self._needles[term] for term in terms if term in self._needles):
            bm25, bits = (bm25, bits) if bits & bit else (bm25 + idf, bits | bit)
        return _Words(bm25, bits, words.length)

    def _count(self, shadow: str) -> _Words:
        weights, padded, length = self.weights, f" {shadow} ", shadow.count(" ") + 1
        k1 = weights.k1
        least = weights.least_length
        norm = k1 * (1 - weights.b + weights.b * max(length, least) / max(self.question.average, least))
        bm25, bits = 0.0, 0
        needles = self._needles
        if len(needles) > _MANY_TERMS:
            present = set(shadow.split(" "))
            needles = {term: needle for term, needle in needles.items() if term in present}
        for needle, idf, bit in needles.values():
            if needle in padded:
                times = padded.count(needle)
                bm25 += idf * times * (k1 + 1) / (times + norm)
                bits |= bit
        return _Words(bm25, bits, length)

    def _coverage(self, bits: int) -> float:
        share = self._covered.get(bits)
        if share is None:
            covered = sum(idf for _, idf, bit in self._needles.values() if bits & bit)
            share = self._covered[bits] = min(1.0, covered / self.question.mass) if covered else 0.0
        return share


def shortness(length: int, weights: Weights = WEIGHTS) -> float:
    """Tell how short a text of `length` terms is, 1 (a word) to 0 (a page): a logistic of the logarithm of length."""
    return _shortness(length, weights.short_middle, weights.short_width)


@lru_cache(maxsize=4096)
def _shortness(length: int, middle: float, width: float) -> float:
    return 1 / (1 + math.exp((math.log(max(length, 1)) - math.log(middle)) / width))


def _states(candidate: Candidate) -> bool:
    """Whether a text can say how things stand: neither a question nor a program's echo of what somebody said."""
    return not tokens.asks(candidate.shadow) and (candidate.author or "").lower() not in _ECHOES


def _verbatim(
    text: str, frequency: Callable[[Sequence[str]], Mapping[str, int]], count: int
) -> tuple[tuple[str, float], ...]:
    """Quotations count in full, identifiers by their rarity: one that stands everywhere tells nothing."""
    parts = {next(filter(None, groups)).casefold(): 1.0 for groups in _QUOTED.findall(text)}
    identifiers = {each.casefold(): tokens.terms(each)[:1] for each in tokens.identifiers(text)}
    found = frequency([term for terms in identifiers.values() for term in terms]) if identifiers else {}
    for part, terms in identifiers.items():
        rarity = idf_of(max(1, *[found.get(term, 0) for term in terms], 0), count) / idf_of(1, max(count, 1))
        parts.setdefault(part, min(1.0, rarity))
    return tuple((part, weight / len(parts)) for part, weight in parts.items())


def _phrase(text: str) -> str:
    whole = text.strip(" \t\n\r?!.。？！").casefold()
    return whole if len(whole) <= _LONGEST_PHRASE else ""


def _exact(question: Question, content: str) -> float:
    """What is found to the letter of what was to be, 0 to 1; the whole question found counts for all of it."""
    if not content or not (question.verbatim or question.phrase):
        return 0.0
    folded = content.casefold()
    if question.phrase and _stands(question.phrase, folded):
        return 1.0
    return sum(weight for part, weight in question.verbatim if _stands(part, folded))


def _stands(part: str, text: str) -> bool:
    """Whether a part stands in a text as words of its own, and not within a longer word, name, path or version."""
    place = text.find(part)
    while place >= 0:
        end = place + len(part)
        if not (_joins(text[max(0, place - 2) : place][::-1], part[0]) or _joins(text[end : end + 2], part[-1])):
            return True
        place = text.find(part, place + 1)
    return False


def _joins(outside: str, inside: str) -> bool:
    """Whether a character belongs to one word with those outside, the nearest first (scripts without spaces never).

    A joint between the two makes them one: `no-cache`, `b.py`, `config_v2`. At the end of a sentence it joins nothing.
    """
    near = outside[1:] if outside[:1] in _JOINTS else outside[:1]
    word = (near.isalnum() or near == "_") and (inside.isalnum() or inside == "_")
    return word and not language.has_unspaced_script(near + inside)


def _spread(cosines: Sequence[float]) -> tuple[float, float] | None:
    if not cosines:
        return None
    mean = sum(cosines) / len(cosines)
    return mean, math.sqrt(sum((cosine - mean) ** 2 for cosine in cosines) / len(cosines))
