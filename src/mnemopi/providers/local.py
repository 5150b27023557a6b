"""ONNX models on this machine, run by fastembed.

The files come from `models.pull` and from nowhere else: fastembed is pointed at the folder and never fetches. Damage
to files that were there heals itself when memories are embedded, with one more try; a question does not wait for a
download, it says what is wrong instead.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mnemopi.errors import ConfigError, MissingExtraError, ProviderError, UnavailableError
from mnemopi.providers import healing, models, rows, shared

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from mnemopi.providers.catalog import Model

_running: shared.Shared[Any] = shared.Shared()
_healed: set[tuple[str, str]] = set()
"""Models fetched again by this process: once is help, twice would be a download for every memory."""


class _DamagedError(UnavailableError):
    """The files of a model are damaged."""

    def __init__(self, damage: healing.Damage, model: Model) -> None:
        super().__init__(f"the files of {model.name} are damaged", hint=f"mnemopi models pull {model.name}")
        self.damage = damage


class LocalEmbedder:
    """An Embedder in this process. Loading takes about a second, once per model and folder."""

    def __init__(
        self,
        name: str,
        cache_dir: str | Path,
        *,
        dimensions: int = 0,
        mirror: str = "",
        batch_size: int = 64,
        prefixes: tuple[str, str] = ("", ""),
        mark: str = "",
    ) -> None:
        """`prefixes` replace those of the model where they are not empty; `mark` ends the name when they do.

        Raises NotFoundError for an unknown model and ConfigError for dimensions it does not have.
        """
        self._model = models.known(name, "embed")
        if dimensions not in (0, self._model.dimensions):
            told = f"{self._model.name} has {self._model.dimensions}"
            raise ConfigError("embedding.dimensions", dimensions, "settings", told)
        self.name = f"local:{self._model.name}{mark}"
        self.dimensions = self._model.dimensions
        self._root = Path(cache_dir)
        self._key = (self._model.name, str(self._root.resolve()))
        self._mirror = mirror
        self._batch_size = batch_size
        self._query_prefix = prefixes[0] or self._model.query_prefix
        self._document_prefix = prefixes[1] or self._model.document_prefix

    def embed_queries(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Embed questions. Raises MissingExtraError, and UnavailableError where the model is absent or damaged."""
        return self._run(self._loaded(), [self._query_prefix + text for text in texts])

    def embed_documents(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Embed memories; a damaged model is fetched again first. Raises as `embed_queries`."""
        try:
            running = self._loaded()
        except _DamagedError as error:
            self._heal(error)
            running = self._loaded()
        return self._run(running, [self._document_prefix + text for text in texts])

    def _run(self, running: Any, texts: list[str]) -> npt.NDArray[np.float32]:
        try:
            vectors = list(running.embed(texts, batch_size=self._batch_size))
        except Exception as error:
            raise UnavailableError(f"{self.name} failed ({type(error).__name__})") from error
        return rows.unit(vectors, len(texts), dimensions=self.dimensions, who=self.name)

    def _loaded(self) -> Any:
        return _running.get(self._key, lambda: load(self._model, self._root, _registered))

    def _heal(self, error: _DamagedError) -> None:
        if self._key in _healed:
            raise error
        _healed.add(self._key)
        healing.clear(error.damage)
        try:
            models.pull(self._model.name, self._root, self._mirror)
        except ProviderError as failed:
            raise UnavailableError(f"{error.message}, and {failed.message}", hint=error.hint) from failed


def load(model: Model, root: Path, registered: Callable[[Model], tuple[Any, str]]) -> Any:
    """Start a model from its folder; `registered` returns the class that runs it and the name that it has there.

    Raises MissingExtraError, and UnavailableError, a kind of its own where the model's files are the reason.
    """
    folder = root / model.name
    try:
        import fastembed  # noqa: F401, PLC0415
    except ImportError as error:
        raise MissingExtraError("local models need fastembed", hint="pip install 'mnemopi[local]'") from error
    if not folder.is_dir():
        raise UnavailableError(
            f"the model {model.name} is not on this machine", hint=f"mnemopi models pull {model.name}"
        )
    try:
        runner, told = registered(model)
        return runner(told, cache_dir=str(root), specific_model_path=str(folder), local_files_only=True)
    except Exception as error:
        damage = healing.diagnose(str(error), root)
        if damage is not None:
            raise _DamagedError(damage, model) from error
        raise UnavailableError(f"{model.name} does not load ({type(error).__name__})") from error


def _registered(model: Model) -> tuple[Any, str]:
    """Make a model known to fastembed under a name of ours: its own table changes between versions, ours does not."""
    from fastembed import TextEmbedding  # noqa: PLC0415
    from fastembed.common.model_description import ModelSource, PoolingType  # noqa: PLC0415

    name = f"mnemopi/{model.name}"
    if name not in {each["model"] for each in TextEmbedding.list_supported_models()}:
        TextEmbedding.add_custom_model(
            model=name,
            pooling=PoolingType.CLS if model.pooling == "cls" else PoolingType.MEAN,
            normalization=True,
            sources=ModelSource(hf=model.repository),
            dim=model.dimensions,
            model_file=model.graph_name,
        )
    return TextEmbedding, name
