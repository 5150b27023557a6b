"""Clients of the former era hear of what changed, and none keeps the others from hearing of it."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import anyio
import pytest

from mnemopi.config import Config
from mnemopi.mcp import announce
from mnemopi.mcp.announce import Announcer
from mnemopi.tools.caller import Caller, Engines

PATIENCE = 20.0


class Client:
    """One connection; one that is `stuck` takes nothing any more."""

    def __init__(self, *, stuck: bool = False) -> None:
        self.client_params, self.told, self._stuck = object(), anyio.Event(), stuck
        self.asked = 0

    async def send_resource_list_changed(self) -> None:
        self.asked += 1
        if self._stuck:
            await anyio.sleep_forever()
        self.told.set()


def test_a_client_that_takes_nothing_holds_up_nobody_and_is_let_go_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(announce, "_PATIENCE_S", 0.05, raising=False)
    engines = Engines(Config.load({"storage.data_dir": str(tmp_path), "embedding.enabled": False}))

    async def run() -> None:
        caller = Caller.of(engines)
        announcer = Announcer(engines, lambda _: caller)
        stuck, other = Client(stuck=True), Client()
        for session in (stuck, other):
            context: Any = SimpleNamespace(session=session)
            await announcer.initialized(context, None)
        memory = engines.get("default", create=True)
        await anyio.to_thread.run_sync(memory.remember, "One.")
        with anyio.fail_after(PATIENCE):
            await other.told.wait()
        other.told = anyio.Event()
        await anyio.to_thread.run_sync(memory.remember, "Two.")
        with anyio.fail_after(PATIENCE):
            await other.told.wait()
        assert stuck.asked == 1

    try:
        anyio.run(run)
    finally:
        engines.close()
