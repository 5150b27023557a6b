"""Commands that move whole banks: export and import."""

from __future__ import annotations

import itertools
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import click

from mnemopi.cli import opening, output, progress
from mnemopi.cli.everywhere import Asked, asked, command
from mnemopi.engine import Mnemopi
from mnemopi.errors import MnemopiError, NotFoundError, StorageError, UsageError
from mnemopi.model.memory import Receipt
from mnemopi.transfer import plain
from mnemopi.transfer.cargo import Taken

SYSTEMS = ("mnemopi", "mnemosyne", "mem0", "letta", "zep", "claude-mem", "basic-memory", "markdown")


@command(
    "export",
    examples=(
        "mnemopi export memories.jsonl",
        "mnemopi --bank work export work.jsonl --json",
        "mnemopi export --format mnemopi memories.json",
    ),
)
@click.argument("file", type=click.Path())
@click.option("--format", "form", type=click.Choice(("jsonl", "mnemopi")), default="jsonl", help="Of the file.")
def export(context: click.Context, file: str, form: str) -> None:
    """Write a bank to a file of JSON lines.

    Everything is in it: versions, history, what is forgotten. `mnemopi import` takes it in. With --format mnemopi it
    is the JSON document that the TypeScript engine imports, which holds live memories and notes alone.
    """
    wanted = asked(context)
    if file == "-":
        raise UsageError("an export goes to a file, which appears when it is complete", hint="name the file")
    with opening.engine(wanted) as memory:
        counts = memory.export(file) if form == "jsonl" else memory.export_mnemopi(file)
        if wanted.json:
            output.document({"file": file, "counts": counts, "bank": memory.bank.name})
        elif not wanted.quiet:
            output.lines(f"Exported to {file}: {_counted(counts)}")


@command(
    "import",
    examples=(
        "mnemopi import memories.jsonl",
        "mnemopi --session standup import chat.jsonl",
        """echo '{"content": "Mara prefers tabs", "source": "chat"}' | mnemopi import -""",
        "mnemopi import --from mnemosyne --dry-run",
        "mnemopi import --from markdown notes/",
    ),
)
@click.argument("file", type=click.Path(), required=False)
@click.option("--from", "system", type=click.Choice(SYSTEMS), help="Take in what another system remembers.")
@click.option("--keep-scope", is_flag=True, help="Of a system: what only its session saw, only that session sees here.")
@click.option("--dry-run", is_flag=True, help="Of a system: say what would be done, and do nothing.")
@click.option("--force", is_flag=True, help="Of an export: overwrite memories that are here already.")
@click.option("--skip-bad", is_flag=True, help="Of an export: leave out bad lines, and name them.")
def take_in(context: click.Context, file: str | None, **options: Any) -> None:
    """Take in an export, lines, or another system's memories.

    FILE is - for standard input. An export is loaded whole or not at all. Plain lines are objects with `content` and,
    as wanted, `session_id`, `position`, `timestamp`, `author_id` (or `speaker`), `source`, `importance` and
    `metadata`; they are committed 500 at a time, and --session is the session of those that name none.

    With --from, FILE is that system's database, export, file or folder, which is only read; without FILE it is looked
    for where it usually lies. All of it is taken in, or nothing; a second import changes nothing.
    """
    if options["system"] is not None:
        _take_over(asked(context), file, **options)
        return
    if options["keep_scope"] or options["dry_run"]:
        raise UsageError("--keep-scope and --dry-run go with --from", hint=f"--from {SYSTEMS[0]}, say")
    if file is None:
        raise UsageError("no file is named", hint="`-` reads standard input; `--from SYSTEM` looks for one")
    _take_lines(asked(context), file, force=options["force"], skip_bad=options["skip_bad"])


def _take_over(
    wanted: Asked, file: str | None, system: str, *, keep_scope: bool, dry_run: bool, force: bool, skip_bad: bool
) -> None:
    if force or skip_bad:
        raise UsageError("--force and --skip-bad are for exports, and do not go with --from")
    if file == "-":
        raise UsageError("another system is read from its files", hint="name one, or none to look for it")
    with opening.engine(wanted, makes=not dry_run, settle_all=not dry_run) as memory:
        taken = memory.take_over(system, file, keep_scope=keep_scope, dry_run=dry_run)
        if wanted.json:
            output.document(taken.as_dict())
        elif not wanted.quiet:
            _tell_taken(taken)


def _tell_taken(taken: Taken) -> None:
    """Say what was found, what became of it, and what has no place here."""
    told = taken.as_dict()
    done = {name: value for name, value in told.items() if isinstance(value, int) and name != "dry_run" and value}
    verb = "Would take in" if taken.dry_run else "Imported"
    output.lines(f"{verb} from {taken.system} ({taken.source}): {_counted(done) or 'nothing new'}")
    output.lines(f"  found: {_counted(told['found'])}")
    for name in ("redacted", "repaired"):
        if told[name]:
            output.lines(f"  {name}: {_counted(told[name])}")
    for left in taken.left:
        output.lines(f"  left out: {left.count:,} of {left.table}: {left.why}")


def _take_lines(wanted: Asked, file: str, *, force: bool, skip_bad: bool) -> None:
    with _source(file) as (stream, size), opening.engine(wanted, makes=True, settle_all=True) as memory:
        with progress.bar(wanted, "Importing", size) as advance:
            reading = _Lines(stream, advance)
            first = next(reading, "")
            text = itertools.chain([first] if first else [], reading)
            if plain.is_export(first):
                report = _load(memory, text, force=force, skip_bad=skip_bad)
            elif force or skip_bad:
                raise UsageError("--force and --skip-bad are for exports; these are plain lines")
            else:
                report = _remember(wanted, memory, text, reading, advance)
        _tell(wanted, file, report)


class _Lines(Iterator[str]):
    """The lines of a stream, with the number of the one that was read last."""

    def __init__(self, stream: BinaryIO, advance: progress.Advance) -> None:
        self._stream, self._advance = stream, advance
        self.number = 0

    def __next__(self) -> str:
        raw = next(self._stream)
        self.number += 1
        self._advance(len(raw), 0)
        try:
            return raw.decode("utf-8-sig" if self.number == 1 else "utf-8")
        except UnicodeDecodeError as error:
            raise UsageError(
                f"line {self.number}: not UTF-8 at byte {error.start}", hint="convert it first, with iconv for one"
            ) from error


@contextmanager
def _source(file: str) -> Iterator[tuple[BinaryIO, int | None]]:
    if file == "-":
        yield sys.stdin.buffer, None
        return
    path = Path(file)
    try:
        with path.open("rb") as stream:
            yield stream, path.stat().st_size
    except FileNotFoundError as error:
        raise NotFoundError(f"there is no file {file}") from error
    except IsADirectoryError as error:
        raise UsageError(f"{file} is a folder") from error
    except PermissionError as error:
        raise StorageError(f"{file} cannot be read: {error.strerror}") from error


def _load(memory: Mnemopi, lines: Iterable[str], *, force: bool, skip_bad: bool) -> dict[str, Any]:
    return {"format": "export", **memory.load(lines, force=force, skip_bad=skip_bad).as_dict()}


def _remember(
    wanted: Asked, memory: Mnemopi, lines: Iterable[str], reading: _Lines, advance: progress.Advance
) -> dict[str, Any]:
    """Store plain lines in batches. An error names its line and says how many are committed."""
    outcomes: Counter[str] = Counter()
    redacted: Counter[str] = Counter()

    def acknowledged(receipts: Sequence[Receipt]) -> None:
        advance(0, len(receipts))
        outcomes.update(receipt.outcome for receipt in receipts)
        for receipt in receipts:
            redacted.update(receipt.redacted)

    items = plain.items(lines)
    if wanted.session is not None:
        items = ({"session_id": wanted.session, **item} for item in items)
    try:
        memory.remember_many(items, on_batch=acknowledged)
    except KeyboardInterrupt:
        output.note(wanted, f"interrupted: {outcomes.total()} are committed")
        raise
    except MnemopiError as error:
        # Below, an item's own error is wrapped with the number of the item; people count lines.
        numbered = error.message.startswith("line ")
        own = error.__cause__ if isinstance(error.__cause__, UsageError) and not numbered else error
        line = "" if own.message.startswith("line ") else f"line {reading.number}: "
        if isinstance(own, UsageError):
            raise UsageError(f"{line}{own.message}; {outcomes.total()} are committed", hint=own.hint) from error
        output.note(wanted, f"{outcomes.total()} are committed")
        raise
    created = outcomes.pop("created", 0)
    return {
        "format": "plain",
        "inserted": created,
        "merged": outcomes.total(),
        "redacted": dict(sorted(redacted.items())),
    }


def _tell(wanted: Asked, file: str, report: dict[str, Any]) -> None:
    if wanted.json:
        output.document({"file": file, **report})
        return
    if wanted.quiet:
        return
    counts = {name: value for name, value in report.items() if isinstance(value, int)}
    output.lines(f"Imported from {file}: {_counted(counts)}")
    for kind, number in report.get("redacted", {}).items():
        output.lines(f"  redacted: {number} {kind}")
    for problem in report.get("problems", ()):
        output.lines(f"  left out: {problem}")


def _counted(counts: dict[str, int]) -> str:
    return ", ".join(f"{number:,} {name.replace('_', ' ')}" for name, number in counts.items())
