"""A summary of a group: sentences of its sources, word for word, with who said them and where they stand.

Sentences are taken greedily by what they add: the rarity (idf, nats) of terms that no chosen sentence has, more for
rules, decisions, figures, dates and names, less for questions, per room that they take (budgeted coverage, Lin and
Bilmes 2011). So what is said twice is taken once. Nothing is shortened, reworded or made up. Where a language model is
lent, its lines count only as far as they cite sources that say so; else the sentences do. Pure but for the model.
"""

from __future__ import annotations

import heapq
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from mnemopi.consolidation import sentences
from mnemopi.model.memory import Memory
from mnemopi.model.values import dataclass
from mnemopi.text import spans, tokens

Rarity: TypeAlias = Callable[[Sequence[str]], Mapping[str, float]]
"""Gives the idf (nats) of terms."""
Ask: TypeAlias = Callable[[str], str]
"""A language model: a prompt to its answer. What it raises is left to the caller."""
SHARE: Final = 0.5
"""Share of the sources' characters that a summary takes at most."""
ENOUGH: Final = 0.9
"""A summary that covers this share of the sources' rarity needs no more."""
SMALL: Final = 600
"""Characters that a summary may take however short its sources are."""
_ROOM: Final = 0.6
"""How strongly room counts against what a sentence adds."""
_OVERHEAD: Final = 30
"""Characters that a sentence takes beside its own: a reader's turn of attention."""
_LONGEST: Final = 1500
"""A sentence, or a fenced block, beyond this is left to its source."""
_LEAST_TERMS: Final = 3
"""A plain sentence of fewer terms says nothing alone ("I agree, Mara.")."""
_FOUNDED: Final = 0.5
"""Share of a model's line that must be in the sources it cites, by rarity."""


@dataclass(frozen=True, slots=True)
class Line:
    """Where one line of a summary comes from: a memory at a version, and a span of its text."""

    memory: str
    version: int
    start: int
    stop: int


@dataclass(frozen=True, slots=True)
class Summary:
    """A text with the source of each of its lines; `sentences` are how many it holds, `by` is `rules` or `llm`."""

    text: str
    lines: tuple[tuple[Line, ...], ...]
    sentences: int
    by: str = "rules"

    def as_metadata(self) -> dict[str, Any]:
        """Render where the lines come from, as an episode keeps it."""
        told = [[[line.memory, line.version, line.start, line.stop] for line in cited] for cited in self.lines]
        return {"by": self.by, "lines": told}


@dataclass(frozen=True, slots=True)
class _Sentence:
    """One sentence of a source: its place, its terms and how much it counts."""

    source: int
    start: int
    stop: int
    terms: frozenset[str]
    weight: float

    def gain(self, rarity: Mapping[str, float], covered: set[str]) -> float:
        fresh = sum(rarity[term] for term in self.terms if term not in covered)
        return self.weight * fresh / float((self.stop - self.start + _OVERHEAD) ** _ROOM)


def extract(sources: Sequence[Memory], rarity: Rarity, most: int, share: float = SHARE) -> Summary:
    """Sum up memories by their own sentences, in at most `most` characters; empty where nothing says anything."""
    found = [each for place, source in enumerate(sources) for each in _sentences(place, source.content)]
    weights = rarity(sorted({term for each in found for term in each.terms}))
    room = min(most, max(SMALL, int(share * sum(len(source.content) for source in sources))))
    chosen = sorted(_chosen(sources, found, weights, room), key=lambda each: (each.source, each.start))
    return _told(sources, chosen)


def written(sources: Sequence[Memory], rarity: Rarity, most: int, ask: Ask, prompt: str) -> Summary | None:
    """Have a model sum up memories; None where its answer does not hold against what it cites."""
    numbered = "\n".join(f"[{number}] {said(source)}" for number, source in enumerate(sources, 1))
    answer = ask(prompt.replace("{lines}", numbered).replace("{count}", str(len(sources))))
    kept: list[tuple[str, tuple[Line, ...]]] = []
    refused = 0
    for line in answer.splitlines():
        text, cited = _cited(line, sources)
        if not text:
            continue
        if cited and _is_founded(text, cited, rarity):
            kept.append((text, tuple(_whole(source) for source in cited)))
        else:
            refused += 1
    told = "\n".join(text for text, _ in kept)
    if len(kept) < 2 or refused > len(kept) // 2 or len(told) > most:
        return None
    return Summary(told, tuple(lines for _, lines in kept), len(kept), "llm")


def said(source: Memory) -> str:
    """A memory as a line of talk: who said it, then what."""
    return f"{source.author_id}: {source.content}" if source.author_id else source.content


def _sentences(place: int, text: str) -> Iterable[_Sentence]:
    for start, stop in spans.spans(text):
        piece = text[start:stop]
        terms = frozenset(tokens.content_terms(piece)) if stop - start <= _LONGEST else frozenset()
        weight = sentences.weight(piece)
        if len(terms) >= _LEAST_TERMS or (terms and weight > 1):
            yield _Sentence(place, start, stop, terms, weight)


def _chosen(
    sources: Sequence[Memory], found: Sequence[_Sentence], rarity: Mapping[str, float], room: int
) -> list[_Sentence]:
    """Take the sentence that adds most, again and again, until the room or what there is to say is used up.

    What a sentence adds only falls as others are taken, so that its last known value bounds it (lazy greedy).
    """
    whole = sum(rarity[term] for term in set().union(*(each.terms for each in found)))
    covered: set[str] = set()
    heap = [(-each.gain(rarity, covered), place) for place, each in enumerate(found)]
    heapq.heapify(heap)
    chosen: list[_Sentence] = []
    left, told = room, 0.0
    while heap and told < ENOUGH * whole:
        _, place = heapq.heappop(heap)
        each = found[place]
        gain = each.gain(rarity, covered)
        if heap and -gain > heap[0][0]:
            heapq.heappush(heap, (-gain, place))
            continue
        size = each.stop - each.start + len(sources[each.source].author_id or "") + 3
        if gain <= 0 or size > left:
            continue
        chosen.append(each)
        told += sum(rarity[term] for term in each.terms if term not in covered)
        covered |= each.terms
        left -= size
    return chosen


def _told(sources: Sequence[Memory], chosen: Sequence[_Sentence]) -> Summary:
    """Write the chosen sentences, those that follow one another in a source on one line."""
    runs: list[Line] = []
    for each in chosen:
        source = sources[each.source]
        last = runs[-1] if runs else None
        if last and last.memory == source.id and not source.content[last.stop : each.start].strip():
            runs[-1] = Line(source.id, source.version, last.start, each.stop)
        else:
            runs.append(Line(source.id, source.version, each.start, each.stop))
    by_id = {source.id: source for source in sources}
    text = "\n".join(line_of(by_id[run.memory], run) for run in runs)
    return Summary(text, tuple((run,) for run in runs), len(chosen))


def line_of(source: Memory, line: Line) -> str:
    """Write one line of a summary: who said it, then the span of the source as it stands there."""
    said = source.content[line.start : line.stop]
    return f"{source.author_id}: {said}" if source.author_id else said


def _cited(line: str, sources: Sequence[Memory]) -> tuple[str, list[Memory]]:
    """Read a model's line: its text, and the sources that it cites as [1] or [2, 3]; unknown numbers void it."""
    marks = re.findall(r"\[(\d+(?:\s*,\s*\d+)*)\]", line)
    text = re.sub(r"(?<!\s)\s*\[\d+(?:\s*,\s*\d+)*\]", "", line).strip().lstrip("-*• ").strip()
    numbers = [int(number) for mark in marks for number in mark.split(",")]
    if not all(1 <= number <= len(sources) for number in numbers):
        return text, []
    return text, [sources[number - 1] for number in dict.fromkeys(numbers)]


def _is_founded(text: str, cited: Sequence[Memory], rarity: Rarity) -> bool:
    """Whether the cited sources hold a line's figures and identifiers, and enough of its other words."""
    whole = "\n".join(map(said, cited))
    if not sentences.figures(text) <= sentences.figures(whole):
        return False
    if any(name not in whole for name in tokens.identifiers(text)):
        return False
    terms = tokens.content_terms(text)
    weights, known = rarity(terms), set(tokens.terms(whole))
    mass = sum(weights[term] for term in terms)
    return mass > 0 and sum(weights[term] for term in terms if term in known) >= _FOUNDED * mass


def _whole(source: Memory) -> Line:
    return Line(source.id, source.version, 0, len(source.content))
