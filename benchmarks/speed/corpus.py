"""The corpus and the question lists, found outside the project, and the banks that are made of them.

Banks are made once a run in its folder; each has a bare twin with the same texts (see `floors`).
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, TypeAlias

from benchmarks.speed import floors
from mnemopi import Mnemopi
from mnemopi.text import tokens

ROOT = Path(__file__).resolve().parents[2]
KINDS = ("content", "mixed", "common")
_EDITION = tokens.ANALYZER.rpartition("/")[2]
"""Part of the names of banks: one that was kept is not asked with words analysed otherwise than its own."""
Row: TypeAlias = dict[str, Any]
"""A memory, as `remember_many` takes it."""


class NoData(Exception):
    """The corpus is not on this machine."""


@cache
def source() -> ModuleType:
    """The module that makes corpus and questions. Raises NoData."""
    path = Path(os.environ.get("MNEMOPI_SPEED_DATA") or ROOT.parent / "shared" / "data" / "speed.py")
    if not path.is_file():
        raise NoData(f"no corpus at {path}: set MNEMOPI_SPEED_DATA to a speed.py")
    spec = importlib.util.spec_from_file_location("mnemopi_speed_data", path)
    if spec is None or spec.loader is None:
        raise NoData(f"{path} cannot be imported")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@cache
def rows(count: int) -> list[Row]:
    """The first `count` memories, as `remember_many` takes them."""
    return list(source().corpus(count))


def questions(kind: str) -> list[str]:
    """Forty questions of a kind of `KINDS`."""
    found: list[str] = source().questions(kind)
    return found


def opened(path: Path, embedder: str = "none", settings: Mapping[str, Any] | None = None) -> Mnemopi:
    """Open a bank that settles only when asked, so that nothing runs beside what is measured."""
    settings = {"write.settle": "off", **(settings or {})}
    if embedder == "none":
        return Mnemopi(path, no_embeddings=True, data_dir=path.parent, config=settings)
    return Mnemopi(path, data_dir=path.parent, config=settings | {"embedding.provider": embedder})


def bank(folder: Path, count: int, embedder: str = "none") -> Path:
    """Make, or find, the file of a bank of `count` memories with the embedder's vectors, as words are analysed now."""
    path = folder / f"ours-{count}-{embedder}-{_EDITION}.db"
    if path.exists():
        return path
    with _whole(path) as part:
        if embedder != "none":
            shutil.copyfile(bank(folder, count), part)
        with opened(part, embedder) as memory:
            if embedder == "none":
                memory.remember_many(rows(count))
                memory.facts.list()  # reads the claims, which a recall would
            else:
                memory.settle()
    return path


def bare(folder: Path, count: int) -> Path:
    """Make, or find, the bare twin of a bank."""
    path = folder / f"bare-{count}.db"
    if path.exists():
        return path
    with _whole(path) as part, floors.Bare(part) as floor:
        texts = rows(count)
        for start in range(0, count, floors.BATCH):
            floor.insert_many(texts[start : start + floors.BATCH])
    return path


@contextmanager
def _whole(path: Path) -> Iterator[Path]:
    """Have a file made in a passing folder, so that it is there whole or not at all."""
    with tempfile.TemporaryDirectory(prefix="making-", dir=path.parent) as passing:
        part = Path(passing, path.name)
        yield part
        part.replace(path)
