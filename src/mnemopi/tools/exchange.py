"""Tools that move a bank to a file and back, within the one folder that is set for it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from mnemopi.bank import Bank
from mnemopi.errors import ExistsError, NotFoundError, StorageError, UsageError
from mnemopi.tools.caller import Caller
from mnemopi.tools.tool import Flag, InBank, Output, Tool
from mnemopi.transfer import plain


class Export(InBank):
    """Arguments of mnemopi_export."""

    output_path: Annotated[str, Field(description="File to write, within the folder for files; it must be new.")]


class Exported(Output):
    """Answer of mnemopi_export."""

    status: str
    output_path: str
    bank: str
    stats: dict[str, Any]


def export(caller: Caller, asked: Export) -> Exported:
    """Write a bank to a file."""
    bank, target = caller.bank(asked.bank), caller.within(asked.output_path)
    if target.exists():
        raise ExistsError(f"there is a file {target} already", hint="name another one")
    try:
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise StorageError(f"{target.parent} cannot be made: {error.strerror}") from error
    return Exported(status="exported", output_path=str(target), bank=bank.name, stats=bank.export(target))


class Import(InBank):
    """Arguments of mnemopi_import."""

    input_path: Annotated[str, Field(description="File to read, within the folder for files.")]
    force: Annotated[Flag, Field(description="Of an export: overwrite what is here. Needs a confirmation.")] = False
    confirm: Annotated[str | None, Field(description="Token of an answer that asked for it.")] = None


class Imported(Output):
    """Answer of mnemopi_import."""

    status: str
    input_path: str
    format: Annotated[str, Field(description="export, plain (JSON lines), or mnemopi (the TypeScript engine's JSON).")]
    stats: dict[str, Any]
    bank: str


def take_in(caller: Caller, asked: Import) -> Imported:
    """Take in a file."""
    source = caller.within(asked.input_path)
    try:
        with source.open(encoding="utf-8", errors="replace") as stream:
            first = stream.readline(100_000)
        told = source.stat()
    except FileNotFoundError as error:
        raise NotFoundError(f"input_path does not exist: {source}") from error
    except OSError as error:
        raise UsageError(f"{source} cannot be read: {error.strerror}") from error
    is_export = plain.is_export(first) and not _is_document(first)
    if asked.force and not is_export:
        raise UsageError("force is for exports; these are other lines", hint="leave it out")
    with caller.writing(asked.bank) as bank:
        if asked.force:
            preview = {
                "tool": "mnemopi_import",
                "bank": bank.name,
                "input_path": str(source),
                "bytes": told.st_size,
                "changed": told.st_mtime_ns,
            }
            question = f"Overwrite memories of bank {bank.name!r} with those of {source}?"
            caller.confirmations.require(question, preview, asked.confirm)
        elif asked.confirm is not None:
            raise UsageError("confirm goes with force", hint="leave it out")
        how, stats = _loaded(bank, source, first, is_export=is_export, force=asked.force)
    return Imported(status="imported", input_path=str(source), format=how, stats=stats, bank=bank.name)


def _loaded(bank: Bank, source: Path, first: str, *, is_export: bool, force: bool) -> tuple[str, dict[str, Any]]:
    if is_export:
        return "export", bank.load(source, force=force).as_dict()
    if _is_document(first):
        return "mnemopi", bank.take_over("mnemopi", source).as_dict()
    outcomes: Counter[str] = Counter()
    bank.remember_many(plain.items(_lines(source)), on_batch=lambda done: outcomes.update(one.outcome for one in done))
    created = outcomes.pop("created", 0)
    return "plain", {"inserted": created, "merged": outcomes.total()}


def _is_document(first: str) -> bool:
    """Whether a file that begins with this line is one JSON document, as the TypeScript engine writes it."""
    begun = "".join(first.removeprefix("\ufeff").split())
    return begun == "{" or begun.startswith('{"mnemopi_export":{')


def _lines(source: Path) -> Iterator[str]:
    try:
        with source.open(encoding="utf-8") as stream:
            yield from stream
    except UnicodeDecodeError as error:
        raise UsageError(f"{source} is not UTF-8") from error


TOOLS = (
    Tool(
        "mnemopi_export",
        "Export a bank",
        "Write everything of a bank to a new file of JSON lines, within the folder for files.",
        Export,
        Exported,
        export,
        "add",
    ),
    Tool(
        "mnemopi_import",
        "Import a file",
        "Take in an export, plain JSON lines, or the TypeScript engine's JSON, from the folder for files. Known "
        "memories are skipped, or with force overwritten.",
        Import,
        Imported,
        take_in,
        "destroy",
    ),
)
