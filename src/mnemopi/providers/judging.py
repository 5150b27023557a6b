"""Judgements of any function, waited for up to a deadline, and checked before a number of them is used."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from mnemopi.errors import MnemopiError, ProviderError, RefusedError, UnavailableError
from mnemopi.ports import Reranker
from mnemopi.providers import callables

MOST: Final = 8
"""Judgements that are waited for at a time; what hangs is not asked again and again."""


class CallableReranker:
    """A Reranker from any function, plain or coroutine function, of a question and a list of texts."""

    def __init__(self, function: Callable[[str, list[str]], Any]) -> None:
        self.name = f"callable:{callables.name_of(function)}"
        self._function = function

    def score(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        """Ask the function. Raises ProviderError kinds for what it raised, or gave that are no judgements."""
        try:
            return checked(callables.call(self._function, question, list(texts)), len(texts), self.name)
        except MnemopiError:
            raise
        except callables.OF_A_TEXT as error:
            raise RefusedError(f"{self.name} raised {type(error).__name__}") from error
        except Exception as error:
            raise UnavailableError(f"{self.name} raised {type(error).__name__}") from error


class PatientReranker:
    """A Reranker that is waited for up to a deadline, in a thread of its own, and given up then."""

    def __init__(self, provider: Reranker, timeout: float) -> None:
        """`timeout` is in seconds."""
        self.provider, self._timeout = provider, timeout
        self._asked: list[threading.Thread] = []

    @property
    def name(self) -> str:
        """The provider and model."""
        return self.provider.name

    def score(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        """Judge texts as the provider does. Raises UnavailableError when time is up."""
        self._asked = [each for each in self._asked if each.is_alive()]
        if len(self._asked) >= MOST:
            raise UnavailableError(f"{self.name} is still at earlier questions")
        outcome: list[Sequence[float] | BaseException] = []

        def work() -> None:
            try:
                outcome.append(self.provider.score(question, texts))
            except BaseException as error:  # noqa: BLE001 -- it is raised in the thread that asked
                outcome.append(error)

        thread = threading.Thread(target=work, name="mnemopi-reranker", daemon=True)
        self._asked.append(thread)
        thread.start()
        thread.join(self._timeout)
        if not outcome:
            hint = "MNEMOPI_RERANK_TIMEOUT gives it longer, a smaller MNEMOPI_RERANK_DEPTH less to do"
            raise UnavailableError(f"{self.name} did not answer within {self._timeout:g} s", hint=hint)
        if isinstance(outcome[0], BaseException):
            raise outcome[0]
        return outcome[0]


def checked(given: Iterable[Any], count: int, who: str) -> list[float]:
    """Return judgements as numbers. Raises ProviderError where there are not `count`, or one is not finite."""
    listed = list(given)
    try:
        numbers = [float(each) for each in listed]
    except (TypeError, ValueError) as error:
        raise ProviderError(f"{who} gave a judgement that is no number") from error
    if len(numbers) != count or not all(map(math.isfinite, numbers)):
        raise ProviderError(f"{who} gave {len(numbers)} judgements for {count} texts, or one that is not finite")
    return numbers
