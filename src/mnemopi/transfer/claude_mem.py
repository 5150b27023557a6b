"""The database of claude-mem: observations, summaries of sessions, and what users asked.

What its models wrote is derived: its tier of trust says so. Prompts are turns of their session.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeAlias

from mnemopi.errors import ForeignError, TooNewError
from mnemopi.storage import foreign
from mnemopi.transfer.cargo import Cargo
from mnemopi.transfer.lenient import Lenient
from mnemopi.transfer.others import digest

Row: TypeAlias = Mapping[str, Any]
_TABLES: Final = ("observations", "session_summaries", "user_prompts")
_DERIVED: Final = ("sqlite_", "observations_fts", "session_summaries_fts", "user_prompts_fts")
_SUMMARY: Final = ("request", "investigated", "learned", "completed", "next_steps", "notes")
_SESSIONS: Final = ("memory_session_id", "sdk_session_id", "content_session_id", "claude_session_id", "session_id")
_NOTED: Final = ("project", "subtitle", "concepts", "files_read", "files_modified", "files_edited", "prompt_number")


def database(path: Path, fields: Lenient) -> Cargo:
    """Read the database. Raises ForeignError for another program's, TooNewError for tables that are not known."""
    made = Cargo()
    with foreign.opened(path) as file:
        if "observations" not in file.tables or "created_at_epoch" not in file.columns("observations"):
            raise ForeignError(f"{path} is no database of claude-mem: it has no table observations")
        if not {"title", "text", "narrative"}.intersection(file.columns("observations")):
            raise TooNewError(f"{path}: table observations has none of the columns that hold its text")
        for table, read in zip(_TABLES, (_observation, _summary, _prompt), strict=True):
            rows = file.rows(table)
            made.found[table] = len(rows)
            for row in rows:
                read(made, fields, row)
        for table in file.tables:
            if table not in _TABLES and not table.startswith(_DERIVED):
                made.leave(table, "no memory: the memories name their session", len(file.rows(table)))
    return made


def _observation(made: Cargo, fields: Lenient, row: Row) -> None:
    facts = fields.mapping(row.get("facts")).get("value")
    told = [row.get("title"), row.get("narrative") or row.get("text")]
    told += [f"- {fact}" for fact in facts] if isinstance(facts, list) else []
    _derived(made, fields, "observations", row, told, fields.name(row.get("type")))


def _summary(made: Cargo, fields: Lenient, row: Row) -> None:
    told = [f"{name.replace('_', ' ').capitalize()}: {row[name]}" for name in _SUMMARY if row.get(name)]
    _derived(made, fields, "session_summaries", row, told, "summary")


def _prompt(made: Cargo, fields: Lenient, row: Row) -> None:
    text, number = fields.text(row.get("prompt_text")), row.get("prompt_number")
    if not text:
        made.leave("user_prompts", "rows without a text")
        return
    session = _session(fields, row)
    made.memories += fields.memory(
        digest("claude-mem", "user_prompts", session, row.get("id")),
        text,
        fields.time(row.get("created_at_epoch"), row.get("created_at")),
        kind="turn",
        source="conversation",
        session_id=session,
        position=number if isinstance(number, int) and number >= 0 else None,
        author_id="user",
        author_type="user",
    )


def _derived(made: Cargo, fields: Lenient, table: str, row: Row, told: Sequence[object], kind: str | None) -> None:
    text = "\n".join(part for each in told if each and (part := fields.text(each)))
    if not text:
        made.leave(table, "rows without a text")
        return
    session = _session(fields, row)
    metadata: dict[str, Any] = {}
    for name in _NOTED:
        value = row.get(name)
        if value not in (None, "", "[]"):
            read = fields.mapping(value) if isinstance(value, str) and value.startswith("[") else None
            metadata[name] = fields.mapping({name: value})[name] if read is None else read.get("value")
    made.memories += fields.memory(
        digest("claude-mem", table, session, row.get("id")),
        text,
        fields.time(row.get("created_at_epoch"), row.get("created_at")),
        source="claude-mem",
        metadata=metadata,
        session_id=session,
        trust_tier="DERIVED",
        memory_type=kind or "unknown",
    )


def _session(fields: Lenient, row: Row) -> str:
    return next((told for name in _SESSIONS if (told := fields.name(row.get(name)))), "default")
