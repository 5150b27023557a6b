import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
SCORER = """
import gzip, json
from collections import defaultdict
from pathlib import Path
from types import SimpleNamespace
HERE = Path(__file__).parent
def names(): return ["tiny"]
def load(name):
    rows = lambda kind: [json.loads(line) for line in gzip.open(HERE / f"{name}.{kind}.jsonl.gz", "rt")]
    return [SimpleNamespace(**row) for row in rows("items")], [SimpleNamespace(**row) for row in rows("queries")]
def by_group(items):
    groups = defaultdict(list)
    for item in items: groups[item.group].append(item)
    return groups
def score(ranked, queries):
    figures = ("R@1", "R@5", "R@10", "R@20", "Hit@5", "Hit@10", "All@5", "All@10", "MRR", "nDCG@10")
    found = sum(ranked[query.id][:1] == query.gold for query in queries) / len(queries)
    return {"all": {"n": len(queries)} | dict.fromkeys(figures, found)}
"""


def run(data: Path, *arguments: str) -> str:
    command = [sys.executable, "-m", "benchmarks.quality", *arguments]
    done = subprocess.run(
        command,
        cwd=ROOT,
        env={**os.environ, "MNEMOPI_EVAL_DATA": str(data)},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=True,
    )
    return done.stdout


def write(path: Path, rows: list[dict[str, object]]) -> None:
    with gzip.open(path, "wt", encoding="utf-8") as lines:
        lines.writelines(json.dumps(row) + "\n" for row in rows)


def test_absent_sets_are_skipped_with_the_reason(tmp_path: Path) -> None:
    assert "skipped: no evaluation sets" in run(tmp_path, "all")


def test_the_engine_and_the_harness_find_the_gold_and_log_each_question(tmp_path: Path) -> None:
    (tmp_path / "evalset.py").write_text(SCORER, "utf-8")
    texts = ["We deploy on Friday", "Lunch was good", "The port is 8080"]
    shared = {"group": "g", "session": "s", "speaker": "Mira", "timestamp": "2026-03-01"}
    write(tmp_path / "tiny.items.jsonl.gz", [shared | {"id": t, "text": t, "order": n} for n, t in enumerate(texts)])
    query = {"id": "q", "text": "Which port?", "category": "all", "gold": [texts[2]], "group": "g"}
    write(tmp_path / "tiny.queries.jsonl.gz", [query | {"asof": None, "meta": {}}])
    for pool in ("engine", "harness"):
        log = tmp_path / f"{pool}.jsonl"
        printed = run(tmp_path, "tiny", "--pool", pool, "--log", str(log))
        assert "1.000" in printed.splitlines()[3]
        row = json.loads(log.read_text("utf-8"))
        assert row["hits"][0]["id"] == texts[2]
        assert row["hits"][0]["terms"]
