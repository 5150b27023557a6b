"""Command line of the report."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from benchmarks import runlog
from benchmarks.report import page, sections

TITLE = "Benchmarks"
TEXT = (
    "What was measured, and how to measure it again. Everybody gets the same texts and, where vectors are used, the "
    "same vectors; peers run in processes of their own, through their public interface. `none` is without vectors, "
    "`static` the static embedder, `minilm` all-MiniLM-L6-v2 and `e5` multilingual-e5-small, both small transformers "
    "in a few bits. This page is made by `python -m benchmarks.report` from the logs of the runs; what is not on it "
    "was not measured."
)


def main() -> int:
    """Write the page."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.report", description=__doc__)
    parser.add_argument("--logs", type=Path, default=runlog.LOGS, help="where the logs are (default: benchmarks/logs)")
    parser.add_argument("--html", type=Path, help="the page (default: report.html beside the logs)")
    parser.add_argument("--markdown", type=Path, help="write it as Markdown too, its plots in a folder beside it")
    options = parser.parse_args()
    found = sections.made(runlog.read(options.logs))
    if not found:
        print(f"no logs of runs at {options.logs}: run `make bench` first")
        return 0
    place = options.html or options.logs / "report.html"
    page.as_html(TITLE, TEXT, found, place)
    print(f"{len(found)} tables: {place}")
    if options.markdown:
        page.markdown(TITLE, TEXT, found, options.markdown)
        print(f"and {options.markdown}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
