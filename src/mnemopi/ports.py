"""The seams: what the engine asks of a database, an embedder, a reranker, a language model and a clock.

Each port has one to four methods, so that a fake fits on a page (`mnemopi.testing` ships one of each). Nothing
here knows an implementation; `mnemopi.engine` alone names concrete ones. Coroutine functions are accepted
wherever a callable is (`mnemopi.providers.callables` runs them on one private loop thread).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

Value: TypeAlias = str | int | float | bytes | None
Row: TypeAlias = tuple[Any, ...]
Parameters: TypeAlias = Mapping[str, Value]
NOTHING: Parameters = {}
"""No parameters."""
Clock: TypeAlias = Callable[[], int]
"""A callable that gives the time now: UTC milliseconds since the epoch."""


class Connection(Protocol):
    """A database that speaks the statements of `storage/sql`. One per thread of use; not shared between threads."""

    def execute(self, sql: str, parameters: Parameters = NOTHING) -> int:
        """Run a statement and return the number of changed rows."""
        ...

    def execute_many(self, sql: str, parameters: Iterable[Parameters]) -> None:
        """Run a statement once for each set of parameters."""
        ...

    def all(self, sql: str, parameters: Parameters = NOTHING) -> list[Row]:
        """Run a query and return its rows."""
        ...

    def transaction(self) -> AbstractContextManager[None]:
        """Hold the write lock from entry to exit: commit at the end, roll back on an error; may be nested."""
        ...


class Embedder(Protocol):
    """Turns text into vectors. Queries and documents may be embedded differently."""

    @property
    def name(self) -> str:
        """The provider and model, e.g. `static:wordllama-l2-supercat-256`: vectors of two names never mix."""
        ...

    @property
    def dimensions(self) -> int:
        """The length of each vector; may load the model or ask the server once."""
        ...

    def embed_queries(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Embed questions: shape (len(texts), dimensions), rows of unit length. Raises ProviderError."""
        ...

    def embed_documents(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Embed memories: shape (len(texts), dimensions), rows of unit length. Raises ProviderError."""
        ...


class Reranker(Protocol):
    """Judges texts against a question, reading both at once."""

    @property
    def name(self) -> str:
        """The provider and model, e.g. `local:ms-marco-MiniLM-L-6-v2`."""
        ...

    def score(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        """Return the relevance of each text, in order: higher is better, and what stands beside it does not matter.

        The scale is the model's own. Raises ProviderError kinds.
        """
        ...


class Completion(NamedTuple):
    """What a language model answered, and the tokens that took: as it counted them, else as they are estimated."""

    text: str
    tokens_in: int
    tokens_out: int


class LLM(Protocol):
    """A language model: a prompt in, a text out."""

    @property
    def name(self) -> str:
        """The provider and model, e.g. `api:gpt-5-mini` or `command:claude`."""
        ...

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
        """Answer a prompt within `timeout` seconds and `max_tokens` tokens.

        `schema` is a JSON schema for the answer, which a model may fail to keep to; `task` says what it is for
        (`extract`, `sleep`). Raises ProviderError: UnavailableError for one that did not answer, RefusedError for one
        that will not, BudgetError where it was not asked.
        """
        ...
