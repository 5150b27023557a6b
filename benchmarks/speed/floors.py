"""The bare work that ours is compared with: SQLite through the same driver, with the same durability, and no more.

Where vectors are searched, it is numpy over the same vectors: one product, and the greatest of it.

One table row and one full-text row a memory, write-ahead log, `synchronous = FULL`, no redaction, no dates, no stems,
no versions, no journal. A floor is not a rival: nobody could use it as a memory. It says what the machine can do.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

import apsw

from mnemopi.storage.store import Store

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Matrix = npt.NDArray[np.float32]
    Ids = npt.NDArray[np.int64]

BATCH = 500
_MEMORY = "INSERT INTO memory (rowkey, id, content, session_id, author_id, position) VALUES (?, ?, ?, ?, ?, ?)"
_SEARCH = "INSERT INTO search (rowid, content) VALUES (?, ?)"
_STEP = 1 << 14
_FIND = "SELECT rowid, content FROM search WHERE search MATCH ? ORDER BY rank LIMIT 10"


class Bare:
    """A table and a plain full-text index (unicode61) in one file."""

    def __init__(self, path: Path) -> None:
        self._open = apsw.Connection(str(path))
        self._open.pragma("journal_mode", "wal")
        self._open.execute("PRAGMA synchronous = FULL")
        self._open.execute(
            "CREATE TABLE IF NOT EXISTS memory (rowkey INTEGER PRIMARY KEY, id TEXT, content TEXT, session_id TEXT,"
            " author_id TEXT, position INTEGER)"
        )
        self._open.execute("CREATE VIRTUAL TABLE IF NOT EXISTS search USING fts5 (content, tokenize = 'unicode61')")
        newest: Any = self._open.execute("SELECT coalesce(max(rowkey), 0) FROM memory").fetchall()[0][0]
        self._last = int(newest)

    def insert(self, row: Mapping[str, Any]) -> None:
        """Insert one memory in a transaction of its own."""
        self.insert_many([row])

    def insert_many(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Insert memories in one transaction."""
        keys = range(self._last + 1, self._last + 1 + len(rows))
        self._open.execute("BEGIN IMMEDIATE")
        self._open.executemany(_MEMORY, [_values(key, row) for key, row in zip(keys, rows, strict=True)])
        self._open.executemany(_SEARCH, [(key, row["content"]) for key, row in zip(keys, rows, strict=True)])
        self._open.execute("COMMIT")
        self._last += len(rows)

    def find(self, match: str) -> list[Any]:
        """Return the ten best rows of a full-text query."""
        return self._open.execute(_FIND, (match,)).fetchall()

    def close(self) -> None:
        """Close the file."""
        self._open.close()

    def __enter__(self) -> Bare:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class Exact:
    """The vectors of a bank and model in one matrix: shape (vectors, dimensions), and the row key of each."""

    def __init__(self, store: Store, model: str) -> None:
        import numpy as np

        parts: list[tuple[Ids, Matrix]] = []
        seq = 0
        while rows := store.vectors.after(model, seq, _STEP):
            seq = rows[-1][0]
            kept = [row for row in rows if row[3] is not None]
            data = np.frombuffer(b"".join(row[3] for row in kept if row[3]), dtype="<f4")
            parts.append((np.array([row[1] for row in kept]), data.reshape(len(kept), -1)))
        self.rowkeys = np.concatenate([rowkeys for rowkeys, _ in parts])
        self.matrix = np.concatenate([vectors for _, vectors in parts])

    def nearest(self, query: Matrix, count: int = 10) -> tuple[Ids, Matrix]:
        """Return the places and the cosines of the nearest vectors, best first."""
        import numpy as np

        cosines = self.matrix @ query
        some = min(len(cosines), count)
        places = np.argpartition(-cosines, some - 1)[:some]
        places = places[np.argsort(-cosines[places])]
        return places, cosines[places]

    def read(self) -> float:
        """Read the matrix once, as fast as the memory gives it."""
        flat = self.matrix.reshape(-1)
        return float(flat @ flat)


def blas() -> str:
    """Name what multiplies for numpy here: library, version, kernel and threads."""
    import numpy  # noqa: F401 -- so that its library is loaded
    from threadpoolctl import threadpool_info

    found = [each for each in threadpool_info() if each["user_api"] == "blas"]
    names = ("internal_api", "version", "architecture")
    return ", ".join(
        " ".join([*(str(each.get(name)) for name in names), f"{each['num_threads']} threads"]) for each in found
    )


def match(question: str) -> str:
    """Write a question as a bare full-text query: its words joined by OR."""
    return " OR ".join(f'"{word}"' for word in question.split())


def _values(key: int, row: Mapping[str, Any]) -> tuple[Any, ...]:
    return key, secrets.token_hex(8), row["content"], row["session_id"], row["author_id"], row["position"]
