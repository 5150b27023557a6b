"""Any function as a language model: a prompt in, a text out, plain or coroutine function.

A function is told only what it asks for: of `system`, `schema`, `max_tokens`, `temperature`, `timeout` and `task` those
that it names as parameters, or all where it takes any. What it cannot be told stands in the prompt.
"""

from __future__ import annotations

import inspect
import queue
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from mnemopi.errors import MnemopiError, ProviderError, UnavailableError
from mnemopi.ports import Completion
from mnemopi.providers import callables
from mnemopi.providers.budget import tokens_of
from mnemopi.providers.command_llm import as_one


class CallableLLM:
    """An LLM from one function."""

    def __init__(self, function: Callable[..., Any], *, name: str = "", more: Mapping[str, Any] | None = None) -> None:
        """`more` are further options that it is told where it asks for them. `name` defaults to the function's own."""
        self._function, self._more = function, dict(more or {})
        named = function if hasattr(function, "__qualname__") else type(function)
        self.name = name or f"callable:{getattr(named, '__module__', 'builtins')}.{named.__qualname__}"

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
        """Answer a prompt. Raises UnavailableError for what the function raised or where it takes too long.

        A plain function that takes too long cannot be stopped, but is not waited for; a coroutine is cancelled.
        """
        options: dict[str, Any] = {
            "system": system,
            "schema": schema,
            "max_tokens": max_tokens,
            "temperature": temperature,
            "timeout": timeout,
            "task": task,
        }
        told = _asked_for(self._function, options | self._more)
        whole = as_one(prompt, "" if "system" in told else system, None if "schema" in told else schema)
        result = self._called(whole, told, timeout)
        return _completion(result, system + prompt, self.name)

    def _called(self, prompt: str, told: dict[str, Any], timeout: float) -> Any:
        """Call the function in a thread that can be left behind."""
        ends: queue.SimpleQueue[tuple[bool, Any]] = queue.SimpleQueue()

        def work() -> None:
            try:
                ends.put((True, callables.call(lambda: _limited(self._function(prompt, **told), timeout))))
            except BaseException as error:  # noqa: BLE001 -- it is raised where it was waited for
                ends.put((False, error))

        threading.Thread(target=work, name="mnemopi-llm", daemon=True).start()
        try:
            fine, result = ends.get(timeout=timeout)
        except queue.Empty:
            raise UnavailableError(f"{self.name} did not answer within {timeout:g} s") from None
        if fine:
            return result
        if isinstance(result, MnemopiError):
            raise result
        if isinstance(result, TimeoutError):
            raise UnavailableError(f"{self.name} did not answer within {timeout:g} s") from result
        raise UnavailableError(f"{self.name} raised {type(result).__name__}") from result


def _limited(result: Any, timeout: float) -> Any:
    """Put the limit on what is awaited, so that it ends when nobody waits for it any more."""
    if not hasattr(result, "__await__"):
        return result
    import asyncio  # noqa: PLC0415

    async def awaited() -> Any:
        return await asyncio.wait_for(result, timeout)

    return awaited()


def _asked_for(function: Callable[..., Any], options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that a function takes by name."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # a builtin does not tell
        return {}
    if any(each.kind is each.VAR_KEYWORD for each in parameters):
        return dict(options)
    by_name = {each.name for each in parameters if each.kind in (each.KEYWORD_ONLY, each.POSITIONAL_OR_KEYWORD)}
    first = next((each.name for each in parameters if each.kind is not each.KEYWORD_ONLY), "")
    return {name: value for name, value in options.items() if name in by_name and name != first}


def _completion(result: Any, asked: str, who: str) -> Completion:
    """Read what a function gave: a text, pieces of one, a Completion, or something with a `text`."""
    if isinstance(result, Completion):
        return result
    text = result.get("text") if isinstance(result, Mapping) else getattr(result, "text", result)
    if isinstance(text, Sequence) and not isinstance(text, str) and all(isinstance(part, str) for part in text):
        text = "".join(text)
    if not isinstance(text, str):
        raise ProviderError(f"{who} gave {type(result).__name__}, not a text")
    return Completion(text, tokens_of(asked), tokens_of(text))
