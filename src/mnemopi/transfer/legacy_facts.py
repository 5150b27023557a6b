"""What the references extracted, as statements: facts, triples, the tables `memoria_*`, consolidated facts.

They keep one thing in several tables; here it is one statement a source. What stands under no subject (a bare date, a
version number) is not taken: it stands in the text of its memory. A sentence without structure is read by our rules,
and kept as a sentence where they read nothing in it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, TypeAlias

from mnemopi.errors import UsageError
from mnemopi.ingest import claiming
from mnemopi.model.fact import Claim, FactKind, Statement
from mnemopi.model.memory import Memory
from mnemopi.text import dates
from mnemopi.transfer.cargo import Cargo
from mnemopi.transfer.lenient import Lenient

Row: TypeAlias = Mapping[str, Any]
TABLES: Final = (
    "facts",
    "memoria_facts",
    "memoria_kg",
    "triples",
    "memoria_preferences",
    "memoria_instructions",
    "memoria_timelines",
    "memoria_persona",
    "consolidated_facts",
    "canonical_facts",
)
ANNOTATING: Final = frozenset({"mentions", "fact", "occurred_on", "has_source"})
"""Predicates of triples that say something of a memory."""
_BARE: Final = frozenset({"iso_date", "version"})
_OWN = re.compile(r"^\s*the user's\s+(\w[\w -]{0,40}?)\s+(?:is|are)\s+(.+)$", re.IGNORECASE | re.DOTALL)
_DOES = re.compile(r"^\s*the user\s+(\w+(?:\s+(?:at|in|for|on|with|as|to|from))?)\s+(.+)$", re.IGNORECASE | re.DOTALL)
_LIKING = re.compile(r"^\s*(?:the user\s+)?(prefers|likes|loves|enjoys|dislikes|hates)\s+", re.IGNORECASE)
_RULE = re.compile(r"^\s*(?:instruction:\s*)?(always|never)\s+", re.IGNORECASE)
_LONGEST: Final = 2000


def add(made: Cargo, tables: Mapping[str, Sequence[Row]], fields: Lenient) -> None:
    """Add the statements of all tables, each thing once a source."""
    reading = _Reading(made, fields, {memory.id: memory for memory in made.memories})
    readers = {
        "memoria_instructions": reading.instruction,
        "memoria_preferences": reading.preference,
        "memoria_timelines": reading.timeline,
        "triples": reading.triple,
        "memoria_kg": reading.relation,
        "facts": reading.fact,
        "memoria_facts": reading.extracted,
        "consolidated_facts": reading.consolidated,
        "canonical_facts": reading.canonical,
        "memoria_persona": reading.persona,
    }
    for table, reader in readers.items():
        for row in tables.get(table, ()):
            reader(row)


class _Reading:
    def __init__(self, made: Cargo, fields: Lenient, memories: Mapping[str, Memory]) -> None:
        self._made, self._fields, self._memories = made, fields, memories
        self._said: set[tuple[str | None, str]] = set()
        self._stated: set[tuple[str, str, str, str | None]] = set()

    def fact(self, row: Row) -> None:
        self._triple("facts", row, row.get("source_msg_id"), row.get("timestamp"))

    def extracted(self, row: Row) -> None:
        """A row of `memoria_facts`; its twin in `facts` says the same."""
        triple = {"subject": row.get("key"), "predicate": row.get("fact_type"), "object": row.get("value")}
        told = {**row, **triple, "confidence": row.get("importance")}
        self._triple("memoria_facts", told, row.get("source_memory_id"), row.get("timestamp"))

    def relation(self, row: Row) -> None:
        told = self._parts(row)
        if told is not None:
            self._state("relation", *told, row, row.get("source_memory_id"), None)

    def triple(self, row: Row) -> None:
        """A triple with its interval. Those that say something of a memory are annotations."""
        told = self._parts(row)
        if told is None or (told[1] in ANNOTATING and told[0] in self._memories):
            return
        start, end = row.get("valid_from"), self._fields.moment(row.get("valid_until"))
        self._state("relation", *told, row, row.get("source"), start, valid_to=end)

    def preference(self, row: Row) -> None:
        text = self._fields.text(row.get("preference"))
        if not text:
            return
        liking = _LIKING.match(text)
        verb = {"loves": "likes", "enjoys": "likes", "hates": "dislikes"}
        predicate = "prefers" if liking is None else verb.get(liking[1].lower(), liking[1].lower())
        told = text if liking is None else text[liking.end() :]
        self._sentence(text, row, "preference", "user", predicate, told)

    def instruction(self, row: Row) -> None:
        text = self._fields.text(row.get("instruction"))
        if not text:
            return
        if row.get("active") in (0, "0", False):
            self._made.leave("memoria_instructions", "no longer in force")
            self._said.add((self._fields.id(row.get("source_memory_id")), text))
            return
        rule = _RULE.match(text)
        predicate, told = ("always", text) if rule is None else (rule[1].lower(), text[rule.end() :])
        self._sentence(text, row, "instruction", "user", predicate, told)

    def timeline(self, row: Row) -> None:
        text, start, end = self._fields.text(row.get("description")), None, None
        if not text:
            return
        try:
            when = dates.parse(str(row.get("date") or ""))
            start, end = when.start, when.end
        except UsageError:
            pass
        source = self._fields.id(row.get("source_memory_id"))
        known = self._memories.get(source or "")
        if known is not None and known.content == text:
            self._made.leave("memoria_timelines", "says what its memory says")
            return
        self._said.add((source, text))
        self._state("event", "user", "event", text, row, source, start, valid_to=end)

    def consolidated(self, row: Row) -> None:
        told = self._parts(row)
        if told is None:
            return
        sources: Sequence[str | None] = self._ids(row.get("sources_json")) or [None]
        over = row.get("superseded_by")
        end = self._fields.moment(row.get("last_seen")) if over else None
        for source in sources:
            self._state("fact", *told, row, source, row.get("first_seen"), valid_to=end)

    def canonical(self, row: Row) -> None:
        subject = self._fields.text(row.get("category")) or "user"
        predicate, body = self._fields.text(row.get("name")), self._fields.text(row.get("body"))
        if predicate and body:
            end = self._fields.moment(row.get("valid_until"))
            self._state("fact", subject, predicate, body, row, None, row.get("valid_from"), valid_to=end)

    def persona(self, row: Row) -> None:
        text, topic = self._fields.text(row.get("content")), self._fields.text(row.get("topic"))
        if text:
            self._state("identity", "user", topic or "persona", text, row, row.get("source_memory_id"), None)

    # -- within

    def _triple(self, table: str, row: Row, source: object, when: object) -> None:
        told = self._parts(row)
        if told is None:
            return
        subject, predicate, object_ = told
        if subject in _BARE:
            self._made.leave(table, "dates and version numbers of nothing; they stand in the memory's text")
        elif (subject, predicate) == ("fact", "entity"):
            self._sentence(object_, {**row, "timestamp": when, "source_memory_id": source}, "fact", "", "", object_)
        elif predicate == "metric":
            self._state("fact", subject.replace("_", " "), "measured", object_, row, source, when)
        else:
            self._state("fact", subject, predicate, object_, row, source, when)

    def _sentence(self, text: str, row: Row, kind: FactKind, subject: str, predicate: str, told: str) -> None:
        """State what a sentence says, once a source: as its table says, else as our rules read it."""
        source, when = row.get("source_memory_id"), row.get("timestamp")
        key = (self._fields.id(source), text)
        if key in self._said:
            return
        self._said.add(key)
        if subject:
            self._state(kind, subject, predicate, told, row, source, when)
            return
        claims = self._claims(text, key[0])
        for claim in claims:
            self._state(claim.kind, claim.subject, claim.predicate, claim.object, row, source, when)
        if not claims:
            about = _OWN.match(text) or _DOES.match(text)
            subject, predicate, told = ("note", "says", text) if about is None else ("user", about[1], about[2])
            self._state("fact", subject, "is said to be" if predicate == "is" else predicate, told, row, source, when)

    def _claims(self, text: str, source: str | None) -> Sequence[Claim]:
        known = self._memories.get(source or "")
        said = Memory(
            id="", version=1, kind="note", content=text, recorded_at=0, session_id="", author_id=None,
            timestamp=self._fields.now if known is None else known.timestamp,
        )  # fmt: skip
        return claiming.claims(said, self._fields.gate.extract, self._fields.gate.zone)

    def _parts(self, row: Row) -> tuple[str, str, str] | None:
        told = [self._fields.text(row.get(name)).strip() for name in ("subject", "predicate", "object")]
        return (told[0], told[1], told[2]) if all(told) else None

    def _state(
        self,
        kind: FactKind,
        subject: str,
        predicate: str,
        object_: str,
        row: Row,
        source: object,
        when: object,
        *,
        valid_to: int | None = None,
    ) -> None:
        id = self._fields.id(source)
        memory = self._memories.get(id or "")
        key = (subject, predicate, object_, None if memory is None else memory.id)
        if key in self._stated or not subject or not object_:
            return
        self._stated.add(key)
        start = self._fields.time(when, None if memory is None else memory.timestamp, row.get("created_at"))
        statement = Statement(
            verb="assert",
            kind=kind,
            subject=subject[:_LONGEST],
            predicate=predicate[:_LONGEST],
            object=object_[:_LONGEST],
            at=min(start, self._fields.now),
            valid_from=start,
            valid_to=valid_to if valid_to is None or valid_to > start else None,
            confidence=max(0.01, self._fields.share(row.get("confidence"), 0.7)),
            veracity=self._fields.veracity(row.get("veracity") or "imported"),
            scope=self._fields.scope(row.get("scope") or "session"),
            session_id=self._fields.name(row.get("session_id")) or "default",
            origin="import",
        )
        self._made.statements.append(statement if memory is None else _of(statement, memory))

    def _ids(self, value: object) -> list[str]:
        try:
            found = json.loads(value) if isinstance(value, str) else []
        except ValueError:
            return []
        ids = [self._fields.id(each) for each in found] if isinstance(found, list) else []
        return [id for id in ids if id is not None and id in self._memories]


def _of(statement: Statement, memory: Memory) -> Statement:
    """What a memory says is seen by those who see the memory."""
    return replace(
        statement,
        scope=memory.scope,
        session_id=memory.session_id,
        channel_id=memory.channel_id,
        author_id=memory.author_id,
        veracity=memory.veracity if memory.veracity != "unknown" else statement.veracity,
        memory=memory.id,
        version=1,
    )
