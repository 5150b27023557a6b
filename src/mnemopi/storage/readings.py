"""What a language model is to read: a row for each memory of which somebody wished it, with how far that came.

The rows are the queue: written with the memory, worked off by `ingest.extract`, and erased with it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from mnemopi.model.memory import Memory
from mnemopi.model.values import dataclass
from mnemopi.ports import Connection, Row, Value
from mnemopi.storage.queries import Queries
from mnemopi.storage.rows import from_row

TRIES: Final = 3
"""How often a reading may fail before the memory is given up."""


@dataclass(frozen=True, slots=True)
class Unread:
    """A memory that waits: `said` is the part of it to be read (None: all), `reached` how far that was read."""

    memory: Memory
    said: str | None
    reached: int
    tries: int


class Readings:
    """What waits to be read in one bank. Whoever writes holds the transaction."""

    def __init__(self, connection: Connection, bank: str, sql: Queries) -> None:
        self._connection, self._bank, self._sql = connection, bank, sql

    def want(self, wanted: Iterable[tuple[str, str | None]], at: int) -> None:
        """Let memories wait to be read, each with the part that is to be read (None: all); what was read stays so."""
        rows: list[dict[str, Value]] = [
            {"bank": self._bank, "memory": memory, "said": said, "due": at} for memory, said in wanted
        ]
        self._connection.execute_many(self._sql.want_reading, rows)

    def next(self, at: int) -> Unread | None:
        """Return what is to be read first at a moment (UTC ms), None where nothing is due."""
        rows = self._all(self._sql.next_reading, {"at": at, "tries": TRIES})
        if not rows:
            return None
        said, reached, tries = rows[0][:3]
        return Unread(from_row(rows[0][3:]), said, reached, tries)

    def counts(self, at: int) -> tuple[int, int, int]:
        """Return how many memories wait, were given up, and were read."""
        row = self._all(self._sql.count_readings, {"at": at, "tries": TRIES})[0]
        return int(row[0]), int(row[1]), int(row[2])

    def reach(self, memory: str, start: int, stop: int) -> bool:
        """Note that a memory was read from a place to another (characters); False where it was not read up to there."""
        return self._execute(self._sql.reach_reading, {"memory": memory, "start": start, "stop": stop}) > 0

    def end(self, memory: Memory, place: int, mark: str) -> bool:
        """Note that a version was read to its end, and by which extractor; False where it was not read up to there."""
        row: dict[str, Value] = {"memory": memory.id, "version": memory.version, "reached": place, "mark": mark}
        return self._execute(self._sql.end_reading, row) > 0

    def fail(self, memory: str, due: int) -> None:
        """Note that a reading failed, and when it may be tried again (UTC ms)."""
        self._execute(self._sql.fail_reading, {"memory": memory, "due": due})

    def again(self, memory: str, at: int) -> None:
        """Let a memory be read once more: its text, or whether it holds, has changed."""
        self._execute(self._sql.drop_part, {"memory": memory})
        self._execute(self._sql.reread_memory, {"memory": memory, "due": at})

    def read_by_others(self, mark: str) -> int:
        """Let what another extractor read be read anew; return how much that is."""
        return self._execute(self._sql.reread, {"mark": mark})

    def erase(self, memory: str) -> None:
        """Forget that a memory was, or is to be, read."""
        self._execute(self._sql.erase_reading, {"memory": memory})

    def _execute(self, sql: str, parameters: dict[str, Value]) -> int:
        return self._connection.execute(sql, parameters | {"bank": self._bank})

    def _all(self, sql: str, parameters: dict[str, Value]) -> list[Row]:
        return self._connection.all(sql, parameters | {"bank": self._bank})
