"""The scratchpad in the database: the notes of each session."""

from __future__ import annotations

from collections.abc import Iterable

from mnemopi.model.note import Note
from mnemopi.ports import Connection, Value
from mnemopi.storage.queries import Queries


class Notes:
    """The notes of one bank."""

    def __init__(self, connection: Connection, bank: str, sql: Queries) -> None:
        self._connection, self._bank, self._sql = connection, bank, sql

    def put(self, notes: Iterable[Note]) -> None:
        """Keep notes; one whose id the session has already is written anew. The caller holds the transaction."""
        rows: list[dict[str, Value]] = [
            {
                "bank": self._bank,
                "session_id": note.session_id,
                "id": note.id,
                "content": note.content,
                "created_at": note.created_at,
                "updated_at": note.updated_at,
            }
            for note in notes
        ]
        self._connection.execute_many(self._sql.put_note, rows)

    def latest(self, session_id: str, limit: int) -> list[Note]:
        """Return the notes of a session, the newest first."""
        asked: dict[str, Value] = {"bank": self._bank, "session_id": session_id, "limit": limit}
        return [Note(*row) for row in self._connection.all(self._sql.latest_notes, asked)]

    def all(self) -> list[Note]:
        """Return the notes of all sessions, in a fixed order."""
        return [Note(*row) for row in self._connection.all(self._sql.all_notes, {"bank": self._bank})]

    def has(self, session_id: str, id: str) -> bool:
        """Say whether a session has a note by that id."""
        asked: dict[str, Value] = {"bank": self._bank, "session_id": session_id, "id": id}
        return bool(self._connection.all(self._sql.has_note, asked))

    def count(self, session_id: str) -> int:
        """Return how many notes a session has."""
        asked: dict[str, Value] = {"bank": self._bank, "session_id": session_id}
        return int(self._connection.all(self._sql.count_notes, asked)[0][0])

    def clear(self, session_id: str) -> int:
        """Erase the notes of a session, and return how many went. The caller holds the transaction."""
        return self._connection.execute(self._sql.clear_notes, {"bank": self._bank, "session_id": session_id})
