"""The log of a run: JSON lines, the first of which says what made the others."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any, Final

LOGS: Final = Path(__file__).resolve().parent / "logs"
ROOT: Final = Path(__file__).resolve().parents[1]
PACKAGES: Final = ("mnemopi", "numpy", "apsw", "wordllama", "turbovec", "onnxruntime", "bm25s")
"""What ours and the plain rows stand on; a peer's own version is said by its run."""
Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Log:
    """A run that was written down: what it was (`table`, and the rest of its head), and its rows."""

    head: Mapping[str, Any]
    rows: Sequence[Row] = field(default=())


def head(table: str, command: Sequence[str], **more: Any) -> dict[str, Any]:
    """Say what a run is: the table it belongs to, its command, the versions and the machine."""
    return {
        "table": table,
        "command": " ".join(command),
        "at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "commit": _commit(),
        "versions": {name: version for name in PACKAGES if (version := _version(name))},
        "machine": _machine(),
        **more,
    }


def write(name: str, head: Mapping[str, Any], rows: Iterable[Row], folder: Path | None = None) -> Path:
    """Write a log whole, or not at all, and return its file."""
    folder = folder or LOGS
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.jsonl"
    passing = path.with_suffix(f".{os.getpid()}")
    with passing.open("w", encoding="utf-8") as lines:
        lines.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in ({"head": dict(head)}, *rows))
    passing.replace(path)
    return path


def read(folder: Path | None = None) -> list[Log]:
    """Read all logs of a folder that say what they are, by the name of their file."""
    found = []
    for path in sorted((folder or LOGS).glob("*.jsonl")):
        rows = [json.loads(line) for line in path.read_text("utf-8").splitlines() if line]
        if rows and "head" in rows[0]:
            found.append(Log(rows[0]["head"], rows[1:]))
    return found


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return ""


def _commit() -> str:
    command = ["git", "-C", str(ROOT), "describe", "--always", "--dirty"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def _machine() -> dict[str, Any]:
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    return {
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "processors": os.cpu_count(),
        "load": round(load, 1),
    }


def command() -> list[str]:
    """The command line of this process, as one would type it."""
    spec = getattr(sys.modules["__main__"], "__spec__", None)
    program = ["-m", spec.name.removesuffix(".__main__")] if spec else sys.argv[:1]
    return ["python", *program, *sys.argv[1:]]
