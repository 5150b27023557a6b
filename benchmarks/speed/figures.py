"""What a benchmark yields: figures with targets, the samples behind them, a table and a log."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import apsw

from benchmarks import runlog
from benchmarks.speed import floors


@dataclass(frozen=True, slots=True)
class Target:
    """A bound that a figure is to keep: at most `bound`, or at least where `least`."""

    bound: float
    least: bool = False

    def holds(self, value: float) -> bool:
        """Whether a value keeps the bound."""
        return value >= self.bound if self.least else value <= self.bound

    def __str__(self) -> str:
        return f"{'>=' if self.least else '<='} {self.bound:g}"


@dataclass(frozen=True, slots=True)
class Figure:
    """One row: what was measured, its value, the target (None: for information), and what it was made from.

    `size` is how many memories the bank held, and `growth` the seconds that are drawn against it, by their line.
    """

    name: str
    value: float
    target: Target | None = None
    details: Mapping[str, float | str] = field(default_factory=dict)
    size: int = 0
    growth: Mapping[str, float] = field(default_factory=dict)

    @property
    def verdict(self) -> str:
        """`ok`, `over` (on the wrong side of the target), or nothing."""
        if self.target is None:
            return ""
        return "ok" if self.target.holds(self.value) else "over"


Samples: TypeAlias = list[tuple[float, float]]
"""Seconds of wall clock and of processor time (all threads of this process), one pair a repetition."""


def timed(work: Callable[..., object], *arguments: Any) -> tuple[float, float]:
    """Call once and return (wall, processor) seconds."""
    cpu, wall = time.process_time(), time.perf_counter()
    work(*arguments)
    return time.perf_counter() - wall, time.process_time() - cpu


def median(samples: Samples, clock: int = 0) -> float:
    """The median of wall (0) or processor (1) seconds."""
    return statistics.median(pair[clock] for pair in samples)


def p95(samples: Samples) -> float:
    """The 95th percentile of wall seconds."""
    ordered = sorted(pair[0] for pair in samples)
    return ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))]


def compared(
    name: str, ours: Samples, floor: Samples, target: Target | None, *, per: int = 1, tail: bool = False
) -> Figure:
    """Compare medians: the value is our time over the floor's; `per` is the number of items in one sample."""
    details: dict[str, float | str] = {
        "ours": microseconds(median(ours) / per),
        "ours cpu": microseconds(median(ours, 1) / per),
        "floor": microseconds(median(floor) / per),
        "floor cpu": microseconds(median(floor, 1) / per),
        "cpu ratio": median(ours, 1) / max(median(floor, 1), 1e-9),
    }
    if tail:
        details |= {"ours p95": microseconds(p95(ours)), "floor p95": microseconds(p95(floor))}
    return Figure(name, median(ours) / median(floor), target, details)


def microseconds(seconds: float) -> str:
    """Render a time in the unit that suits it."""
    if seconds >= 0.1:
        return f"{seconds:.2f} s"
    return f"{seconds * 1e3:.2f} ms" if seconds >= 1e-3 else f"{seconds * 1e6:.1f} µs"


def show(title: str, found: Sequence[Figure]) -> None:
    """Print the figures as a table; the columns are the names of the details."""
    keys = list(dict.fromkeys(key for figure in found for key in figure.details))
    rows = [("", "value", "target", "", *keys)]
    for figure in found:
        details = (_cell(figure.details.get(key, "")) for key in keys)
        rows.append((figure.name, _cell(figure.value), str(figure.target or ""), figure.verdict, *details))
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    print(f"\n{title}")
    for row in rows:
        first, *rest = zip(row, widths, strict=True)
        print(first[0].ljust(first[1]) + "".join(f"  {cell:>{width}}" for cell, width in rest), flush=True)


def log(part: str, found: Iterable[Figure]) -> Path:
    """Write the figures as JSON lines, what made them first, and return the file."""
    head = runlog.head("speed", runlog.command(), part=part, sqlite=apsw.sqlite_lib_version(), blas=floors.blas())
    return runlog.write(f"speed-{part}", head, (asdict(figure) | {"verdict": figure.verdict} for figure in found))


def _cell(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:.3g}" if abs(value) < 1000 else f"{value:,.0f}"
