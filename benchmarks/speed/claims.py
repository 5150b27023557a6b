"""What reading claims costs a write: `remember_many` with rules, in turns with the same texts and `extract` off.

On the corpus of the other parts, and, where they are at hand, on chat: all turns of one set, and what users said in
another. Chat is what rules are for, and where they have most to look at.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from benchmarks.quality import sets
from benchmarks.speed import corpus
from benchmarks.speed.figures import Figure, Samples, Target, compared, median, timed

TARGET = Target(0.7, least=True)
_CHATS = ("locomo_dev", "longmemeval_s_turn_dev")
_WARM = 500
_MOST = 6000
"""Memories of a source, at most."""
_STRETCH = 250
"""Memories written at a time before the other side has its turn."""
_OFF = {"knowledge.extract": "off"}

Row = dict[str, Any]


def claims(folder: Path) -> list[Figure]:
    """The rate with rules over the rate without, a source a row."""
    return [_compared(folder, name, rows) for name, rows in _sources().items()]


def _sources() -> Mapping[str, list[Row]]:
    found = {"corpus": corpus.rows(_MOST)}
    try:
        return found | {name: _turns(sets.scorer().load(name)[0])[:_MOST] for name in _CHATS if name in sets.names()}
    except sets.NoData as error:
        print(f"without chat: {error}")
        return found


def _turns(items: Iterable[Any]) -> list[Row]:
    """Make memories of turns; an assistant's are left out, since no rules read them."""
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
    return turns


def _compared(folder: Path, name: str, rows: list[Row]) -> Figure:
    ours, floor = Samples(), Samples()
    with (
        corpus.opened(folder / f"{name}-rules.db") as rules,
        corpus.opened(folder / f"{name}-off.db", settings=_OFF) as off,
    ):
        for memory in (rules, off):
            memory.remember_many(rows[:_WARM])
        for start in range(_WARM, len(rows), _STRETCH):
            stretch = rows[start : start + _STRETCH]
            ours.append(timed(rules.remember_many, stretch))
            floor.append(timed(off.remember_many, stretch))
        held = len(rules.facts.list(limit=1_000_000))
    figure = compared(f"with rules, {name}", ours, floor, None, per=_STRETCH)
    details = dict(figure.details)
    details["cpu ratio"] = median(floor, 1) / median(ours, 1)
    details["facts"] = held
    return Figure(figure.name, 1 / figure.value, TARGET, details)
