"""What a language model may cost: each call is entered before it is made, and not made where the hour is spent.

A call is entered with what it takes at most; once it is answered, what it took stands there instead. So two processes
cannot spend the same rest, and one that died in the middle has spent what it might have.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Protocol

from mnemopi.errors import BudgetError, RefusedError
from mnemopi.ports import LLM, Clock, Completion

HOUR_MS: Final = 3_600_000


class Ledger(Protocol):
    """Where calls are entered."""

    def reserve(
        self, at: int, task: str, model: str, tokens: tuple[int, int], most: tuple[int, int], since: int
    ) -> str | None:
        """Enter a call of so many tokens (in, out) and return its id; None, and a refusal entered, where that is
        more than `most` (calls, tokens) from `since` (UTC ms) on."""
        ...

    def settle(self, at: int, id: str, tokens: tuple[int, int], outcome: str) -> None:
        """Write down what a call took, and what came of it: `ok` or `failed`."""
        ...


class BudgetedLLM:
    """An LLM whose calls are counted, and refused where they would go beyond what an hour may cost."""

    def __init__(self, llm: LLM, ledger: Ledger, clock: Clock, *, calls: int, tokens: int) -> None:
        """`calls` and `tokens` (both ways together) are what 60 minutes may cost."""
        self._llm, self._ledger, self._clock = llm, ledger, clock
        self._most = (calls, tokens)

    @property
    def name(self) -> str:
        """The name of the model within."""
        return self._llm.name

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
        """Answer as the model within does. Raises BudgetError, without asking it, where the hour is spent."""
        at = self._clock()
        likely = (tokens_of(system) + tokens_of(prompt), max_tokens)
        id = self._ledger.reserve(at, task, self.name, likely, self._most, at - HOUR_MS)
        if id is None:
            calls, tokens = self._most
            raise BudgetError(
                f"this hour's budget for the language model is spent ({calls:,} calls, {tokens:,} tokens)",
                hint="it goes on by itself; MNEMOPI_LLM_CALLS_PER_HOUR and MNEMOPI_LLM_TOKENS_PER_HOUR allow more",
            )
        try:
            answer = self._llm.complete(
                prompt,
                system=system,
                schema=schema,
                max_tokens=max_tokens,
                temperature=temperature,
                timeout=timeout,
                task=task,
            )
        except BaseException as error:
            # Who refuses did not work; who broke off may have, and nobody will say how much.
            self._ledger.settle(at, id, (0, 0) if isinstance(error, RefusedError) else likely, "failed")
            raise
        self._ledger.settle(at, id, (answer.tokens_in, answer.tokens_out), "ok")
        return answer


def tokens_of(text: str) -> int:
    """Estimate the tokens of a text: one for four ASCII characters, one for each other."""
    if text.isascii():
        return (len(text) + 3) // 4
    ascii_only = sum(char < "\x80" for char in text)
    return (ascii_only + 3) // 4 + len(text) - ascii_only
