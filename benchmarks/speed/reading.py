"""Recall of ten, question by question in turns with bare full-text search for the same words."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from benchmarks.speed import corpus, floors
from benchmarks.speed.figures import Figure, Samples, Target, compared, median, timed
from mnemopi import Mnemopi

CONTENT_TARGET = Target(4.0)
COMMON_TARGET = Target(5.0)
_ROUNDS = 3
_LARGE = 100_000
"""From this size on the targets hold; below, the fixed cost of a call outweighs a search of microseconds."""


def recall(folder: Path, counts: Sequence[int], embedder: str) -> list[Figure]:
    """Each size and kind of question: our median over the floor's, and common questions over content ones."""
    found: list[Figure] = []
    for count in counts:
        ours, bare = corpus.bank(folder, count, embedder), corpus.bare(folder, count)
        with corpus.opened(ours, embedder) as memory, floors.Bare(bare) as floor:
            found += _kinds(memory, floor, f"recall, {count:,}, {embedder}", count >= _LARGE)
    return found


def _kinds(memory: Mnemopi, floor: floors.Bare, label: str, large: bool) -> list[Figure]:
    found: list[Figure] = []
    medians: dict[str, tuple[float, float]] = {}
    for kind in corpus.KINDS:
        ours, bare = _asked(memory, floor, corpus.questions(kind))
        target = CONTENT_TARGET if large and kind == "content" else None
        found.append(compared(f"{label}: {kind}", ours, bare, target, tail=True))
        medians[kind] = median(ours), median(ours, 1)
    (common, common_cpu), (content, content_cpu) = medians["common"], medians["content"]
    details: dict[str, float | str] = {"cpu ratio": common_cpu / content_cpu}
    found.append(Figure(f"{label}: common / content", common / content, COMMON_TARGET if large else None, details))
    return found


def _asked(memory: Mnemopi, floor: floors.Bare, questions: Sequence[str]) -> tuple[Samples, Samples]:
    """Ask each question once unmeasured, then in turns."""
    ours, bare = Samples(), Samples()
    matches = [floors.match(question) for question in questions]
    for question, match in zip(questions, matches, strict=True):
        memory.recall(question, 10)
        floor.find(match)
    for _ in range(_ROUNDS):
        for question, match in zip(questions, matches, strict=True):
            ours.append(timed(memory.recall, question, 10))
            bare.append(timed(floor.find, match))
    return ours, bare
