"""The server of `mnemopi mcp`: standard input and output belong to the protocol from the first moment on.

File descriptor 1 is moved to a private one, and what anything else prints goes to standard error, where logs go too.
The process ends with its input, or with its parent: a host that is killed does not always close the pipe. Nothing heavy
is imported before the descriptors are safe.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import BinaryIO, Final

from mnemopi.config import Config
from mnemopi.model.session import SessionRef

_LOOK_S: Final = 1.0
"""How often to look whether the parent is still there."""


def claim() -> tuple[BinaryIO, BinaryIO]:
    """Take standard input and output for the protocol, and return both.

    Descriptor 0 reads nothing from now on, descriptor 1 goes where standard error goes; so do Python's own streams.
    """
    reading, writing = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    try:
        os.dup2(2, 1)
    except OSError:  # standard error is closed
        os.dup2(nothing, 1)
    os.close(nothing)
    return os.fdopen(reading, "rb"), os.fdopen(writing, "wb")


def serve(config: Config, db_path: str | None, bank: str | None, tools: str) -> None:
    """Serve one client over standard input and output until either ends. Raises ConfigError and UsageError first."""
    reading, writing = _begun()
    from mnemopi.mcp import server, streams  # noqa: PLC0415 -- heavy, and may print
    from mnemopi.tools import catalog  # noqa: PLC0415
    from mnemopi.tools.caller import Caller, Engines  # noqa: PLC0415

    chosen = catalog.chosen(tools)
    engines = Engines(config, db_path, session=lambda name: f"mcp_{name}")
    watch_parent(lambda: engines.close(0))
    try:
        caller = Caller.of(engines, own=bank)
        streams.serve(server.build(caller, chosen, engines), reading, writing)
    except BrokenPipeError:
        pass  # the client went away in the middle of an answer
    finally:
        engines.close()


def serve_session(config: Config, db_path: str | None, ref: SessionRef) -> None:
    """Serve one session of an agent the tools of its memory until either ends. Raises ConfigError first."""
    reading, writing = _begun()
    from mnemopi.backends import resolve_backend  # noqa: PLC0415 -- heavy, and may print
    from mnemopi.backends.session import Session  # noqa: PLC0415
    from mnemopi.mcp import server, streams  # noqa: PLC0415
    from mnemopi.tools import offer  # noqa: PLC0415
    from mnemopi.tools.agent_caller import AgentCaller  # noqa: PLC0415

    backend = resolve_backend(config, db_path=db_path)
    watch_parent(backend.close)
    session = Session(backend, ref)
    try:
        caller = AgentCaller.of(session, config)
        tools = offer.offered(caller)
        built = server.build_for(caller, tools, offer.instructions(caller, tools))
        streams.serve(built, reading, writing)
    except BrokenPipeError:
        pass  # the client went away in the middle of an answer
    finally:
        session.close()
        backend.close()


def _begun() -> tuple[BinaryIO, BinaryIO]:
    streams = claim()
    logging.basicConfig(level=logging.WARNING, format="mnemopi: %(levelname)s %(name)s: %(message)s")
    return streams


def watch_parent(finish: Callable[[], object]) -> None:
    """End this process soon after its parent has ended."""
    parent = os.getppid()

    def look() -> None:
        while os.getppid() == parent:
            time.sleep(_LOOK_S)
        with suppress(Exception):
            finish()
        os._exit(0)  # the main thread may wait for input that never ends

    threading.Thread(target=look, name="mnemopi-parent", daemon=True).start()
