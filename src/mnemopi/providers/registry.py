"""Choose the embedder: what a caller gave, else what is configured, else the static one where it is installed.

Nothing is loaded here. A provider's module is imported when it is chosen, a model when its first text comes, so that
a recall without vectors pays for none of them. No provider is chosen because a key lies in the environment.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from mnemopi.errors import ConfigError, MnemopiError, UsageError
from mnemopi.model.values import dataclass
from mnemopi.providers import catalog, embedders

if TYPE_CHECKING:
    from mnemopi.ports import Embedder
    from mnemopi.providers.client import Key
    from mnemopi.settings import EmbeddingConfig

GROUP = "mnemopi.providers"
"""Entry points of other packages: the name MNEMOPI_EMBEDDING_PROVIDER takes, and `(config, data_dir) -> Embedder`."""

Given: TypeAlias = "bool | Mapping[str, Any] | Callable[..., Any] | Embedder | None"

_NAMES = {
    "disabled": "disabled",
    "provider": "provider",
    "model": "model",
    "dimensions": "dimensions",
    "api_url": "api_url",
    "apiUrl": "api_url",
    "api_key": "api_key",
    "apiKey": "api_key",
    "max_input_chars": "max_input_chars",
    "maxInputChars": "max_input_chars",
}
_TYPES: dict[str, type] = {"disabled": bool, "model": str, "dimensions": int, "api_url": str, "max_input_chars": int}


@dataclass(frozen=True, slots=True)
class _Request:
    """What to open: settings with the caller's wishes in them, and what only code can give."""

    config: EmbeddingConfig
    data_dir: str
    function: Any = None
    key: Key = ""


def open_embedder(config: EmbeddingConfig, *, given: Given = None, data_dir: str) -> Embedder | None:
    """Return the embedder to use, None for none.

    `given` is the caller's own wish: None (as configured), False (none), a mapping of settings (`disabled`,
    `provider`, `model`, `api_url`, `api_key`, `max_input_chars`, `dimensions`; a provider may be a function, a key
    too), a function from texts to vectors, or an Embedder. Raises UsageError for a wish that cannot be met,
    ConfigError for a setting, MissingExtraError for a provider that is not installed.
    """
    request = _request(config, given, data_dir)
    if request is None or not request.config.enabled:
        return None
    if request.function is not None:
        return _prepared(_from_caller(request), request)
    name = choose(request.config)
    if name == "none":
        return None
    build = _BUILDERS.get(name)
    return build(request) if build is not None else _prepared(_plugged_in(name, request), request)


def reopen(name: str, config: EmbeddingConfig, data_dir: str) -> Embedder | None:
    """Return the embedder that made the vectors of a former model, by its name, or None where it cannot be had again.

    A static or local model, and one of the API that is still set, can; a caller's function cannot.
    """
    provider, _, model = name.partition(":")
    if provider not in _BUILDERS:
        return None
    former = replace(config, provider=provider, model="" if provider == "static" else model, dimensions=0)
    try:
        embedder = open_embedder(former, data_dir=data_dir)
    except MnemopiError:
        return None
    return embedder if embedder is not None and embedder.name == name else None


def choose(config: EmbeddingConfig) -> str:
    """Name the provider that the settings ask for: `auto` is what is configured, else static, else none.

    Raises ConfigError for a model that nothing here can run.
    """
    if config.provider != "auto":
        return config.provider
    model = config.model.lower()
    if config.via_api or config.api_url or model.startswith("openai/") or "text-embedding" in model:
        return "api"
    if not config.model or model.startswith("wordllama"):
        from mnemopi.providers import static  # noqa: PLC0415

        return "static" if config.model or static.installed() else "none"
    found = catalog.find(config.model)
    if found is not None and found.is_local and found.task == "embed":
        return "local"
    why = "no local model that embeds has this name" if found is None else "runs behind an API only"
    hint = "`mnemopi models list` shows the local ones; MNEMOPI_EMBEDDING_API_URL names a server for others"
    raise ConfigError("embedding.model", config.model, "settings", why, hint=hint)


def _request(config: EmbeddingConfig, given: Given, data_dir: str) -> _Request | None:
    if given is False:
        return None
    if given is None:
        return _Request(config, data_dir, key=config.api_key)
    if given is True:
        raise UsageError("embeddings=True says nothing", hint="leave it out, or give a function or a mapping")
    if not isinstance(given, Mapping):
        return _Request(config, data_dir, function=given)
    wishes = _wishes(given)
    key = wishes.pop("api_key", config.api_key)
    if not isinstance(key, str) and not callable(key):
        raise UsageError("embeddings: `api_key` is a string, or a function that gives one")
    if wishes.pop("disabled", False):
        return None
    provider = wishes.pop("provider", None)
    if isinstance(provider, str):
        wishes["provider"], provider = provider, None
    return _Request(replace(config, **wishes), data_dir, function=provider, key=key)


def _wishes(given: Mapping[str, Any]) -> dict[str, Any]:
    """Read a mapping of settings: names in either spelling, None for unset. Raises UsageError."""
    wishes: dict[str, Any] = {}
    for told, value in given.items():
        name = _NAMES.get(told)
        if name is None:
            known = ", ".join(dict.fromkeys(_NAMES.values()))
            raise UsageError(f"embeddings: unknown key `{told}`", hint=f"known: {known}")
        if value is None:
            continue
        wanted = _TYPES.get(name)
        if wanted is not None and type(value) is not wanted:
            raise UsageError(f"embeddings: `{told}` is of type {wanted.__name__}, not {type(value).__name__}")
        if isinstance(value, int) and value < 0:
            raise UsageError(f"embeddings: `{told}` cannot be negative")
        wishes[name] = value
    return wishes


def _prepared(provider: Embedder, request: _Request, **more: Any) -> Embedder:
    cache = embedders.QueryCache(request.config.query_cache)
    return embedders.PreparedEmbedder(provider, cache=cache, clip_at=request.config.max_input_chars, **more)


def _from_caller(request: _Request) -> Embedder:
    from mnemopi.providers import callables  # noqa: PLC0415

    given = request.function
    if all(hasattr(given, part) for part in ("name", "dimensions", "embed_queries", "embed_documents")):
        return cast("Embedder", given)
    return callables.from_object(given, name=request.config.model, dimensions=request.config.dimensions)


def _static(request: _Request) -> Embedder:
    from mnemopi.providers import static  # noqa: PLC0415

    config = request.config
    if config.model and not config.model.lower().startswith("wordllama"):
        why = f"the static embedder has {static.MODEL} only"
        raise ConfigError("embedding.model", config.model, "settings", why)
    return _prepared(static.StaticEmbedder(config.dimensions), request)


def _local(request: _Request) -> Embedder:
    from mnemopi.providers import local  # noqa: PLC0415

    config = request.config
    arguments: dict[str, Any] = {
        "name": config.model or "multilingual-e5-small",
        "cache_dir": models_folder(config, request.data_dir),
        "dimensions": config.dimensions,
        "mirror": config.mirror,
        "batch_size": config.batch_size,
        "prefixes": (config.query_prefix, config.document_prefix),
        "mark": _mark(config.document_prefix),
    }
    provider: Embedder = local.LocalEmbedder(**arguments)
    if config.apart:
        from mnemopi.providers import worker  # noqa: PLC0415

        factory = f"{local.__name__}:{local.LocalEmbedder.__name__}"
        provider = worker.WorkerEmbedder(provider, factory, arguments, most=config.apart_memory)
    return _prepared(provider, request)


def _api(request: _Request) -> Embedder:
    from mnemopi.providers import api, client  # noqa: PLC0415
    from mnemopi.text import redact  # noqa: PLC0415

    config = request.config
    if not config.model:
        raise ConfigError("embedding.model", "", "settings", "an API needs the name of a model")
    if not config.api_url and not request.key:
        why = f"{api.DEFAULT_URL} wants a key, and no other address is set"
        raise ConfigError("embedding.api_key", "", "settings", why)
    model = config.model if config.api_url else config.model.removeprefix("openai/")
    url = api.address(config.api_url or api.DEFAULT_URL)
    known = catalog.find(model) or catalog.Model(model, 0, "")
    cut = config.dimensions > 0 and "text-embedding-3-" in model
    provider = api.ApiEmbedder(
        client.Client(url, request.key, timeout=config.timeout, advice=api.ADVICE),
        model,
        dimensions=config.dimensions or known.dimensions,
        cut=cut,
        batch_size=config.batch_size,
        prefixes=(config.query_prefix or known.query_prefix, config.document_prefix or known.document_prefix),
        mark=_mark(config.document_prefix),
    )
    return _prepared(provider, request, origin=url, gate=lambda text: redact.redact(text).text)


def _plugged_in(name: str, request: _Request) -> Embedder:
    """Find a provider that another package registered. Raises ConfigError where none has the name."""
    from importlib.metadata import entry_points  # noqa: PLC0415

    for entry in entry_points(group=GROUP, name=name):
        return cast("Embedder", entry.load()(request.config, request.data_dir))
    why = f"neither auto, none, {', '.join(_BUILDERS)} nor an installed plug-in"
    raise ConfigError("embedding.provider", name, "settings", why)


_BUILDERS: dict[str, Callable[[_Request], Embedder]] = {"static": _static, "local": _local, "api": _api}


def models_folder(config: EmbeddingConfig, data_dir: str) -> str:
    """Return the folder of local models: the one that is set, else `models` in the data folder."""
    return config.cache_dir or str(Path(data_dir, "models"))


def _mark(document_prefix: str) -> str:
    """Return what tells vectors apart that were made with another prefix than the model's own."""
    return f"#{zlib.crc32(document_prefix.encode()):08x}" if document_prefix else ""
