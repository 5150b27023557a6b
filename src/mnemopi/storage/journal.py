"""The bank's own notes: the journal of events, single values about the bank, and leases on work."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from typing import Any

from mnemopi.model.memory import Event
from mnemopi.ports import Connection, Value
from mnemopi.storage.queries import Queries


class Journal:
    """Events of one bank. The writer is a random id per file, so that journals of copies can be told apart."""

    def __init__(self, connection: Connection, bank: str, sql: Queries, meta: Meta) -> None:
        self._connection, self._bank, self._sql, self._meta = connection, bank, sql, meta

    def append(self, events: Iterable[Event]) -> None:
        """Append events; the caller holds the transaction."""
        writer = self._meta.get("writer") or self._new_writer()
        seq = self._connection.all(self._sql.last_event, {"bank": self._bank, "writer": writer})[0][0] or 0
        rows: list[dict[str, Value]] = []
        for number, event in enumerate(events, seq + 1):
            rows.append(self._row(event, writer, number))
        self._connection.execute_many(self._sql.log, rows)

    def adopt(self, events: Iterable[Event]) -> None:
        """Keep events that came with a load, under their own writer and number; known ones are left as they are."""
        rows = [self._row(event, event.writer, event.seq) for event in events]
        self._connection.execute_many(self._sql.adopt_event, rows)

    def history(self, id: str) -> list[Event]:
        """Return what happened to one memory, the oldest first."""
        rows = self._connection.all(self._sql.history, {"bank": self._bank, "memory": id})
        return [Event(*row) for row in rows]

    def last_write(self, since: int) -> tuple[int | None, int]:
        """Return when the journal was last written to (UTC ms), and how many events came after `since`."""
        last, count = self._connection.all(self._sql.last_write, {"bank": self._bank, "since": since})[0]
        return last, int(count)

    def _row(self, event: Event, writer: str, seq: int) -> dict[str, Any]:
        return {
            "bank": self._bank,
            "writer": writer,
            "seq": seq,
            "at": event.at,
            "verb": event.verb,
            "memory": event.memory,
            "version": event.version,
            "actor": event.actor,
            "reason": event.reason,
        }

    def _new_writer(self) -> str:
        self._meta.set("writer", writer := secrets.token_hex(8))
        return writer


class Meta:
    """Single values about the bank."""

    def __init__(self, connection: Connection, bank: str, sql: Queries) -> None:
        self._connection, self._bank, self._sql = connection, bank, sql

    def get(self, name: str) -> str | None:
        """Return a value, or None."""
        rows = self._connection.all(self._sql.get_meta, {"bank": self._bank, "name": name})
        return rows[0][0] if rows else None

    def set(self, name: str, value: str) -> None:
        """Keep a value."""
        self._connection.execute(self._sql.set_meta, {"bank": self._bank, "name": name, "value": value})

    def claim(self, name: str, holder: str, now: int, until: int) -> bool:
        """Take or lengthen a lease until a moment (UTC ms); False where another holder's is still good."""
        row: dict[str, Value] = {"bank": self._bank, "name": name, "holder": holder, "now": now, "until": until}
        return self._connection.execute(self._sql.claim, row) > 0

    def release(self, name: str, holder: str) -> None:
        """Give a lease back."""
        self._connection.execute(self._sql.release, {"bank": self._bank, "name": name, "holder": holder})
