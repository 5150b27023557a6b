"""What a person is told of the banks of a session: counts and paths, and what a search found."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from mnemopi.engine import Mnemopi
from mnemopi.model.hit import Hit
from mnemopi.model.session import Found, Status
from mnemopi.projects.scopes import Scope
from mnemopi.text import dates

if TYPE_CHECKING:
    from mnemopi.maintenance.diagnose import Report

NOTHING: Final = "No bank of this session exists yet."


def status(scope: Scope, engines: Sequence[Mnemopi], *, active: bool, writable: bool, recalled: bool) -> Status:
    """Return what the banks hold, added up."""
    told = [engine.bank.stats() for engine in engines]
    return Status(
        "mnemopi",
        active=active,
        writable=writable,
        searchable=True,
        scope=scope.kind,
        retain_bank=scope.retain,
        recall_banks=scope.recall,
        working_count=sum(each["beam"]["working_memory"]["total"] for each in told),
        episodic_count=sum(each["beam"]["episodic_memory"]["total"] for each in told),
        fact_count=sum(each["facts"]["in_force"] for each in told),
        last_memory=max((dates.moment(each["last_memory"]) for each in told if each["last_memory"]), default=None),
        last_recall=recalled,
        database=str(engines[0].bank.path) if engines else None,
        message=None if engines else NOTHING,
    )


def stats(engines: Sequence[Mnemopi]) -> str:
    """Return a table of the banks."""
    rows = [_row(engine.bank.name, engine.bank.stats(), engine.bank.path) for engine in engines]
    return _table(("Bank", "Working", "Episodes", "Facts", "Last memory", "Database"), rows) if rows else NOTHING


def diagnosis(reports: Mapping[str, Report], findings: Iterable[str]) -> str:
    """Return the checks of each bank by name, then what is wrong."""
    rows, wrong = [], []
    for name, report in reports.items():
        passed = sum(check.status == "ok" for check in report.checks)
        rows.append((name, f"{passed}/{len(report.checks)}"))
        wrong += [f"{name}: {each.name}: {each.detail}" for each in report.checks if each.status != "ok"]
    wrong += findings
    table = _table(("Bank", "Passed"), rows) if rows else NOTHING
    return "\n".join((table, "", "## Findings", "", *([f"- {each}" for each in wrong] or ["None."])))


def queue(engines: Sequence[Mnemopi], jobs: int, messages: int) -> str:
    """Return what waits to be done."""
    rows = [
        (
            engine.bank.name,
            str(engine.bank.pending()),
            str(engine.bank.unread() if engine.llm is not None else 0),
            str(engine.bank.health().waiting),
        )
        for engine in engines
    ]
    told = [f"{jobs} jobs wait here; {messages} messages could not be stored yet."]
    return "\n".join((*told, "", _table(("Bank", "Vectors", "To be read", "To be summed up"), rows)) if rows else told)


def found(hit: Hit) -> Found:
    """Return what a search found."""
    memory = hit.memory
    return Found(
        hit.content,
        hit.id,
        memory.source,
        memory.timestamp,
        hit.score,
        hit.bank,
        hit.truncated,
        hit.full_length,
        memory.version,
        hit.explanation.notes,
    )


def _row(name: str, told: dict[str, Any], path: Path) -> tuple[str, ...]:
    beam = told["beam"]
    counts = (beam["working_memory"]["total"], beam["episodic_memory"]["total"], told["facts"]["in_force"])
    return (name, *map(str, counts), (told["last_memory"] or "never")[:16], str(path))


def _table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [headings, ["---"] * len(headings), *rows]
    return "\n".join(f"| {' | '.join(map(_cell, line))} |" for line in lines)


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())
