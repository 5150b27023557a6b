"""The reranker an engine holds: what a caller gave, else what is configured, else none.

Nothing is loaded here, and none is chosen because a key or a model happens to be there. What every provider needs is
done once: long questions are clipped, broken characters replaced, what leaves the machine passes the egress gate, and
what came back is checked. What cannot keep to a deadline by itself is waited for no longer than it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from mnemopi.errors import ConfigError, UsageError
from mnemopi.ports import Reranker
from mnemopi.providers import clipping, judging

if TYPE_CHECKING:
    from mnemopi.providers.client import Key
    from mnemopi.settings import EmbeddingConfig, RerankConfig

Given: TypeAlias = "bool | Mapping[str, Any] | Callable[..., Any] | Reranker | None"
QUESTION: Final = 1000
"""Characters of a question that a reranker is shown: beside a longer one it would see little of the text."""


class Wish(NamedTuple):
    """What a caller asked for: settings (`rerank.name` to value), and what only code can give."""

    settings: Mapping[str, Any]
    given: Any = None
    key: Key = ""


def wish(given: Given = None) -> Wish:
    """Read what a caller asked for. Raises UsageError for what says nothing, or cannot judge."""
    if given is True:
        raise UsageError("reranker=True says nothing", hint="leave it out, or give a function or a mapping")
    if isinstance(given, Mapping):
        settings = {f"rerank.{name}": value for name, value in given.items() if value is not None}
        key = settings.get("rerank.key", "")
        if callable(key):
            del settings["rerank.key"]
        return Wish(settings, key=key)
    if not (given is None or given is False or callable(given) or _is_one(given)):
        raise UsageError(
            f"reranker: {type(given).__name__} cannot judge",
            hint="give a function of a question and a list of texts that returns a number for each",
        )
    return Wish({}, given)


def open_reranker(config: RerankConfig, wished: Wish, *, embedding: EmbeddingConfig, data_dir: str) -> Reranker | None:
    """Return the reranker to use, None for none. `embedding` says where local models lie, and run.

    Raises ConfigError for a setting, NotFoundError and UsageError for a local model that cannot be one.
    """
    if wished.given is False:
        return None
    if wished.given is not None:
        given = wished.given
        return _patient(given if _is_one(given) else judging.CallableReranker(given), config)
    if config.provider == "none":
        if config.enabled or set(wished.settings) - {"rerank.provider"}:
            why = "a reranker is asked for, and this is none"
            raise ConfigError("rerank.provider", "none", "settings", why, hint="MNEMOPI_RERANK_PROVIDER: local or api")
        return None
    return _api(config, wished.key) if config.provider == "api" else _local(config, embedding, data_dir)


class PreparedReranker:
    """A Reranker in front of a provider: the gate on the way out, the check on the way back."""

    def __init__(self, provider: Reranker, gate: Callable[[str], str] | None = None) -> None:
        """`gate` is what leaving text passes."""
        self.provider, self._gate = provider, gate

    def __repr__(self) -> str:
        return f"<reranker {self.name}>"

    @property
    def name(self) -> str:
        """The provider and model."""
        return self.provider.name

    def score(self, question: str, texts: Sequence[str]) -> list[float]:
        """Judge texts as the provider does. Raises ProviderError for an answer that cannot be right, too."""
        if not texts:
            return []
        asked = clipping.clip(self._ready(question), QUESTION)
        return judging.checked(self.provider.score(asked, [self._ready(text) for text in texts]), len(texts), self.name)

    def _ready(self, text: str) -> str:
        whole = text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")
        return whole if self._gate is None else self._gate(whole)


def _is_one(given: Any) -> bool:
    return isinstance(getattr(given, "name", None), str) and callable(getattr(given, "score", None))


def _patient(provider: Reranker, config: RerankConfig) -> Reranker:
    return PreparedReranker(judging.PatientReranker(provider, config.timeout))


def _api(config: RerankConfig, key: Key) -> Reranker:
    from mnemopi.providers import client, rerank_api  # noqa: PLC0415
    from mnemopi.text import redact  # noqa: PLC0415

    shape, key = rerank_api.SHAPES[config.shape], key or config.key
    if not config.model and config.shape != "tei":
        raise ConfigError("rerank.model", "", "settings", "an API of this shape needs the name of a model")
    if not config.url and not shape.service:
        raise ConfigError("rerank.url", "", "settings", "there is no public server of this shape")
    if not config.url and not key:
        raise ConfigError("rerank.key", "", "settings", f"{shape.service} wants a key, and no other address is set")
    post = client.Client(shape.address(config.url), key, timeout=config.timeout, advice=rerank_api.ADVICE)
    provider = rerank_api.ApiReranker(post, config.shape, config.model)
    return PreparedReranker(provider, lambda text: redact.redact(text).text)


def _local(config: RerankConfig, embedding: EmbeddingConfig, data_dir: str) -> Reranker:
    from mnemopi.providers import registry, rerank_local  # noqa: PLC0415

    folder = registry.models_folder(embedding, data_dir)
    arguments = {"name": config.model or rerank_local.DEFAULT, "cache_dir": folder}
    provider: Reranker = rerank_local.LocalReranker(**arguments)
    if embedding.apart:
        from mnemopi.providers import worker  # noqa: PLC0415

        factory = f"{rerank_local.__name__}:{rerank_local.LocalReranker.__name__}"
        provider = worker.WorkerReranker(provider, factory, arguments, most=embedding.apart_memory)
    return _patient(provider, config)
