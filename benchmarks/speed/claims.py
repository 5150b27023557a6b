"""What claims cost a write: `remember_many` with rules, in turns with the same texts and `extract` off.

Claims of many are read after the write, by who asks for facts or by settling: that is measured beside it, a memory.
On the corpus of the other parts, and, where they are at hand, on chat: all turns of one set, and what users said in
another. Chat is what rules are for, and where they have most to look at.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import count, islice
from pathlib import Path
from typing import Any

from benchmarks.quality import sets
from benchmarks.speed import corpus
from benchmarks.speed.corpus import Row
from benchmarks.speed.figures import Figure, Samples, Target, compared, median, microseconds, timed
from mnemopi import Mnemopi

TARGET = Target(0.7, least=True)
_CHATS = ("locomo_dev", "longmemeval_s_turn_dev")
_WARM = 2750
"""Memories written, and read, before: by then nearly all patterns were compiled."""
_COUNT = 8750
"""Memories of a source: it is gone through again, as other sessions, until these are written."""
_STRETCH = 500
"""Memories written at a time before the other side has its turn."""
_OFF = {"knowledge.extract": "off"}


def claims(folder: Path) -> list[Figure]:
    """The rate with rules over the rate without, a source a row."""
    return [_compared(folder, name, rows) for name, rows in _sources().items()]


def _sources() -> Mapping[str, list[Row]]:
    found = {"corpus": corpus.rows(_COUNT)}
    try:
        return found | {name: _turns(sets.scorer().load(name)[0]) for name in _CHATS if name in sets.names()}
    except sets.NoData as error:
        print(f"without chat: {error}")
        return found


def _turns(items: Iterable[Any]) -> list[Row]:
    """Make as many memories of turns as wanted; an assistant's are left out, since no rules read them."""
    places: Counter[str] = Counter()
    turns = []
    for item in items:
        session = f"{item.group}/{item.session}"
        if item.speaker != "assistant":
            author = item.speaker or "user"
            turns.append(
                {"content": item.text, "session_id": session, "author_id": author, "position": places[session]}
            )
        places[session] += 1
    again = (row | {"session_id": f"{row['session_id']}/{number}"} for number in count() for row in turns)
    return list(islice(again, _COUNT))


def _compared(folder: Path, name: str, rows: list[Row]) -> Figure:
    samples: tuple[Samples, Samples] = [], []
    with (
        corpus.opened(folder / f"{name}-rules.db") as rules,
        corpus.opened(folder / f"{name}-off.db", settings=_OFF) as off,
    ):
        banks = rules, off
        for memory in banks:
            memory.remember_many(rows[:_WARM])
            memory.facts.list()
        for start in range(_WARM, len(rows) - 2 * _STRETCH + 1, 2 * _STRETCH):
            for side, pair in enumerate(_in_turns(banks, rows[start : start + 2 * _STRETCH])):
                samples[side].append(pair)
        wrote = rules.stats()["facts"]["waiting"]
        later = timed(rules.facts.list)
        held = len(rules.facts.list(limit=1_000_000))
    ours, floor = samples
    figure = compared(f"with rules, {name}", ours, floor, None, per=2 * _STRETCH)
    details = dict(figure.details)
    details["cpu ratio"] = median(floor, 1) / median(ours, 1)
    details["read later"] = microseconds(later[0] / max(wrote, 1))
    details["facts"] = held
    return Figure(figure.name, 1 / figure.value, TARGET, details)


def _in_turns(banks: tuple[Mnemopi, Mnemopi], rows: list[Row]) -> list[tuple[float, float]]:
    """Write two stretches to both banks and return the seconds of each: words are known to the one that comes second,
    so each comes second once."""
    first, second = rows[:_STRETCH], rows[_STRETCH:]
    one = [timed(bank.remember_many, first) for bank in banks]
    two = [timed(bank.remember_many, second) for bank in reversed(banks)][::-1]
    return [(a[0] + b[0], a[1] + b[1]) for a, b in zip(one, two, strict=True)]
