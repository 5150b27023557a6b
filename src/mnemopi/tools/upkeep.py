"""Tools that look after a bank: sleep, counts, examination; and the notes of a session."""

from __future__ import annotations

from typing import Annotated, Any, Final

from pydantic import Field

from mnemopi.bank import Bank
from mnemopi.maintenance import diagnose as doctor
from mnemopi.tools import shape
from mnemopi.tools.caller import Caller
from mnemopi.tools.tool import Flag, InBank, Output, Tool

_FEW: Final = 20
"""Notes that are cleared without asking."""
_BEYOND: Final = ("other banks", "leftovers")
"""Checks that tell of banks beside the one that is examined."""


def _counts(bank: Bank) -> dict[str, Any]:
    told = bank.stats()
    return {"working": told["beam"]["working_memory"], "episodic": told["beam"]["episodic_memory"]}


class Sleep(InBank):
    """Arguments of mnemopi_sleep."""

    dry_run: Annotated[Flag, Field(description="Only say what would be done.")] = False
    all_sessions: Annotated[Flag, Field(description="Of every session, not of this one alone.")] = False


class Slept(Output):
    """Answer of mnemopi_sleep."""

    status: str
    dry_run: bool
    all_sessions: bool
    result: dict[str, Any]
    working: dict[str, Any]
    episodic: dict[str, Any]
    bank: str


def sleep(caller: Caller, asked: Sleep) -> Slept:
    """Sum up what waits."""
    bank = caller.bank(asked.bank)
    report = bank.sleep_all_sessions(asked.dry_run) if asked.all_sessions else bank.sleep(asked.dry_run)
    return Slept(
        status="ok",
        dry_run=asked.dry_run,
        all_sessions=asked.all_sessions,
        result=shape.neutral(report.as_dict()),
        bank=bank.name,
        **_counts(bank),
    )


class Stats(InBank):
    """Arguments of mnemopi_stats."""


class Counted(Output):
    """Answer of mnemopi_stats."""

    status: str
    provider: str
    bank: str
    working: dict[str, Any]
    episodic: dict[str, Any]
    stats: dict[str, Any]


def stats(caller: Caller, asked: Stats) -> Counted:
    """Count what is stored."""
    bank = caller.bank(asked.bank)
    told = bank.stats()
    tiers = told["beam"]
    return Counted(
        status="ok",
        provider="mnemopi",
        bank=bank.name,
        working=tiers["working_memory"],
        episodic=tiers["episodic_memory"],
        stats=told,
    )


class Diagnose(InBank):
    """Arguments of mnemopi_diagnose."""


class Diagnosed(Output):
    """Answer of mnemopi_diagnose."""

    status: Annotated[str, Field(description="ok, or failing where a check failed.")]
    bank: str
    db_path: str
    healthy: bool
    checks: Annotated[list[dict[str, Any]], Field(description="name, status (ok, warn, fail) and detail of each.")]
    working: dict[str, Any]
    episodic: dict[str, Any]


def diagnose(caller: Caller, asked: Diagnose) -> Diagnosed:
    """Examine a bank."""
    bank, engines = caller.bank(asked.bank), caller.engines
    embedder = caller.engine(asked.bank).embedder
    report = doctor.diagnose(engines.config, engines.banks, bank.name, engines.clock(), embedder)
    if caller.only is not None:
        report = doctor.Report(tuple(check for check in report.checks if check.name not in _BEYOND))
    told = report.as_dict()
    return Diagnosed(
        status="ok" if report.healthy else "failing",
        bank=bank.name,
        db_path=str(bank.path),
        healthy=report.healthy,
        checks=told["checks"],
        **_counts(bank),
    )


class Write(InBank):
    """Arguments of mnemopi_scratchpad_write."""

    content: Annotated[str, Field(description="The note.")]


class Written(Output):
    """Answer of mnemopi_scratchpad_write."""

    status: str
    id: str
    entry_id: str
    bank: str
    redacted: dict[str, int] | None = None


def write(caller: Caller, asked: Write) -> Written:
    """Keep a note."""
    with caller.writing(asked.bank) as bank:
        done = bank.scratchpad.write(asked.content)
    redacted = dict(done.redacted) or None
    return Written(status="written", id=done.id, entry_id=done.id, bank=bank.name, redacted=redacted)


class Read(InBank):
    """Arguments of mnemopi_scratchpad_read."""


class Notes(Output):
    """Answer of mnemopi_scratchpad_read."""

    status: str
    entries_count: int
    count: int
    entries: Annotated[list[dict[str, Any]], Field(description="The newest first.")]
    bank: str
    notice: str


def read(caller: Caller, asked: Read) -> Notes:
    """Read the notes."""
    bank = caller.bank(asked.bank)
    notes = [shape.neutral(note.as_dict()) for note in bank.scratchpad.read()]
    return Notes(
        status="ok",
        entries_count=bank.scratchpad.count(),
        count=len(notes),
        entries=notes,
        bank=bank.name,
        notice=shape.NOTICE,
    )


class Clear(InBank):
    """Arguments of mnemopi_scratchpad_clear."""

    confirm: Annotated[str | None, Field(description="Token of an answer that asked for it.")] = None


class Cleared(Output):
    """Answer of mnemopi_scratchpad_clear."""

    status: str
    count: int
    bank: str


def clear(caller: Caller, asked: Clear) -> Cleared:
    """Erase the notes; many only where somebody agreed."""
    bank = caller.bank(asked.bank)
    count, session = bank.scratchpad.count(), bank.identity.session_id
    if count > _FEW:
        preview = {"tool": "mnemopi_scratchpad_clear", "bank": bank.name, "session": session, "notes": count}
        caller.confirmations.require(f"Erase all {count} notes of the scratchpad?", preview, asked.confirm)
    return Cleared(status="cleared", count=bank.scratchpad.clear(), bank=bank.name)


TOOLS = (
    Tool(
        "mnemopi_sleep",
        "Sleep",
        "Sum up older memories in episodes that cite them. The sources stay as they are. A dry run only says what "
        "would be done.",
        Sleep,
        Slept,
        sleep,
        "change",
    ),
    Tool("mnemopi_stats", "Count", "Count what a bank holds, and what waits.", Stats, Counted, stats, "read"),
    Tool(
        "mnemopi_diagnose",
        "Examine",
        "Examine a bank and its file, and say what is wrong: counts and paths, no content.",
        Diagnose,
        Diagnosed,
        diagnose,
        "read",
    ),
    Tool(
        "mnemopi_scratchpad_write",
        "Write a note",
        "Keep a working note of this session. It is no memory: recall does not find it.",
        Write,
        Written,
        write,
        "add",
    ),
    Tool(
        "mnemopi_scratchpad_read",
        "Read the notes",
        "Read the working notes of this session, the newest first.",
        Read,
        Notes,
        read,
        "read",
    ),
    Tool(
        "mnemopi_scratchpad_clear",
        "Clear the notes",
        "Erase all working notes of this session. More than 20 need a confirmation.",
        Clear,
        Cleared,
        clear,
        "destroy",
        again=True,
    ),
)
