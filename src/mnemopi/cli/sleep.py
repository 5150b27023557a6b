"""Commands of sleep: sum up what waits, by itself or by hand, and say whether that is done."""

from __future__ import annotations

import click

from mnemopi.cli import opening, output
from mnemopi.cli.everywhere import asked, command
from mnemopi.errors import UsageError
from mnemopi.model.sleep import Slept


@command(
    "sleep",
    examples=(
        "mnemopi sleep --dry-run",
        "mnemopi sleep --all-sessions",
        'mnemopi consolidate 4f2a... 91bc... --summary "We moved to Frankfurt in March"',
        "mnemopi sleep --restore 7d01...",
    ),
)
@click.argument("ids", nargs=-1)
@click.option("--dry-run", is_flag=True, help="Say what would be done, and do nothing.")
@click.option("--all-sessions", is_flag=True, help="Every session, not only the one that acts.")
@click.option("--summary", metavar="TEXT", help="Words for an episode of the named memories.")
@click.option("--restore", metavar="ID", help="Tell an episode that was shortened in full again.")
def sleep(
    context: click.Context,
    ids: tuple[str, ...],
    dry_run: bool,
    all_sessions: bool,
    summary: str | None,
    restore: str | None,
) -> None:
    """Sum up what waits in episodes that cite it.

    With IDS, make one episode of these memories. Nothing is changed or hidden: an episode stands beside its sources.
    """
    wanted = asked(context)
    by_hand = bool(ids) or restore is not None
    if by_hand and (dry_run or all_sessions or (ids and restore)):
        raise UsageError("named memories go with --summary alone, and --restore goes alone")
    if summary is not None and not ids:
        raise UsageError("--summary needs the ids of the memories it sums up")
    with opening.engine(wanted) as memory:
        if by_hand:
            receipt = memory.consolidate(ids, summary) if restore is None else memory.restore_detail(restore)
            if wanted.json:
                output.document(receipt.as_dict())
            else:
                output.lines(receipt.id if wanted.quiet else f"Episode {receipt.id}: {receipt.outcome}")
            return
        report = memory.sleep_all_sessions(dry_run) if all_sessions else memory.sleep(dry_run)
        if wanted.json:
            output.document(report.as_dict())
        elif not wanted.quiet:
            output.lines(*_told(report))
    if report.errors:
        context.exit(1)


@command("health", examples=("mnemopi health", "mnemopi health --json | jq .status"))
@click.option("--stale-hours", type=float, default=24.0, show_default=True, help="From when a sleep is too long ago.")
def health(context: click.Context, stale_hours: float) -> None:
    """Say whether sleep runs, and what waits for it."""
    wanted = asked(context)
    with opening.engine(wanted) as memory:
        state = memory.health(stale_hours)
        if wanted.json:
            output.document(state.as_dict())
        else:
            output.lines(state.status if wanted.quiet else f"{state.status}: {state.words}")


def _told(report: Slept) -> list[str]:
    made = "would be made" if report.dry_run else "made"
    lines = [f"{report.made:,} episodes {made} of {report.memories:,} memories in {report.sessions:,} sessions"]
    if report.waiting:
        lines.append(f"{report.waiting:,} wait for company: too few, or they say too little")
    if report.remade:
        lines.append(f"{report.remade:,} took the place of former ones, whose sources had changed")
    if report.elsewhere:
        lines.append(f"{report.elsewhere:,} of other sessions wait: `mnemopi sleep --all-sessions`")
    if any(report.shortened):
        verb = "would be told" if report.dry_run else "told"
        lines.append(f"{sum(report.shortened):,} old episodes {verb} in fewer sentences")
    if report.busy:
        lines.append(f"{len(report.busy):,} sessions are another process's just now")
    if report.errors:
        lines.append(f"{len(report.errors):,} sessions failed: {', '.join(sorted(set(report.errors)))}")
    return lines
