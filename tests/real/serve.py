"""Serve the real server over HTTP on a free port of the loopback address: `python serve.py FOLDER [fixtures]`.

With the fixtures of the conformance suite set before it where asked. The port is the first line on standard output.
"""

from __future__ import annotations

import sys

import fixtures
import uvicorn

from mnemopi.config import Config
from mnemopi.mcp import server
from mnemopi.tools import catalog
from mnemopi.tools.caller import Caller, Engines


class Told(uvicorn.Server):
    """A server that says where it listens."""

    async def startup(self, sockets: list[object] | None = None) -> None:
        await super().startup(sockets)
        sys.stdout.write(f"{self.servers[0].sockets[0].getsockname()[1]}\n")
        sys.stdout.flush()


def main(folder: str, *more: str) -> None:
    """Serve until told to end."""
    engines = Engines(Config.load({"storage.data_dir": folder, "embedding.enabled": False}))
    made = server.build(Caller.of(engines), catalog.TOOLS, engines)
    if "fixtures" in more:
        fixtures.add(made)
    Told(uvicorn.Config(made.streamable_http_app(), host="127.0.0.1", port=0, log_level="warning")).run()
    engines.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
