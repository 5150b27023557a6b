"""Any function as an embedder: texts in, vectors out, plain or coroutine function.

Coroutines run on one private event loop in a thread of its own, whatever loop the caller may be in: the library is
synchronous, and a host's own loop is never entered or blocked by ours.
"""

from __future__ import annotations

import os
import threading
from collections.abc import AsyncIterable, Awaitable, Callable, Coroutine, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from mnemopi.errors import MnemopiError, RefusedError, UnavailableError, UsageError
from mnemopi.providers import rows

if TYPE_CHECKING:
    import asyncio

    import numpy as np
    import numpy.typing as npt

EmbedFunction: TypeAlias = Callable[[list[str]], Any]
"""Takes a list of texts and returns (or resolves to, or yields) one vector per text, or batches of them."""
OF_A_TEXT = (ValueError, TypeError, LookupError, ArithmeticError)
"""What a function raises that cannot do with a text; all else says that it, or what it needs, is not there."""


class LoopThread:
    """One event loop in one daemon thread, started by the first coroutine and again after a fork."""

    def __init__(self) -> None:
        self._renew()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._renew)

    def _renew(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    def run(self, thing: Any, waiting: Callable[[Any], Coroutine[Any, Any, Any]]) -> Any:
        """Run `waiting(thing)` to its end and return its result; what it raises is raised here.

        Raises UsageError when called from within such a coroutine, which would wait for itself.
        """
        import asyncio  # noqa: PLC0415

        loop = self._started()
        if threading.current_thread() is self._thread:
            getattr(thing, "close", bool)()  # or Python warns of a coroutine that was never awaited
            raise UsageError(
                "a coroutine that mnemopi runs called mnemopi", hint="call it from a thread: asyncio.to_thread"
            )
        return asyncio.run_coroutine_threadsafe(waiting(thing), loop).result()

    def _started(self) -> asyncio.AbstractEventLoop:
        import asyncio  # noqa: PLC0415

        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(target=self._loop.run_forever, name="mnemopi-coroutines", daemon=True)
                self._thread.start()
            return self._loop


_thread = LoopThread()


def call(function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function; where it gives an awaitable or an asynchronous iterable, wait for what comes of it."""
    result = function(*arguments)
    if hasattr(result, "__await__"):
        result = _thread.run(result, _awaited)
    if hasattr(result, "__aiter__"):
        result = _thread.run(result, _collected)
    return result


async def _awaited(thing: Awaitable[Any]) -> Any:
    return await thing


async def _collected(stream: AsyncIterable[Any]) -> list[Any]:
    return [item async for item in stream]


class CallableEmbedder:
    """An Embedder from one function, or from two where questions and memories are embedded differently."""

    def __init__(
        self,
        function: EmbedFunction,
        *,
        queries: EmbedFunction | None = None,
        name: str = "",
        dimensions: int = 0,
    ) -> None:
        """`function` embeds memories, and questions too unless `queries` is given; `dimensions` 0 asks it once.

        `name` tells vectors of different models apart. Where it is empty the function's own name serves, which does
        not change with the model inside: give a name to a function whose model may change.
        """
        self.name = f"callable:{name or name_of(function)}"
        self._documents = function
        self._queries = queries or function
        self._dimensions = dimensions

    @property
    def dimensions(self) -> int:
        """The length of each vector; the first use may ask the function."""
        if not self._dimensions:
            self.embed_documents(["dimensions"])
        return self._dimensions

    def embed_queries(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Embed questions. Raises ProviderError for what the function raised or for vectors that cannot be right."""
        return self._embed(self._queries, texts)

    def embed_documents(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Embed memories. Raises ProviderError for what the function raised or for vectors that cannot be right."""
        return self._embed(self._documents, texts)

    def _embed(self, function: EmbedFunction, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        try:
            given = call(function, list(texts))
            if not hasattr(given, "__array__"):
                given = list(given)  # a generator runs the caller's code here, and may raise as the call may
        except MnemopiError:
            raise
        except OF_A_TEXT as error:
            raise RefusedError(f"the embedding function {self.name} raised {type(error).__name__}") from error
        except Exception as error:
            raise UnavailableError(f"the embedding function {self.name} raised {type(error).__name__}") from error
        vectors = rows.unit(given, len(texts), dimensions=self._dimensions, who=self.name)
        self._dimensions = self._dimensions or vectors.shape[1]
        return vectors


def from_object(given: Any, *, name: str = "", dimensions: int = 0) -> CallableEmbedder:
    """Make an embedder of a function, or of an object with `embed`, or with `embed_documents` and `embed_queries`.

    Raises UsageError for anything else.
    """
    documents = getattr(given, "embed_documents", None) or getattr(given, "embed", None) or given
    if not callable(documents):
        raise UsageError(
            f"embeddings: {type(given).__name__} cannot embed",
            hint="give a function from texts to vectors, or an object with `embed`",
        )
    queries = getattr(given, "embed_queries", None)
    return CallableEmbedder(documents, queries=queries, name=name or name_of(given), dimensions=dimensions)


def name_of(function: Any) -> str:
    """Name a function by where it is defined, another object by its class."""
    named = function if hasattr(function, "__qualname__") else type(function)
    return f"{named.__module__}.{named.__qualname__}"
