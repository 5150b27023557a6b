"""Walk from memory to memory along edges: breadth first, each once, the strongest way first.

Pure but for `around`, which gives the edges of memories whose far ends may be walked to: what is not seen, not valid or
forgotten is no edge's far end, and so is not walked through. Circles end by themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from mnemopi.model.graph import Edge, Step

Around: TypeAlias = Callable[[Sequence[str]], Sequence[Edge]]


def related(start: str, around: Around, max_hops: int, limit: int) -> list[Step]:
    """Return what lies within `max_hops` of a memory, the fewest hops first, then the strongest; `limit` at most."""
    found: list[Step] = []
    for level in _levels(start, around, max_hops):
        found += level
        if len(found) >= limit:
            break
    return found[:limit]


def path(start: str, end: str, around: Around, max_hops: int) -> Step | None:
    """Return the strongest of the shortest ways between two memories; None where there is none within `max_hops`."""
    if start == end:
        return Step(start, 0, 1.0, ())
    for level in _levels(start, around, max_hops):
        for step in level:
            if step.id == end:
                return step
    return None


def _levels(start: str, around: Around, max_hops: int) -> Iterator[list[Step]]:
    """Yield what is one hop away, two, and so on: each memory once, by its strongest way of that many hops."""
    seen = {start}
    level = {start: Step(start, 0, 1.0, ())}
    for _ in range(max_hops):
        following: dict[str, Step] = {}
        for edge in around(list(level)):
            for near in {edge.source, edge.target} & level.keys():
                far = edge.other(near)
                if far not in seen:
                    _take(following, _stepped(level[near], edge, far))
        if not following:
            return
        seen |= following.keys()
        level = following
        yield sorted(following.values(), key=lambda step: (-step.weight, step.id))


def _stepped(step: Step, edge: Edge, far: str) -> Step:
    return Step(far, step.hops + 1, step.weight * edge.weight, (*step.path, edge))


def _take(following: dict[str, Step], step: Step) -> None:
    """Keep the stronger of two ways; of equal ones the first by its memories, so that it is always the same."""
    known = following.get(step.id)
    if known is None or (-step.weight, _way(step)) < (-known.weight, _way(known)):
        following[step.id] = step


def _way(step: Step) -> tuple[tuple[str, str, str], ...]:
    return tuple((edge.source, edge.target, edge.type) for edge in step.path)
