"""Many clients of one HTTP server, recalling and remembering: `python -m benchmarks.load.http`.

The server is `mnemopi serve` in a process of its own, over a bank of the corpus of `benchmarks.speed`; the clients are
threads of this process with a connection each, of the standard library, since a heavier client would be measured
instead. One request in five stores a memory. At the end the bank is opened and looked through for each receipt.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import re
import resource
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

from benchmarks.speed import corpus, figures
from benchmarks.speed.figures import Figure, Target
from mnemopi import Mnemopi

_EACH = 5
"""One request in so many stores."""
_SAMPLES = 20
_GROWTH = 1.1
"""Most that what the server holds may grow by, from a quarter of the requests to all of them."""
_MB = 1 << 20


@dataclass
class Seen:
    """What one client saw: seconds by kind, receipts, and answers that were none."""

    seconds: dict[str, list[float]] = field(default_factory=lambda: {"recall": [], "remember": []})
    receipts: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


def main() -> int:
    """Print the figures, and write the log. Exit status 1 where an answer failed or a memory is lost."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.load.http", description=__doc__)
    parser.add_argument("--n", type=int, default=50_000, help="memories in the bank")
    parser.add_argument("--clients", type=int, default=50, help="clients at a time")
    parser.add_argument("--requests", type=int, default=20_000, help="requests of all clients together")
    parser.add_argument("--seconds", type=float, default=600, help="begin no request after so many")
    options = parser.parse_args()
    try:
        corpus.source()
    except corpus.NoData as error:
        print(f"skipped: {error}")
        return 0
    with tempfile.TemporaryDirectory(prefix="mnemopi-load-") as folder:
        found, broken = _measured(Path(folder), options.n, options.clients, options.requests, options.seconds)
    figures.show("http", found)
    print(f"log: {figures.log('http', found)}")
    return 1 if broken else 0


def _measured(folder: Path, count: int, clients: int, requests: int, limit: float) -> tuple[list[Figure], bool]:
    path = folder / "mnemopi.db"
    with corpus.opened(path) as memory:
        memory.remember_many(corpus.rows(count))
    earlier = resource.getrusage(resource.RUSAGE_CHILDREN)
    before = earlier.ru_utime + earlier.ru_stime
    numbers, held = itertools.count(), []
    seen = [Seen() for _ in range(clients)]
    with _server(folder) as (process, port, token):
        end = time.monotonic() + limit
        threads = [threading.Thread(target=_client, args=(port, token, each, numbers, requests, end)) for each in seen]
        began = time.perf_counter()
        for thread in threads:
            thread.start()
        done = 0
        while any(thread.is_alive() for thread in threads):
            time.sleep(0.2)
            done = sum(len(times) for each in seen for times in each.seconds.values())
            if done >= len(held) * requests / _SAMPLES:
                held.append(_held(process.pid))
        seconds = time.perf_counter() - began
        held.append(_held(process.pid))
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    busy = spent.ru_utime + spent.ru_stime - before
    receipts = [id for each in seen for id in each.receipts]
    with Mnemopi(path, no_embeddings=True, data_dir=folder) as memory:
        lost = sum(1 for id in receipts if memory.get(id) is None)
    return list(_figures(seen, (seconds, busy), held, lost)), bool(lost or any(each.errors for each in seen))


def _figures(seen: Sequence[Seen], spent: tuple[float, float], held: Sequence[int], lost: int) -> Iterator[Figure]:
    times = {kind: sorted(t for each in seen for t in each.seconds[kind]) for kind in ("recall", "remember")}
    done = sum(map(len, times.values()))
    yield Figure(f"requests a second, {len(seen)} clients", done / spent[0], None, {"requests": done})
    yield Figure("processor time of the server, ms a request", spent[1] / done * 1000, None, {"seconds": spent[1]})
    for kind, all_ in times.items():
        told: dict[str, float | str] = {
            "requests": len(all_),
            "median": figures.microseconds(statistics.median(all_)),
            "p99": figures.microseconds(all_[min(len(all_) - 1, int(len(all_) * 0.99))]),
            "most": figures.microseconds(all_[-1]),
        }
        yield Figure(f"{kind}: median in ms", statistics.median(all_) * 1000, None, told)
    errors = [error for each in seen for error in each.errors]
    yield Figure("answers that were errors", len(errors), Target(0), {"first": errors[0][:60]} if errors else {})
    yield Figure("acknowledged and lost", lost, Target(0))
    quarter = held[min(len(held) // 4, len(held) - 1)]
    memory = {"MB at a quarter": quarter / _MB, "MB at the end": held[-1] / _MB, "MB at most": max(held) / _MB}
    yield Figure("held at the end to held at a quarter", held[-1] / quarter, Target(_GROWTH), memory)


def _client(port: int, token: str, seen: Seen, numbers: Iterator[int], requests: int, end: float) -> None:
    asked = corpus.questions("content") + corpus.questions("mixed")
    connection = HTTPConnection("127.0.0.1", port, timeout=120)
    headers = {"authorization": f"Bearer {token}", "content-type": "application/json"}
    while (number := next(numbers)) < requests and time.monotonic() < end:
        if number % _EACH:
            kind, path, body = "recall", "search", {"query": asked[number % len(asked)]}
        else:
            kind, path, body = "remember", "memories", {"content": f"load {number}: {asked[number % len(asked)]}"}
        began = time.perf_counter()
        try:
            connection.request("POST", f"/api/v1/{path}", json.dumps(body), headers)
            answer = connection.getresponse()
            told = answer.read()
        except OSError as error:
            seen.errors.append(repr(error))
            connection.close()
            continue
        seen.seconds[kind].append(time.perf_counter() - began)
        if answer.status not in (200, 201):
            seen.errors.append(f"{answer.status} {told[:200]!r}")
        elif kind == "remember":
            seen.receipts.append(json.loads(told)["id"])
    connection.close()


@contextmanager
def _server(folder: Path) -> Iterator[tuple[subprocess.Popen[str], int, str]]:
    """Serve the folder: the process, its port, and the owner's token."""
    command = [sys.executable, "-m", "mnemopi", "serve", "--port", "0", "--no-embeddings", "--set", "http.rate=0"]
    environment: dict[str, Any] = {**os.environ, "MNEMOPI_DATA_DIR": str(folder)}
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr is not None
            line = process.stderr.readline()
            found = re.search(r":(\d+) ", line)
            if found is None:
                raise RuntimeError(line + process.stderr.read())
            yield process, int(found[1]), (folder / "http-token").read_text().strip()
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(60)


def _held(pid: int) -> int:
    """Return the bytes that a process holds in memory."""
    status = Path(f"/proc/{pid}/status")
    if status.exists():
        return int(re.findall(r"VmRSS:\s+(\d+)", status.read_text())[0]) * 1024
    told = subprocess.run(["ps", "-o", "rss=", "-p", str(pid)], capture_output=True, text=True, check=True)
    return int(told.stdout) * 1024


if __name__ == "__main__":
    sys.exit(main())
