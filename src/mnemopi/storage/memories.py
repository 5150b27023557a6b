"""Memories in the database: versions with their search rows and passages, put, found and erased together."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from mnemopi.model.graph import RULE
from mnemopi.model.interval import Interval
from mnemopi.model.memory import Identity, Memory, Occurrence
from mnemopi.model.values import dataclass
from mnemopi.ports import Connection, Row, Value
from mnemopi.storage import filters, written
from mnemopi.storage.queries import Queries
from mnemopi.storage.rows import from_row, note_hash, row_of


@dataclass(frozen=True, slots=True)
class Candidate:
    """What scoring needs of a memory: few fields, and the shadow text; of an episode its level of detail."""

    rowkey: int
    session_id: str
    position: int | None
    kind: str
    author_id: str | None
    importance: float
    veracity: str
    trust_tier: str
    timestamp: int
    event_start: int | None
    event_end: int | None
    pinned: int
    shadow: str
    detail: int | None = None


@dataclass(frozen=True, slots=True)
class Prepared:
    """A memory ready to be written, with what is derived from its text: shadow text and passage spans."""

    memory: Memory
    shadow: str
    passages: Sequence[tuple[int, int]] = ()


class Memories:
    """The memories of one bank."""

    def __init__(self, connection: Connection, bank: str, sql: Queries) -> None:
        self._connection, self._bank, self._sql = connection, bank, sql

    # -- writing; the caller holds the transaction

    def put(self, prepared: Iterable[Prepared]) -> int:
        """Write new versions under the next row keys, in their order; return the last key."""
        key = self.last_rowkey()
        authors: set[str | None] = set()
        rows: list[dict[str, Value]] = []
        search: list[dict[str, Value]] = []
        passages: list[dict[str, Value]] = []
        for item in prepared:
            key += 1
            rows.append(row_of(self._bank, item.memory, key))
            search.append({"rowkey": key, "body": item.shadow})
            authors.add(item.memory.author_id)
            if item.passages:
                passages += self._passage_rows(item.passages, key)
        self._connection.execute_many(self._sql.put_memory, rows)
        self._connection.execute_many(self._sql.put_search, search)
        if passages:
            self._connection.execute_many(self._sql.put_passage, passages)
        for author in authors:
            if author:
                self._connection.execute(self._sql.know_author, {"bank": self._bank, "id": author})
        return key

    def succeed(self, old: Memory, new: Prepared, at: int, like: Memory | None = None) -> Memory:
        """Close a version and open the next. What hangs on an unchanged text (vectors, passages) is kept.

        `like` is an older version whose text the new one has again. A clock that went back does not make the next
        version older than the one before: at each moment one is in force.
        """
        like, at = like or old, max(at, old.recorded_at)
        memory = replace(new.memory, version=old.version + 1, recorded_at=at, retired_at=None)
        self._connection.execute(self._sql.retire_memory, {"bank": self._bank, "id": old.id, "at": at})
        self._connection.execute(self._sql.erase_annotations, {"bank": self._bank, "id": old.id, "source": RULE})
        if memory.searchable != old.searchable:
            self._connection.execute(self._sql.erase_edges, {"bank": self._bank, "memory": old.id, "origin": RULE})
        same = memory.searchable == like.searchable
        key = self.put([replace(new, memory=memory, passages=() if same else new.passages)])
        if same:
            keys: dict[str, Value] = {"bank": self._bank, "old": like.rowkey, "new": key}
            self._connection.execute(self._sql.copy_passages, keys)
            self._connection.execute(self._sql.copy_vectors, keys)
        return replace(memory, rowkey=key)

    def occur(self, occurrence: Occurrence) -> None:
        """Keep one more occurrence of a note."""
        self._connection.execute(self._sql.occur, written.of_occurrence(self._bank, occurrence))

    def erase(self, id: str, at: int, key: bytes) -> int:
        """Erase every version and all that hangs on it, and leave a tombstone; return how many versions went."""
        import hashlib  # noqa: PLC0415 -- a library of ciphers, which no recall needs
        import hmac  # noqa: PLC0415

        versions = self.drop(id)
        self._connection.execute(self._sql.erase_annotations, {"bank": self._bank, "id": id, "source": None})
        self._connection.execute(self._sql.erase_edges, {"bank": self._bank, "memory": id, "origin": None})
        mark = hmac.new(key, versions[-1].content.encode(), hashlib.sha256).digest() if versions else None
        self._connection.execute(self._sql.bury, {"bank": self._bank, "id": id, "hash": mark, "at": at})
        return len(versions)

    def drop(self, id: str) -> list[Memory]:
        """Erase every version and all that hangs on it, without a tombstone; return what went."""
        versions = self.versions(id)
        for memory in versions:
            row: dict[str, Value] = {"bank": self._bank, "rowkey": memory.rowkey}
            self._connection.execute(self._sql.erase_search, {"rowkey": memory.rowkey})
            self._connection.execute(self._sql.erase_passages, row)
            if self._connection.execute(self._sql.erase_vectors, row):
                self._connection.execute(self._sql.mark_erased, row)
        whose: dict[str, Value] = {"bank": self._bank, "id": id}
        self._connection.execute(self._sql.erase_annotations, whose | {"source": RULE})
        for statement in (self._sql.erase_occurrences, self._sql.erase_recalled, self._sql.erase_memory):
            self._connection.execute(statement, whose)
        for author in {memory.author_id for memory in versions if memory.author_id}:
            self._connection.execute(self._sql.drop_author, {"bank": self._bank, "id": author})
        return versions

    def count_recalls(self, counts: Mapping[str, tuple[int, int]]) -> None:
        """Add to the recall counts (id to number and last moment, UTC ms)."""
        rows: list[dict[str, Value]] = [
            {"bank": self._bank, "id": id, "count": count, "last": last} for id, (count, last) in counts.items()
        ]
        with self._connection.transaction():
            self._connection.execute_many(self._sql.count_recall, rows)

    def bury(self, id: str, at: int) -> None:
        """Leave the tombstone of what was forgotten elsewhere, or is no memory."""
        self._connection.execute(self._sql.bury, {"bank": self._bank, "id": id, "hash": None, "at": at})

    # -- reading single memories

    def current(self, id: str, who: Identity) -> Memory | None:
        """Return the version in force, where the caller may see it."""
        return self._one(self._sql.current, {"id": id} | filters.identity(who))

    def version(self, id: str, who: Identity, *, number: int | None, as_of: int | None) -> Memory | None:
        """Return a numbered version, or the one in force at a moment (UTC ms)."""
        return self._one(self._sql.version_at, {"id": id, "version": number, "as_of": as_of} | filters.identity(who))

    def versions(self, id: str) -> list[Memory]:
        """Return all versions, the oldest first."""
        return self._memories(self._sql.versions, {"id": id})

    def note_like(self, memory: Memory) -> Memory | None:
        """Return the note in force that this one merges with: same text, scope, author and kind."""
        return self._one(self._sql.note_like, {"hash": note_hash(memory), "content": memory.content})

    def turn_like(self, memory: Memory, who: Identity) -> Memory | None:
        """Return the turn in force that a host knows by this one's external id, where the caller may see it."""
        asked: dict[str, Value] = {"session_id": memory.session_id, "external_id": memory.external_id}
        return self._one(self._sql.turn_like, asked | {"scope": memory.scope} | filters.identity(who))

    def external_between(self, first: str, last: str) -> list[Memory]:
        """Return the versions in force whose external ids lie from `first` to before `last`."""
        return self._memories(self._sql.external_between, {"first": first, "last": last})

    def last_position(self, session_id: str) -> int:
        """Return the highest position of a session, -1 where it is empty."""
        found = self._all(self._sql.last_position, {"session_id": session_id})[0][0]
        return -1 if found is None else int(found)

    def is_taken(self, id: str) -> bool:
        """Say whether an id belongs to a memory, live or forgotten."""
        return bool(self._all(self._sql.reserve_id, {"id": id}))

    def is_buried(self, id: str) -> bool:
        """Say whether a memory by that id was forgotten."""
        return bool(self._all(self._sql.buried, {"id": id}))

    def occurrences(self, id: str) -> list[Occurrence]:
        """Return the further times that a note was stated."""
        return [Occurrence(*row) for row in self._all(self._sql.occurrences, {"id": id})]

    def recall_count(self, id: str) -> tuple[int, int | None]:
        """Return how often a memory was handed out, and when last (UTC ms)."""
        rows = self._all(self._sql.recall_count, {"id": id})
        return rows[0] if rows else (0, None)

    # -- finding

    def lexical(self, match: str, asked: dict[str, Value], limit: int) -> list[tuple[int, float]]:
        """Return (row key, rank) of admitted versions that match, the best first; lower ranks are better."""
        return self._found(self._sql.lexical, asked | {"match": match, "limit": limit})

    def within(self, when: Interval, asked: dict[str, Value], limit: int) -> list[int]:
        """Return row keys of admitted versions that happened, or else were said, in the interval."""
        span: dict[str, Value] = {"asked_start": when.start, "asked_end": when.end, "near": when.bound, "limit": limit}
        rows = self._connection.all(self._sql.temporal, asked | span)
        rows += self._connection.all(self._sql.said_within, asked | span)
        return list(dict.fromkeys(int(row[0]) for row in rows))[:limit]

    def latest(self, asked: dict[str, Value], limit: int) -> list[int]:
        """Return the row keys of the latest admitted versions."""
        return [row[0] for row in self._connection.all(self._sql.latest, asked | {"limit": limit})]

    def admitted(self, asked: dict[str, Value], limit: int) -> list[int]:
        """Return up to `limit` row keys that a filter admits."""
        return [row[0] for row in self._connection.all(self._sql.admitted_rows, asked | {"limit": limit})]

    def admitted_among(self, rowkeys: Iterable[int], asked: dict[str, Value]) -> set[int]:
        """Return those of given row keys that a filter admits."""
        rows = self._connection.all(self._sql.admitted_among, asked | {"rowkeys": json.dumps(list(rowkeys))})
        return {row[0] for row in rows}

    def admitted_of(self, ids: Iterable[str], asked: dict[str, Value]) -> dict[str, int]:
        """Return the row keys of those of given memories that a filter admits, by id."""
        rows = self._connection.all(self._sql.admitted_of, asked | {"ids": json.dumps(list(ids))})
        return {row[1]: row[0] for row in rows}

    def candidates(self, rowkeys: Iterable[int], asked: dict[str, Value]) -> list[Candidate]:
        """Return what scoring needs of those row keys that the filter admits."""
        rows = self._connection.all(self._sql.found, asked | {"rowkeys": json.dumps(list(rowkeys))})
        return [Candidate(*row) for row in rows]

    def places(self, places: Iterable[tuple[str, int, int]], asked: dict[str, Value]) -> list[Candidate]:
        """Return what stands in given stretches (session, first, last position), where the filter admits it."""
        rows = self._connection.all(self._sql.places, asked | {"places": json.dumps(list(places))})
        return [Candidate(*row) for row in rows]

    def get(self, rowkeys: Iterable[int]) -> dict[int, Memory]:
        """Return whole memories by row key."""
        rows = self._connection.all(self._sql.by_rowkeys, {"rowkeys": json.dumps(list(rowkeys))})
        return {row[0]: from_row(row) for row in rows}

    def contents(self, rowkeys: Iterable[int]) -> dict[int, str]:
        """Return verbatim texts by row key."""
        return dict(self._connection.all(self._sql.contents, {"rowkeys": json.dumps(list(rowkeys))}))

    def frequencies(self, terms: Iterable[str]) -> dict[str, int]:
        """Return in how many versions each term occurs; terms that occur nowhere are left out."""
        return dict(self._connection.all(self._sql.frequencies, {"terms": json.dumps(list(terms))}))

    def authors(self) -> list[str]:
        """Return the authors known to the bank."""
        return [str(row[0]) for row in self._all(self._sql.known_authors, {})]

    def in_context(self, asked: dict[str, Value], limit: int) -> list[Memory]:
        """Return pinned memories, then the most important, then the latest."""
        return [from_row(row) for row in self._connection.all(self._sql.context_rows, asked | {"limit": limit})]

    def page(self, asked: dict[str, Value], after: int, limit: int) -> list[Memory]:
        """Return admitted memories in the order of their recording, after a row key."""
        rows = self._connection.all(self._sql.page, asked | {"after": after, "limit": limit})
        return [from_row(row) for row in rows]

    def searchable(self, after: int, limit: int) -> list[Row]:
        """Return (row key, kind, author, content, embed_text) of versions after a row key."""
        return self._all(self._sql.all_searchable, {"after": after, "limit": limit})

    def in_force_after(self, rowkey: int, limit: int) -> list[Memory]:
        """Return versions in force in the order of their row keys, after one."""
        return self._memories(self._sql.in_force_after, {"after": rowkey, "limit": limit})

    def reindex(self, rows: Iterable[tuple[int, str]]) -> None:
        """Give versions (by row key) another shadow text."""
        self._connection.execute_many(
            self._sql.change_search, ({"rowkey": rowkey, "body": shadow} for rowkey, shadow in rows)
        )

    def has_global(self) -> bool:
        """Say whether the bank holds memories that other banks may see."""
        return bool(self._all(self._sql.has_global, {}))

    def count(self) -> int:
        """Return the number of versions in force."""
        return int(self._all(self._sql.count_live, {})[0][0])

    def last_rowkey(self) -> int:
        """Return the last row key given out, 0 for none."""
        rows = self._connection.all(self._sql.next_rowkey)
        return int(rows[0][0]) if rows else 0

    def _passage_rows(self, spans: Sequence[tuple[int, int]], key: int) -> list[dict[str, Value]]:
        return [
            {"bank": self._bank, "rowkey": key, "number": number, "start": start, "stop": stop}
            for number, (start, stop) in enumerate(spans)
        ]

    def _found(self, sql: str, parameters: dict[str, Value]) -> list[tuple[int, float]]:
        return [(row[0], row[1]) for row in self._connection.all(sql, parameters)]

    def _all(self, sql: str, parameters: dict[str, Any]) -> list[Row]:
        return self._connection.all(sql, parameters | {"bank": self._bank})

    def _memories(self, sql: str, parameters: dict[str, Any]) -> list[Memory]:
        return [from_row(row) for row in self._all(sql, parameters)]

    def _one(self, sql: str, parameters: dict[str, Any]) -> Memory | None:
        rows = self._all(sql, parameters)
        return from_row(rows[0]) if rows else None
