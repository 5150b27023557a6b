"""The bank's own notes: the journal of events, single values about the bank, and leases on work."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, Final, TypeAlias

from mnemopi.errors import UsageError
from mnemopi.model.memory import Event, Identity
from mnemopi.ports import Connection, Value
from mnemopi.storage import filters, ids
from mnemopi.storage.queries import Queries

Listener: TypeAlias = Callable[[Sequence[Event]], None]
_DIGITS: Final = 18
"""As many has the number of an event at most."""
_START: Final[dict[str, Value]] = {"after_at": -(2**62), "after_writer": "", "after_seq": 0}


class Journal:
    """Events of one bank. The writer is a random id per file, so that journals of copies can be told apart."""

    def __init__(self, connection: Connection, bank: str, sql: Queries, meta: Meta) -> None:
        self._connection, self._bank, self._sql, self._meta = connection, bank, sql, meta
        self._listener: Listener | None = None
        self._appended: list[Event] = []

    def append(self, events: Iterable[Event]) -> None:
        """Append events; the caller holds the transaction."""
        writer = self._meta.get("writer") or self._new_writer()
        seq = self._connection.all(self._sql.last_event, {"bank": self._bank, "writer": writer})[0][0] or 0
        rows: list[dict[str, Value]] = []
        for number, event in enumerate(events, seq + 1):
            rows.append(self._row(event, writer, number))
            if self._listener:
                self._appended.append(replace(event, seq=number, writer=writer))
        self._connection.execute_many(self._sql.log, rows)

    def listen(self, listener: Listener) -> None:
        """Tell somebody of what is appended from now on, once it is committed. It must not raise; false: not now."""
        self._listener = listener

    def begun(self) -> None:
        """A transaction begins: what another one appended, and did not commit, never was."""
        self._appended = []

    def appended(self) -> list[Event]:
        """Return what was appended since; the caller still holds the lock."""
        taken, self._appended = self._appended, []
        return taken

    def tell(self, events: Sequence[Event]) -> None:
        """Tell the listener of events that are committed."""
        if events and self._listener is not None:
            self._listener(events)

    def adopt(self, events: Iterable[Event]) -> None:
        """Keep events that came with a load, under their own writer and number; known ones are left as they are."""
        rows = [self._row(event, event.writer, event.seq) for event in events]
        self._connection.execute_many(self._sql.adopt_event, rows)

    def history(self, id: str) -> list[Event]:
        """Return what happened to one memory, the oldest first."""
        rows = self._connection.all(self._sql.history, {"bank": self._bank, "memory": id})
        return [Event(*row) for row in rows]

    def stream(self, after: str | None, limit: int, who: Identity) -> list[Event]:
        """Return events in the order in which this file came to have them, after the one with that cursor.

        What came with a load or a former life of the file stands first, by its time; then what the file's own writer
        did, by its number: there nothing is ever put in between. A cursor that is not known (the file was restored
        meanwhile) is followed by all that the writer of today did. Events of memories that the caller may not see are
        left out. Raises UsageError for what is no cursor.
        """
        own = self._meta.get("writer") or ""
        mine: dict[str, Value] = {"bank": self._bank, "writer": own, "limit": limit}
        asked = mine | filters.identity(who)
        writer, seq = _cursor(after)
        found: list[Event] = []
        if writer != own:
            place = _START if after is None else self._place(writer, seq)
            if place is not None:
                found = [Event(*row) for row in self._connection.all(self._sql.others_events, asked | place)]
            seq = 0
        if len(found) < limit:
            rest: dict[str, Value] = {"after_seq": seq, "limit": limit - len(found)}
            found += [Event(*row) for row in self._connection.all(self._sql.own_events, asked | rest)]
        return found

    def last(self) -> str | None:
        """Return the cursor of the last event that this file's own writer appended; None where it wrote nothing."""
        writer = self._meta.get("writer") or ""
        seq = self._connection.all(self._sql.last_event, {"bank": self._bank, "writer": writer})[0][0]
        return None if seq is None else f"{writer}:{seq}"

    def _place(self, writer: str, seq: int) -> dict[str, Value] | None:
        rows = self._connection.all(self._sql.moment_of_event, {"bank": self._bank, "writer": writer, "seq": seq})
        return {"after_at": rows[0][0], "after_writer": writer, "after_seq": seq} if rows else None

    def count(self) -> int:
        """Return the number of events."""
        return int(self._connection.all(self._sql.count_events, {"bank": self._bank})[0][0])

    def drop_before(self, moment: int) -> int:
        """Drop events from before a moment (UTC ms), but what numbering and undo go by; return how many went."""
        return self._connection.execute(self._sql.drop_events, {"bank": self._bank, "before": moment})

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
        self._meta.set("writer", writer := ids.new())
        return writer


def _cursor(text: str | None) -> tuple[str, int]:
    if text is None:
        return "", 0
    writer, sign, number = text.rpartition(":") if isinstance(text, str) else ("", "", "")
    if not sign or not number.isdecimal() or len(number) > _DIGITS:
        raise UsageError(f"{text!r:.60} is no cursor of an event", hint="`event.cursor` of the last one that you saw")
    return writer, int(number)


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

    def release_all(self, holder: str) -> None:
        """Give all leases of a holder back."""
        self._connection.execute(self._sql.release_all, {"bank": self._bank, "holder": holder})

    def release(self, name: str, holder: str) -> None:
        """Give a lease back."""
        self._connection.execute(self._sql.release, {"bank": self._bank, "name": name, "holder": holder})
