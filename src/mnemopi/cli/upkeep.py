"""Commands that look after a bank: stats, settle, diagnose."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import click

from mnemopi.cli import opening, output, settling
from mnemopi.cli.everywhere import asked, command
from mnemopi.engine import system_clock
from mnemopi.errors import ConflictError, MnemopiError, ProviderError
from mnemopi.maintenance import diagnose as doctor
from mnemopi.model.memory import Settled
from mnemopi.providers import registry

_NOT_PASSED: Final = (("warn", "to look at"), ("fail", "failed"))


@command("stats", examples=("mnemopi stats", "mnemopi --bank work stats --json | jq .total_memories"))
def stats(context: click.Context) -> None:
    """Count what is stored."""
    wanted = asked(context)
    with opening.engine(wanted) as memory:
        told = memory.stats()
        if wanted.json:
            output.document(told)
        else:
            output.pairs(list(_rows(told)))


@command("settle", examples=("mnemopi settle", "mnemopi settle --limit 10000"))
@click.option("--limit", type=click.IntRange(min=1), help="Most memories to work off.")
def settle(context: click.Context, limit: int | None) -> None:
    """Work off what waits for vectors or a language model.

    After a change of model, too: the former vectors serve until the new ones are complete.
    """
    wanted = asked(context)
    with opening.engine(wanted) as memory:
        done = settling.work_off(wanted, memory, limit)
        read = memory.bank.read(limit)
        failure = _failure(done) or (ProviderError(read.error) if read.error else None)
        if wanted.json:
            counts = {"embedded": done.embedded, "reindexed": done.reindexed, "pending": done.pending}
            counts |= {"refused": done.refused}
            counts |= {"extracted": read.memories, "unread": memory.bank.unread()}
            output.document({**counts, "error": failure and failure.as_dict()})
        elif failure is not None:
            raise failure
        elif not wanted.quiet:
            refused = f", {done.refused:,} refused" if done.refused else ""
            told = f"{done.embedded:,} embedded, {done.reindexed:,} indexed, {done.pending:,} pending{refused}"
            output.lines(f"Settled: {told}")
            if read.memories or read.failures:
                output.lines(f"Read: {read.memories:,}, with {read.claims:,} claims; {memory.bank.unread():,} wait")
    if failure is not None:
        context.exit(failure.exit_code)


@command(
    "diagnose",
    examples=("mnemopi diagnose", "mnemopi doctor --json | jq '.checks[] | select(.status != \"ok\")'"),
)
def diagnose(context: click.Context) -> None:
    """Examine a bank, and say what is wrong.

    Counts and paths only, never content. Exits with 0 only if nothing failed.
    """
    wanted = asked(context)
    settings = opening.config(wanted)
    name, now = opening.bank_name(wanted, settings), system_clock()
    embedder = registry.open_embedder(settings.embedding, data_dir=str(settings.data_dir))
    report = doctor.diagnose(settings, opening.banks(wanted, settings), name, now, embedder)
    if wanted.json:
        output.document({"bank": name, **report.as_dict()})
    else:
        shown = [check for check in report.checks if not wanted.quiet or check.status != "ok"]
        rows = [(check.status, check.name, check.detail) for check in shown]
        output.table(("State", "Check", "Finding"), rows, prose=("Finding",), quiet=wanted.quiet)
        states = [check.status for check in report.checks]
        told = [f"{states.count(state)} {verb}" for state, verb in _NOT_PASSED if state in states]
        if not wanted.quiet:
            output.lines("", ", ".join([f"Checks passed: {states.count('ok')}/{len(states)}", *told]))
    if not report.healthy:
        context.exit(1)


def _failure(done: Settled) -> MnemopiError | None:
    """Tell a provider that failed from a bank that somebody else is settling, or that takes no writes."""
    if not done.error:
        return None
    return ProviderError(done.error) if done.failed else ConflictError(done.error)


def _rows(told: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, str]]:
    """Flatten nested counts to names and values."""
    for name, value in told.items():
        words = f"{before}{name.replace('_', ' ')}"
        if isinstance(value, Mapping):
            yield from _rows(value, f"{words} ")
        elif isinstance(value, list | tuple):
            yield words, ", ".join(map(str, value))
        elif value not in (None, ""):
            yield (
                words,
                f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value),
            )
