"""The peers of the benchmarks.

One of each kind (a wheel without vectors, a wheel with, an npm package) is installed and asked a whole set.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.peers import languages

pytestmark = pytest.mark.real

ROOT = Path(__file__).resolve().parents[2]
CACHE = Path(os.environ.get("MNEMOPI_TEST_CACHE") or ROOT / ".cache") / "benchmarks"


@pytest.mark.parametrize(
    ("peer", "embedder"), [("mnemosyne", "none"), ("langgraph", "static"), ("pi-mnemopi", "static")]
)
def test_a_peer_answers_the_made_up_set_and_what_it_said_is_logged(peer: str, embedder: str, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "benchmarks.peers", peer, "languages", "--embedder", embedder]
    environment = {**os.environ, "MNEMOPI_BENCH_CACHE": str(CACHE), "MNEMOPI_EVAL_DATA": str(tmp_path)}
    done = subprocess.run(
        [*command, "--logs", str(tmp_path)], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    (log,) = tmp_path.glob("*.jsonl")
    head, *rows = [json.loads(line) for line in log.read_text("utf-8").splitlines()]
    if reason := head["head"]["skipped"]:
        pytest.skip(reason)
    assert head["head"]["version"]
    asked = {query.id for query in languages.load()[1]}
    assert {row["id"] for row in rows} == asked
    assert sum(row["turn"]["R@10"] for row in rows) > len(asked) / 2, done.stdout
