"""Fakes that ship with the library: embedders, a reranker and a language model without a model, and a still clock.

They fulfil the ports as the real ones do (the same conformance suite runs over all), so that a program built on
mnemopi can be tested without network, model or waiting.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from mnemopi.errors import UnavailableError
from mnemopi.ports import Completion

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from mnemopi.ports import Embedder

_WORD = re.compile(r"\w+")


class HashingEmbedder:
    """Embeds by hashing words and their letter n-grams: texts that share them point in like directions.

    Deterministic over processes and machines. It knows no meaning, but `deploying` is near `deployment`.
    """

    def __init__(self, dimensions: int = 128) -> None:
        self.name = f"testing:hashing-{dimensions}"
        self.dimensions = dimensions

    def embed_queries(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Embed questions: shape (len(texts), dimensions), unit rows, zero for a text without words."""
        return self.embed_documents(texts)

    def embed_documents(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Embed memories: shape (len(texts), dimensions), unit rows, zero for a text without words."""
        import numpy as np  # noqa: PLC0415

        rows = np.zeros((len(texts), self.dimensions), np.float32)
        for place, text in enumerate(texts):
            for gram, weight in _grams(text):
                digest = zlib.crc32(gram.encode("utf-8", "replace"))
                # The lowest bit gives the sign, so that chance collisions cancel out instead of adding up.
                rows[place, (digest >> 1) % self.dimensions] += weight if digest & 1 else -weight
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        return (rows / np.where(lengths > 0, lengths, 1)).astype(np.float32)


def _grams(text: str) -> Iterator[tuple[str, float]]:
    """Yield each word whole, and its runs of three letters with a smaller weight."""
    for word in _WORD.findall(text.lower()):
        yield word, 1.0
        edged = f"<{word}>"
        for start in range(len(edged) - 2):
            yield edged[start : start + 3], 0.5


class BrokenEmbedder:
    """Raises UnavailableError for each text until `mend()`, then embeds as the embedder within it does."""

    def __init__(self, within: Embedder | None = None) -> None:
        self.within: Embedder = within or HashingEmbedder()
        self.broken = True

    @property
    def name(self) -> str:
        """The name of the embedder within."""
        return self.within.name

    @property
    def dimensions(self) -> int:
        """The dimensions of the embedder within."""
        return self.within.dimensions

    def mend(self) -> None:
        """Work from now on."""
        self.broken = False

    def embed_queries(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Embed questions, or raise UnavailableError."""
        self._check()
        return self.within.embed_queries(texts)

    def embed_documents(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Embed memories, or raise UnavailableError."""
        self._check()
        return self.within.embed_documents(texts)

    def _check(self) -> None:
        if self.broken:
            raise UnavailableError("the embedder is broken")


class OverlapReranker:
    """Judges a text by the share of the question's words that it has: 0 to 1; `asked` is what it was asked."""

    name = "testing:overlap"

    def __init__(self) -> None:
        self.asked: list[tuple[str, list[str]]] = []

    def score(self, question: str, texts: Sequence[str]) -> list[float]:
        """Judge texts."""
        self.asked.append((question, list(texts)))
        wanted = set(_WORD.findall(question.lower()))
        return [len(wanted.intersection(_WORD.findall(text.lower()))) / max(len(wanted), 1) for text in texts]


class Asked(NamedTuple):
    """One call of a `ScriptedLLM`: what it was asked, for which task, and under which limits."""

    prompt: str
    system: str
    schema: Mapping[str, Any] | None
    max_tokens: int
    temperature: float
    timeout: float
    task: str


Line: TypeAlias = str | Exception | Callable[[Asked], str]
"""What a `ScriptedLLM` does when it is asked: say a text, raise an error, or say what a function makes of it."""


class ScriptedLLM:
    """A language model that answers with its lines in turn, the last one again and again; `asked` is what it was asked.

    Without a line it raises UnavailableError. A token is a word.
    """

    name = "testing:scripted"

    def __init__(self, lines: Iterable[Line] = ()) -> None:
        self._lines = list(lines)
        self.asked: list[Asked] = []

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
        """Say the next line, or raise it."""
        asked = Asked(prompt, system, schema, max_tokens, temperature, timeout, task)
        self.asked.append(asked)
        if not self._lines:
            raise UnavailableError("the language model has nothing to say")
        line = self._lines.pop(0) if len(self._lines) > 1 else self._lines[0]
        if isinstance(line, Exception):
            raise line
        text = line if isinstance(line, str) else line(asked)
        return Completion(text, len(f"{system} {prompt}".split()), len(text.split()))


class FixedClock:
    """A clock that gives the same time until it is told another: UTC milliseconds since the epoch."""

    def __init__(self, now: int = 1_750_000_000_000) -> None:
        self.now = now

    def __call__(self) -> int:
        return self.now

    def advance(self, *, ms: int = 0, seconds: float = 0, hours: float = 0, days: float = 0) -> int:
        """Move the clock, backwards for negative numbers, and return the new time."""
        self.now += ms + round(1000 * (seconds + 3600 * hours + 86_400 * days))
        return self.now
