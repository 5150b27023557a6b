"""Whose claims have yet to be read by rules: a row for each memory that was written with many others.

The rows are the queue: written with the memory, worked off by `ingest.unclaimed`, and erased with it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from mnemopi.model.memory import Memory
from mnemopi.model.values import dataclass
from mnemopi.ports import Connection, Row, Value
from mnemopi.storage.queries import Queries
from mnemopi.storage.rows import from_row

_ALL: Final = -1


@dataclass(frozen=True, slots=True)
class Unclaimed:
    """A memory that waits: `said` is the part of it to be read (None: all), `seq` its place in the queue."""

    memory: Memory
    said: str | None
    seq: int


class Waiting:
    """What waits in one bank. Whoever writes holds the transaction."""

    def __init__(self, connection: Connection, bank: str, sql: Queries) -> None:
        self._connection, self._bank, self._sql = connection, bank, sql

    def leave(self, memories: Iterable[tuple[str, str | None]]) -> None:
        """Let memories wait, each with the part that is to be read (None: all)."""
        rows: list[dict[str, Value]] = [
            {"bank": self._bank, "memory": memory, "said": said} for memory, said in memories
        ]
        self._connection.execute_many(self._sql.leave_unclaimed, rows)

    def count(self, most: int = _ALL) -> int:
        """Return how many memories wait, at most so many."""
        return int(self._all(self._sql.count_unclaimed, {"limit": most})[0][0])

    def next(self, limit: int) -> list[Unclaimed]:
        """Return the versions in force of those that wait longest."""
        return [_unclaimed(row) for row in self._all(self._sql.next_unclaimed, {"limit": limit})]

    def of(self, memory: str) -> list[Unclaimed]:
        """Return what of one memory waits."""
        return [_unclaimed(row) for row in self._all(self._sql.unclaimed_of, {"memory": memory})]

    def end(self, seq: int) -> None:
        """Note that all was read up to a place in the queue."""
        self._execute(self._sql.end_unclaimed, {"seq": seq})

    def erase(self, memory: str) -> None:
        """Forget that a memory waits."""
        self._execute(self._sql.erase_unclaimed, {"memory": memory})

    def _execute(self, sql: str, parameters: dict[str, Value]) -> int:
        return self._connection.execute(sql, parameters | {"bank": self._bank})

    def _all(self, sql: str, parameters: dict[str, Any]) -> list[Row]:
        return self._connection.all(sql, parameters | {"bank": self._bank})


def _unclaimed(row: Row) -> Unclaimed:
    return Unclaimed(from_row(row[2:]), row[1], row[0])
