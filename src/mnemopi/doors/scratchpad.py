"""The scratchpad: what a session notes down while it works, and clears when it is done.

A note is no memory: recall does not find it, sleep passes it by, and only its own session sees it. The write gate is
the same: secrets are redacted, and a text has the same limits.
"""

from __future__ import annotations

from typing import Final

from mnemopi.ingest import draft as drafts
from mnemopi.ingest.prepare import Gate
from mnemopi.model import numbers
from mnemopi.model.memory import Identity, Receipt
from mnemopi.model.note import Note
from mnemopi.model.values import dataclass
from mnemopi.ports import Clock
from mnemopi.storage.notes import Notes
from mnemopi.storage.store import PENDING_ERASURE, Store
from mnemopi.text import redact

_NO_WORDS: Final[frozenset[str]] = frozenset()
"""Notes are in no index, so that none of their words is there to be erased."""


@dataclass(frozen=True, slots=True)
class Scratchpad:
    """The notes of the caller's own session. `most` is how many are read unless asked otherwise."""

    store: Store
    who: Identity
    clock: Clock
    gate: Gate
    most: int

    def write(self, content: str) -> Receipt:
        """Keep a note. The receipt is a string, the note's id, and says what was redacted. Raises UsageError."""
        text = drafts.text(content, "content", self.gate.max_content_chars)
        clean = redact.redact(text, self.gate.redact)
        now, session = self.clock(), self.who.session_id
        with self.store.transaction():
            notes = self._notes()
            # By time, then by place: two notes of one moment keep their order.
            id = f"{now:011x}{notes.count(session) + 1:05x}"
            notes.put([Note(id, clean.text, now, now, session)])
        return Receipt(id, self.store.name, "created", redacted=clean.counts)

    def read(self, limit: int | None = None) -> list[Note]:
        """Return the notes, the newest first: `limit` at most, else as many as the setting says (MNEMOPI_SP_MAX)."""
        most = numbers.whole(self.most if limit is None else limit, "limit")
        return self._notes().latest(self.who.session_id, most)

    def count(self) -> int:
        """Return how many notes there are."""
        return self._notes().count(self.who.session_id)

    def clear(self) -> int:
        """Erase the notes, overwritten on the disk as what is forgotten is, and return how many there were."""
        with self.store.transaction():
            cleared = self._notes().clear(self.who.session_id)
            if cleared:
                self.store.meta.set(PENDING_ERASURE, "1")
        if cleared:
            self.store.finish_erasure(words=_NO_WORDS)
        return cleared

    def _notes(self) -> Notes:
        return Notes(self.store.connection, self.store.bank, self.store.sql)
