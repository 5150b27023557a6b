"""The last judge: a reranker reads the best candidates together with the question.

What it says is one term of the order among others (`scoring`), as a share of the way from the worst to the best of what
it read, since each model has a scale of its own. One that fails leaves the order as it was, and the hits say so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import TypeAlias

from mnemopi import errors
from mnemopi.errors import ProviderError
from mnemopi.model.values import dataclass
from mnemopi.ports import Reranker
from mnemopi.retrieval import render
from mnemopi.text import passages

Key: TypeAlias = int | str
"""The row key of a memory, or the id of a fact."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a reranker said: a share (0 to 1) for each candidate that it read, who it was, and what went wrong."""

    shares: Mapping[Key, float] = field(default_factory=dict)
    reranker: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Judge:
    """A reranker, and how many of the best candidates it is shown."""

    reranker: Reranker
    depth: int

    def hear(self, question: str, shown: Mapping[Key, str]) -> Verdict:
        """Have texts judged. Call this while nothing is locked."""
        if not shown:
            return Verdict()
        try:
            relevance = self.reranker.score(question, list(shown.values()))
        except ProviderError as error:
            errors.warn("recall goes on without its reranker: %s", error)
            return Verdict(notes=(f"not reranked: {error.code}",))
        return Verdict(dict(zip(shown, shares(relevance), strict=True)), self.reranker.name)


def shares(relevance: Sequence[float]) -> list[float]:
    """Place each on the way from the lowest (0) to the highest (1); 0 where all are alike."""
    lowest, highest = min(relevance), max(relevance)
    # Halved, since the distance between two floats may be no float.
    span = highest / 2 - lowest / 2
    return [(each / 2 - lowest / 2) / span if span > 0 else 0.0 for each in relevance]


def passage(text: str, author: str | None, wanted: Mapping[str, float], anchor: int) -> str:
    """Return what is shown of a memory: who said it, and of a long text the passage that holds most of what is wanted.

    `wanted` and `anchor` are as `render.window` has them.
    """
    start, stop = render.window(text, wanted, passages.SIZE, anchor)
    spans = passages.passages(text)
    first, last = max(spans, key=lambda span: min(span[1], stop) - max(span[0], start), default=(0, 0))
    return f"{author}: {text[first:last]}" if author else text[first:last]
