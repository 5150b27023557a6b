"""Talk to the resident process: find it, see that it is ours, shake hands, and exchange lines."""

import json
import os
import socket

from mnemopi.daemon import protocol

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

HANDSHAKE_S = 5.0
"""A server that does not answer the hello for so long is busy or stopped: whoever asks does the work itself."""
PATIENCE_S = 60.0
"""How long one that says that it needs a moment may take: to load what agents need, say."""


class Link:
    """A connection, a JSON message a line. `receive` gives None where the other side has ended."""

    def __init__(self, connection: socket.socket) -> None:
        self.socket = connection
        self._rest = b""

    def send(self, told: "Mapping[str, Any]") -> None:
        """Send a message whole. Raises OSError; then it was not received whole, and will not be acted upon."""
        self.socket.sendall(protocol.line(told))

    def receive(self, timeout: "float | None" = None) -> "dict[str, Any] | None":
        """Wait for a message. Raises TimeoutError, and OSError for what is none."""
        self.socket.settimeout(timeout)
        parts = [self._rest]
        while b"\n" not in parts[-1]:
            try:
                part = self.socket.recv(1 << 20)
            except ConnectionResetError:
                return None
            if not part:
                return None
            parts.append(part)
        whole, _, self._rest = b"".join(parts).partition(b"\n")
        self.socket.settimeout(None)
        try:
            told = json.loads(whole)
        except ValueError as error:
            raise OSError("what was received is no JSON") from error
        if not isinstance(told, dict):
            raise OSError("what was received is no message")
        return told

    def close(self) -> None:
        """Hang up."""
        self.socket.close()


def dial(folder: str, hello: "Mapping[str, Any]") -> "tuple[Link | None, dict[str, Any]]":
    """Reach the server of a data folder; return the connection and its answer.

    Without a connection the answer says why: empty where no server runs, `refused` where it, or we, refused.
    """
    where = protocol.record(folder).get("socket")
    if where is None:
        return None, {}
    connection = socket.socket(socket.AF_UNIX)
    link = Link(connection)
    try:
        connection.settimeout(HANDSHAKE_S)
        connection.connect(where)
        if protocol.peer(connection) != os.getuid():
            link.close()
            return None, {"refused": "owner", "message": f"{where} belongs to another user"}
        link.send(hello)
        answer = link.receive(HANDSHAKE_S)
        if answer is not None and "wait" in answer:
            answer = link.receive(PATIENCE_S)
    except TimeoutError:
        link.close()
        return None, {"refused": "silent", "message": "the resident process does not answer"}
    except PermissionError:
        link.close()
        return None, {"refused": "owner", "message": f"{where} may not be used by this user"}
    except OSError:
        link.close()
        return None, {}
    if answer is None or "refused" in answer:
        link.close()
        return None, answer or {}
    return link, answer
