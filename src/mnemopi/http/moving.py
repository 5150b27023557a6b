"""A whole bank over REST: an export as a stream of JSON lines, and taking one in, all or nothing.

Both go through a private file in the data folder: a client that is slow, or goes away, holds up no writer, and what is
sent is the bank as it was at one moment. No path of this machine is read or written for anybody.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import IO, Annotated, Any, Final

import anyio
from pydantic import Field
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response, StreamingResponse

from mnemopi.errors import FullError, StorageError, UsageError
from mnemopi.http import respond
from mnemopi.http.operation import Call, Operation, Reply
from mnemopi.http.refusals import MediaTypeError, TimedOutError, TooLargeError
from mnemopi.http.work import Work
from mnemopi.tools.tool import InBank, Output

NDJSON: Final = "application/x-ndjson"
IMPORT: Final = "/api/v1/import"
_CHUNK: Final = 1 << 16
_EXPORT, _IMPORT = ".export-", ".import-"
_DAY_MS: Final = 86_400_000
"""Longer than any export or import takes."""


async def send(request: Request, call: Call) -> Response:
    """Send a bank as an export."""
    work: Work = request.app.state.work
    file, size = await work.run(partial(_exported, call), seconds=work.config.timeout * 10)
    name = call.caller.name(call.query.bank)
    headers = {"content-length": str(size), "content-disposition": f'attachment; filename="{_plain(name)}.jsonl"'}
    return StreamingResponse(_chunks(file, work), media_type=NDJSON, headers=headers)


def _exported(call: Call) -> tuple[IO[bytes], int]:
    bank = call.caller.bank(call.query.bank)
    with tempfile.TemporaryDirectory(prefix=_EXPORT, dir=_folder(call)) as folder:
        path = Path(folder, "bank.jsonl")
        bank.export(path)
        file = path.open("rb")  # it is read on when its name is gone
        return file, os.fstat(file.fileno()).st_size


async def _chunks(file: IO[bytes], work: Work) -> AsyncIterator[bytes]:
    with file:
        while chunk := await work.run(partial(file.read, _CHUNK)):
            yield chunk


class Taking(InBank):
    """Query of an import."""

    force: Annotated[bool, Field(description="Overwrite what is here. Needs a confirmation.")] = False
    skip_bad: Annotated[bool, Field(description="Leave bad lines out and name them, instead of refusing all.")] = False
    confirm: Annotated[str | None, Field(description="Token of the answer that asked for it.")] = None


class Taken(Output):
    """What became of the memories of an import."""

    inserted: int
    skipped: int
    overwritten: int
    forgotten: int
    problems: list[str]
    bank: str


async def take(request: Request, call: Call) -> Response:
    """Take in an export."""
    work: Work = request.app.state.work
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != NDJSON:
        raise MediaTypeError("an import is JSON lines", hint=f"Content-Type: {NDJSON}")
    with tempfile.TemporaryDirectory(prefix=_IMPORT, dir=await work.run(partial(_folder, call))) as folder:
        path = Path(folder, "bank.jsonl")
        told = await _received(request, path, work)
        reply = await work.run(partial(_loaded, call, path, told), seconds=work.config.timeout * 10)
    return respond.reply(reply, 200)


async def _received(request: Request, path: Path, work: Work) -> Mapping[str, Any]:
    """Keep the body in a file; return its length and hash. A client that stops sending is not waited for."""
    most, seen, digest = work.config.max_import, 0, hashlib.sha256()
    chunks = aiter(request.stream())
    with path.open("xb") as file:
        while (chunk := await _next(chunks, work.config.timeout)) is not None:
            seen += len(chunk)
            if seen > most:
                raise TooLargeError(f"more than {most:,} bytes", hint="the setting http.max_import is the limit")
            digest.update(chunk)
            await work.run(partial(_write, file, chunk))
    return {"bytes": seen, "sha256": digest.hexdigest()}


async def _next(chunks: AsyncIterator[bytes], seconds: float) -> bytes | None:
    try:
        with anyio.fail_after(seconds or None):
            return await anext(chunks)
    except StopAsyncIteration:
        return None
    except TimeoutError as error:
        raise TimedOutError("the body did not come in time", hint="the setting http.timeout is the limit") from error
    except ClientDisconnect as error:
        raise UsageError("the body was cut short") from error


def _write(file: IO[bytes], chunk: bytes) -> None:
    try:
        file.write(chunk)
    except OSError as error:
        raise FullError("the import cannot be kept", hint="make room in the data folder") from error


def _loaded(call: Call, path: Path, told: Mapping[str, Any]) -> Reply:
    asked = call.query
    with call.caller.writing(asked.bank) as bank:
        if asked.force:
            preview = {"tool": "importBank", "bank": bank.name, **told}
            question = f"Overwrite memories of bank {bank.name!r} with those of this import?"
            call.caller.confirmations.require(question, preview, asked.confirm)
        elif asked.confirm is not None:
            raise UsageError("confirm goes with force", hint="leave it out")
        report = bank.load(path, force=asked.force, skip_bad=asked.skip_bad)
    return Reply(Taken(**report.as_dict(), bank=bank.name))


def sweep(folder: Path, now: int) -> None:
    """Remove what a server that was killed left of exports and imports: whole texts, which no erasure would reach."""
    for left in (*folder.glob(f"{_EXPORT}*"), *folder.glob(f"{_IMPORT}*")):
        with suppress(OSError):
            if left.stat(follow_symlinks=False).st_mtime * 1000 < now - _DAY_MS:
                shutil.rmtree(left, ignore_errors=True)


def _folder(call: Call) -> Path:
    folder = call.caller.engines.config.data_dir
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise StorageError(f"the data folder cannot be made: {error.strerror}") from error
    return folder


def _plain(name: str) -> str:
    """A name of a file that needs no quoting."""
    return "".join(char if char.isascii() and char.isalnum() else "-" for char in name)


OPERATIONS: Final = (
    Operation(
        "GET",
        "/api/v1/export",
        "exportBank",
        "Send everything of a bank as JSON lines.",
        "read",
        {NDJSON: "A manifest, then a line for each thing that was said or done."},
        serve=send,
        query=InBank,
        media=NDJSON,
        tag="banks",
    ),
    Operation(
        "POST",
        IMPORT,
        "importBank",
        "Take in an export, all or nothing. Known memories are skipped; with `force` they are overwritten, once "
        "the token of the first answer (409) says that somebody agreed.",
        "destroy",
        Taken,
        serve=take,
        query=Taking,
        takes=NDJSON,
        tag="banks",
    ),
)
