"""Run the suites that drive a real peer, one process and one closing line each (`make test-real`).

A suite is a test module that holds tests marked `real`; its peer is the first line of the module's docstring.
What a suite downloads or builds goes below one cache folder: MNEMOPI_TEST_CACHE, or `.cache/` in this tree.
Exit status 1 when a suite failed; a suite that cannot run here says why and is no failure.
"""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parent.parent
PYTEST = [sys.executable, "-m", "pytest", "-m", "real"]
NOTHING_COLLECTED = 5


@dataclass(frozen=True)
class Outcome:
    """What one suite did: its pytest exit status, how many tests passed, and why others were skipped."""

    peer: str
    status: int
    passed: int
    skipped: tuple[str, ...]

    @property
    def failed(self) -> bool:
        """Whether pytest ended with anything but success or an empty selection."""
        return self.status not in (0, NOTHING_COLLECTED)

    def __str__(self) -> str:
        if self.failed:
            return f"{self.peer}: FAILED (pytest exit {self.status})"
        if self.passed:
            more = f", {len(self.skipped)} skipped" if self.skipped else ""
            return f"{self.peer}: run, {self.passed} passed{more}"
        return f"{self.peer}: skipped: " + ("; ".join(dict.fromkeys(self.skipped)) or "no test selected")


def suites(options: list[str]) -> list[Path]:
    """List the test modules that hold tests marked `real`, as pytest collects them."""
    command = [*PYTEST, "--collect-only", *options]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if found.returncode not in (0, NOTHING_COLLECTED):
        sys.exit(f"{found.stdout}{found.stderr}\nthe suites could not be collected")
    print(found.stdout.strip().splitlines()[-1], flush=True)
    paths = re.findall(r"^(\S+\.py)(?:::|: \d+$)", found.stdout, re.MULTILINE)
    return [ROOT / path for path in dict.fromkeys(paths)]


def peer(module: Path) -> str:
    """Name what the suite talks to: the first line of its docstring, else its path."""
    words = ast.get_docstring(ast.parse(module.read_text(encoding="utf-8")))
    return (words or module.relative_to(ROOT).as_posix()).splitlines()[0].rstrip(".")


def run(module: Path, options: list[str], cache: Path) -> Outcome:
    """Run one suite in a process of its own; what pytest prints goes straight through."""
    environment = os.environ | {"MNEMOPI_TEST_CACHE": str(cache)}
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.xml")
        command = [*PYTEST, "-rs", f"--junitxml={report}", *options, str(module)]
        done = subprocess.run(command, cwd=ROOT, env=environment, check=False)
        cases = list(ElementTree.parse(report).iter("testcase")) if report.exists() else []
    reasons = tuple(skip.get("message", "") for case in cases for skip in case.iter("skipped"))
    broken = sum(1 for case in cases if case.find("failure") is not None or case.find("error") is not None)
    return Outcome(peer(module), done.returncode, len(cases) - len(reasons) - broken, reasons)


def main(options: list[str]) -> int:
    """Run every suite and close with a line for each."""
    cache = Path(os.environ.get("MNEMOPI_TEST_CACHE") or ROOT / ".cache").resolve()
    cache.mkdir(parents=True, exist_ok=True)
    outcomes = [run(module, options, cache) for module in suites(options)]
    print(f"\nreal peers, with their cache in {cache}:")
    for outcome in outcomes:
        print(f"  {outcome}")
    failed = sum(outcome.failed for outcome in outcomes)
    print(f"{len(outcomes)} suites, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
