"""What a line of a host's session file says: Claude Code's, Codex's, oh-my-pi's and our own, each one of `FORMATS`.

A format knows the head of its files and reads one record at a time into an `Entry` of the conversation's tree. Only
what people and models said to each other is text here: tool calls and their results, thoughts, and what the host itself
wrote in a person's name (reminders, echoes of commands, instructions, summaries of a compaction) are none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import Any, Final, TypeAlias, TypeGuard

from mnemopi.model.session import Role
from mnemopi.model.values import dataclass
from mnemopi.text import tags

Record: TypeAlias = Mapping[str, Any]
BEFORE: Final = ""
"""The parent of an entry that follows the one before it in the file."""
OURS: Final = "mnemopi-session"
_REMINDER = re.compile(r"<(system-reminder|hook_context|user-prompt-submit-hook)>")
_BY_THE_HOST = re.compile(
    r"\s*(?:<(?:command-|local-command|task-notification|bash-(?:input|stdout|stderr)|environment_context"
    r"|user_instructions|permissions[ _]instructions|turn_aborted|collaboration_mode|subagent_notification|skill\b"
    r"|skills_instructions|recommended_plugins|user_shell_command|apps_instructions|INSTRUCTIONS)"
    r"|# AGENTS\.md instructions|\[Request interrupted by user|Caveat: The messages below were generated)"
)
_YEAR_10000: Final = 253_402_300_800_000
"""UTC milliseconds; no session is from then or later."""
_TEXT: Final = frozenset({"text", "input_text", "output_text"})
_ROLES: Final[Mapping[str, Role]] = {"user": "user", "assistant": "assistant"}


@dataclass(frozen=True, slots=True)
class Header:
    """Whose session a file holds: the host, the session's id there, its folder, and the session that started it."""

    host: str
    id: str
    cwd: str
    parent: str | None = None


@dataclass(frozen=True, slots=True)
class Said:
    """What was said, by whom and when (UTC ms)."""

    role: Role
    text: str
    at: int | None = None
    author: str | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    """One node of a conversation: `said` is None where nothing was said.

    `side` belongs to a subagent within the file, `echo` says again what a record of another kind says too, and `back`
    takes so many of the person's turns back instead of adding a node.
    """

    id: str
    parent: str | None
    said: Said | None = None
    side: bool = False
    echo: bool = False
    back: int = 0


@dataclass(frozen=True, slots=True)
class Format:
    """How a host writes its sessions down: what heads a file, and what one record at a place (bytes) means."""

    host: str
    header: Callable[[Record], Header | None]
    entry: Callable[[Record, int], Entry | None]


def detect(record: Record) -> tuple[Format, Header] | None:
    """Say which format's head a record is; None where it is none's."""
    for format in FORMATS:
        if (header := format.header(record)) is not None:
            return format, header
    return None


def _claude_header(record: Record) -> Header | None:
    id, cwd = record.get("sessionId"), record.get("cwd")
    if not _text(id) or not _text(cwd) or "uuid" not in record:
        return None
    agent = record.get("agentId")
    if record.get("isSidechain") is True and _text(agent):
        return Header("claude-code", agent, cwd, id)
    return Header("claude-code", id, cwd)


def _claude_entry(record: Record, place: int) -> Entry | None:
    id, kind = record.get("uuid"), record.get("type")
    if not _text(id) or kind not in ("user", "assistant", "attachment", "system"):
        return None
    parent = record.get("parentUuid") or record.get("logicalParentUuid")
    said = None if any(record.get(flag) for flag in ("isMeta", "isCompactSummary")) else _claude_said(record, kind)
    return Entry(id, parent if _text(parent) else None, said, side=record.get("isSidechain") is True)


def _claude_said(record: Record, kind: str) -> Said | None:
    """Read a message, also one that was typed while the model worked: that is attached to what it does."""
    told = record.get("attachment")
    if kind != "attachment" or not isinstance(told, dict):
        return _said(record, kind)
    is_typed = told.get("type") == "queued_command" and told.get("commandMode") == "prompt"
    return _spoken("user", told.get("prompt"), _moment(record.get("timestamp"))) if is_typed else None


def _codex_header(record: Record) -> Header | None:
    told = record.get("payload")
    if record.get("type") != "session_meta" or not isinstance(told, dict) or not _text(told.get("id")):
        return None
    source, cwd = told.get("source"), told.get("cwd")
    parent = next(_found(source, "parent_thread_id"), "subagent") if isinstance(source, dict) else None
    return Header("codex", told["id"], cwd if _text(cwd) else "", parent)


def _codex_entry(record: Record, place: int) -> Entry | None:
    told, kind = record.get("payload"), record.get("type")
    if not isinstance(told, dict):
        return None
    id, at = f"@{place}", _moment(record.get("timestamp"))
    if kind == "response_item" and told.get("type") == "message":
        said = _spoken(_ROLES.get(str(told.get("role"))), told.get("content"), at)
        return None if said is None else Entry(id, BEFORE, said)
    if kind != "event_msg":
        return None
    if told.get("type") == "thread_rolled_back":
        turns = told.get("num_turns")
        return Entry(id, BEFORE, back=turns) if isinstance(turns, int) and turns > 0 else None
    said = _codex_event(told, at)
    return None if said is None else Entry(id, BEFORE, said, echo=True)


def _codex_event(told: Record, at: int | None) -> Said | None:
    """Read an event that says a message again, in either of two ways."""
    item = told.get("item")
    if told.get("type") == "item_completed" and isinstance(item, dict):
        role = {"UserMessage": "user", "AgentMessage": "assistant"}.get(str(item.get("type")))
        return _spoken(_ROLES.get(str(role)), item.get("content"), at)
    role = {"user_message": "user", "agent_message": "assistant"}.get(str(told.get("type")))
    return _spoken(_ROLES.get(str(role)), told.get("message"), at)


def _omp_header(record: Record) -> Header | None:
    id, cwd = record.get("id"), record.get("cwd")
    if record.get("type") != "session" or not _text(id):
        return None
    return Header("omp", id, cwd if _text(cwd) else "")


def _omp_entry(record: Record, place: int) -> Entry | None:
    id, parent = record.get("id"), record.get("parentId")
    if not _text(id) or record.get("type") == "session":
        return None
    said = _said(record, None) if record.get("type") == "message" else None
    return Entry(id, parent if _text(parent) else None, said)


def _our_header(record: Record) -> Header | None:
    host, id, cwd, parent = (record.get(name) for name in ("host", "id", "cwd", "parent"))
    if record.get("type") != OURS or not (_text(host) and _text(id) and _text(cwd)):
        return None
    return Header(host, id, cwd, parent if _text(parent) else None)


def _our_entry(record: Record, place: int) -> Entry | None:
    id, role, text = record.get("entry"), _ROLES.get(str(record.get("role"))), record.get("text")
    if not _text(id) or role is None or not _text(text):
        return None
    author = record.get("author")
    return Entry(id, BEFORE, Said(role, text, _moment(record.get("at")), author if _text(author) else None))


def _said(record: Record, kind: str | None) -> Said | None:
    """Read the message within a record, which has the role that the record's kind says, where that says one."""
    message = record.get("message")
    if not isinstance(message, dict):
        return None
    role = _ROLES.get(str(message.get("role") or kind))
    if role is None or (kind is not None and kind != role):
        return None
    if role == "user" and message.get("attribution", "user") != "user":
        return None  # an extension speaks in the person's place
    return _spoken(role, message.get("content"), _moment(record.get("timestamp")))


def _spoken(role: Role | None, content: Any, at: int | None) -> Said | None:
    """Join what is text in a message; None where nothing was said, not a letter nor a figure."""
    if role is None:
        return None
    parts = [part.strip() for part in _parts(content)]
    if role == "user":
        kept = (part for part in parts if not _BY_THE_HOST.match(part))
        parts = [tags.replaced(part, _REMINDER, lambda _: "").strip() for part in kept]
    text = "\n\n".join(part for part in parts if part)
    return Said(role, text, at) if any(map(str.isalnum, text)) else None


def _parts(content: Any) -> Iterator[str]:
    if isinstance(content, str):
        yield content
    elif isinstance(content, list):
        for part in content:
            if isinstance(part, dict) and str(part.get("type")).lower() in _TEXT and isinstance(part.get("text"), str):
                yield part["text"]


def _moment(told: Any) -> int | None:
    """Read a time, ISO or UTC milliseconds."""
    if isinstance(told, int) and not isinstance(told, bool):
        return told if 0 <= told < _YEAR_10000 else None
    try:
        read = datetime.fromisoformat(told) if isinstance(told, str) else None
    except ValueError:
        return None
    return None if read is None or read.tzinfo is None else round(read.timestamp() * 1000)


def _found(told: Any, name: str, depth: int = 4) -> Iterator[str]:
    """Yield the texts that a record holds under a name, a few levels deep."""
    for key, value in told.items() if isinstance(told, dict) and depth else ():
        if key == name and _text(value):
            yield value
        yield from _found(value, name, depth - 1)


def _text(told: Any) -> TypeGuard[str]:
    return isinstance(told, str) and bool(told.strip())


FORMATS: Final = (
    Format("mnemopi", _our_header, _our_entry),
    Format("codex", _codex_header, _codex_entry),
    Format("omp", _omp_header, _omp_entry),
    Format("claude-code", _claude_header, _claude_entry),
)
