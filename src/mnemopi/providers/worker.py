"""Native model code in a process of its own, so that its crash, its memory or its standstill takes nothing else down.

The process is started by the first text and by the first one after it ended, at ever longer intervals where it ends at
once. What it was asked when it ended is an UnavailableError: memories stay pending, and are asked again. `inside` is
what runs there.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from mnemopi import errors
from mnemopi.errors import ConfigError, MissingExtraError, ProviderError, UnavailableError
from mnemopi.providers import shared

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from mnemopi.ports import Embedder, Reranker

_LONGEST_S: Final = 300.0
"""How long one request may take, the loading of a model included: then the process is taken for stuck."""
_FIRST_REST_S, _LONGEST_REST_S = 1.0, 60.0
_END_S: Final = 2.0
_PART: Final = 1 << 20
_workers: shared.Shared[Worker] = shared.Shared()


class WorkerEmbedder:
    """An Embedder whose work is done elsewhere; all that have the same plan share a process."""

    def __init__(self, told: Embedder, factory: str, arguments: Mapping[str, Any], *, most: int) -> None:
        """`told` gives the name and dimensions; `factory` is `module:name` of what is called there with `arguments`.

        `most` is the memory in MiB above which the process is replaced by a fresh one. Raises ConfigError on Windows.
        """
        self.name, self.dimensions = told.name, told.dimensions
        self._ask = _asking(told.name, factory, arguments, most)

    def embed_queries(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Embed questions. Raises as the embedder itself, and UnavailableError where the process ended."""
        return self._ask("embed_queries", [list(texts)])

    def embed_documents(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Embed memories. Raises as `embed_queries`."""
        return self._ask("embed_documents", [list(texts)])


class WorkerReranker:
    """A Reranker whose work is done elsewhere, as `WorkerEmbedder` has it done."""

    def __init__(self, told: Reranker, factory: str, arguments: Mapping[str, Any], *, most: int) -> None:
        """Arguments and errors as there."""
        self.name = told.name
        self._ask = _asking(told.name, factory, arguments, most)

    def score(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        """Judge texts. Raises as the reranker itself, and UnavailableError where the process ended."""
        judged: list[float] = self._ask("score", [question, list(texts)]).tolist()
        return judged


class Worker:
    """A process that runs a model, one request after the other."""

    def __init__(self, name: str, plan: Mapping[str, Any], most: int) -> None:
        self._name, self._plan, self._most = name, plan, most
        self._process: subprocess.Popen[bytes] | None = None
        self._one = threading.Lock()
        self._failures, self._not_before = 0, 0.0

    def ask(self, request: Mapping[str, Any]) -> tuple[list[int], bytes]:
        """Send a request and return the shape and bytes of the rows. Raises ProviderError kinds."""
        with self._one:
            process = self._running()
            try:
                answer, whole = _exchanged(process, request)
            except OSError as error:
                raise self._lost(process, error) from error
            self._failures = 0
            if answer.get("memory", 0) > self._most:
                self._end(process)
        if "error" in answer:
            raise _raised(answer["error"])
        return answer["shape"], whole

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is not None and self._process.poll() is None:
            return self._process
        left = self._not_before - time.monotonic()
        if left > 0:
            raise UnavailableError(f"the process of {self._name} died; it is started again in {left:.0f} s")
        command = [sys.executable, "-m", "mnemopi.providers.inside"]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        weakref.finalize(self, _kill, process)
        self._process = process
        try:
            _send(process, self._plan)
        except OSError as error:
            raise self._lost(process, error) from error
        return process

    def _lost(self, process: subprocess.Popen[bytes], error: OSError) -> UnavailableError:
        """Give a process up, and say when there will be another."""
        _kill(process)
        self._process = None
        rest = min(_FIRST_REST_S * 2 ** (self._failures - 1), _LONGEST_REST_S) if self._failures else 0.0
        self._failures, self._not_before = self._failures + 1, time.monotonic() + rest
        errors.warn("the process of %s ended (%s), status %s", self._name, error, process.returncode)
        return UnavailableError(f"the process of {self._name} died", hint="it is started again by itself")

    def _end(self, process: subprocess.Popen[bytes]) -> None:
        """Replace a process that has grown: the next request starts a fresh one."""
        self._process = None
        assert process.stdin is not None
        process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_END_S)
        _kill(process)


def _asking(
    name: str, factory: str, arguments: Mapping[str, Any], most: int
) -> Callable[[str, list[Any]], npt.NDArray[np.float32]]:
    """Return a function that has a verb of a model called elsewhere. Raises ConfigError on Windows."""
    if sys.platform == "win32":
        raise ConfigError("embedding.apart", True, "settings", "pipes of this system cannot be waited for")
    plan = {"factory": factory, "arguments": dict(arguments)}
    key = json.dumps([plan, most], sort_keys=True)

    def ask(verb: str, told: list[Any]) -> npt.NDArray[np.float32]:
        import numpy as np  # noqa: PLC0415

        worker = _workers.get(key, lambda: Worker(name, plan, most))
        shape, whole = worker.ask({"verb": verb, "arguments": told})
        return np.frombuffer(bytearray(whole), "<f4").reshape(shape).astype(np.float32, copy=False)

    return ask


def _exchanged(process: subprocess.Popen[bytes], request: Mapping[str, Any]) -> tuple[dict[str, Any], bytes]:
    """Send a request and wait for its answer. Raises OSError where the process ends, or is stuck."""
    until = time.monotonic() + _LONGEST_S
    _send(process, request)
    heard = bytearray()
    while b"\n" not in heard:
        heard += _part(process, until)
    head, _, rest = bytes(heard).partition(b"\n")
    answer: dict[str, Any] = json.loads(head)
    parts, missing = [rest], answer.get("bytes", 0) - len(rest)
    while missing > 0:
        parts.append(_part(process, until))
        missing -= len(parts[-1])
    return answer, b"".join(parts)


def _send(process: subprocess.Popen[bytes], told: Mapping[str, Any]) -> None:
    assert process.stdin is not None
    process.stdin.write(json.dumps(told).encode("ascii") + b"\n")
    process.stdin.flush()


def _part(process: subprocess.Popen[bytes], until: float) -> bytes:
    assert process.stdout is not None
    descriptor = process.stdout.fileno()
    if not select.select([descriptor], (), (), max(until - time.monotonic(), 0))[0]:
        raise TimeoutError("it is stuck")
    part = os.read(descriptor, _PART)
    if not part:
        raise ConnectionError("it hung up")
    return part


def _kill(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            with contextlib.suppress(OSError):
                stream.close()


def _raised(told: Mapping[str, str]) -> Exception:
    """Return the error that was raised there, as one of the kinds that an embedder raises here."""
    if told["code"] == MissingExtraError.code:
        return MissingExtraError(told["message"], hint=told["hint"])
    kind = UnavailableError if told["code"] == UnavailableError.code else ProviderError
    return kind(told["message"], hint=told["hint"])
