"""Serve the real application on a free port of the loopback address: `python serve.py FOLDER`.

With the fixtures of the conformance suite set before its MCP server. The suite has no token to give, so the owner's is
put to each of its requests. The port is the first line on standard output.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Any

import fixtures

from mnemopi.config import Config
from mnemopi.http import app, listen
from mnemopi.http.keys import Keys
from mnemopi.mcp import server
from mnemopi.tools import catalog
from mnemopi.tools.caller import Caller, Engines


def main(folder: str) -> None:
    """Serve until told to end."""
    config = Config.load({"storage.data_dir": folder, "embedding.enabled": False})
    engines = Engines(config)
    made = server.build(Caller.of(engines), catalog.TOOLS, engines)
    fixtures.add(made)
    place = listen.bind(replace(config.http, port=0))

    def say() -> None:
        sys.stdout.write(f"{place.port}\n")
        sys.stdout.flush()

    served = app.build(engines, server=made)
    token = Keys(config.data_dir).owner()

    class Owned:
        """The application, asked by its owner alone."""

        state = served.state

        async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
            if scope["type"] == "http":
                scope["headers"] = [*scope["headers"], (b"authorization", f"Bearer {token}".encode())]
            await served(scope, receive, send)

    listen.prepared(Owned(), place, config.http, ready=say).run(sockets=[place.socket])
    engines.close()


if __name__ == "__main__":
    main(sys.argv[1])
