"""Cross-encoders on this machine, run by fastembed.

The files come from `models.pull`, as those of embedders do. A question does not wait for a download: damage is said,
and mended by fetching the model again.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mnemopi.errors import UnavailableError
from mnemopi.providers import local, models, shared

if TYPE_CHECKING:
    from mnemopi.providers.catalog import Model

DEFAULT = "ms-marco-MiniLM-L-6-v2"
_running: shared.Shared[Any] = shared.Shared()


class LocalReranker:
    """A Reranker in this process. Loading takes about a second, once per model and folder."""

    def __init__(self, name: str, cache_dir: str | Path) -> None:
        """Raises NotFoundError for an unknown model, and UsageError for one that judges nothing."""
        self._model = models.known(name, "rerank")
        self.name = f"local:{self._model.name}"
        self._root = Path(cache_dir)
        self._key = (self._model.name, str(self._root.resolve()))

    def score(self, question: str, texts: Sequence[str]) -> list[float]:
        """Judge texts. Raises MissingExtraError, and UnavailableError where the model is absent, damaged or fails."""
        running = _running.get(self._key, lambda: local.load(self._model, self._root, _registered))
        try:
            return [float(each) for each in running.rerank(question, list(texts))]
        except Exception as error:
            raise UnavailableError(f"{self.name} failed ({type(error).__name__})") from error


def _registered(model: Model) -> tuple[Any, str]:
    """Make a model known to fastembed under a name of ours, as `local` does, and return the class that runs it."""
    from fastembed.common.model_description import ModelSource  # noqa: PLC0415
    from fastembed.rerank.cross_encoder import TextCrossEncoder  # noqa: PLC0415

    name = f"mnemopi/{model.name}"
    if name not in {each["model"] for each in TextCrossEncoder.list_supported_models()}:
        TextCrossEncoder.add_custom_model(
            model=name, sources=ModelSource(hf=model.repository), model_file=model.graph_name
        )
    return TextCrossEncoder, name
