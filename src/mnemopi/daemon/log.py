"""The log of a resident process that nobody looks at: a private file that is turned before it grows large."""

from __future__ import annotations

import logging
import logging.handlers
import os
from pathlib import Path
from typing import Any, Final

NAME: Final = "daemon.log"
_LARGEST: Final = 1_000_000
_KEPT: Final = 2
_FORM: Final = "%(asctime)s %(levelname)s %(name)s: %(message)s"


class _Turning(logging.handlers.RotatingFileHandler):
    """A file that takes what is printed past the log, too: descriptors 1 and 2 follow it when it is turned."""

    def doRollover(self) -> None:
        super().doRollover()
        self.follow()

    def follow(self) -> None:
        stream: Any = self.stream
        for standard in (1, 2):
            os.dup2(stream.fileno(), standard)


def to_file(folder: Path) -> None:
    """Log to the file in a data folder, and send there whatever is printed."""
    os.umask(0o077)
    path = folder / NAME
    os.close(os.open(path, os.O_CREAT | os.O_APPEND | os.O_WRONLY | os.O_CLOEXEC, 0o600))
    handler = _Turning(path, maxBytes=_LARGEST, backupCount=_KEPT, encoding="utf-8")
    handler.follow()
    _begin(handler)


def to_stderr() -> None:
    """Log to standard error."""
    _begin(logging.StreamHandler())


def _begin(handler: logging.Handler) -> None:
    handler.setFormatter(logging.Formatter(_FORM))
    logging.basicConfig(level=logging.WARNING, handlers=[handler])
    logging.getLogger("mnemopi").setLevel(logging.INFO)
