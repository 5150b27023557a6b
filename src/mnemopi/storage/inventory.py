"""A bank as a whole: what is read to move, count and check it. Page by page, since a bank may be large.

Pages go on after the last thing seen, so that each statement starts at an index. Nothing here writes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from itertools import groupby
from operator import attrgetter
from typing import Any

from mnemopi.model.fact import Statement
from mnemopi.model.graph import Annotation, Edge
from mnemopi.model.memory import Event, Memory, Occurrence
from mnemopi.model.note import Note
from mnemopi.ports import Connection, Row
from mnemopi.storage.facts import Facts
from mnemopi.storage.notes import Notes
from mnemopi.storage.queries import Queries
from mnemopi.storage.rows import from_row


class Inventory:
    """Pages and counts of one bank."""

    def __init__(self, connection: Connection, bank: str, sql: Queries) -> None:
        self._connection, self._bank, self._sql = connection, bank, sql

    # -- pages

    def memories(self, after: int, limit: int) -> list[list[Memory]]:
        """Return up to `limit` memories, each as all its versions, by first row key, after a row key."""
        return list(_groups(self._all(self._sql.whole_memories, {"after": after, "limit": limit})))

    def occurrences(self, after: tuple[str, int], limit: int) -> list[tuple[Occurrence, int]]:
        """Return (occurrence, its number within the memory) in a fixed order, after (id, number)."""
        asked = {"after_id": after[0], "after_seq": after[1], "limit": limit}
        return [(Occurrence(*row[:6]), row[6]) for row in self._all(self._sql.all_occurrences, asked)]

    def recalled(self, after: str, limit: int) -> list[tuple[str, int, int]]:
        """Return (id, count, last moment in UTC ms) of what was handed out, in a fixed order, after an id."""
        rows = self._all(self._sql.all_recalled, {"after_id": after, "limit": limit})
        return [(row[0], row[1], row[2]) for row in rows]

    def tombstones(self, after: str, limit: int) -> list[tuple[str, int]]:
        """Return (id, moment in UTC ms) of what was forgotten, in a fixed order, after an id."""
        return [(row[0], row[1]) for row in self._all(self._sql.tombstones, {"after_id": after, "limit": limit})]

    def citations(self, after: tuple[str, str], limit: int) -> list[tuple[str, str, int]]:
        """Return (episode, memory, version) of what episodes sum up in a fixed order, after (episode, memory)."""
        asked = {"after_episode": after[0], "after_memory": after[1], "limit": limit}
        return [(row[0], row[1], row[2]) for row in self._all(self._sql.all_citations, asked)]

    def statements(self, after: int, limit: int) -> list[Statement]:
        """Return what was stated, in the order in which it came, after a row key."""
        return Facts(self._connection, self._bank, self._sql).page(after, limit)

    def annotations(self, after: tuple[str, str, str], limit: int) -> list[Annotation]:
        """Return what was given to say of memories in a fixed order, after (memory, kind, key)."""
        asked = {"after_memory": after[0], "after_kind": after[1], "after_key": after[2], "limit": limit}
        return [Annotation(*row) for row in self._all(self._sql.given_annotations, asked)]

    def edges(self, after: tuple[str, str, str], limit: int) -> list[Edge]:
        """Return the links that were given in a fixed order, after (source, target, type)."""
        asked = {"after_source": after[0], "after_target": after[1], "after_type": after[2], "limit": limit}
        return [Edge(*row) for row in self._all(self._sql.given_edges, asked)]

    def unclaimed(self, after: int, limit: int) -> list[tuple[int, str, str | None]]:
        """Return (place in the queue, memory, part) of what rules have yet to read, after a place."""
        rows = self._all(self._sql.all_unclaimed, {"after": after, "limit": limit})
        return [(row[0], row[1], row[2]) for row in rows]

    def readings(self, after: str, limit: int) -> list[tuple[str, str | None, int]]:
        """Return (memory, part, place) of what a language model has yet to read in a fixed order, after a memory."""
        rows = self._all(self._sql.waiting_readings, {"after": after, "limit": limit})
        return [(row[0], row[1], row[2]) for row in rows]

    def notes(self) -> list[Note]:
        """Return the notes of all scratchpads in a fixed order: a session keeps few."""
        return Notes(self._connection, self._bank, self._sql).all()

    def events(self, after: tuple[str, int], limit: int) -> list[Event]:
        """Return the journal in a fixed order, after (writer, number); the first is after ("", 0)."""
        asked = {"after_writer": after[0], "after_seq": after[1], "limit": limit}
        return [Event(*row) for row in self._all(self._sql.events, asked)]

    # -- given ids

    def versions(self, ids: Iterable[str]) -> dict[str, list[Memory]]:
        """Return all versions of given memories by id, the oldest first; unknown ids are left out."""
        rows = self._all(self._sql.versions_of, {"ids": json.dumps(list(ids))})
        return {group[0].id: group for group in _groups(rows)}

    def put_after(self, ids: Iterable[str], rowkey: int) -> set[str]:
        """Return those of given ids that have a version after a row key."""
        return {row[0] for row in self._all(self._sql.put_after, {"ids": json.dumps(list(ids)), "after": rowkey})}

    def buried(self, ids: Iterable[str]) -> set[str]:
        """Return those of given ids that were forgotten."""
        return set(self.marks(ids))

    def marks(self, ids: Iterable[str]) -> dict[str, int]:
        """Return when (UTC ms) those of given ids were forgotten that were."""
        return dict(self._all(self._sql.buried_of, {"ids": json.dumps(list(ids))}))

    # -- counts

    def ever(self) -> int:
        """Return how many memories were ever there, forgotten ones included: a number that never falls."""
        return int(self._all(self._sql.count_ever)[0][0])

    def contents(self) -> tuple[int, ...]:
        """Return the numbers of what an export holds, in the order of `count_export`; no events `loaded`."""
        return tuple(self._all(self._sql.count_export)[0])

    def tiers(self) -> dict[str, tuple[int, int]]:
        """Return (number, latest timestamp in UTC ms) of the versions in force by tier."""
        return {row[0]: (row[1], row[2]) for row in self._all(self._sql.count_memories)}

    def sources(self) -> dict[str, int]:
        """Return the number of versions in force by source."""
        return dict(self._all(self._sql.count_sources))

    def states(self, at: int) -> tuple[int, ...]:
        """Return the numbers of live, retired, invalid versions, of sessions, of pinned and global memories."""
        return tuple(self._all(self._sql.count_states, {"at": at})[0][:6])

    def forgotten(self) -> int:
        """Return how many tombstones there are."""
        return int(self._all(self._sql.count_tombstones)[0][0])

    def rows(self) -> dict[str, int]:
        """Return the number of rows of each table that only what somebody does may change."""
        return dict(self._connection.all(self._sql.count_rows))

    def search_rows(self) -> tuple[int, int, int]:
        """Return how many versions are indexed, search rows without a version, versions without a search row."""
        indexed, stray, missing = self._connection.all(self._sql.count_search)[0]
        return indexed, stray, missing

    def orphans(self) -> tuple[int, int, int, int]:
        """Return how many vectors, passages, occurrences and recall counts have lost their memory."""
        vectors, passages, occurrences, recalls = self._all(self._sql.orphans)[0]
        return vectors, passages, occurrences, recalls

    def _all(self, sql: str, parameters: dict[str, Any] | None = None) -> list[Row]:
        return self._connection.all(sql, {"bank": self._bank, **(parameters or {})})


def _groups(rows: Iterable[Row]) -> Iterable[list[Memory]]:
    for _, versions in groupby(map(from_row, rows), attrgetter("id")):
        yield list(versions)
