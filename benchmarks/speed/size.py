"""Room: bytes on disk and resident memory of a bank, per 100,000 memories, without and with vectors.

Resident memory is that of a process that opened the bank and asked all questions, less that of one that only imported
the library and asked an empty bank. What the system maps and may drop again (the token table) is part of it.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from benchmarks.speed import corpus
from benchmarks.speed.figures import Figure

_MB = 1 << 20
_UNIT = 100_000


def size(folder: Path, count: int = _UNIT) -> list[Figure]:
    """Return megabytes per 100,000 memories; beside them the text's own bytes and those of the bare file."""
    text = sum(len(row["content"].encode()) for row in corpus.rows(count))
    scale = _UNIT / count / _MB
    bare = corpus.bare(folder, count).stat().st_size
    details: dict[str, float | str] = {"text": text * scale, "bare": bare * scale}
    found: list[Figure] = []
    for embedder in ("none", "static"):
        path = corpus.bank(folder, count, embedder)
        disk = path.stat().st_size
        empty, full = _resident(folder / f"empty-{embedder}.db", embedder), _resident(path, embedder)
        found.append(Figure(f"MB on disk, {embedder}", disk * scale, None, details | {"of text": disk / text}))
        used = {"process without": empty / _MB, "process with": full / _MB}
        found.append(Figure(f"MB resident, {embedder}", (full - empty) * scale, None, used))
    return found


def _resident(path: Path, embedder: str) -> int:
    """The most bytes that a process of its own held while it asked all questions of a bank."""
    command = [sys.executable, "-m", "benchmarks.speed.size", str(path), embedder]
    done = subprocess.run(command, cwd=corpus.ROOT, capture_output=True, text=True, check=True)
    return int(done.stdout)


def _ask(path: Path, embedder: str) -> int:
    with corpus.opened(path, embedder) as memory:
        for kind in corpus.KINDS:
            for question in corpus.questions(kind):
                memory.recall(question, 10)
    return _most_resident()


def _most_resident() -> int:
    """Read the peak of this process (bytes). Linux's `ru_maxrss` would still know that of the process it came from."""
    status = Path("/proc/self/status")
    if status.exists():
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM:"))
        return int(line.split()[1]) * 1024
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


if __name__ == "__main__":
    print(_ask(Path(sys.argv[1]), sys.argv[2]))
