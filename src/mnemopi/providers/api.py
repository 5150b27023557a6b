"""Embeddings from any server that speaks OpenAI's `POST /embeddings`.

Texts go out in batches, in order; an answer is sorted by its own `index` and checked before a row of it is used.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from mnemopi.errors import ProviderError
from mnemopi.providers import rows
from mnemopi.providers.client import Client

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

DEFAULT_URL = "https://api.openai.com/v1"
ADVICE = {
    401: "check MNEMOPI_EMBEDDING_API_KEY",
    403: "the key may not use this model",
    404: "check MNEMOPI_EMBEDDING_API_URL and MNEMOPI_EMBEDDING_MODEL",
    413: "lower MNEMOPI_EMBEDDING_BATCH or MNEMOPI_EMBEDDING_MAX_INPUT_CHARS",
}


def address(base: str) -> str:
    """Return the address to post to, for a base URL with or without its last part."""
    base = base.rstrip("/")
    return base if base.endswith("/embeddings") else f"{base}/embeddings"


class ApiEmbedder:
    """An Embedder behind HTTP."""

    def __init__(
        self,
        client: Client,
        model: str,
        *,
        dimensions: int = 0,
        cut: bool = False,
        batch_size: int = 64,
        prefixes: tuple[str, str] = ("", ""),
        mark: str = "",
    ) -> None:
        """`dimensions` 0 learns it from the first answer; `cut` asks the server for vectors of that length.

        `prefixes` go before questions and before memories; `mark` is put at the end of the name, where something
        beside the model changes the vectors of memories.
        """
        self.name = f"api:{model}" + (f"@{dimensions}" if cut else "") + mark
        self._client = client
        self._body: dict[str, Any] = {"model": model}
        if cut:
            self._body["dimensions"] = dimensions
        self._dimensions = dimensions
        self._batch_size = batch_size
        self._prefixes = prefixes

    @property
    def dimensions(self) -> int:
        """The length of each vector; asks the server once when it is not known."""
        if not self._dimensions:
            self._embed(["dimensions"])
        return self._dimensions

    def embed_queries(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Embed questions. Raises RefusedError, UnavailableError, and ProviderError for an answer that is wrong."""
        return self._embed([self._prefixes[0] + text for text in texts])

    def embed_documents(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Embed memories. Raises RefusedError, UnavailableError, and ProviderError for an answer that is wrong."""
        return self._embed([self._prefixes[1] + text for text in texts])

    def _embed(self, texts: list[str]) -> npt.NDArray[np.float32]:
        import numpy as np  # noqa: PLC0415

        parts = [self._ask(texts[at : at + self._batch_size]) for at in range(0, len(texts), self._batch_size)]
        return np.concatenate(parts) if parts else np.zeros((0, self.dimensions), np.float32)

    def _ask(self, batch: list[str]) -> npt.NDArray[np.float32]:
        answer = self._client.post({**self._body, "input": batch})
        vectors = _in_order(answer, len(batch), self._client.host)
        found = rows.unit(vectors, len(batch), dimensions=self._dimensions, who=self._client.host)
        self._dimensions = self._dimensions or found.shape[1]
        return found


def _in_order(answer: Any, count: int, who: str) -> list[Any]:
    """Return the vectors of an answer by `index`; servers that leave it out answer in order."""
    try:
        told = [(item.get("index", place), item["embedding"]) for place, item in enumerate(answer["data"])]
    except (AttributeError, KeyError, TypeError):
        raise ProviderError(f"{who} gave an answer without `data[].embedding`") from None
    by_index = dict(told)
    if len(told) != count or by_index.keys() != set(range(count)):
        raise ProviderError(f"{who} gave {len(told)} vectors for {count} texts, or gave one twice")
    return [by_index[place] for place in range(count)]
