"""Relay an agent's standard streams to the resident process, line by line, and survive its end.

What is under way is remembered. Where the other side ends first, another is asked for (a new resident process, or one
of our own that serves this agent alone), told how the conversation began, and asked again what may be asked twice. A
call of a tool that changes something is not: it is answered with an error that says that its outcome is not known.
"""

import contextlib
import json
import os
import select
import time

from mnemopi.daemon import words

TYPE_CHECKING = False
if TYPE_CHECKING:
    import socket
    import subprocess
    from collections.abc import Callable
    from typing import Any

_LOOK_S = 1.0
"""How often to look whether the parent is still there."""
_DRAIN_S = 10.0
"""How long answers are waited for after the agent's last line."""
_MOST_TAKEOVERS = 3
"""How many peers in a row may end without having answered anything."""
_BEGINS_S = 60.0
"""How long a new peer may take to answer what the former one has answered."""
_MODERN = "io.modelcontextprotocol/protocolVersion"
_BEGINNINGS = ("notifications/initialized", "resources/subscribe", "resources/unsubscribe")


class Peer:
    """Who answers: two descriptors, and a way to say that nothing more comes."""

    def __init__(self, reading: int, writing: int, finish: "Callable[[], object]") -> None:
        self.reading, self.writing, self.finish = reading, writing, finish


def over_socket(connection: "socket.socket") -> Peer:
    """Make a peer of a connection."""
    return Peer(connection.fileno(), connection.fileno(), lambda: connection.shutdown(1))


def over_pipes(process: "subprocess.Popen[bytes]") -> Peer:
    """Make a peer of a child with pipes."""
    assert process.stdin is not None and process.stdout is not None
    return Peer(process.stdout.fileno(), process.stdin.fileno(), process.stdin.close)


class Relay:
    """One agent on descriptors 0 and 1, and whoever answers it now. `another` gives the next one, None for none."""

    def __init__(self, peer: Peer, another: "Callable[[], Peer | None]") -> None:
        self._peer, self._another = peer, another
        self._asked: dict[str, tuple[dict[str, Any], bytes]] = {}
        self._beginning: list[bytes] = []
        self._from_agent, self._from_peer = b"", b""
        self._ending = 0.0
        self._is_away = False
        self._takeovers = 0

    def run(self, parent: int) -> int:
        """Relay until either the agent, or the parent, or every peer has ended; return the exit status."""
        while os.getppid() == parent and not (self._ending and time.monotonic() > self._ending):
            try:
                if not self._turn():
                    return 0 if self._ending else 1
            except BrokenPipeError:  # the agent went away: nobody reads what we write
                return 0
        return 0

    def _turn(self) -> bool:
        """Pass on what there is to pass on; return False where nobody is there to answer any more."""
        watched = ([] if self._ending else [0]) + ([] if self._is_away else [self._peer.reading])
        ready = select.select(watched, (), (), _LOOK_S)[0]
        if not self._is_away and self._peer.reading in ready and not self._hear_peer():
            if self._ending:
                return False
            self._is_away = True  # until the agent wants something: there may be a new resident process by then
            if (self._asked or _is_following(self._beginning)) and not self._go_on():
                return False
        return 0 not in ready or self._hear_agent()

    def _hear_agent(self) -> bool:
        """Pass on what the agent says; return False where nobody is there to answer it."""
        part = os.read(0, 1 << 16)
        if not part:
            self._ending = time.monotonic() + _DRAIN_S
            self._finish()
            return not self._is_away
        whole, self._from_agent = _lines(self._from_agent + part)
        if self._is_away and whole and not self._go_on():
            return False
        for each in whole:
            self._remember(each)
        self._tell(b"".join(whole))
        return True

    def _finish(self) -> None:
        with contextlib.suppress(OSError):
            self._peer.finish()

    def _hear_peer(self) -> bool:
        """Pass on what the peer says; return False where it has ended."""
        try:
            part = os.read(self._peer.reading, 1 << 16)
        except OSError:
            part = b""
        whole, self._from_peer = _lines(self._from_peer + part)
        self._pass_on(whole)
        return bool(part)

    def _pass_on(self, answers: "list[bytes]") -> None:
        for each in answers:
            self._takeovers = 0
            told = _read(each)
            if "id" in told and "method" not in told:
                self._asked.pop(_key(told), None)
        _write(1, b"".join(answers))

    def _remember(self, line: bytes) -> None:
        told = _read(line)
        method = told.get("method")
        if method == "initialize":
            self._beginning = [line]
        elif method in _BEGINNINGS:
            self._beginning.append(line)
        if method is not None and "id" in told:
            self._asked[_key(told)] = told, line

    def _tell(self, lines: bytes) -> None:
        with contextlib.suppress(OSError):
            _write(self._peer.writing, lines)

    def _go_on(self) -> bool:
        """Take up with another peer; return False where there is none, or one after the other ends."""
        self._from_peer = b""
        self._takeovers += 1
        found = self._another() if self._takeovers <= _MOST_TAKEOVERS else None
        asked, self._asked = self._asked, {}
        for told, line in list(asked.values()):
            if found is None or not _may_repeat(told):
                _write(1, _unknown(told))
            else:
                self._asked[_key(told)] = told, line
        if found is None:
            return False
        self._peer, self._is_away = found, False
        known = {line for _, line in self._asked.values()}
        for line in self._beginning:
            if line not in known:
                self._tell(line)
                self._swallow(_read(line))
        self._tell(b"".join(line for _, line in self._asked.values()))
        return True

    def _swallow(self, told: "dict[str, Any]") -> None:
        """Wait for an answer that the agent has had from the former peer, and drop it."""
        until = time.monotonic() + _BEGINS_S
        while "id" in told and (left := until - time.monotonic()) > 0:
            if not select.select([self._peer.reading], (), (), left)[0]:
                return
            try:
                part = os.read(self._peer.reading, 1 << 16)
            except OSError:
                return  # it has ended: the next turn hears of it
            whole, self._from_peer = _lines(self._from_peer + part)
            own = [each for each in whole if _is_answer(_read(each), told["id"])]
            self._pass_on([each for each in whole if each not in own])
            if own or not part:
                return


def _is_following(beginning: "list[bytes]") -> bool:
    """Whether the agent waits to hear of changes by itself."""
    return any(_read(line).get("method") == "resources/subscribe" for line in beginning)


def _may_repeat(told: "dict[str, Any]") -> bool:
    if told.get("method") != "tools/call":
        return True
    parameters = told.get("params")
    return isinstance(parameters, dict) and parameters.get("name") in words.TOOLS_THAT_READ


def _unknown(told: "dict[str, Any]") -> bytes:
    """Answer a request whose outcome nobody knows: as a tool does, so that the model reads it."""
    said = {
        "code": "outcome-unknown",
        "message": "the resident process ended during this call: whether it took effect is not known",
        "hint": "look before you repeat it",
    }
    if told.get("method") != "tools/call":
        error = {"code": -32603, "message": said["message"], "data": said}
        return json.dumps({"jsonrpc": "2.0", "id": told.get("id"), "error": error}).encode() + b"\n"
    result: dict[str, Any] = {"content": [{"type": "text", "text": json.dumps(said)}], "isError": True}
    if _MODERN in ((told.get("params") or {}).get("_meta") or {}):
        result["resultType"] = "complete"
    return json.dumps({"jsonrpc": "2.0", "id": told.get("id"), "result": result}).encode() + b"\n"


def _lines(heard: bytes) -> "tuple[list[bytes], bytes]":
    """Part what was heard into whole lines and the rest."""
    whole, end, rest = heard.rpartition(b"\n")
    return (whole + end).splitlines(keepends=True) if end else [], rest


def _read(line: bytes) -> "dict[str, Any]":
    """Read a message; what is none is passed on, and answered by the peer."""
    try:
        told = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return told if isinstance(told, dict) else {}


def _is_answer(told: "dict[str, Any]", id: "Any") -> bool:
    return "method" not in told and told.get("id") == id


def _key(told: "dict[str, Any]") -> str:
    return json.dumps(told.get("id"))


def _write(descriptor: int, whole: bytes) -> None:
    rest = memoryview(whole)
    while rest:
        rest = rest[os.write(descriptor, rest) :]
