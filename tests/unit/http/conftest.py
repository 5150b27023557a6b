"""A real server over a loopback socket, in a thread of the test's process; one for a module, a bank for each test."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from mnemopi.config import Config
from mnemopi.http import app, listen
from mnemopi.http.client import Client
from mnemopi.http.keys import Keys
from mnemopi.tools.caller import Engines


@dataclass(frozen=True)
class Served:
    """A server that runs, and the ways to it."""

    url: str
    token: str
    engines: Engines
    http: httpx.Client

    def client(self, **given: Any) -> Client:
        """Make a client for Python; the owner's unless a token is given."""
        return Client(self.url, **{"token": self.token, **given})

    def named(self, *banks: str, most: str = "destroy") -> str:
        """Make a token with limits."""
        keys = Keys(self.engines.config.data_dir)
        return keys.create(secrets.token_hex(4), banks, most, 0)  # type: ignore[arg-type]


@contextmanager
def running(folder: Path, **settings: Any) -> Iterator[Served]:
    """Serve a data folder until the block ends."""
    given = {"http.port": 0, "http.rate": 0, "embedding.enabled": False, "write.timezone": "UTC"}
    config = Config.load({**given, "storage.data_dir": str(folder), **settings})
    engines, place = Engines(config, session=lambda bank: f"mcp_{bank}"), listen.bind(config.http)
    started = threading.Event()
    server = listen.prepared(app.build(engines), place, config.http, ready=started.set)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [place.socket]})
    thread.start()
    try:
        assert started.wait(60)
        token = Keys(config.data_dir).owner()
        with httpx.Client(base_url=place.url, headers={"authorization": f"Bearer {token}"}, timeout=30) as http:
            yield Served(place.url, token, engines, http)
    finally:
        server.should_exit = True
        thread.join(30)
        place.socket.close()
        engines.close()
    assert not thread.is_alive()


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server with the usual settings."""
    with running(tmp_path_factory.mktemp("served") / "data") as made:
        yield made


@pytest.fixture
def serving(tmp_path: Path) -> Iterator[Callable[..., Served]]:
    """Serve with other settings: `serving(**{"http.max_body": 2000})`."""
    with ExitStack() as stack:
        yield lambda **settings: stack.enter_context(running(tmp_path / secrets.token_hex(4), **settings))


@pytest.fixture
def bank(served: Served) -> str:
    """An empty bank of the test's own."""
    name = f"bank-{secrets.token_hex(4)}"
    assert served.http.post("/api/v1/banks", json={"name": name}).status_code == 201
    return name


@pytest.fixture
def memory(served: Served, bank: str) -> Iterator[Client]:
    """A client that works on that bank."""
    with served.client(bank=bank) as made:
        yield made
