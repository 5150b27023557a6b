import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from benchmarks.quality import belief

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


def run(data: Path, *arguments: str, module: str = "benchmarks.quality") -> str:
    command = [sys.executable, "-m", module, *arguments]
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


def tiny(tmp_path: Path) -> list[str]:
    (tmp_path / "evalset.py").write_text(SCORER, "utf-8")
    texts = ["We deploy on Friday", "Lunch was good", "The port is 8080"]
    shared = {"group": "g", "session": "s", "speaker": "Mira", "timestamp": "2026-03-01"}
    write(tmp_path / "tiny.items.jsonl.gz", [shared | {"id": t, "text": t, "order": n} for n, t in enumerate(texts)])
    query = {"id": "q", "text": "Which port?", "category": "all", "gold": [texts[2]], "group": "g"}
    write(tmp_path / "tiny.queries.jsonl.gz", [query | {"asof": None, "meta": {}}])
    return texts


def test_the_engine_and_the_harness_find_the_gold_and_log_each_question(tmp_path: Path) -> None:
    texts = tiny(tmp_path)
    for pool in ("engine", "harness"):
        log = tmp_path / f"{pool}.jsonl"
        printed = run(tmp_path, "tiny", "--pool", pool, "--log", str(log))
        assert "1.000" in printed.splitlines()[3]
        row = json.loads(log.read_text("utf-8"))
        assert row["hits"][0]["id"] == texts[2]
        assert row["hits"][0]["terms"]


def test_the_belief_of_a_set_is_printed_and_logged_with_its_curve(tmp_path: Path) -> None:
    tiny(tmp_path)
    printed = run(tmp_path, "--logs", str(tmp_path), module="benchmarks.quality.belief")
    assert "tiny none" in printed
    head, row, _ = [json.loads(line) for line in (tmp_path / "belief.jsonl").read_text("utf-8").splitlines()]
    assert head["head"]["table"] == "belief"
    assert len(row["cut"]) == len(head["head"]["thresholds"])
    assert sum(count for *_, count in row["curve"]) >= 1


def test_a_framed_question_is_worth_what_it_is_as_it_is(tmp_path: Path) -> None:
    tiny(tmp_path)
    assert "frame kept" in run(tmp_path, "--logs", str(tmp_path), module="benchmarks.quality.framed")
    head, row, _ = [json.loads(line) for line in (tmp_path / "framed.jsonl").read_text("utf-8").splitlines()]
    assert head["head"]["table"] == "framed"
    assert row["plain"] == row["framed"] == {"figure": 1.0, "served": 1.0}
    assert row["kept"]["served"] == 0.0


def test_a_belief_that_is_as_often_true_as_it_says_has_no_error() -> None:
    beliefs = np.array([0.25] * 8 + [0.75] * 8)
    truths = np.array(([1.0] * 2 + [0.0] * 6) + ([1.0] * 6 + [0.0] * 2))
    whole = [(0.25, 0.25, 8), (0.75, 0.75, 8)]
    assert belief.calibration_error(whole) == 0
    assert belief.calibration_error([(0.9, 0.4, 10)]) == pytest.approx(0.5)
    curve = belief.bins(beliefs, truths)
    assert sum(count for *_, count in curve) == 16
    assert [each for each, *_ in curve] == sorted(each for each, *_ in curve)


def test_the_harm_table_says_who_kept_it_away(tmp_path: Path) -> None:
    run(tmp_path, "--logs", str(tmp_path), module="benchmarks.quality.harm")
    head, *rows = [json.loads(line) for line in (tmp_path / "harm-none.jsonl").read_text("utf-8").splitlines()]
    assert head["head"]["columns"] == ["ours", "BM25", "placebo"]
    shares = {row["label"]: row["shares"] for row in rows}
    assert shares["replaced: the later stands above"] == {"ours": 1.0, "BM25": 0.0, "placebo": 0.0}
    assert shares["poisoned: fenced, labelled, unable to end the block"]["ours"] == 1.0
    assert shares["a neighbour's: no hit of the other project"] == {"ours": 1.0, "BM25": 0.0, "placebo": 1.0}
