"""A language model that is a program: the prompt goes to its standard input, the answer is its standard output.

Each call is a process of its own in a process group of its own, so that what it started in its turn ends with it when
time is up, or when this process ends.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from mnemopi.errors import ProviderError, UnavailableError
from mnemopi.ports import Completion
from mnemopi.providers.budget import tokens_of

_running: set[subprocess.Popen[bytes]] = set()


class CommandLLM:
    """An LLM that is started anew for each prompt."""

    def __init__(self, command: Sequence[str]) -> None:
        """`command` is the program and its arguments, such as `["claude", "-p"]`; no shell is between."""
        self._command = list(command)
        self.name = f"command:{Path(self._command[0]).name}"

    def complete(
        self,
        prompt: str,
        *,
        system: str = "",
        schema: Mapping[str, Any] | None = None,
        max_tokens: int,
        temperature: float = 0.0,
        timeout: float,
        task: str,
    ) -> Completion:
        """Answer a prompt. Raises UnavailableError for a program that is not there, fails or takes too long.

        A program cannot be told how many tokens it may take or how warm to be.
        """
        whole = as_one(prompt, system, schema)
        text = self._run(whole.encode("utf-8", "replace"), timeout).decode("utf-8", "replace")
        return Completion(text, tokens_of(whole), tokens_of(text))

    def _run(self, given: bytes, timeout: float) -> bytes:
        try:
            process = subprocess.Popen(
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        except OSError as error:
            hint = "check MNEMOPI_LLM_COMMAND"
            raise UnavailableError(f"{self.name} cannot be started: {error.strerror}", hint=hint) from None
        _running.add(process)
        try:
            answer, _ = process.communicate(given, timeout)
        except subprocess.TimeoutExpired:
            raise UnavailableError(f"{self.name} did not answer within {timeout:g} s") from None
        finally:
            _end(process)
        if process.returncode:
            raise UnavailableError(f"{self.name} ended with status {process.returncode}")
        if not answer.strip():
            raise ProviderError(f"{self.name} answered nothing")
        return answer


def as_one(prompt: str, system: str, schema: Mapping[str, Any] | None) -> str:
    """Write into one prompt what a model can be told in no other way."""
    shape = ""
    if schema is not None:
        written = json.dumps(schema, ensure_ascii=False, separators=(",", ":"))
        shape = f"Answer with JSON alone, no words around it, that fits this JSON schema: {written}"
    return "\n\n".join(part for part in (system, prompt, shape) if part)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a process that nobody saw end, with its whole group, and forget it.

    It is not asked whether it still runs: the program may be gone, and what it started not.
    """
    if process.returncode is None:
        with contextlib.suppress(OSError):
            if hasattr(os, "killpg"):
                os.killpg(process.pid, signal.SIGKILL)
            else:
                process.kill()
        process.wait()
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            with contextlib.suppress(OSError):
                stream.close()
    _running.discard(process)


@atexit.register
def _end_all() -> None:
    for process in list(_running):
        _end(process)
