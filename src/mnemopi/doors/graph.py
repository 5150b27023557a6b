"""The door to what ties memories together: annotations, edges, walks.

All is seen through what the caller may see: an edge shows where both its ends do. What a person gives stays over
updates of the memory; what rules derive is made again; both go when the memory is forgotten.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any, Final

from mnemopi.errors import UsageError
from mnemopi.ingest import annotate as annotating
from mnemopi.ingest import draft as drafts
from mnemopi.ingest import edits
from mnemopi.ingest.prepare import Gate
from mnemopi.knowledge import graph
from mnemopi.model import numbers
from mnemopi.model.graph import KINDS, SAME, TYPES, Annotation, Edge, Named, Related, Step
from mnemopi.model.memory import Event, Identity, Memory
from mnemopi.model.query import Filter
from mnemopi.model.values import dataclass
from mnemopi.ports import Clock, Value
from mnemopi.storage import filters
from mnemopi.storage.graph import COMMON
from mnemopi.storage.store import Store
from mnemopi.text import dates, redact

LONGEST: Final = 500
"""Characters of a value or of evidence."""
MOST_HOPS: Final = 20
_WORD = re.compile(r"[^\W\d]\w{0,39}")
_BATCH: Final = 400


@dataclass(frozen=True, slots=True)
class GraphDoor:
    """The annotations and edges of one bank, seen by one identity."""

    store: Store
    who: Identity
    clock: Clock
    gate: Gate

    # -- edges

    def link(
        self,
        source: str,
        target: str,
        type: str = "related_to",
        weight: float = 1.0,
        *,
        evidence: str | None = None,
    ) -> Edge:
        """Link one memory to another. A link of the same type between them is replaced.

        `type` is one of related_to, references, contradicts, supersedes, caused_by, follows, or a word of your own;
        `weight` is 0 to 1. It hides nothing: `invalidate` does. Raises NotFoundError, UsageError.
        """
        kind, strength = _word(type, "type"), _share(weight, "weight")
        told = "" if evidence is None else self._clean(evidence, "evidence")
        now = self.clock()
        with self.store.transaction():
            one, other = self._memory(source), self._memory(target)
            if one.id == other.id:
                raise UsageError(f"memory {one.id} cannot be linked to itself", hint="name another one")
            edge = Edge(one.id, other.id, kind, strength, told, at=now)
            self.store.graph.link([edge])
            self._log(now, "linked", one, f"{kind} {other.id}")
        return edge

    def unlink(self, source: str, target: str, type: str | None = None) -> int:
        """Take the links between two memories away, in either direction; return how many. Raises NotFoundError."""
        kind = None if type is None else _word(type, "type")
        now = self.clock()
        with self.store.transaction():
            one, other = self._memory(source), self._memory(target)
            count = self.store.graph.unlink(one.id, other.id, kind)
            if count:
                self._log(now, "unlinked", one, f"{kind or 'all'} {other.id}")
        return count

    def edges(self, id: str) -> list[Edge]:
        """Return the links of a memory, the strongest first. Raises NotFoundError."""
        found = self._around([self._memory(id).id], None, 0.0)
        return sorted(found, key=lambda edge: (-edge.weight, edge.source, edge.target, edge.type))

    def related(
        self,
        id: str,
        max_hops: int = 2,
        types: Sequence[str] | str | None = None,
        min_weight: float = 0.0,
        limit: int = 50,
    ) -> list[Related]:
        """Return the memories around one, the fewest hops first, then the strongest way.

        Edges are walked in both directions; `types` and `min_weight` say which. What is not valid is not walked
        through. Raises NotFoundError, and UsageError for a type that nothing has.
        """
        hops, most = numbers.whole(max_hops, "max_hops", 1, MOST_HOPS), numbers.whole(limit, "limit")
        wanted, least = self._types(types), _share(min_weight, "min_weight")
        start = self._memory(id)
        steps = graph.related(start.id, lambda ids: self._around(ids, wanted, least), hops, most)
        return self._shown(steps)

    def path(self, start: str, end: str, max_hops: int = 6) -> list[Related]:
        """Return the strongest of the shortest ways between two memories, both ends in it; empty where there is none.

        Raises NotFoundError and UsageError.
        """
        hops = numbers.whole(max_hops, "max_hops", 1, MOST_HOPS)
        one, other = self._memory(start), self._memory(end)
        found = graph.path(one.id, other.id, lambda ids: self._around(ids, None, 0.0), hops)
        if found is None:
            return []
        steps, here, weight = [Step(one.id, 0, 1.0, ())], one.id, 1.0
        for place, edge in enumerate(found.path, 1):
            here, weight = edge.other(here), weight * edge.weight
            steps.append(Step(here, place, weight, found.path[:place]))
        return self._shown(steps)

    # -- annotations

    def annotations(self, id: str, kind: str | None = None) -> list[Annotation]:
        """Return what is said of a memory in a word or two: whom it mentions, other names, when it happened ..."""
        memory = self._memory(id)
        wanted = None if kind is None else _word(kind, "kind")
        annotating.catch_up(self.store)
        return self.store.graph.annotations(memory.id, wanted)

    def annotate(self, id: str, kind: str, value: str, confidence: float = 1.0) -> Annotation:
        """Say something of a memory. `kind` is mentions, alias (`A = B`), occurred_on, has_source, or a word.

        It stays when the memory is updated. Raises NotFoundError, UsageError.
        """
        kind, value = _word(kind, "kind"), self._value(kind, value)
        sure, now = _share(confidence, "confidence"), self.clock()
        source = self.who.author_id or "person"
        with self.store.transaction():
            memory = self._memory(id)
            made = [Annotation(memory.id, kind, value, key, source, sure, now) for key in _keyed(kind, value)]
            self.store.graph.annotate(made)
            self._log(now, "annotated", memory, kind)
        return made[0]

    def unannotate(self, id: str, kind: str, value: str) -> bool:
        """Take back what is said of a memory; False where it was not said. What rules read comes again on update."""
        kind, value = _word(kind, "kind"), self._value(kind, value)
        now = self.clock()
        with self.store.transaction():
            memory = self._memory(id)
            count = self.store.graph.unannotate(memory.id, kind, _keyed(kind, value))
            if count:
                self._log(now, "unannotated", memory, kind)
        return count > 0

    def entities(self, limit: int = 50) -> list[Named]:
        """Return what the bank's memories mention, the most mentioned first."""
        most = numbers.whole(limit, "limit")
        annotating.catch_up(self.store)
        found = self.store.graph.entities(self._asked(), most)
        aliases = self._aliases([each.key for each in found])
        return [Named(each.name, each.key, each.count, aliases.get(each.key, ())) for each in found]

    def mentioning(self, name: str, limit: int = 50) -> list[Memory]:
        """Return the memories that mention something under any of its names, the latest first."""
        most = numbers.whole(limit, "limit")
        keys = _keyed("mentions", self._clean(name, "name"))
        annotating.catch_up(self.store)
        asked = self._asked()
        keys += [other for _, other, _ in self.store.graph.aliases(keys, asked)]
        rows = list(dict.fromkeys(row for row, _ in self.store.graph.mentioning(keys, asked, max(most, COMMON))))[:most]
        memories = self.store.memories.get(rows)
        return [memories[row] for row in rows]

    def aliases(self, name: str) -> list[str]:
        """Return what something is called besides, as memories say."""
        keys = _keyed("mentions", self._clean(name, "name"))
        annotating.catch_up(self.store)
        return list(self._aliases(keys).get(keys[0], ()))

    # -- within

    def _memory(self, id: str) -> Memory:
        return edits.found(self.store, id, self.who)

    def _asked(self) -> dict[str, Value]:
        return filters.parameters(self.store.bank, Filter(identity=self.who), self.clock())

    def _around(self, ids: Sequence[str], types: Sequence[str] | None, least: float) -> list[Edge]:
        asked, found = self._asked(), []
        for first in range(0, len(ids), _BATCH):
            found += self.store.graph.around(ids[first : first + _BATCH], asked, types, least)
        return list(dict.fromkeys(found))

    def _shown(self, steps: Sequence[Step]) -> list[Related]:
        memories: dict[str, Memory] = {}
        for first in range(0, len(steps), _BATCH):
            ids = [step.id for step in steps[first : first + _BATCH]]
            memories |= self.store.graph.memories(ids, self._asked())
        if steps and steps[0].hops == 0 and steps[0].id not in memories:  # a way may begin at what is not valid
            memories[steps[0].id] = self._memory(steps[0].id)
        return [Related(memories[step.id], step) for step in steps if step.id in memories]

    def _aliases(self, keys: Sequence[str]) -> dict[str, tuple[str, ...]]:
        found: dict[str, dict[str, str]] = {}
        for key, other, told in self.store.graph.aliases(keys, self._asked()):
            names = [name for name in told.split(SAME) if _keyed("mentions", name)[0] == other]
            found.setdefault(key, {})[other] = names[0] if names else other
        return {key: tuple(names.values()) for key, names in found.items()}

    def _types(self, given: Sequence[str] | str | None) -> list[str] | None:
        if given is None:
            return None
        wanted = [_word(each, "type") for each in ([given] if isinstance(given, str) else given)]
        for type in wanted:
            if type not in TYPES and not self.store.graph.knows_type(type):
                raise UsageError(f"nothing is linked by {type!r:.60}", hint=f"known: {', '.join(TYPES)}")
        if not wanted:
            raise UsageError("types is empty", hint="leave it out to walk along all")
        return wanted

    def _value(self, kind: str, value: object) -> str:
        told = self._clean(value, "value")
        if kind == "alias" and not all(part.strip() for part in (told.partition(SAME)[0], told.partition(SAME)[2])):
            raise UsageError("an alias names two", hint="such as `Kubernetes = K8s`")
        if kind == "occurred_on":
            dates.parse(told.partition("/")[0])
        return told

    def _clean(self, value: object, what: str) -> str:
        return redact.redact(drafts.text(value, what, LONGEST), self.gate.redact).text.strip()

    def _log(self, now: int, verb: str, memory: Memory, reason: str) -> None:
        self.store.journal.append([Event(now, verb, memory.id, memory.version, self.who.author_id, reason)])


def _keyed(kind: str, value: str) -> list[str]:
    from mnemopi.text import remarks  # noqa: PLC0415 -- many patterns, which no recall needs

    return remarks.keyed(kind, value)


def _word(value: object, what: str) -> str:
    known = TYPES if what == "type" else KINDS
    word = value.strip().lower().replace("-", "_").replace(" ", "_") if isinstance(value, str) else ""
    if not _WORD.fullmatch(word):
        raise UsageError(f"{what} is a word, not {value!r:.60}", hint=f"such as {', '.join(known)}")
    return word


def _share(value: Any, what: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value) or not 0 <= value <= 1:
        raise UsageError(f"{what} is a number from 0 to 1, not {value!r:.60}")
    return float(value)
