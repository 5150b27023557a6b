"""What belongs together: waiting memories of one session, in groups that share their audience, topic and time.

Turns are cut where the talk turns to something else, or pauses: the words of the turns before each gap are compared
with those after it, and the valleys are boundaries (TextTiling, Hearst 1997, over search terms weighed by their
rarity). Notes, which have no order to speak of, are gathered by the terms they share. A group never mixes memories
that different people may see. Pure.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Final, TypeAlias

from mnemopi.model.memory import Memory
from mnemopi.storage.episodes import Waiting
from mnemopi.text import tokens

Group: TypeAlias = list[Waiting]
LEAST: Final = 3
"""Fewer memories than this are no episode."""
MOST: Final = 40
"""More are two episodes."""
_WINDOW: Final = 4
"""Turns on either side of a gap that are compared."""
_SHORTEST: Final = 6
"""Turns between two changes of topic: talk wavers."""
_PAUSE_MS: Final = 3 * 3_600_000
"""A longer silence ends an episode."""
_SEASON_MS: Final = 7 * 86_400_000
"""Notes further apart than this are not of one time."""
_SHARED: Final = 0.2
"""Share of what a note could have in common with others, by weight, that a group must have in common with it."""


def audience(memory: Memory) -> tuple[str, ...]:
    """Return what a group must have in common, so that nobody sees more through an episode than through its sources."""
    where = {"session": memory.session_id, "channel": memory.channel_id or ""}.get(memory.scope, "")
    whose = "" if memory.position is not None else f"by {memory.author_id or ''}"
    return memory.scope, where, whose


def apart(waiting: Iterable[Waiting]) -> list[Group]:
    """Put those of different audiences apart; each keeps its order."""
    parts: defaultdict[tuple[str, ...], Group] = defaultdict(list)
    for each in waiting:
        parts[audience(each.memory)].append(each)
    return list(parts.values())


def of_turns(turns: Sequence[Waiting], patience: int) -> list[Group]:
    """Cut the turns of one audience, in their order, into groups.

    What stands too much alone is a group too small to use, unless it was said before `patience` (UTC ms): then it
    joins its neighbour, whatever that is about.
    """
    groups: list[Group] = []
    for part in _stretches(turns):
        groups += _by_topic(part)
    return _joined(groups, patience)


def of_notes(notes: Sequence[Waiting], patience: int) -> list[Group]:
    """Gather the notes of one audience by the terms they share; the rest by time, once it is older than `patience`."""
    groups, alone = _by_terms(sorted(notes, key=lambda each: (each.memory.timestamp, each.memory.rowkey)))
    old = [each for each in alone if each.memory.timestamp <= patience]
    return groups + [part for part in _chunks(old, _SEASON_MS * 4) if len(part) >= LEAST]


def _stretches(turns: Sequence[Waiting]) -> list[Group]:
    """Cut where nothing was said for long."""
    parts: list[Group] = []
    for turn in turns:
        if parts and abs(turn.memory.timestamp - parts[-1][-1].memory.timestamp) <= _PAUSE_MS:
            parts[-1].append(turn)
        else:
            parts.append([turn])
    return parts


def _by_topic(part: Group) -> list[Group]:
    """Cut a stretch of talk where its words change most."""
    if len(part) < 2 * _SHORTEST:
        return [part]
    depths = _depths(_bags(part))
    import statistics  # noqa: PLC0415 -- brings fractions and decimals along

    least = statistics.fmean(depths) + statistics.pstdev(depths) / 2
    cuts: list[int] = []
    for place in sorted(range(len(depths)), key=lambda place: (-depths[place], place)):
        if depths[place] < least:
            break
        _cut(cuts, place + 1, len(part))
    return [piece for first, last in _spans(cuts, len(part)) for piece in _within_most(part[first:last])]


def _cut(cuts: list[int], cut: int, end: int) -> None:
    """Cut there, unless another cut or an end is too near."""
    if all(abs(cut - other) >= _SHORTEST for other in (*cuts, 0, end)):
        cuts.append(cut)


def _spans(cuts: Iterable[int], end: int) -> list[tuple[int, int]]:
    edges = [0, *sorted(cuts), end]
    return list(pairwise(edges))


def _within_most(piece: Group) -> list[Group]:
    """Cut what is too long into even parts."""
    parts = math.ceil(len(piece) / MOST)
    edges = [len(piece) * number // parts for number in range(parts + 1)]
    return [piece[first:last] for first, last in pairwise(edges)]


def _bags(part: Group) -> list[dict[str, float]]:
    """Return the terms of each turn, weighed by how rare they are in the stretch."""
    counts = [Counter(_content(each.shadow)) for each in part]
    spread = Counter(term for count in counts for term in count)
    return [
        {term: times * math.log(1 + len(part) / spread[term]) for term, times in count.items() if spread[term] > 1}
        for count in counts
    ]


def _content(shadow: str) -> list[str]:
    return [term for term in shadow.split() if term != tokens.ASKS and not tokens.is_function_word(term)]


def _depths(bags: Sequence[dict[str, float]]) -> list[float]:
    """Return for each gap how far the likeness of its two sides falls below the peaks around it."""
    likeness = [
        _cosine(_sum(bags[max(0, gap - _WINDOW) : gap]), _sum(bags[gap : gap + _WINDOW])) for gap in range(1, len(bags))
    ]
    return [_climb(likeness, place, -1) + _climb(likeness, place, 1) for place in range(len(likeness))]


def _climb(likeness: Sequence[float], place: int, step: int) -> float:
    """Walk uphill from a gap, and return how far up that leads."""
    at = place
    while 0 <= at + step < len(likeness) and likeness[at + step] >= likeness[at]:
        at += step
    return likeness[at] - likeness[place]


def _sum(bags: Sequence[dict[str, float]]) -> dict[str, float]:
    total: defaultdict[str, float] = defaultdict(float)
    for bag in bags:
        for term, weight in bag.items():
            total[term] += weight
    return total


def _cosine(one: dict[str, float], other: dict[str, float]) -> float:
    if len(one) > len(other):
        one, other = other, one
    product = sum(weight * other.get(term, 0.0) for term, weight in one.items())
    return product / math.sqrt(_square(one) * _square(other)) if product else 0.0


def _square(bag: dict[str, float]) -> float:
    return sum(weight * weight for weight in bag.values())


def _joined(groups: list[Group], patience: int) -> list[Group]:
    """Let old groups that are too small join the one before, or else the one after."""
    joined: list[Group] = []
    for group in groups:
        last = joined[-1] if joined else []
        small = min(len(last), len(group)) < LEAST and len(last) + len(group) <= MOST
        if last and small and max(each.memory.timestamp for each in (*last, *group)) <= patience:
            last.extend(group)
        else:
            joined.append(list(group))
    return joined


def _by_terms(notes: Group) -> tuple[list[Group], Group]:
    """Let each note join the group it shares most with; return the groups, and those that found no company."""
    terms = [set(_content(each.shadow)) for each in notes]
    spread = Counter(term for own in terms for term in own)
    weights = {term: math.log(1 + len(notes) / count) for term, count in spread.items()}
    common = max(LEAST, len(notes) // 5)
    groups: list[Group] = []
    holding: defaultdict[str, dict[int, None]] = defaultdict(dict)
    for note, own in zip(notes, terms, strict=True):
        telling = {term for term in own if 1 < spread[term] <= common}
        place = _nearest(
            note, telling, sum(weights[term] for term in own if spread[term] > 1), groups, holding, weights
        )
        if place is None:
            place = len(groups)
            groups.append([])
        groups[place].append(note)
        for term in telling:
            holding[term][place] = None
    return [group for group in groups if len(group) >= LEAST], [
        note for group in groups if len(group) < LEAST for note in group
    ]


def _nearest(
    note: Waiting,
    telling: set[str],
    mass: float,
    groups: Sequence[Group],
    holding: dict[str, dict[int, None]],
    weights: dict[str, float],
) -> int | None:
    """Return the group that has most in common with a note, where that is enough and the group is open."""
    shared: defaultdict[int, float] = defaultdict(float)
    for term in sorted(telling):
        for place in holding.get(term, ()):
            shared[place] += weights[term]
    ranked = sorted(shared.items(), key=lambda pair: (-pair[1], pair[0]))
    for place, weight in ranked[:LEAST]:
        group = groups[place]
        near = note.memory.timestamp - group[-1].memory.timestamp <= _SEASON_MS
        if weight >= _SHARED * mass and near and len(group) < MOST:
            return place
    return None


def _chunks(notes: Sequence[Waiting], span: int) -> list[Group]:
    """Put notes together by time alone."""
    parts: list[Group] = []
    for note in notes:
        first = parts[-1][0].memory.timestamp if parts else 0
        if parts and note.memory.timestamp - first <= span and len(parts[-1]) < MOST:
            parts[-1].append(note)
        else:
            parts.append([note])
    return parts
