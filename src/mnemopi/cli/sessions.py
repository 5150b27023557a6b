"""The session that a command is about: the folder it works in, the host that runs it, and the backend behind it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import click

from mnemopi.backends import resolve_backend
from mnemopi.backends.backend import MemoryBackend
from mnemopi.cli import opening
from mnemopi.cli.everywhere import Asked, asked
from mnemopi.config import Config
from mnemopi.errors import UsageError
from mnemopi.model.session import SessionRef
from mnemopi.model.values import dataclass

HOST: Final = "mnemopi"
_ID: Final = "command-line"


@dataclass(frozen=True, slots=True)
class Sitting:
    """A backend, the session it is asked for, and what the command line was asked for besides."""

    backend: MemoryBackend
    ref: SessionRef
    config: Config
    asked: Asked


def options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options that say which session it is about."""
    at = click.option(
        "--at", "folder", metavar="FOLDER", default=".", help="The session's folder, by default this one."
    )
    host = click.option(
        "--host",
        metavar="NAME",
        default=HOST,
        help="The host of the session that --session names, such as claude-code.",
    )
    return at(host(function))


@contextmanager
def opened(context: click.Context, folder: str, host: str) -> Iterator[Sitting]:
    """Open the backend that the settings name, for the session of a folder; it is closed afterwards."""
    wanted = asked(context)
    if wanted.bank is not None:
        raise UsageError("a session has the banks of its project", hint="the setting mnemopi.scoping says which")
    settings = opening.config(wanted)
    path = Path(folder).expanduser()
    if not path.is_dir():
        raise UsageError(f"{folder!r:.200} is no folder", hint="name the folder of a project")
    named = "identity.session_id" in settings.origins
    ref = SessionRef(host, settings.identity.session_id if named else _ID, str(path.resolve()))
    backend = resolve_backend(settings, db_path=wanted.db)
    try:
        yield Sitting(backend, ref, settings, wanted)
    finally:
        backend.close()
