"""Statements and facts in the database: evidence as it came, and the versions of what follows from it.

Rows only: what follows from which statements is for `knowledge` to say. Each version of a fact has its row in the index
of facts, the retired ones too, so that a question about what was known then finds them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Final

from mnemopi.model.fact import Fact, Source, Statement
from mnemopi.model.memory import Identity
from mnemopi.ports import Connection, Row, Value
from mnemopi.storage import filters
from mnemopi.storage.queries import Queries
from mnemopi.text import names, tokens

ANY: Final[dict[str, Value]] = {
    "known_at": None,
    "holds_at": None,
    "global_only": 0,
    "subject_key": None,
    "predicate": None,
    "kind": None,
}
"""The parameters of `fact_admitted` that ask for nothing in particular."""


class Facts:
    """The statements and facts of one bank."""

    def __init__(self, connection: Connection, bank: str, sql: Queries) -> None:
        self._connection, self._bank, self._sql = connection, bank, sql

    # -- statements; the caller holds the transaction

    def state(self, statements: Iterable[tuple[str, Statement]]) -> None:
        """Append statements, each with its slot."""
        rows = [_assertion_row(self._bank, where, statement) for where, statement in statements]
        self._connection.execute_many(self._sql.put_assertion, rows)

    def statements(self, where: Iterable[str]) -> dict[str, list[Statement]]:
        """Return all statements of slots, withdrawn ones too, in the order in which they came."""
        found: dict[str, list[Statement]] = {slot: [] for slot in where}
        for slot, *row in self._all(self._sql.assertions_of, {"slots": json.dumps(list(found))}):
            found[slot].append(_statement(row))
        return found

    def statements_from(self, memory: str) -> list[Statement]:
        """Return all that a memory says or said, in the order in which it came."""
        return [_statement(row) for row in self._all(self._sql.assertions_from, {"memory": memory})]

    def page(self, after: int, limit: int) -> list[Statement]:
        """Return statements in the order in which they came, after a row key."""
        return [_statement(row) for row in self._all(self._sql.assertions_page, {"after": after, "limit": limit})]

    def slots_from(self, memory: str) -> list[str]:
        """Return the slots that a memory says or said something of."""
        return [str(row[0]) for row in self._all(self._sql.slots_from, {"memory": memory})]

    def slots(self, after: str, limit: int) -> list[str]:
        """Return slots in a fixed order, after one."""
        return [str(row[0]) for row in self._all(self._sql.all_slots, {"after": after, "limit": limit})]

    def moment(self, where: Iterable[str], memories: Iterable[str], at: int) -> int:
        """Return a moment (UTC ms), or the latest at which something was said of slots or by memories, if later."""
        asked: dict[str, Value] = {"slots": json.dumps(list(where)), "memories": json.dumps(list(memories)), "at": at}
        return int(self._all(self._sql.moment_of_assertions, asked)[0][0])

    def withdraw(self, memory: str, at: int, origin: str | None = None) -> int:
        """Let what a memory says (or what of it has that origin) count no longer; return how many statements that
        were."""
        row: dict[str, Value] = {"bank": self._bank, "memory": memory, "at": at, "origin": origin}
        return self._connection.execute(self._sql.withdraw_assertions, row)

    def erase_statements(self, memory: str) -> None:
        """Erase all that a memory says or said."""
        self._connection.execute(self._sql.erase_assertions, {"bank": self._bank, "memory": memory})

    def erase_stated(self, where: str, object: str) -> None:
        """Erase what persons stated of one object in a slot."""
        row: dict[str, Value] = {"bank": self._bank, "slot": where, "object_key": names.object_key(object)}
        self._connection.execute(self._sql.erase_stated, row)

    # -- facts; the caller holds the transaction

    def versions(self, where: Iterable[str]) -> list[Fact]:
        """Return all versions of the facts of slots."""
        return [_fact(row) for row in self._all(self._sql.facts_of, {"slots": json.dumps(list(where))})]

    def live(self, where: Iterable[str]) -> list[Fact]:
        """Return the facts of slots as they stand."""
        return [_fact(row) for row in self._all(self._sql.live_facts_of, {"slots": json.dumps(list(where))})]

    def put(self, facts: Sequence[Fact]) -> None:
        """Write facts, each as the next version of its id, with their rows in the index."""
        ids = json.dumps([fact.id for fact in facts])
        last: dict[str, int] = dict(self._all(self._sql.last_versions_of_facts, {"ids": ids}))
        numbered: list[Fact] = []
        for fact in facts:
            last[fact.id] = last.get(fact.id, 0) + 1
            numbered.append(replace(fact, version=last[fact.id]))
        self.put_versions(numbered)

    def put_versions(self, facts: Sequence[Fact]) -> None:
        """Write versions of facts as they are numbered, with their rows in the index."""
        given = self._connection.all(self._sql.last_fact_rowkey)
        first = int(given[0][0]) + 1 if given else 1
        rows = [_fact_row(self._bank, replace(fact, rowkey=rowkey)) for rowkey, fact in enumerate(facts, first)]
        self._connection.execute_many(self._sql.put_fact, rows)
        bodies = [tokens.shadow(fact.text) for fact in facts]
        search: list[dict[str, Value]] = [
            {"rowkey": row["rowkey"], "body": body} for row, body in zip(rows, bodies, strict=True)
        ]
        self._connection.execute_many(self._sql.put_fact_search, search)

    def retire(self, facts: Iterable[Fact], at: int) -> None:
        """Close versions."""
        self._connection.execute_many(self._sql.retire_fact, [{"rowkey": fact.rowkey, "at": at} for fact in facts])

    def erase(self, fact: Fact) -> None:
        """Erase a version and its row in the index."""
        self._connection.execute(self._sql.erase_fact_search, {"rowkey": fact.rowkey})
        self._connection.execute(self._sql.erase_fact, {"rowkey": fact.rowkey})

    # -- reading

    def known(self, id: str) -> Fact | None:
        """Return the last version of a fact, whoever may see it; None where there is none."""
        rows = self._all(self._sql.known_fact, {"id": id})
        return _fact(rows[0]) if rows else None

    def last(self, id: str, who: Identity) -> Fact | None:
        """Return the last version of a fact, where the caller may see it, though it may not be known any more."""
        asked: dict[str, Value] = {"id": id}
        rows = self._all(self._sql.last_of_fact, asked | filters.identity(who))
        return _fact(rows[0]) if rows else None

    def get(self, id: str, who: Identity, known_at: int | None = None) -> Fact | None:
        """Return a fact as it stands, or as it was known at a moment (UTC ms), where the caller may see it."""
        rows = self._all(self._sql.fact_at, {"id": id, "known_at": known_at} | filters.identity(who))
        return _fact(rows[0]) if rows else None

    def admitted(self, asked: dict[str, Value], limit: int) -> list[Fact]:
        """Return admitted facts by subject and predicate; `asked` are the parameters of `fact_admitted`."""
        return [_fact(row) for row in self._all(self._sql.list_facts, asked | {"limit": limit})]

    def frequencies(self, terms: Iterable[str]) -> dict[str, int]:
        """Return in how many versions each term occurs; terms that occur nowhere are left out."""
        return dict(self._connection.all(self._sql.fact_frequencies, {"terms": json.dumps(list(terms))}))

    def some(self, ids: Iterable[str], asked: dict[str, Value]) -> list[Fact]:
        """Return the admitted versions of facts; those that are not admitted are left out."""
        return [_fact(row) for row in self._all(self._sql.admitted_facts, asked | {"ids": json.dumps(list(ids))})]

    def search(self, match: str, asked: dict[str, Value], limit: int) -> list[Fact]:
        """Return admitted facts that match a full-text query, the best first."""
        return [_fact(row) for row in self._all(self._sql.find_facts, asked | {"match": match, "limit": limit})]

    def contested(self, asked: dict[str, Value], limit: int) -> list[Fact]:
        """Return admitted facts that contradict one another, those of a slot together."""
        return [_fact(row) for row in self._all(self._sql.contested_facts, asked | {"limit": limit})]

    def resting_on(self, memories: Sequence[str], asked: dict[str, Value], limit: int) -> list[Fact]:
        """Return admitted facts that rest on given memories."""
        given: dict[str, Value] = {"memories": json.dumps(list(memories)), "limit": limit}
        return [_fact(row) for row in self._all(self._sql.facts_resting_on, asked | given)]

    def counts(self, at: int) -> tuple[int, int, int]:
        """Return how many facts hold, how many ended or are yet to begin, and how many are contested."""
        row = self._all(self._sql.count_facts, {"at": at})[0]
        return int(row[0]), int(row[1]), int(row[2])

    def _all(self, sql: str, parameters: dict[str, Value]) -> list[Row]:
        return self._connection.all(sql, parameters | {"bank": self._bank})


def _assertion_row(bank: str, where: str, told: Statement) -> dict[str, Value]:
    return {
        "bank": bank,
        "slot": where,
        "verb": told.verb,
        "kind": told.kind,
        "subject": told.subject,
        "predicate": told.predicate,
        "object": told.object,
        "object_key": names.object_key(told.object),
        "at": told.at,
        "valid_from": told.valid_from,
        "valid_to": told.valid_to,
        "confidence": told.confidence,
        "veracity": told.veracity,
        "scope": told.scope,
        "session_id": told.session_id,
        "channel_id": told.channel_id,
        "author_id": told.author_id,
        "memory": told.memory,
        "version": told.version,
        "start": told.start,
        "stop": told.stop,
        "origin": told.origin,
        "withdrawn_at": told.withdrawn_at,
    }


def _statement(row: Sequence[Any]) -> Statement:
    fields = (
        "rowkey verb kind subject predicate object at valid_from valid_to confidence veracity scope session_id "
        "channel_id author_id memory version start stop origin withdrawn_at"
    )
    return Statement(**dict(zip(fields.split(), row, strict=True)))


def _fact_row(bank: str, fact: Fact) -> dict[str, Value]:
    return {
        "rowkey": fact.rowkey,
        "bank": bank,
        "id": fact.id,
        "version": fact.version,
        "recorded_at": fact.recorded_at,
        "retired_at": fact.retired_at,
        "slot": fact.slot,
        "kind": fact.kind,
        "subject": fact.subject,
        "subject_key": names.key(fact.subject),
        "predicate": fact.predicate,
        "object": fact.object,
        "object_key": names.object_key(fact.object),
        "valid_from": fact.valid_from,
        "valid_to": fact.valid_to,
        "belief": fact.belief,
        "veracity": fact.veracity,
        "contested": int(fact.contested),
        "superseded_by": fact.superseded_by,
        "scope": fact.scope,
        "session_id": fact.session_id,
        "channel_id": fact.channel_id,
        "sources": json.dumps(
            [[each.memory, each.version, each.start, each.stop] for each in fact.sources], separators=(",", ":")
        ),
    }


def _fact(row: Row) -> Fact:
    return Fact(
        rowkey=row[0],
        id=row[1],
        version=row[2],
        slot=row[3],
        kind=row[4],
        subject=row[5],
        predicate=row[6],
        object=row[7],
        valid_from=row[8],
        valid_to=row[9],
        belief=row[10],
        veracity=row[11],
        contested=bool(row[12]),
        superseded_by=row[13],
        scope=row[14],
        session_id=row[15],
        channel_id=row[16],
        recorded_at=row[17],
        retired_at=row[18],
        sources=tuple(Source(*each) for each in json.loads(row[19])),
    )
