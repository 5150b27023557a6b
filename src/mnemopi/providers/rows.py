"""Check what an embedder gave and bring it to the one form the rest relies on: float32 rows of unit length."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mnemopi.errors import ProviderError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


def unit(vectors: Any, count: int, *, dimensions: int = 0, who: str) -> npt.NDArray[np.float32]:
    """Return `vectors` as a float32 array of shape (count, dimensions), each row of length 1; zero rows stay zero.

    `vectors` is an array, a sequence of vectors, or an iterable of vectors and batches of vectors. `dimensions` 0
    accepts any length that all rows share. Raises ProviderError, naming `who` and never a text, when the number of
    rows, their length or a number in them cannot be right.
    """
    import numpy as np  # noqa: PLC0415

    rows = _stack(vectors, who)
    if count == 0 and rows.size == 0:
        return np.zeros((0, dimensions), np.float32)
    if len(rows) != count:
        raise ProviderError(f"{who} gave {len(rows)} vectors for {count} texts")
    if rows.shape[1] == 0 or (dimensions and rows.shape[1] != dimensions):
        raise ProviderError(
            f"{who} gave vectors of {rows.shape[1]} numbers, {dimensions or 'more'} were expected",
            hint="check MNEMOPI_EMBEDDING_DIM and MNEMOPI_EMBEDDING_MODEL",
        )
    if not np.isfinite(rows).all():
        raise ProviderError(f"{who} gave a vector that holds no finite number")
    # Scaled by the largest number first, or the square of a huge or tiny vector would leave the range of a float.
    largest = np.abs(rows).max(axis=1, keepdims=True)
    rows = rows / np.where(largest > 0, largest, 1)
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    return (rows / np.where(norms > 0, norms, 1)).astype(np.float32)


def _stack(vectors: Any, who: str) -> npt.NDArray[np.float64]:
    """Lay single vectors and batches of vectors under one another."""
    import numpy as np  # noqa: PLC0415

    try:
        whole = vectors if isinstance(vectors, np.ndarray) else list(vectors)
        if len(whole) == 0:
            return np.zeros((0, 0), np.float64)
        parts = [np.asarray(part, np.float64) for part in whole]
        if any(part.ndim not in (1, 2) for part in parts):
            raise ValueError("neither a vector nor a batch of vectors")
        return np.concatenate([part.reshape(-1, part.shape[-1]) for part in parts])
    except (TypeError, ValueError) as error:
        raise ProviderError(f"{who} gave something that is not a list of vectors of one length") from error
