"""The embedder an engine holds: any provider, behind one preparation and one cache.

A provider turns prepared text into rows and knows nothing else. What every provider needs is done here, once: blank
texts never leave (their vector is zero), broken characters are replaced, long texts are clipped, text bound for
another machine passes the egress gate, and the vectors of questions are kept.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from mnemopi.providers import clipping

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from mnemopi.ports import Embedder

    Rows: TypeAlias = npt.NDArray[np.float32]

Key: TypeAlias = tuple[str, str, str]


class QueryCache:
    """The vectors of the questions asked last, by embedder, address and text; the least recent go first."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._vectors: OrderedDict[Key, Rows] = OrderedDict()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._vectors)

    def get(self, key: Key) -> Rows | None:
        """Return the vector kept under `key`, shape (dimensions,), and count it as used."""
        with self._lock:
            vector = self._vectors.get(key)
            if vector is not None:
                self._vectors.move_to_end(key)
            return vector

    def put(self, key: Key, vector: Rows) -> None:
        """Keep a vector; nothing is kept when the size is 0."""
        if self._size <= 0:
            return
        with self._lock:
            self._vectors[key] = vector.copy()
            self._vectors.move_to_end(key)
            while len(self._vectors) > self._size:
                self._vectors.popitem(last=False)


class PreparedEmbedder:
    """An Embedder in front of a provider. It adds no model of its own: name and dimensions are the provider's."""

    def __init__(
        self,
        provider: Embedder,
        *,
        cache: QueryCache,
        clip_at: int = 0,
        origin: str = "",
        gate: Callable[[str], str] | None = None,
    ) -> None:
        """`clip_at` is in characters (0: off), `origin` the address asked, `gate` what leaving text passes."""
        self.provider = provider
        self._cache = cache
        self._clip_at = clip_at
        self._origin = origin
        self._gate = gate

    def __repr__(self) -> str:
        return f"<embedder {self.name}>"

    @property
    def name(self) -> str:
        """The provider and model."""
        return self.provider.name

    @property
    def dimensions(self) -> int:
        """The length of each vector."""
        return self.provider.dimensions

    def embed_documents(self, texts: Sequence[str]) -> Rows:
        """Embed memories: shape (len(texts), dimensions), rows of unit length. Raises ProviderError."""
        return self._embed([self._prepare(text) for text in texts], self.provider.embed_documents)

    def embed_queries(self, texts: Sequence[str]) -> Rows:
        """Embed questions; only those not kept are asked for, and a failed call keeps nothing."""
        import numpy as np  # noqa: PLC0415

        prepared = [self._prepare(text) for text in texts]
        known = {text: self._cache.get((self.name, self._origin, text)) for text in prepared}
        missing = [text for text, vector in known.items() if vector is None]
        fresh = self._embed(missing, self.provider.embed_queries) if missing else ()
        for text, vector in zip(missing, fresh, strict=True):
            known[text] = vector
            self._cache.put((self.name, self._origin, text), vector)
        found = [vector for text in prepared if (vector := known[text]) is not None]
        return np.stack(found) if found else np.zeros((0, self.dimensions), np.float32)

    def _prepare(self, text: str) -> str:
        if not text.isascii():
            text = text.encode("utf-8", "replace").decode("utf-8")
        if self._gate is not None:
            # Before clipping: half a secret would no longer be recognised as one.
            text = self._gate(text)
        return clipping.clip(text, self._clip_at)

    def _embed(self, texts: list[str], ask: Callable[[Sequence[str]], Rows]) -> Rows:
        import numpy as np  # noqa: PLC0415

        told = [place for place, text in enumerate(texts) if text.strip()]
        if texts and len(told) == len(texts):
            return ask(texts)
        rows = np.zeros((len(texts), self.dimensions), np.float32)
        if told:
            rows[told] = ask([texts[place] for place in told])
        return rows
