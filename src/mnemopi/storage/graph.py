"""Annotations and edges in the database.

What a caller may not see, or what is not valid, is left out within each statement: `asked` are always the parameters
of a filter (`filters.parameters`). Nothing here decides what is linked.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, TypeAlias

from mnemopi.model.graph import RULE, Annotation, Edge, Named
from mnemopi.model.memory import Memory
from mnemopi.ports import Connection, Row, Value
from mnemopi.storage import written
from mnemopi.storage.queries import Queries
from mnemopi.storage.rows import from_row

Asked: TypeAlias = Mapping[str, Value]
COMMON: Final = 1000
"""From so many mentions on something is mentioned everywhere, and finds nothing."""


class Graph:
    """The annotations and edges of one bank."""

    def __init__(self, connection: Connection, bank: str, sql: Queries) -> None:
        self._connection, self._bank, self._sql = connection, bank, sql

    # -- annotations; the caller holds the transaction where it writes

    def remark(self, annotations: Iterable[Annotation]) -> None:
        """Keep derived annotations, unless the same is said already."""
        rows = [written.of_annotation(self._bank, annotation) for annotation in annotations]
        self._connection.execute_many(self._sql.put_annotation, rows)

    def forget_remarks(self) -> None:
        """Erase all derived annotations."""
        self._execute(self._sql.erase_remarks, {"source": RULE})

    def annotate(self, annotations: Iterable[Annotation]) -> None:
        """Keep given annotations; they take the place of derived ones that say the same."""
        rows = [written.of_annotation(self._bank, annotation) for annotation in annotations]
        self._connection.execute_many(self._sql.give_annotation, rows)

    def unannotate(self, memory: str, kind: str, keys: Iterable[str]) -> int:
        """Take annotations away; return how many."""
        whose: dict[str, Value] = {"memory": memory, "kind": kind}
        return sum(self._execute(self._sql.drop_annotation, whose | {"value_key": key}) for key in keys)

    def annotations(self, memory: str, kind: str | None = None) -> list[Annotation]:
        """Return the annotations of a memory by kind and value, each once."""
        rows = self._all(self._sql.annotations_of, {"memory": memory, "kind": kind})
        return list({(row[1], row[2]): Annotation(*row) for row in rows}.values())

    def mentions(self, memories: Iterable[str]) -> dict[str, set[str]]:
        """Return the keys of what each memory mentions."""
        found: dict[str, set[str]] = {}
        for memory, key in self._all(self._sql.mentions_of, {"ids": json.dumps(list(memories))}):
            found.setdefault(memory, set()).add(key)
        return found

    def mention_counts(self, keys: Iterable[str]) -> dict[str, int]:
        """Return how often each key is mentioned, counted up to COMMON; those that are never are left out."""
        rows = self._all(self._sql.mention_counts, {"keys": json.dumps(list(keys)), "most": COMMON})
        return {key: count for key, count in rows if count}

    def mentioning(self, keys: Iterable[str], asked: Asked, limit: int) -> list[tuple[int, str]]:
        """Return (row key, key) of admitted memories that mention a key, the latest first."""
        return [
            (row[0], row[1])
            for row in self._all(self._sql.mentioning, {**asked, "keys": json.dumps(list(keys)), "limit": limit})
        ]

    def aliases(self, keys: Iterable[str], asked: Asked) -> list[tuple[str, str, str]]:
        """Return (key, the other's key, as told) of what admitted memories say is one thing."""
        rows = self._all(self._sql.aliases_of, {**asked, "keys": json.dumps(list(keys))})
        return [(row[0], row[1], row[2]) for row in rows]

    def entities(self, asked: Asked, limit: int) -> list[Named]:
        """Return what admitted memories mention, the most mentioned first."""
        return [Named(row[1], row[0], row[2]) for row in self._all(self._sql.all_entities, {**asked, "limit": limit})]

    # -- edges; the caller holds the transaction where it writes

    def link(self, edges: Iterable[Edge]) -> None:
        """Keep edges; a given one takes the place of a derived one, never the other way round."""
        self._connection.execute_many(self._sql.put_edge, [written.of_edge(self._bank, edge) for edge in edges])

    def unlink(self, source: str, target: str, type: str | None) -> int:
        """Take the edges between two memories away, in both directions; return how many."""
        return self._execute(self._sql.drop_edge, {"source": source, "target": target, "type": type})

    def around(self, ids: Sequence[str], asked: Asked, types: Sequence[str] | None, least: float) -> list[Edge]:
        """Return edges that begin or end at given memories and whose far end is admitted."""
        wanted = {"ids": json.dumps(list(ids)), "types": None if types is None else json.dumps(list(types))}
        return [Edge(*row) for row in self._all(self._sql.edges_around, {**asked, **wanted, "least": least})]

    def neighbours(self, rowkeys: Iterable[int], asked: Asked, least: float) -> list[tuple[int, float]]:
        """Return (row key, weight) of admitted memories one edge away from given versions, the strongest first."""
        wanted: dict[str, Value] = {"rowkeys": json.dumps(list(rowkeys)), "least": least}
        best: dict[int, float] = {}
        for rowkey, weight in self._all(self._sql.neighbours, {**asked, **wanted}):
            best[rowkey] = max(weight, best.get(rowkey, 0.0))
        return sorted(best.items(), key=lambda pair: (-pair[1], pair[0]))

    def degrees(self, ids: Iterable[str]) -> dict[str, int]:
        """Return how many edges begin or end at each memory."""
        rows = self._all(self._sql.degrees, {"ids": json.dumps(list(ids))})
        return {row[0]: row[1] + row[2] for row in rows}

    def derived_from(self, memory: str) -> int:
        """Return how many edges a rule drew from a memory to others."""
        return int(self._all(self._sql.count_derived_edges, {"memory": memory})[0][0])

    def counts(self) -> tuple[int, int]:
        """Return how many annotations and edges there are."""
        annotations, edges = self._all(self._sql.count_ties, {})[0]
        return int(annotations), int(edges)

    def loose(self) -> tuple[int, int]:
        """Return how many annotations have lost their memory, and edges one of theirs."""
        annotations, edges = self._all(self._sql.loose_ties, {})[0]
        return int(annotations), int(edges)

    def knows_type(self, type: str) -> bool:
        """Whether there is an edge of a type."""
        return bool(self._all(self._sql.has_edge_type, {"type": type}))

    # -- the memories at the ends

    def memories(self, ids: Iterable[str], asked: Asked) -> dict[str, Memory]:
        """Return admitted memories by id."""
        rows = self._all(self._sql.admitted_by_id, {**asked, "ids": json.dumps(list(ids))})
        return {memory.id: memory for memory in map(from_row, rows)}

    def _execute(self, sql: str, parameters: Mapping[str, Value]) -> int:
        return self._connection.execute(sql, {**parameters, "bank": self._bank})

    def _all(self, sql: str, parameters: Asked) -> list[Row]:
        return self._connection.all(sql, {**parameters, "bank": self._bank})
