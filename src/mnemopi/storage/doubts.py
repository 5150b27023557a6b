"""Which of the derived rests on weak sources, as the database knows it."""

from __future__ import annotations

import json

from mnemopi.model.doubt import UNTRUSTED, Contaminated, Derived, Doubt
from mnemopi.model.memory import Identity
from mnemopi.ports import Connection, Row
from mnemopi.storage import filters
from mnemopi.storage.queries import Queries


class Doubts:
    """The weak grounds of one bank."""

    def __init__(self, connection: Connection, bank: str, sql: Queries) -> None:
        self._connection, self._bank, self._sql = connection, bank, sql

    def episodes(self, who: Identity, at: int) -> list[Contaminated]:
        """Return the episodes in force at a moment (UTC ms) with a weak source, those that the caller may see."""
        return _gathered(self._all(self._sql.doubtful_episodes, who, at), "episode")

    def facts(self, who: Identity, at: int) -> list[Contaminated]:
        """Return the facts as they stand with a weak source, those that the caller may see."""
        return _gathered(self._all(self._sql.doubtful_facts, who, at), "fact")

    def _all(self, sql: str, who: Identity, at: int) -> list[Row]:
        asked = filters.identity(who) | {"bank": self._bank, "at": at, "untrusted": json.dumps(UNTRUSTED)}
        return self._connection.all(sql, asked)


def _gathered(rows: list[Row], kind: Derived) -> list[Contaminated]:
    """Put the rows (id, content, importance, source, why) of each together; a derived row weighs as its sources do."""
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(row[0], []).append(row)
    return [
        Contaminated(
            id=id,
            kind=kind,
            content=each[0][1],
            importance=max(row[2] for row in each),
            doubts=tuple(dict.fromkeys(Doubt(row[3], row[4]) for row in each)),
        )
        for id, each in found.items()
    ]
