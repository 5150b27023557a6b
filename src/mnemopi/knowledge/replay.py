"""From the statements of one slot, as they came and ceased to count, to every version of its facts: pure.

At each moment the facts are what `slots.derive` says of the statements that count then. A replay goes from moment to
moment and derives anew only from the stretch of valid time in which something changed: a slot that was told of a
thousand times is not derived a thousand times over.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TypeAlias

from mnemopi.knowledge import slots
from mnemopi.model.fact import Fact, Statement

_Facts: TypeAlias = dict[str, Fact]


def versions(statements: Iterable[Statement]) -> list[Fact]:
    """Return all versions of the facts of one slot, numbered and dated, in the order in which they were recorded."""
    slot = _Slot()
    found: list[Fact] = []
    known: dict[str, int] = {}
    last = Counter[str]()
    for moment, come, gone in _changes(statements):
        before, after = slot.change(come, gone)
        for id in [id for id, fact in before.items() if after.get(id) != fact]:
            place = known.pop(id)
            found[place] = replace(found[place], retired_at=moment)
        for fact in [fact for id, fact in after.items() if before.get(id) != fact]:
            last[fact.id] += 1
            known[fact.id] = len(found)
            found.append(replace(fact, version=last[fact.id], recorded_at=moment))
    return found


def _changes(statements: Iterable[Statement]) -> list[tuple[int, list[Statement], list[Statement]]]:
    """Return at which moments (UTC ms) statements came to count and ceased to, in order."""
    changes: defaultdict[int, tuple[list[Statement], list[Statement]]] = defaultdict(lambda: ([], []))
    for each in statements:
        if each.withdrawn_at is None or each.withdrawn_at > each.at:
            changes[each.at][0].append(each)
            if each.withdrawn_at is not None:
                changes[each.withdrawn_at][1].append(each)
    return [(moment, *changes[moment]) for moment in sorted(changes)]


class _Slot:
    """The statements of a slot that count, in order, and the stretches of facts that follow from them."""

    def __init__(self) -> None:
        self._ordered: list[Statement] = []
        self._keys: list[tuple[int | str, ...]] = []
        self._stretches: list[tuple[int, list[Fact]]] = []

    def change(self, come: Sequence[Statement], gone: Sequence[Statement]) -> tuple[_Facts, _Facts]:
        """Let statements come and go; return the facts that this may have changed, by id, before and after."""
        first = min([*map(self._remove, gone), *map(self._insert, come)])
        kept = max(bisect_left(self._stretches, first, key=lambda stretch: stretch[0]) - 1, 0)
        start = self._stretches[kept][0] if self._stretches else 0
        before = self._stretches[kept:]
        after = [(start + begins, facts) for begins, facts in slots.stretches(self._ordered[start:])]
        self._stretches[kept:] = after
        return _by_id(before), _by_id(after)

    def _insert(self, statement: Statement) -> int:
        key = slots.order(statement)
        place = bisect_right(self._keys, key)
        self._keys.insert(place, key)
        self._ordered.insert(place, statement)
        return place

    def _remove(self, statement: Statement) -> int:
        place = self._ordered.index(statement, bisect_left(self._keys, slots.order(statement)))
        del self._keys[place], self._ordered[place]
        return place


def _by_id(stretches: Iterable[tuple[int, list[Fact]]]) -> _Facts:
    return {fact.id: fact for _, facts in stretches for fact in facts}
