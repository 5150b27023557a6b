"""What runs in the process of a native model (`worker` starts it): an embedder or reranker, asked line by line.

    in    {"factory": "module:name", "arguments": {...}}                 once
          {"verb": "embed_queries" | "score" ..., "arguments": [...]}    again and again
    out   {"shape": [rows, numbers], "bytes", "memory": MiB} and the numbers as little-endian float32,
          or {"error": {code, message, hint}, "memory"}

Standard output is for answers alone; what the model prints goes to standard error. The process ends with its input, and
with its parent.
"""

from __future__ import annotations

import importlib
import json
import os
import resource
import threading
import time
from pathlib import Path
from typing import Any, BinaryIO, Final

from mnemopi.errors import MnemopiError, UnavailableError

_LOOK_S: Final = 1.0


def main() -> None:
    """Answer until the input ends."""
    reading, writing = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    threading.Thread(target=_outlive_nobody, args=(os.getppid(),), daemon=True).start()
    plan = reading.readline()
    if plan:
        serve(json.loads(plan), reading, writing)


def serve(plan: dict[str, Any], reading: BinaryIO, writing: BinaryIO) -> None:
    """Make the model that a plan names, and answer each line."""
    model: Any = None
    for line in reading:
        rows = b""
        try:
            if model is None:
                model = _made(plan)
            told, rows = _called(model, json.loads(line))
        except MnemopiError as error:
            told = {"error": error.as_dict()}
        except Exception as error:  # noqa: BLE001 -- whatever native code raises is the model's failure
            told = {"error": UnavailableError(f"the model failed ({type(error).__name__})").as_dict()}
        writing.write(json.dumps(told | {"bytes": len(rows), "memory": memory()}).encode() + b"\n" + rows)
        writing.flush()


def memory() -> int:
    """Return the memory that this process occupies, in MiB; at most so far, where the system tells no more."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 20  # bytes on macOS
    return pages * resource.getpagesize() >> 20


def _made(plan: dict[str, Any]) -> Any:
    module, _, name = plan["factory"].partition(":")
    return getattr(importlib.import_module(module), name)(**plan["arguments"])


def _called(model: Any, request: dict[str, Any]) -> tuple[dict[str, Any], bytes]:
    import numpy as np  # noqa: PLC0415

    rows = np.asarray(getattr(model, request["verb"])(*request["arguments"]), "<f4")
    return {"shape": list(rows.shape)}, rows.tobytes()


def _outlive_nobody(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_LOOK_S)
    os._exit(0)


if __name__ == "__main__":
    main()
