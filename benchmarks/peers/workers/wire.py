"""The worker's end of the line: reads orders, calls a bank, answers. Standard library only, on the peer's own Python.

A bank is an object with `version`, `fill(items)` and `ask(text, top)`, made by a function of (folder, url, dimensions).
"""

from __future__ import annotations

import json
import os
import sys
import time
import urllib.request


def serve(opened):
    """Answer orders until the input ends. What libraries print goes to the standard error."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    bank = None
    for line in sys.stdin:
        order = json.loads(line)
        started = time.perf_counter()
        try:
            if order["do"] == "open":
                bank = opened(order["folder"], order["url"], order["dimensions"])
                answer = {"version": bank.version}
            elif order["do"] == "fill":
                bank.fill(order["items"])
                answer = {}
            else:
                answer = {"ids": bank.ask(order["text"], order["top"])}
        except Exception as error:  # noqa: BLE001 - whatever a peer raises is its row's reason
            answer = {"error": f"{type(error).__name__}: {error}"}
        answers.write(json.dumps(answer | {"seconds": time.perf_counter() - started}) + "\n")
        answers.flush()


def embed(url, texts):
    """Vectors of texts from the benchmark's server."""
    body = json.dumps({"model": "benchmark", "input": list(texts)}).encode()
    asked = urllib.request.Request(f"{url}/embeddings", body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(asked, timeout=600) as answer:
        return [row["embedding"] for row in json.load(answer)["data"]]
