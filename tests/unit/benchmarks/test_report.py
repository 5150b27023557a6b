import json
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from benchmarks import measures, runlog
from benchmarks.report import page, sections
from benchmarks.speed import figures

ROOT = Path(__file__).resolve().parents[3]


def head(peer: str, embedder: str = "none") -> dict[str, Any]:
    command = ["python", "-m", "benchmarks.peers", peer, "locomo_dev", "--embedder", embedder]
    names = {"peer": peer, "set": "locomo_dev", "embedder": embedder, "haystack": "own", "skipped": ""}
    return runlog.head("quality", command, **names, setting="as it comes", version="1")


def row(id: str, ranked: list[str]) -> dict[str, Any]:
    figures = measures.question(ranked, ["g"])
    return {
        "id": id,
        "category": "c",
        "turn": figures,
        "session": figures,
        "official": measures.official(ranked, ["g"]),
    }


def test_a_log_is_read_back_as_it_was_written(tmp_path: Path) -> None:
    runlog.write("one", head("bm25"), [{"id": "q"}], tmp_path)
    (tmp_path / "older.jsonl").write_text('{"at": "then"}\n', "utf-8")
    (log,) = runlog.read(tmp_path)
    assert log.head["peer"] == "bm25"
    assert log.rows == [{"id": "q"}]
    assert [path.name for path in tmp_path.iterdir() if "one" in path.name] == ["one.jsonl"]


def test_commands_that_differ_in_the_peer_alone_are_one_line() -> None:
    lines = page.commands([head("mnemopi"), head("bm25"), head("dense", "static")])
    assert lines == [
        "for peer in mnemopi bm25; do python -m benchmarks.peers $peer locomo_dev --embedder none; done",
        "python -m benchmarks.peers dense locomo_dev --embedder static",
    ]


def test_a_command_names_no_folder_of_the_machine_that_ran_it() -> None:
    run = runlog.head("speed", ["python", "-m", "benchmarks.speed", "size", "--folder", "there", "--n", "1000"])
    assert page.commands([run]) == ["python -m benchmarks.speed size --n 1000"]


def test_no_logs_are_no_failure(tmp_path: Path) -> None:
    assert "run `make bench` first" in report("--logs", str(tmp_path))


def test_the_page_has_the_figures_the_reasons_and_what_made_them(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="plots want pip install --group bench")
    rows = [row("q1", ["g"]), row("q2", ["x", "g"])]
    runlog.write("ours", head("mnemopi"), rows, tmp_path)
    runlog.write("plain", head("bm25"), [row("q1", ["x"]), row("q2", ["x", "g"])], tmp_path)
    runlog.write("chroma", head("chromadb") | {"skipped": "no search without vectors"}, [], tmp_path)
    runlog.write(
        "belief",
        runlog.head("belief", ["python"], thresholds=[0.1]),
        [
            {"set": "s", "embedder": "none", "n": 1, "error": 0.05, "gold": 0.1, "belief": 0.1}
            | {"curve": [[0.1, 0.2, 5]], "cut": [[0.01, 0.5]]}
        ],
        tmp_path,
    )
    printed = report("--logs", str(tmp_path), "--markdown", str(tmp_path / "out" / "page.md"))
    text = (tmp_path / "out" / "page.md").read_text("utf-8")
    assert "tables" in printed
    assert "| mnemopi | none | 0.500 [" in text
    assert "skipped: no search without vectors" in text
    assert "0.01 / 0.50" in text
    assert "python -m benchmarks.peers" in text and "processors" in text
    assert (tmp_path / "out" / "page" / "locomo_dev-own.svg").read_text("utf-8").startswith("<?xml")
    assert "<svg" in (tmp_path / "report.html").read_text("utf-8")


def test_what_a_frame_costs_is_on_the_page(tmp_path: Path) -> None:
    ways = {"plain": (0.6, 0.3), "framed": (0.6, 0.3), "kept": (0.5, 0.1)}
    row = {"set": "s", "embedder": "none", "n": 1}
    row |= {way: {"figure": figure, "served": served} for way, (figure, served) in ways.items()}
    runlog.write("framed", runlog.head("framed", ["python"], belief=0.55), [row], tmp_path)
    (section,) = sections.made(runlog.read(tmp_path))
    assert section.table.rows == [["s", "none", "0.600 / 0.30", "0.600 / 0.30", "0.500 / 0.10"]]


def test_a_table_about_nothing_is_left_out(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="plots want pip install --group bench")
    runlog.write("chroma", head("chromadb") | {"skipped": "not to be had"}, [], tmp_path)
    assert "no logs" in report("--logs", str(tmp_path))


def report(*arguments: str) -> str:
    command = [sys.executable, "-m", "benchmarks.report", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout


def test_the_head_of_a_run_can_be_written_down() -> None:
    assert json.loads(json.dumps(head("bm25")))["machine"]["processors"]


def test_figures_of_speed_are_on_the_page_with_the_command_that_made_them(tmp_path: Path) -> None:
    found = [figures.Figure("remember: time", 2.5, figures.Target(3.0), {"ours": "1 ms"})]
    made = {"part": "remember", "sqlite": "3"}
    rows = [asdict(figure) | {"verdict": figure.verdict} for figure in found]
    runlog.write("speed-remember", runlog.head("speed", ["python", "-m", "benchmarks.speed"], **made), rows, tmp_path)
    (section,) = sections.made(runlog.read(tmp_path))
    assert section.table.rows == [["remember: time", "2.5", "at most 3", "ok", "1 ms"]]
    assert page.commands(section.heads) == ["python -m benchmarks.speed"]
    assert not section.plots, "one size is no growth"


def test_what_is_measured_at_several_sizes_is_drawn_with_a_line_for_each_floor() -> None:
    pytest.importorskip("matplotlib", reason="plots want pip install --group bench")
    found = [
        figures.Figure("recall", 2.0, size=size, growth={"recall, none": size / 1e6, "bare full text": size / 1e7})
        for size in (1000, 10_000)
    ]
    made = {"part": "recall", "sqlite": "3", "blas": "openblas 0.3 Haswell 2 threads"}
    head = runlog.head("speed", ["python", "-m", "benchmarks.speed"], **made)
    (section,) = sections.made([runlog.Log(head, [asdict(figure) | {"verdict": ""} for figure in found])])
    (plot,) = section.plots
    assert plot.name == "floor-recall"
    assert all(line in plot.svg for line in ("recall, none", "bare full text", "memories"))
    assert "Products of matrices: openblas 0.3 Haswell 2 threads." in page.made(section.heads)
