"""Lessons: put into words to be kept, and kept in the bank of the project or in the one that all projects share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from mnemopi.backends import framing, stripping
from mnemopi.backends.mnemopi.banks import SessionBanks
from mnemopi.errors import MnemopiError, UsageError
from mnemopi.model.session import Lesson, Saved, SessionRef

SOURCE: Final = "coding-agent-memory-command"
IMPORTANCE: Final = {"coding-agent-learn": 0.8}
_USUAL: Final = 0.75
_BY_TOOLS: Final = ("coding-agent-learn", "coding-agent-retain")
READS: Final = "A subagent's session only reads."
EMPTY: Final = "There is nothing to keep."


def save(banks: SessionBanks, session: SessionRef, lessons: Sequence[Lesson]) -> Saved:
    """Keep lessons. Raises UsageError before anything is written where one has no bank to go to or says nothing.

    Those of one bank are one transaction. Where the second bank fails, what the first took is said.
    """
    if not lessons:
        return Saved("mnemopi", message=EMPTY)
    scope = banks.scope(session, anew=True)
    targets: dict[str, list[tuple[int, dict[str, Any]]]] = {}
    for number, lesson in enumerate(lessons):
        if lesson.everywhere and scope.shared is None:
            raise UsageError(
                "there is no bank that all projects share", hint="the setting mnemopi.scoping is per-project-tagged"
            )
        bank = (scope.shared or "") if lesson.everywhere else scope.retain
        targets.setdefault(bank, []).append((number, _item(session, lesson, number)))
    ids: dict[int, str] = {}
    for bank, items in targets.items():
        try:
            receipts = banks.engine(bank).bank.remember_many([item for _, item in items], batch_size=len(items))
        except MnemopiError as error:
            if not ids:
                raise
            why = f"Bank {bank} took none of its {len(items)}: {error.message}"
            return Saved("mnemopi", tuple(ids.values()), len(ids), message=why)
        ids |= {number: receipt.id for (number, _), receipt in zip(items, receipts, strict=True)}
    return Saved("mnemopi", tuple(ids[number] for number in sorted(ids)), len(ids))


def _item(session: SessionRef, lesson: Lesson, number: int) -> dict[str, Any]:
    content = stripping.stripped(lesson.content).text
    if not framing.is_substantive(content):
        raise UsageError(f"lesson {number + 1} says nothing", hint="say what is to be kept")
    source = lesson.source or SOURCE
    importance = IMPORTANCE.get(source, _USUAL) if lesson.importance is None else lesson.importance
    told = {"cwd": session.cwd, "session": f"{session.host}:{session.id}", "context": lesson.context}
    return {
        "content": content,
        "source": source,
        "importance": importance,
        "veracity": "tool" if source in _BY_TOOLS else "stated",
        "memory_type": "fact",
        "metadata": {name: stripping.repair(value)[0] for name, value in told.items() if value},
    }
