"""fastembed's cross-encoder with an ONNX model that the test makes, fetched from a mirror on the loopback address.

No trained cross-encoder comes from the package index. The graph counts the tokens of the question that stand in the
text (`tests/fakes/cross_encoder.py`); its tokenizer is the one of all-MiniLM-L6-v2. What is shown is that fetch, check,
load, judge, run apart and recall work as they do for real; nothing is shown about quality.
"""

from __future__ import annotations

import os
import runpy
import subprocess
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.real

TREE = Path(__file__).resolve().parents[3]
PROGRAM = """
import pathlib, socket, sys
mirror, folder = sys.argv[1:]
ask = socket.getaddrinfo
def only_here(host, *more, **told):
    assert host in ("127.0.0.1", b"127.0.0.1"), f"the network was asked for {host}"
    return ask(host, *more, **told)
socket.getaddrinfo = only_here
from mnemopi import Mnemopi
from mnemopi.providers import models
name = "ms-marco-MiniLM-L-6-v2"
texts = ["The kettle is on the stove.", "The staging database listens on port 5433.", "Ann likes the port of Porto."]
question = "on which port does the staging database listen"
config = {"rerank.provider": "local", "rerank.timeout": 60, "embedding.cache_dir": folder + "/models"}
with Mnemopi(folder + "/b.db", no_embeddings=True, config=config) as memory:
    for text in texts:
        memory.remember(text)
    assert memory.recall(question, rerank=True).notes == ("not reranked: unavailable",)
    assert models.pull(name, folder + "/models", mirror).installed
    assert models.verify(name, folder + "/models").problems == ()
    hits = memory.recall(question, rerank=True)
    assert hits.reranker == "local:" + name, hits.notes
    assert hits[0].content == texts[1] and hits[0].explanation.terms["rerank"] > 0
    here = memory.reranker.score(question, texts)
    assert here[1] > max(here[0], here[2]), here
    assert memory.reranker.score(question, texts[1:2]) == here[1:2]
    assert memory.reranker.score(question, [texts[1] * 400])[0] > here[0]
with Mnemopi(folder + "/b.db", no_embeddings=True, config=config | {"embedding.apart": True}) as memory:
    assert memory.recall(question, rerank=True).reranker == "local:" + name
    assert memory.reranker.score(question, texts) == here
from mnemopi.providers import rerank_local
graph = pathlib.Path(folder, "models", name, "model.onnx")
for damage in (lambda: graph.write_bytes(graph.read_bytes()[:300]), graph.unlink):
    damage()
    rerank_local._running._things.clear()
    with Mnemopi(folder + "/b.db", no_embeddings=True, config=config) as memory:
        assert memory.recall(question, rerank=True).notes == ("not reranked: unavailable",)
        models.pull(name, folder + "/models", mirror)
        assert memory.recall(question, rerank=True).reranker == "local:" + name
print("fine")
"""


def test_a_cross_encoder_is_fetched_checked_run_and_asked_by_recall(
    environment: Path, server: Any, tmp_path: Path
) -> None:
    base = "/Xenova/ms-marco-MiniLM-L-6-v2/resolve/main/"
    graph = runpy.run_path(str(TREE / "tests" / "fakes" / "cross_encoder.py"))["graph"]()
    files = {base + path.name: path.read_bytes() for path in environment.glob("*.json")}
    server.serve({**files, base + "onnx/model.onnx": graph})
    python = environment / "venv" / "bin" / "python"
    done = subprocess.run(
        [str(python), "-c", PROGRAM, server.url, str(tmp_path)],
        env={**os.environ, "PYTHONPATH": str(TREE / "src"), "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert done.stdout.strip() == "fine", done.stderr
