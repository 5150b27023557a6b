"""What the resident process and those who talk to it agree on: JSON lines over a unix socket.

    client   {"protocol", "version", "kind", "ground", "environment", ...}     hello: who is there, with which settings
    server   {"wait": true} at once, where it needs a moment for an agent, and then
             {"ok": true, "pid", "version"}  or  {"refused": why, "message"}   nothing is done before this
    client   by kind:
        mcp      lines of the Model Context Protocol, both ways, until either side ends
        call     {"tool", "arguments"}             -> {"answer"} or {"error": {code, message, hint}}, again and again
        cli      {"argv", "width"}                 -> {"status", "out", "err"} or {"refused", "message"}
        status   nothing                           -> (what is told stands in the answer to the hello)
        release  nothing; the server has closed what nobody is using
        finish   nothing; the server ends what it is at, and itself

Settings travel with each hello: the server works by those of its client, never by its own. `ground` is what settings
are read by and cannot travel; where it differs, the server refuses, and the client does the work itself. Only the
standard library is imported here, and little of that: a start of the shim counts milliseconds.
"""

import json
import os
import socket
import struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

PROTOCOL = 1
VERSION = "0.1.0"
"""That of the package, which a test compares: to ask the installed metadata takes longer than a whole call."""
RECORD = "daemon.lock"
"""The file in the data folder that the server locks while it lives, and writes where it is to be found into."""
GROUND = ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "TZ")
"""Names of the environment that say where settings lie and what time of day it is."""
KINDS = ("mcp", "call", "cli", "status", "release", "finish")
LONGEST = 64 << 20
"""Bytes of the longest line."""


def line(told: "Mapping[str, Any]") -> bytes:
    """Render a message; what is no Unicode, such as bytes of an argument, is escaped and survives."""
    return json.dumps(told, separators=(",", ":")).encode("ascii") + b"\n"


def hello(kind: str, ground: "Mapping[str, str]", **more: "Any") -> "dict[str, Any]":
    """Say who calls, for what, and what its settings are read by."""
    return {"protocol": PROTOCOL, "version": VERSION, "kind": kind, "ground": ground, "environment": {}} | more


def is_older(theirs: str, ours: str = VERSION) -> bool:
    """Whether a version comes before ours, number by number."""
    return _numbers(theirs) < _numbers(ours)


def _numbers(version: str) -> "list[int]":
    return [int(part) if part.isdecimal() else 0 for part in version.split(".")]


def peer(connection: socket.socket) -> int:
    """Return the user at the other end of a unix socket. Raises OSError where the system does not tell."""
    if hasattr(socket, "SO_PEERCRED"):
        said = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
        return int(struct.unpack("3i", said)[1])
    said = connection.getsockopt(0, 1, 76)  # SOL_LOCAL, LOCAL_PEERCRED: a struct xucred of macOS and the BSDs
    return int(struct.unpack_from("II", said)[1])


def record(folder: str) -> "dict[str, Any]":
    """Return what the server of a data folder wrote about itself; empty where there is none to be read."""
    try:
        with open(os.path.join(folder, RECORD), "rb") as file:  # noqa: PTH118, PTH123 -- pathlib costs milliseconds
            told = json.loads(file.read(65536) or b"{}")
    except (OSError, ValueError):
        return {}
    return told if isinstance(told, dict) and isinstance(told.get("socket"), str) else {}
