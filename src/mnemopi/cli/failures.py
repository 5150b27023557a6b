"""What people and programs see of an error: a message and a hint on stderr, or one JSON document; and the status.

Statuses are those of the error tree (`mnemopi.errors`), 130 for an interrupt, 141 for a reader that went away.
"""

from __future__ import annotations

import contextlib
import os
import sys
import traceback
from collections.abc import Sequence
from typing import Final

import click

from mnemopi.cli import output
from mnemopi.errors import MnemopiError, StorageError, UsageError

INTERRUPTED: Final = 130
READER_GONE: Final = 141


class NothingDone(MnemopiError):
    """Nothing was done."""

    code = "nothing-done"


def known(error: Exception) -> MnemopiError:
    """Return the error as one of the tree: click's own become usage errors, the system's the file or the disk.

    Any other is unexpected, and one line.
    """
    if isinstance(error, MnemopiError):
        return error
    if isinstance(error, click.UsageError):
        return UsageError(error.format_message(), hint=_hint(error))
    if isinstance(error, click.ClickException):
        return UsageError(error.format_message())
    if isinstance(error, OSError) and not isinstance(error, ConnectionError | TimeoutError):
        what = f"{error.filename}: " if isinstance(error.filename, str) else ""
        return StorageError(f"{what}reading or writing failed: {error.strerror or error}", hint="check the disk")
    why = str(error).splitlines()[0] if str(error) else "no message"
    return MnemopiError(f"unexpected {type(error).__name__}: {why}", hint="--debug shows the trace")


def _hint(error: click.UsageError) -> str:
    if error.ctx is None:
        return ""
    takes = f"`{error.ctx.command_path} --help` shows what it takes"
    beyond = isinstance(error, click.BadParameter) and isinstance(error.param, click.Argument)
    if beyond or error.message.startswith("Got unexpected extra argument"):
        return f"{takes}; words that belong together stand in quotes"
    return takes


def show(error: Exception, arguments: Sequence[str]) -> int:
    """Print an error in the form that the arguments ask for, and return its exit status."""
    told = known(error)
    options = _options(arguments)
    if "--debug" in options:
        output.aside("".join(traceback.format_exception(error)).rstrip("\n"))
    if "--json" in options:
        output.document({"error": told.as_dict()})
    else:
        output.aside(f"Error: {told.message}" + (f"\nHint: {told.hint}" if told.hint else ""))
    return told.exit_code


def reader_gone() -> int:
    """Let nothing be written any more, since nobody reads it, and return the exit status."""
    with contextlib.suppress(OSError, ValueError):  # under a test there is no real stream
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return READER_GONE


def _options(arguments: Sequence[str]) -> Sequence[str]:
    """The arguments that can be options: when parsing failed, nobody has read them."""
    return arguments[: arguments.index("--")] if "--" in arguments else arguments
