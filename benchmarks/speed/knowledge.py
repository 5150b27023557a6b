"""What facts and the graph cost a recall: the same bank asked with their retrievers and without, in turns.

The corpus states nothing, so each tenth memory gets a sentence that does: about words of its own, as people do. The
profile is the default one, in which facts attach to memories; for information, `polyphonic`, which walks the graph.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.speed import corpus
from benchmarks.speed.corpus import Row
from benchmarks.speed.figures import Figure, Samples, Target, compared, timed
from mnemopi import Mnemopi

TARGET = Target(1.3)
_LARGE = 100_000
_ROUNDS = 3
_EACH = 10
_OFF = {"recall.fact": False, "recall.graph": False}
_SAYINGS = (
    "We use {0}.",
    "The port of the {0} service is {1}.",
    "The {0} module is owned by {2}.",
    "I like {0}.",
    "The {0} service depends on the {3} service.",
)


def knowledge(folder: Path, counts: Sequence[int]) -> list[Figure]:
    """Each size, profile and kind of question: the median with facts and graph over the median without."""
    found: list[Figure] = []
    for count in counts:
        path = _bank(folder, count)
        with corpus.opened(path) as with_them, corpus.opened(path, settings=_OFF) as without:
            held = len(with_them.facts.list(limit=1_000_000))
            for profile in ("default", "polyphonic"):
                target = TARGET if count >= _LARGE and profile == "default" else None
                for kind in corpus.KINDS:
                    ours, floor = _asked(with_them, without, corpus.questions(kind), profile)
                    figure = compared(f"knowledge, {count:,}, {profile}: {kind}", ours, floor, target, tail=True)
                    found.append(Figure(figure.name, figure.value, target, {**figure.details, "facts": held}))
    return found


def _bank(folder: Path, count: int) -> Path:
    """Make, or find, a bank whose memories state something."""
    path = folder / f"telling-{count}.db"
    if not path.exists():
        with corpus.opened(path) as memory:
            memory.remember_many(_telling(count))
            memory.settle()
    return path


def _telling(count: int) -> Iterator[Row]:
    for number, row in enumerate(corpus.rows(count)):
        words = [word.capitalize() for word in row["content"].split() if word.isascii() and word.isalpha()]
        names = [word for word in words if len(word) > 5]
        if number % _EACH or len(names) < 2:
            yield row
            continue
        saying = _SAYINGS[number // _EACH % len(_SAYINGS)]
        said = saying.format(names[0], 1024 + number % 60_000, row["author_id"].capitalize(), names[1])
        yield row | {"content": f"{row['content']}. {said}"}


def _asked(on: Mnemopi, off: Mnemopi, questions: Sequence[str], profile: str) -> tuple[Samples, Samples]:
    """Ask each question once unmeasured, then in turns."""
    ours, floor = Samples(), Samples()
    for question in questions:
        for memory in (on, off):
            memory.recall(question, 10, profile=profile)
    for _ in range(_ROUNDS):
        for question in questions:
            ours.append(timed(_recall, on, question, profile))
            floor.append(timed(_recall, off, question, profile))
    return ours, floor


def _recall(memory: Mnemopi, question: str, profile: str) -> None:
    memory.recall(question, 10, profile=profile)
