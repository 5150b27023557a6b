"""A peer's worker: a process that is told orders in JSON lines, and answers each with a line."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from benchmarks.peers import places
from benchmarks.peers.roster import Peer

_CLOSING: Final = 10.0


class Stopped(Exception):
    """A worker that ended, failed, or took longer than it may."""


class Worker:
    """A bank of a peer in a process of its own; raises Stopped once `limit` seconds have passed since its start."""

    def __init__(self, peer: Peer, url: str, dimensions: int, limit: float) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix=f"mnemopi-peer-{peer.name}-", ignore_cleanup_errors=True)
        home = Path(self._folder.name)
        self._errors = (home / "stderr.log").open("w+", encoding="utf-8")
        self._limit, self._late, self._stopped = limit, False, False
        self._process = subprocess.Popen(
            places.command(peer),
            cwd=home,
            env=places.environment(home),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
            encoding="utf-8",
            start_new_session=True,
        )
        self._guard = threading.Timer(limit, self._kill)
        self._guard.daemon = True
        self._guard.start()
        self.version = str(self._order(do="open", folder=str(home), url=url, dimensions=dimensions)["version"])

    def fill(self, items: Sequence[dict[str, Any]]) -> float:
        """Store items (`id`, `text`, `session`), and return the seconds the peer says that it took."""
        return float(self._order(do="fill", items=list(items))["seconds"]) if items else 0.0

    def ask(self, text: str, top: int) -> tuple[list[str], float]:
        """The ids of what is recalled, best first, and the seconds it took."""
        answer = self._order(do="ask", text=text, top=top)
        return [str(each) for each in answer["ids"]], float(answer["seconds"])

    def close(self) -> None:
        """End the process and remove its folder."""
        if self._stopped:
            return
        self._stopped = True
        self._guard.cancel()
        try:
            if self._process.stdin is not None:
                self._process.stdin.close()
            self._process.wait(_CLOSING)
        except (OSError, subprocess.TimeoutExpired):
            self._kill()
        self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()
        self._errors.close()
        self._folder.cleanup()

    def _order(self, **order: Any) -> dict[str, Any]:
        assert self._process.stdin is not None and self._process.stdout is not None
        try:
            self._process.stdin.write(json.dumps(order) + "\n")
            self._process.stdin.flush()
            line = self._process.stdout.readline()
        except (OSError, ValueError) as error:
            raise Stopped(self._reason()) from error
        if not line:
            raise Stopped(self._reason())
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise Stopped(answer["error"][:300])
        return answer

    def _reason(self) -> str:
        if self._late:
            return f"took more than {self._limit:.0f} s"
        time.sleep(0.2)  # the last words of a process that just ended
        self._errors.seek(0)
        return (self._errors.read().strip().splitlines() or ["ended without a word"])[-1][:300]

    def _kill(self) -> None:
        self._late = True
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
