"""A language model behind any server that speaks OpenAI's `POST /chat/completions`.

`client` decides when to try again, with which key and until when; what carries a request is the official package where
it is installed (`official`), else plain HTTP. Here is what is said and what is heard.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from typing import Any, Final

from mnemopi.errors import ProviderError, RefusedError
from mnemopi.ports import Completion
from mnemopi.providers import official
from mnemopi.providers.budget import tokens_of
from mnemopi.providers.client import Client

ADVICE: Final = {
    401: "check MNEMOPI_LLM_API_KEY",
    403: "the key may not use this model",
    404: "check MNEMOPI_LLM_BASE_URL and MNEMOPI_LLM_MODEL",
}
ANY_MODEL: Final = "local"
"""The name sent where none is set: servers that hold one model do not look at it."""
_UNKNOWN_PART: Final = frozenset({400, 422})
"""What servers answer to a part of a request that they do not know."""


def address(base: str) -> str:
    """Return the address to post to, for a base URL with or without its last part."""
    return base.rstrip("/").removesuffix(official.PART) + official.PART


class OpenAILLM:
    """An LLM behind HTTP."""

    def __init__(self, client: Client, model: str = "") -> None:
        """`model` is the name that the server knows it by."""
        self._client = client
        self._model = model or ANY_MODEL
        self.name = f"api:{self._model}"
        self._form = 0

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
        """Answer a prompt. Raises RefusedError, UnavailableError, and ProviderError for an answer that is none."""
        said = [{"role": "system", "content": system}] if system else []
        body = {"model": self._model, "messages": [*said, {"role": "user", "content": prompt}]}
        forms = list(_forms(schema, max_tokens, temperature, task))
        answer = self._asked(body, forms, timeout)
        return self._read(answer, system + prompt)

    def _asked(self, body: dict[str, Any], forms: list[dict[str, Any]], timeout: float) -> Any:
        """Ask in the form that worked last, and in the others where the server does not know a part of it."""
        deadline = time.monotonic() + timeout
        refused: RefusedError | None = None
        for number in sorted(range(len(forms)), key=lambda number: number != self._form):
            if forms[number] in forms[:number]:
                continue
            try:
                answer = self._client.post(body | forms[number], max(deadline - time.monotonic(), 0.1))
            except RefusedError as error:
                if error.status not in _UNKNOWN_PART:
                    raise
                refused = refused or error
            else:
                self._form = number
                return answer
        assert refused is not None
        raise refused

    def _read(self, answer: Any, asked: str) -> Completion:
        try:
            choice = answer["choices"][0]
            text = choice["message"]["content"]
        except (KeyError, IndexError, TypeError):
            raise ProviderError(f"{self._client.host} gave an answer without `choices[].message`") from None
        if choice.get("finish_reason") == "length":
            raise ProviderError(
                f"{self._client.host} broke off its answer at the limit", hint="raise MNEMOPI_LLM_MAX_TOKENS"
            )
        if not isinstance(text, str):
            raise ProviderError(f"{self._client.host} answered without a text")
        usage = answer.get("usage")
        told = usage if isinstance(usage, Mapping) else {}
        return Completion(text, _count(told.get("prompt_tokens"), asked), _count(told.get("completion_tokens"), text))


def _forms(
    schema: Mapping[str, Any] | None, max_tokens: int, temperature: float, task: str
) -> Iterator[dict[str, Any]]:
    """Yield the ways to say the same, the fullest first: models differ in the parts they know."""
    usual = {"max_tokens": max_tokens, "temperature": temperature}
    newer = {"max_completion_tokens": max_tokens}
    shape: dict[str, Any] = {}
    if schema is not None:
        shape = {"response_format": {"type": "json_schema", "json_schema": {"name": task, "schema": dict(schema)}}}
    yield usual | shape
    yield newer | shape
    yield usual
    yield newer


def _count(told: object, text: str) -> int:
    return told if isinstance(told, int) and not isinstance(told, bool) and told >= 0 else tokens_of(text)
