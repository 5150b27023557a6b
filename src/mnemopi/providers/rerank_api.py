"""Relevance from any server that reranks over HTTP, in one of three shapes.

    cohere   POST /v2/rerank   {model, query, documents, top_n}   ->  {results: [{index, relevance_score}]}
    jina     POST /v1/rerank   the same, and no texts sent back   ->  the same
    tei      POST /rerank      {query, texts, truncate}           ->  [{index, score}]

Jina's is what most servers of one's own speak; TEI is Hugging Face's server, which holds one model.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from mnemopi.errors import ProviderError
from mnemopi.model.values import dataclass
from mnemopi.providers.client import Client

ADVICE: Final = {
    401: "check MNEMOPI_RERANK_KEY",
    403: "the key may not use this model",
    404: "check MNEMOPI_RERANK_URL, MNEMOPI_RERANK_SHAPE and MNEMOPI_RERANK_MODEL",
    413: "lower MNEMOPI_RERANK_DEPTH",
    422: "check MNEMOPI_RERANK_SHAPE and MNEMOPI_RERANK_MODEL",
}


@dataclass(frozen=True, slots=True)
class Shape:
    """How one kind of server is spoken to: its own address ("": none), the path, and the names of what is sent."""

    service: str
    path: str
    texts: str
    score: str

    def address(self, base: str) -> str:
        """Return the address to post to, for a base URL with or without its last parts."""
        base = (base or self.service).rstrip("/")
        if base.endswith("/rerank"):
            return base
        version, _, last = self.path.rpartition("/")
        return f"{base}/{last}" if version and base.endswith(version) else base + self.path


SHAPES: Final = {
    "cohere": Shape("https://api.cohere.com", "/v2/rerank", "documents", "relevance_score"),
    "jina": Shape("https://api.jina.ai", "/v1/rerank", "documents", "relevance_score"),
    "tei": Shape("", "/rerank", "texts", "score"),
}


class ApiReranker:
    """A Reranker behind HTTP."""

    def __init__(self, client: Client, shape: str, model: str = "") -> None:
        """`shape` is a key of `SHAPES`; `model` is sent where the shape has a place for it."""
        self.name = f"api:{model or shape}"
        self._client, self._shape = client, SHAPES[shape]
        self._fixed: dict[str, Any] = {"truncate": True} if shape == "tei" else {"model": model}
        if shape == "jina":
            self._fixed["return_documents"] = False

    def score(self, question: str, texts: Sequence[str]) -> list[float]:
        """Ask the server. Raises RefusedError, UnavailableError, and ProviderError for an answer that is wrong."""
        body = {**self._fixed, "query": question, self._shape.texts: list(texts)}
        if "model" in body:
            body["top_n"] = len(texts)
        return self._in_order(self._client.post(body), len(texts))

    def _in_order(self, answer: Any, count: int) -> list[float]:
        who, score = self._client.host, self._shape.score
        try:
            listed = answer["results"] if isinstance(answer, dict) else answer
            told = [(each["index"], float(each[score])) for each in listed]
        except (KeyError, TypeError, ValueError):
            raise ProviderError(f"{who} gave an answer without `index` and `{score}`", hint=ADVICE[422]) from None
        by_index = dict(told)
        if len(told) != count or by_index.keys() != set(range(count)):
            raise ProviderError(f"{who} gave {len(told)} judgements for {count} texts, or gave one twice")
        return [by_index[place] for place in range(count)]
