"""Vectors in the database: unit length, little-endian float32, one a passage and model."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from mnemopi.ports import Connection, Row, Value
from mnemopi.storage.queries import Queries

WHOLE = 0
"""The passage number of a memory that is embedded whole."""


class Vectors:
    """The vectors of one bank."""

    def __init__(self, connection: Connection, bank: str, sql: Queries) -> None:
        self._connection, self._bank, self._sql = connection, bank, sql

    def put(self, model: str, vectors: Iterable[tuple[int, int, bytes]]) -> None:
        """Keep (row key, passage, data) of a model; a row that was erased meanwhile is left out."""
        self._connection.execute_many(
            self._sql.put_vector,
            (
                {"bank": self._bank, "rowkey": rowkey, "passage": passage, "model": model, "data": data}
                for rowkey, passage, data in vectors
            ),
        )

    def pending(self, model: str, after: int, limit: int) -> list[Row]:
        """Return (row key, kind, author, content, embed_text) of versions that lack a vector of the model."""
        return self._connection.all(self._sql.without_vector, self._asked(model, after) | {"limit": limit})

    def count_pending(self, model: str, after: int) -> tuple[int, int | None]:
        """Return how many versions lack a vector of the model, and since when the oldest does (UTC ms)."""
        count, oldest = self._connection.all(self._sql.count_without_vector, self._asked(model, after))[0]
        return int(count), oldest

    def passages(self, rowkey: int) -> list[tuple[int, int, int]]:
        """Return (number, start, stop) of the passages of a version; empty where it is embedded whole."""
        rows = self._connection.all(self._sql.passages_of, {"bank": self._bank, "rowkey": rowkey})
        return [(row[0], row[1], row[2]) for row in rows]

    def after(self, model: str, seq: int, limit: int) -> list[tuple[int, int, int, bytes | None]]:
        """Return (seq, row key, passage, data) that came after a sequence number; no data: the row was erased."""
        rows = self._connection.all(self._sql.vectors_after, self._asked(model, seq) | {"limit": limit})
        return [(row[0], row[1], row[2], row[3]) for row in rows]

    def of(self, model: str, rowkeys: Sequence[int]) -> list[tuple[int, int, bytes]]:
        """Return (row key, passage, data) of given rows."""
        asked: dict[str, Value] = {"bank": self._bank, "model": model, "rowkeys": json.dumps(list(rowkeys))}
        return [(row[0], row[1], row[2]) for row in self._connection.all(self._sql.vectors_of, asked)]

    def in_force(self, rowkeys: Sequence[int]) -> list[int]:
        """Return those of given versions that are in force."""
        asked: dict[str, Value] = {"bank": self._bank, "rowkeys": json.dumps(list(rowkeys))}
        return [row[0] for row in self._connection.all(self._sql.in_force_of, asked)]

    def last_seq(self) -> int:
        """Return the sequence number of the last vector or erasure."""
        return int(self._connection.all(self._sql.last_vector)[0][0] or 0)

    def models(self) -> dict[str, int]:
        """Return how many versions have vectors of each model."""
        return dict(self._connection.all(self._sql.vector_models, {"bank": self._bank}))

    def dimensions(self, model: str) -> int | None:
        """Return the length of the vectors of a model that has some, None for one that has none."""
        rows = self._connection.all(self._sql.vector_size, {"bank": self._bank, "model": model})
        return int(rows[0][0]) // 4 if rows else None

    def drop(self, model: str) -> None:
        """Erase the vectors of a model that has been replaced."""
        self._connection.execute(self._sql.drop_model, {"bank": self._bank, "model": model})

    def drop_marks(self) -> None:
        """Drop the marks of what was erased; only where nobody else has the file open, and so an index of it."""
        self._connection.execute(self._sql.drop_marks, {"bank": self._bank})

    def _asked(self, model: str, after: int) -> dict[str, Value]:
        return {"bank": self._bank, "model": model, "after": after}
