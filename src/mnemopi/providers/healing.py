"""Recognise a damaged model folder by the error it causes, and clear the way for fetching it again.

Three kinds of damage are known, each from an interrupted download or copy: a tokenizer file is missing, the graph
cannot be parsed, the graph is missing. What is moved or deleted is named by an error text: so nothing outside the
folder of models is ever touched. Losing a race against another process that heals the same folder is fine.
"""

from __future__ import annotations

import contextlib
import re
import time
from pathlib import Path
from typing import Literal

from mnemopi.model.values import dataclass

ASIDE = ".corrupt-"
"""Between the name of a file moved aside and the time (UTC ms) it was."""

_SIDECAR = re.compile(
    r"(?:could not find|not found|no such file).*?\b(?:tokenizer|tokenizer_config|config|special_tokens_map)\.json"
    r"|\b(?:tokenizer|tokenizer_config|config|special_tokens_map)\.json.*?(?:not found|does not exist)"
    r"|(?:tokenizer|config|special tokens map) file not found",
    re.IGNORECASE | re.DOTALL,
)
_UNREADABLE = re.compile(
    r"load model from (?P<file>.+?\.onnx) failed:.*?(?:protobuf parsing failed|no graph was found)",
    re.IGNORECASE | re.DOTALL,
)
_NO_GRAPH = re.compile(
    r"model file not found at (?P<file>.+?\.onnx)"
    r"|load model from (?P<loaded>.+?\.onnx) failed:.*?(?:file doesn't exist|no such file)",
    re.IGNORECASE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Damage:
    """What is wrong with a model's folder, and the graph file it is about (none where a sidecar is missing)."""

    kind: Literal["sidecar", "unreadable", "missing"]
    file: Path | None = None


def diagnose(message: str, root: Path) -> Damage | None:
    """Read an error text; None where it tells of no damage that may be healed within `root`."""
    if found := _UNREADABLE.search(message):
        file = _within(found["file"], root)
        return Damage("unreadable", file) if file else None
    if found := _NO_GRAPH.search(message):
        file = _within(found["file"] or found["loaded"], root)
        return Damage("missing", file) if file and file.parent.parent == root.resolve() else None
    return Damage("sidecar") if _SIDECAR.search(message) else None


def clear(damage: Damage) -> None:
    """Move an unreadable graph aside as `*.corrupt-<ms>`; delete the archive a missing one would be unpacked from.

    The rest of the folder is left to the fetch that follows, which keeps only what its manifest vouches for and
    replaces the whole: without a network nothing is lost that another try could use.
    """
    if damage.file is None:
        return
    with contextlib.suppress(OSError):
        if damage.kind == "unreadable":
            damage.file.rename(f"{damage.file}{ASIDE}{time.time_ns() // 1_000_000}")
        else:
            damage.file.parent.with_name(damage.file.parent.name + ".tar.gz").unlink()


def _within(told: str, root: Path) -> Path | None:
    """Return the path with links resolved, if it lies below `root`."""
    file, base = Path(told).resolve(), root.resolve()
    return file if base in file.parents else None
