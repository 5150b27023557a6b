"""The server process: a socket that is ours alone, uvicorn over it, and an end that lets answers be finished.

The socket is bound before anything else, so that a taken port is an error with a name. Beyond the loopback, nothing is
sent in the clear unless somebody says so.
"""

from __future__ import annotations

import errno
import ipaddress
import logging
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import uvicorn
from starlette.applications import Starlette

from mnemopi.errors import InUseError, UsageError
from mnemopi.http import pace
from mnemopi.model.values import dataclass
from mnemopi.settings import HttpConfig

_GRACE_S: Final = 5
"""How long answers that are being given are waited for at the end."""
_KEEP_S: Final = 75
"""How long a quiet connection is kept: longer than clients keep theirs, so that none is closed under a request."""
_BACKLOG: Final = 512


@dataclass(frozen=True, slots=True)
class Place:
    """A bound socket, and the address that leads to it."""

    socket: socket.socket
    host: str
    port: int
    secure: bool

    @property
    def url(self) -> str:
        """The address for people and programs."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{'https' if self.secure else 'http'}://{host}:{self.port}"


def bind(config: HttpConfig, *, insecure: bool = False) -> Place:
    """Take the address. Raises InUseError where it is taken, and UsageError for one that may not or cannot be used."""
    secure = bool(config.tls_cert)
    if config.tls_key and not secure:
        raise UsageError("there is a key and no certificate", hint="--tls-cert names the file of the certificate")
    for kind, file in (("certificate", config.tls_cert), ("key", config.tls_key)):
        if file and not Path(file).is_file():
            raise UsageError(f"there is no {kind} at {file}", hint="--tls-cert and --tls-key name files")
    family, address = _resolved(config.host, config.port)
    if not (secure or insecure or ipaddress.ip_address(address[0].partition("%")[0]).is_loopback):
        raise UsageError(
            f"{config.host} is reached by others, who would hear all that is said",
            hint="give --tls-cert and --tls-key; or --insecure-bind, behind a proxy that has them",
        )
    # Named as TCP, so that asyncio sends small answers at once: else each would wait 40 ms for an acknowledgement.
    bound = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind(address)
        bound.listen(_BACKLOG)
        bound.set_inheritable(False)
    except OSError as error:
        bound.close()
        raise _unbound(config, error) from error
    return Place(bound, config.host, bound.getsockname()[1], secure)


def prepared(
    app: Starlette, place: Place, config: HttpConfig, *, ready: Callable[[], None] | None = None
) -> uvicorn.Server:
    """Return a server whose `run(sockets=[place.socket])` serves until SIGINT, SIGTERM or `should_exit`.

    Raises UsageError for an unusable certificate.
    """
    settings = uvicorn.Config(
        app,
        log_config=None,
        log_level=logging.WARNING,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=_GRACE_S,
        timeout_keep_alive=_KEEP_S,
        http=pace.heads(config.timeout) if config.timeout else "auto",
        ssl_certfile=config.tls_cert or None,
        ssl_keyfile=config.tls_key or None,
    )
    try:
        settings.load()
    except OSError as error:
        place.socket.close()
        raise UsageError(
            f"the certificate cannot be used: {error}", hint="a PEM file, and the key that it goes with"
        ) from error
    return _Server(settings, ready)


class _Server(uvicorn.Server):
    """Uvicorn, which says when it is ready, and lets streams end before it waits for them."""

    def __init__(self, settings: uvicorn.Config, ready: Callable[[], None] | None) -> None:
        super().__init__(settings)
        self._ready = ready

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """End at a signal as at any other end: uvicorn would raise it again, and nothing would be closed."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        former = {number: signal.signal(number, self.handle_exit) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in former.items():
                signal.signal(number, handler)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin, then say so."""
        await super().startup(sockets=sockets)
        if self.started and self._ready is not None:
            self._ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Let streams end, then wait for the rest."""
        self.config.app.state.work.close()  # type: ignore[union-attr]
        await super().shutdown(sockets=sockets)


def _resolved(host: str, port: int) -> tuple[socket.AddressFamily, Any]:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError) as error:
        raise UsageError(f"{host!r:.100} is no address of this machine", hint="--host names one") from error
    family, _, _, _, address = found[0]
    return family, address


def _unbound(config: HttpConfig, error: OSError) -> UsageError | InUseError:
    place = f"port {config.port} of {config.host}"
    if error.errno == errno.EADDRINUSE:
        return InUseError(f"{place} is taken", hint="--port names another one; 0 takes any that is free")
    return UsageError(f"{place} cannot be listened at: {error.strerror}", hint="--host and --port name another one")
