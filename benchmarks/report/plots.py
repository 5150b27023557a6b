"""The plots, as SVG text: the same logs give the same bytes."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

COLOURS: Final = {"none": "#888888", "static": "#d98200", "minilm": "#2266cc", "e5": "#2a8a4a"}
Interval = tuple[float, float, float]


def intervals(title: str, rows: Sequence[tuple[str, str, Interval]]) -> str:
    """A dot and its 95 % interval a row: (label, embedder, (mean, low, high)), the first at the top."""
    figure, axis = _axes(7.0, 0.6 + 0.22 * len(rows))
    for place, (_, embedder, (mean, low, high)) in enumerate(rows):
        axis.plot([low, high], [-place, -place], color=COLOURS[embedder], linewidth=2)
        axis.plot([mean], [-place], "o", color=COLOURS[embedder], markersize=5)
    axis.set_yticks([-place for place in range(len(rows))], [f"{label}, {kind}" for label, kind, _ in rows], fontsize=8)
    axis.set_ylim(0.5 - len(rows), 0.5)
    axis.set_xlabel(title, fontsize=8)
    axis.grid(axis="x", color="#dddddd", linewidth=0.6)
    return _svg(figure)


def reliability(curves: Mapping[str, Sequence[tuple[float, float, int]]]) -> str:
    """How often what is believed is true, a line a set; the diagonal is perfect."""
    figure, axis = _axes(6.0, 4.5)
    axis.plot([0, 1], [0, 1], color="#bbbbbb", linewidth=1, linestyle="--")
    for label, curve in curves.items():
        axis.plot([belief for belief, _, _ in curve], [truth for _, truth, _ in curve], "o-", markersize=3, label=label)
    axis.set_xlabel("belief", fontsize=8)
    axis.set_ylabel("share that is gold", fontsize=8)
    axis.legend(fontsize=7, frameon=False)
    return _svg(figure)


def growth(title: str, lines: Mapping[str, Sequence[tuple[int, float]]]) -> str:
    """How a figure grows with the number of memories, a line a peer, both axes logarithmic."""
    figure, axis = _axes(6.0, 3.6)
    for label, points in lines.items():
        axis.plot([count for count, _ in points], [value for _, value in points], "o-", markersize=4, label=label)
    axis.set_xscale("log")
    axis.set_yscale("log")
    axis.set_xlabel("memories", fontsize=8)
    axis.set_ylabel(title, fontsize=8)
    axis.grid(color="#eeeeee", linewidth=0.6)
    axis.legend(fontsize=7, frameon=False)
    return _svg(figure)


def _axes(width: float, height: float) -> tuple[Any, Any]:
    from matplotlib import rcParams
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    rcParams["svg.hashsalt"], rcParams["svg.fonttype"] = "mnemopi", "none"
    rcParams["font.family"] = "sans-serif"
    figure = Figure((width, height), layout="constrained")
    FigureCanvasSVG(figure)
    axis = figure.add_subplot()
    axis.tick_params(labelsize=8)
    axis.spines[["top", "right"]].set_visible(False)
    return figure, axis


def _svg(figure: Any) -> str:
    text = io.StringIO()
    figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    return re.sub(r"[ \t]+\n", "\n", text.getvalue())
