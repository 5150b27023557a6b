"""The resident process: it answers on a unix socket until nobody needs it any more. `protocol` says in which words.

Each connection is a task on one loop, each call runs in a thread of its own, and nothing of a client outlives it but
the engines. A client that goes away in the middle harms nobody: what it asked is done, and nobody reads the answer.
"""

from __future__ import annotations

import importlib
import json
import logging
import os
import signal
import threading
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import anyio
import anyio.to_thread

from mnemopi.config import Config, ground
from mnemopi.daemon import lock, protocol, work
from mnemopi.daemon.activity import Activity
from mnemopi.daemon.rooms import Rooms, View
from mnemopi.engine import Mnemopi
from mnemopi.errors import MnemopiError, NotFoundError, UsageError
from mnemopi.tools.caller import Caller

if TYPE_CHECKING:
    from asyncio import StreamReader, StreamWriter

    from mcp.server.lowlevel import Server

    from mnemopi.tools.tool import Tool

_LOG: Final = logging.getLogger(__name__)
_HELLO_S: Final = 10.0
_DRAIN_S: Final = 10.0
"""How long calls that are under way may take when the process is asked to finish."""
_PATIENCE_S: Final = 2.0
"""How long calls may take before a bank is not let go of for somebody who wants it alone."""
_TICK_S: Final = 0.25
_LOOK_S: Final = 2.0
"""How often it is looked whether the data folder is still there; what agents need is loaded at the first look."""
_AT_ONCE: Final = 16
"""Calls of the command line that run at the same time; further ones wait."""


class Resident:
    """One resident process. `idle` is how many seconds it stays without a connection or call, 0 for ever."""

    def __init__(self, folder: Path, commands: work.Commands, *, idle: float) -> None:
        self._folder, self._commands, self._idle = folder, commands, idle
        self.activity = Activity()
        self._rooms = Rooms(folder)
        self._finishing = ""
        self._began = time.time()
        self._writers: set[StreamWriter] = set()
        self._threads: Any = None
        self._kinds: Mapping[str, Callable[..., Awaitable[None]]] = {
            "mcp": self._mcp,
            "call": self._call,
            "cli": self._cli,
            "status": self._status,
            "release": self._release,
            "finish": self._finish,
        }

    def run(self, held: lock.Lock, path: Path) -> None:
        """Serve until idle, told to finish, or sent SIGTERM; then let calls end, and close everything."""
        anyio.run(self._serve, held, path)

    async def _serve(self, held: lock.Lock, path: Path) -> None:
        import asyncio  # noqa: PLC0415

        self._threads = anyio.CapacityLimiter(_AT_ONCE)
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, partial(self._end, "a signal"))
        listening = lock.listening(path)
        server = await asyncio.start_unix_server(self._connection, sock=listening, limit=protocol.LONGEST)
        held.write(lock.describe(path, self._folder))
        _LOG.info("serving %s at %s as process %d", self._folder, path, os.getpid())
        try:
            await self._until_done(held)
        finally:
            server.close()
            with suppress(OSError):
                path.unlink()
            await self._drain()

    async def _until_done(self, held: lock.Lock) -> None:
        looked, warm = time.monotonic(), False
        while not self._finishing:
            await anyio.sleep(_TICK_S)
            now, activity = time.monotonic(), self.activity
            if self._idle and not activity.connections and not activity.calls and now - activity.last > self._idle:
                self._end("nobody needed it")
            if now - looked > _LOOK_S:
                looked = now
                if not warm and not activity.calls:
                    warm = True
                    load = partial(importlib.import_module, "mnemopi.daemon.guests")
                    threading.Thread(target=load, name="mnemopi-warm", daemon=True).start()
                if not held.is_in_place():
                    self._end("its data folder is gone")

    async def _drain(self) -> None:
        """Let what is under way end, hang up, and close the engines."""
        _LOG.info("finishing: %s", self._finishing)
        until = time.monotonic() + _DRAIN_S
        while self.activity.calls and time.monotonic() < until:
            await anyio.sleep(0.02)
        for writer in list(self._writers):
            writer.close()
        with anyio.CancelScope(shield=True):
            left = await anyio.to_thread.run_sync(self._rooms.close)
        _LOG.info("finished; %d memories wait for a vector, %d calls were cut off", left, self.activity.calls)
        if self.activity.calls:
            logging.shutdown()
            os._exit(0)  # a thread that hangs in a call would keep the process

    def _end(self, why: str) -> None:
        self._finishing = self._finishing or why

    # -- connections

    async def _connection(self, reader: StreamReader, writer: StreamWriter) -> None:
        self._writers.add(writer)
        try:
            with self.activity.connected():
                await self._greeted(reader, writer)
        except (ConnectionError, ValueError):
            pass
        except Exception as error:  # noqa: BLE001 -- one connection must not take the rest down
            _LOG.error("a connection failed: %s", type(error).__name__)
        finally:
            self._writers.discard(writer)
            writer.close()

    async def _greeted(self, reader: StreamReader, writer: StreamWriter) -> None:
        if protocol.peer(writer.get_extra_info("socket")) != os.getuid():
            return await _say(writer, {"refused": "owner", "message": "this socket belongs to another user"})
        hello: dict[str, Any] = {}
        with anyio.move_on_after(_HELLO_S):
            hello = _read(await reader.readline())
        why = self._refusal(hello)
        if why is not None:
            return await _say(writer, why | {"version": protocol.VERSION})
        return await self._kinds[hello["kind"]](hello, reader, writer)

    def _refusal(self, hello: Mapping[str, Any]) -> dict[str, Any] | None:
        if hello.get("kind") not in protocol.KINDS:
            return {"refused": "protocol", "message": f"a hello names one of {', '.join(protocol.KINDS)}"}
        if hello["kind"] in ("status", "finish"):
            return None
        if (hello.get("protocol"), hello.get("version")) != (protocol.PROTOCOL, protocol.VERSION):
            return {"refused": "version", "message": "the resident process is of another version"}
        if self._finishing:
            return {"refused": "finishing", "message": "the resident process is about to end"}
        settings = hello.get("environment")
        if not isinstance(settings, dict) or not all(isinstance(value, str) for value in settings.values()):
            return {"refused": "protocol", "message": "the environment of a hello maps names to texts"}
        theirs = hello.get("ground")
        if not isinstance(theirs, dict) or theirs != ground(protocol.GROUND):
            return {"refused": "ground", "message": "the resident process reads settings from another place"}
        return None

    # -- kinds

    async def _mcp(self, hello: Mapping[str, Any], reader: StreamReader, writer: StreamWriter) -> None:
        """Serve an agent: the protocol's own lines from here on."""
        await _say(writer, {"wait": True})
        with ExitStack() as stack:
            try:
                server, caller, _ = await self._in_thread(self._welcomed, hello, stack)
            except MnemopiError as error:
                return await _say(writer, {"refused": "arguments", "message": str(error)})
            from mnemopi.daemon import guests  # noqa: PLC0415 -- brings the SDK

            await _say(writer, _ok())
            await guests.serve(server, guests.Guest(caller, self.activity), reader, writer)
        return None

    async def _call(self, hello: Mapping[str, Any], reader: StreamReader, writer: StreamWriter) -> None:
        """Call tools, one after the other."""
        await _say(writer, {"wait": True})
        with ExitStack() as stack:
            try:
                _, caller, tools = await self._in_thread(self._welcomed, hello, stack)
            except MnemopiError as error:
                return await _say(writer, {"refused": "arguments", "message": str(error)})
            await _say(writer, _ok())
            while line := await reader.readline():
                with self.activity.busy():
                    await _say(writer, await self._in_thread(_called, tools, caller, _read(line)))
        return None

    async def _cli(self, hello: Mapping[str, Any], reader: StreamReader, writer: StreamWriter) -> None:
        """Run one command."""
        await _say(writer, _ok())
        line = await reader.readline()
        if not line.endswith(b"\n"):
            return  # it was cut off: what is not whole is not done
        told = _read(line)
        try:
            asked = work.Asked(tuple(map(str, told["argv"])), hello["environment"], int(told.get("width", 0)))
        except (KeyError, TypeError, ValueError):
            return await _say(writer, {"refused": "protocol", "message": "a command has argv and width"})
        with self.activity.busy():
            done: work.Outcome = await self._in_thread(self._commands.run, asked, self._lent)
            if done.refused:
                return await _say(writer, {"refused": "settings", "message": done.refused})
            await _say(writer, {"status": done.status, "out": done.out, "err": done.err})
        return None

    async def _status(self, hello: Mapping[str, Any], reader: StreamReader, writer: StreamWriter) -> None:
        """Say what this process is at."""
        at = self.activity
        counts = {"connections": at.connections - 1, "calls": at.calls, "served": at.served, "rooms": len(self._rooms)}
        where = {"data_dir": str(self._folder), "seconds": round(time.time() - self._began, 1)}
        await _say(writer, _ok() | counts | where)

    async def _release(self, hello: Mapping[str, Any], reader: StreamReader, writer: StreamWriter) -> None:
        """Close every bank, unless somebody is at one."""
        until = time.monotonic() + _PATIENCE_S
        while self.activity.calls and time.monotonic() < until:
            await anyio.sleep(0.02)
        if not self.activity.calls:
            await self._in_thread(self._rooms.release)
        await _say(writer, _ok())

    async def _finish(self, hello: Mapping[str, Any], reader: StreamReader, writer: StreamWriter) -> None:
        """End, when what is under way has ended."""
        self._end("it was asked to")
        await _say(writer, _ok())

    # -- within

    def _welcomed(self, hello: Mapping[str, Any], stack: ExitStack) -> tuple[Server[Any], Caller, Sequence[Tool]]:
        """Read what an agent asked for, and enter its room. Raises MnemopiError kinds."""
        from mnemopi.tools import catalog  # noqa: PLC0415 -- brings pydantic

        argv = hello.get("argv")
        if not isinstance(argv, list):
            raise UsageError("a hello of this kind has argv", hint="the arguments of `mnemopi mcp`")
        agent = self._commands.agent(work.Asked(tuple(map(str, argv)), hello["environment"]))
        if isinstance(agent, work.Outcome):
            raise UsageError(agent.err.strip() or "these arguments cannot be used", hint="see `mnemopi mcp --help`")
        tools = catalog.chosen(agent.tools)
        room = stack.enter_context(self._rooms.entered(agent.config, agent.db_path))
        caller = Caller.of(View(room.engines, agent.config, "mcp_"), own=agent.bank)
        return room.server(tools), caller, tools

    @contextmanager
    def _lent(self, config: Config, db_path: str | None, bank: str, *, makes: bool) -> Iterator[Mnemopi]:
        with self._rooms.entered(config, db_path) as room:
            view = View(room.engines, config)
            with view.making(bank) if makes else nullcontext(view.get(bank, absent=True)) as engine:
                yield engine

    async def _in_thread(self, function: Callable[..., Any], *arguments: Any) -> Any:
        return await anyio.to_thread.run_sync(partial(function, *arguments), limiter=self._threads)


def _called(tools: Sequence[Tool], caller: Caller, told: Mapping[str, Any]) -> dict[str, Any]:
    """Call a tool; whatever goes wrong is an answer."""
    found = {tool.name: tool for tool in tools}.get(str(told.get("tool")))
    arguments = told.get("arguments", {})
    try:
        if found is None:
            raise NotFoundError(f"there is no tool {str(told.get('tool'))[:80]!r}", hint="the list of tools names them")
        if not isinstance(arguments, dict):
            raise UsageError("arguments are an object", hint=f"see the arguments of {found.name}")
        return {"answer": found.run(caller, arguments)}
    except MnemopiError as error:
        return {"error": error.as_dict()}
    except Exception as error:  # noqa: BLE001 -- the caller gets an answer; the log says where to look
        _LOG.error("%s: unexpected %s", told.get("tool"), type(error).__name__)
        return {"error": {"code": "internal", "message": f"unexpected {type(error).__name__}", "hint": "see the log"}}


def _ok() -> dict[str, Any]:
    return {"ok": True, "pid": os.getpid(), "version": protocol.VERSION}


def _read(line: bytes) -> dict[str, Any]:
    try:
        told = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return told if isinstance(told, dict) else {}


async def _say(writer: StreamWriter, told: Mapping[str, Any]) -> None:
    writer.write(protocol.line(told))
    await writer.drain()
