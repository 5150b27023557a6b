"""Recall of ten, question by question in turns with bare work.

Without vectors that is bare full-text search for the same words. With vectors it is numpy's exact scan of the same
vectors as well, and beside it the time in which the memory gives the matrix once.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from benchmarks.speed import corpus, floors
from benchmarks.speed.figures import Figure, Samples, Target, compared, median, microseconds, timed
from mnemopi import Mnemopi

CONTENT_TARGET = Target(4.0)
COMMON_TARGET = Target(5.0)
SCAN_TARGETS = {100_000: Target(3.0), 1_000_000: Target(2.0)}
_ROUNDS = 3
_LARGE = 100_000
"""From this size on the targets hold; below, the fixed cost of a call outweighs a search of microseconds."""
_HUGE = 1_000_000
"""From this size on each question is asked once: the bare search takes seconds for common words."""
Work = Sequence[Mapping[str, Callable[[str], object]]]
"""What answers a question, by name. What stands in one mapping answers in turn, question by question; the next mapping
has its turn after a round, since the threads of BLAS spin on for a while and would be in the way of whoever is next."""


def recall(folder: Path, counts: Sequence[int], embedder: str) -> list[Figure]:
    """Each size and kind of question: our median over those of the floors, and common questions over content ones."""
    found: list[Figure] = []
    for count in counts:
        ours, bare = corpus.bank(folder, count, embedder), corpus.bare(folder, count)
        with corpus.opened(ours, embedder) as memory, floors.Bare(bare) as floor:
            words = {"ours": partial(memory.recall, top_k=10), "words": lambda text: floor.find(floors.match(text))}
            found += _kinds([words, *_scan(memory)], count, f"recall, {count:,}, {embedder}", embedder)
    return found


def _scan(memory: Mnemopi) -> Work:
    """The exact scan for a question, and the bare reading of what it scans; the question's vector is made before."""
    if memory.embedder is None:
        return []
    asked = [question for kind in corpus.KINDS for question in corpus.questions(kind)]
    vectors = dict(zip(asked, memory.embedder.embed_queries(asked), strict=True))
    exact = floors.Exact(memory.bank._store, memory.embedder.name)
    return [{"scan": lambda text: exact.nearest(vectors[text]), "read": lambda text: exact.read()}]


def _kinds(work: Work, count: int, label: str, embedder: str) -> list[Figure]:
    samples = {kind: _asked(work, corpus.questions(kind), 1 if count >= _HUGE else _ROUNDS) for kind in corpus.KINDS}
    found = [_words(samples[kind], count, f"{label}: {kind}", embedder, kind) for kind in corpus.KINDS]
    common, content = samples["common"]["ours"], samples["content"]["ours"]
    details: dict[str, float | str] = {"cpu ratio": median(common, 1) / median(content, 1)}
    target = COMMON_TARGET if count >= _LARGE else None
    found.append(Figure(f"{label}: common / content", median(common) / median(content), target, details))
    if len(work) > 1:
        every = {name: [pair for each in samples.values() for pair in each[name]] for name in samples["content"]}
        found.append(_scanned(every, count, f"{label}: all / exact scan"))
    return found


def _words(samples: Mapping[str, Samples], count: int, label: str, embedder: str, kind: str) -> Figure:
    content = kind == "content"
    target = CONTENT_TARGET if content and count >= _LARGE else None
    figure = compared(label, samples["ours"], samples["words"], target, tail=True)
    lines = {f"recall, {embedder}": median(samples["ours"]), "bare full text, same words": median(samples["words"])}
    return replace(figure, size=count, growth=lines if content else {})


def _scanned(samples: Mapping[str, Samples], count: int, label: str) -> Figure:
    figure = compared(label, samples["ours"], samples["scan"], SCAN_TARGETS.get(count), tail=True)
    lines = {"numpy's exact scan": median(samples["scan"]), "vectors read once": median(samples["read"])}
    read = {"read once": microseconds(median(samples["read"]))}
    return replace(figure, size=count, growth=lines, details={**figure.details, **read})


def _asked(work: Work, questions: Sequence[str], rounds: int) -> Mapping[str, Samples]:
    """Ask each question once unmeasured, then in turns."""
    samples: dict[str, Samples] = {name: [] for each in work for name in each}
    for measured in [False] + rounds * [True]:
        for each in work:
            for question, (name, ask) in itertools.product(questions, each.items()):
                took = timed(ask, question)
                if measured:
                    samples[name].append(took)
    return samples
