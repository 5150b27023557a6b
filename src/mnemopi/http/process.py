"""What `mnemopi serve` runs: the socket, the engines, the application, and all closed again at the end."""

from __future__ import annotations

import logging
from collections.abc import Callable

from mnemopi.config import Config
from mnemopi.http import app, listen, moving
from mnemopi.http.keys import Keys
from mnemopi.tools import catalog
from mnemopi.tools.caller import Engines


def serve(
    config: Config, db_path: str | None, bank: str | None, tools: str, *, insecure: bool, tell: Callable[[str], None]
) -> None:
    """Serve until told to end; `tell` is told where, and where the token lies. Raises InUseError and UsageError."""
    logging.basicConfig(level=logging.WARNING, format="mnemopi: %(levelname)s %(name)s: %(message)s")
    chosen = catalog.chosen(tools)
    place = listen.bind(config.http, insecure=insecure)
    engines = Engines(config, db_path, session=lambda name: f"mcp_{name}")
    try:
        keys = Keys(config.data_dir)
        keys.owner()
        moving.sweep(config.data_dir, engines.clock())
        built = app.build(engines, own=bank, tools=chosen, hosts=[config.http.host])
        where = f"mnemopi serves {place.url} (MCP at /mcp, REST at /api/v1); its token lies in {keys.owner_file}"
        server = listen.prepared(built, place, config.http, ready=lambda: tell(where))
        server.run(sockets=[place.socket])
    finally:
        place.socket.close()
        engines.close()
