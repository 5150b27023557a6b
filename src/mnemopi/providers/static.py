"""The static embedder: a table of token vectors and a mean, from the files of the `wordllama` package.

No network, no model run: a question takes some 40 microseconds. The package is only the carrier of two files, its
token table (16 MB, half precision) and its tokenizer. They are read from its folder without importing it: its import
costs twice what loading the files does, and its own search for them may reach for the network. The table is mapped,
not read: processes share it, and opening it is free.
"""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mnemopi.errors import ConfigError, MissingExtraError, ProviderError
from mnemopi.model.values import dataclass
from mnemopi.providers import shared

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

MODEL = "wordllama-l2-supercat"
WIDTHS = (256, 128, 64)
"""The model was trained so that the first numbers of a vector serve alone: shorter vectors are its prefixes."""

_WEIGHTS = Path("weights", "l2_supercat_256.safetensors")
_TOKENIZER = Path("tokenizers", "l2_supercat_tokenizer_config.json")
_TENSOR = "embedding.weight"
_BATCH = 256
_LONGEST_HEADER = 1 << 20
_HINT = "pip install 'mnemopi[static]'"


def installed() -> bool:
    """Whether the package that carries the files is there; imports nothing."""
    return importlib.util.find_spec("wordllama") is not None


@dataclass(frozen=True, slots=True)
class _Tables:
    tokenizer: Any
    vectors: npt.NDArray[np.float16]


_tables: shared.Shared[_Tables] = shared.Shared()


class StaticEmbedder:
    """Mean of token vectors. Questions and documents are embedded alike."""

    def __init__(self, dimensions: int = 0) -> None:
        """`dimensions` is one of 256, 128 and 64, 0 for the longest. Raises ConfigError and MissingExtraError."""
        if dimensions not in (0, *WIDTHS):
            raise ConfigError("embedding.dimensions", dimensions, "settings", f"{MODEL} has 256, 128 or 64")
        if not installed():
            raise MissingExtraError("the static embedder needs the package wordllama", hint=_HINT)
        self.dimensions = dimensions or WIDTHS[0]
        self.name = f"static:{MODEL}-{self.dimensions}"

    def embed_queries(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Embed questions: shape (len(texts), dimensions), unit rows, zero for a text without tokens."""
        return self.embed_documents(texts)

    def embed_documents(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Embed memories: shape (len(texts), dimensions), unit rows, zero for a text without tokens."""
        import numpy as np  # noqa: PLC0415

        tables = _tables.get(MODEL, _load)
        rows = np.zeros((len(texts), self.dimensions), np.float32)
        for place, ids in enumerate(_tokens(tables.tokenizer, texts)):
            if ids:
                rows[place] = _direction(tables.vectors.take(ids, axis=0), self.dimensions)
        return rows


def _direction(tokens: npt.NDArray[np.float16], width: int) -> npt.NDArray[np.float32]:
    """Return the unit vector along the mean of the token vectors; the sum points the same way."""
    import numpy as np  # noqa: PLC0415

    total: npt.NDArray[np.float32] = np.add.reduce(tokens[:, :width].astype(np.float32), axis=0)
    length = float(total @ total) ** 0.5
    return total / np.float32(length) if length else total


def _tokens(tokenizer: Any, texts: Sequence[str]) -> list[list[int]]:
    """Tokenize; a single text without the batch machinery, which costs more than the text."""
    if len(texts) == 1:
        return [tokenizer.encode(texts[0], add_special_tokens=False).ids]
    found: list[list[int]] = []
    for start in range(0, len(texts), _BATCH):
        batch = list(texts[start : start + _BATCH])
        found += [encoding.ids for encoding in tokenizer.encode_batch_fast(batch, add_special_tokens=False)]
    return found


def _load() -> _Tables:
    try:
        from tokenizers import Tokenizer  # noqa: PLC0415
    except ImportError as error:
        raise MissingExtraError("the static embedder needs the package tokenizers", hint=_HINT) from error
    spec = importlib.util.find_spec("wordllama")
    if spec is None or not spec.submodule_search_locations:
        raise MissingExtraError("the static embedder needs the package wordllama", hint=_HINT)
    folder = Path(spec.submodule_search_locations[0])
    for file in (folder / _WEIGHTS, folder / _TOKENIZER):
        if not file.is_file():
            raise ProviderError(f"the package wordllama has no {file.name}", hint=f"install it again: {_HINT}")
    return _Tables(Tokenizer.from_file(str(folder / _TOKENIZER)), _map_tensor(folder / _WEIGHTS))


def _map_tensor(file: Path) -> npt.NDArray[np.float16]:
    """Map the token table of a safetensors file: 8 bytes of header length, a JSON header, then the numbers."""
    import numpy as np  # noqa: PLC0415

    try:
        with file.open("rb") as opened:
            length = int.from_bytes(opened.read(8), "little")
            told = json.loads(opened.read(min(length, _LONGEST_HEADER)))[_TENSOR]
        if told["dtype"] != "F16":
            raise ValueError(f"numbers of type {told['dtype']}")
        start = 8 + length + told["data_offsets"][0]
        table = np.memmap(file, dtype="<f2", mode="r", offset=start, shape=tuple(told["shape"]))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ProviderError(f"cannot read {file.name}: {error}", hint=f"install it again: {_HINT}") from error
    return table.view(np.ndarray)
