"""The page as values, and how they are written: Markdown with plots beside it, or HTML with plots within."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

_STYLE: Final = (
    "body{font:15px/1.5 system-ui,sans-serif;max-width:72rem;margin:2rem auto;padding:0 1rem;color:#222}"
    "table{border-collapse:collapse;margin:1rem 0;font-size:13px;display:block;overflow-x:auto}"
    "th,td{border:1px solid #ddd;padding:.25rem .5rem;text-align:right;white-space:nowrap}"
    "th:first-child,td:first-child{text-align:left}pre{background:#f6f6f6;padding:.6rem;overflow-x:auto;font-size:12px}"
    "small{color:#666}svg{max-width:100%;height:auto}"
)

_PLACES: Final = re.compile(r" --(?:folder|logs|log) \S+")
"""Where a run kept its files, which changes no figure and is nobody's but its machine's."""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells below the names of their columns."""

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True)
class Plot:
    """A drawing: its file's name without ending, what it shows, and its SVG."""

    name: str
    shows: str
    svg: str


@dataclass(frozen=True, slots=True)
class Section:
    """A heading, what to know, a table, a plot, and the heads of the runs that made it."""

    title: str
    text: str
    table: Table
    plots: Sequence[Plot] = ()
    heads: Sequence[Mapping[str, Any]] = field(default=())


def markdown(title: str, text: str, sections: Iterable[Section], path: Path) -> None:
    """Write the page, and its plots in a folder of its name."""
    lines = [f"# {title}", "", text, ""]
    for section in sections:
        lines += [f"## {section.title}", "", section.text, "", *_rows(section.table), ""]
        for plot in section.plots:
            place = path.with_suffix("") / f"{plot.name}.svg"
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(plot.svg, "utf-8")
            lines += [f"![{plot.shows}]({path.stem}/{plot.name}.svg)", ""]
        lines += ["```sh", *commands(section.heads), "```", "", *(f"{line}  " for line in made(section.heads)), ""]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines).rstrip() + "\n", "utf-8")


def as_html(title: str, text: str, sections: Iterable[Section], path: Path) -> None:
    """Write the page as one file."""
    parts = [f"<!doctype html><meta charset=utf-8><title>{title}</title><style>{_STYLE}</style><h1>{title}</h1>"]
    parts.append(f"<p>{_inline(text)}</p>")
    for section in sections:
        parts.append(f"<h2>{html.escape(section.title)}</h2><p>{_inline(section.text)}</p>")
        cells = ["<tr>" + "".join(f"<th>{html.escape(each)}</th>" for each in section.table.columns) + "</tr>"]
        cells += ["<tr>" + "".join(f"<td>{_inline(each)}</td>" for each in row) + "</tr>" for row in section.table.rows]
        parts.append(f"<table>{''.join(cells)}</table>")
        parts += [f"<figure>{plot.svg[plot.svg.index('<svg') :]}</figure>" for plot in section.plots]
        parts.append(f"<pre>{html.escape(chr(10).join(commands(section.heads)))}</pre>")
        parts.append(f"<p><small>{'<br>'.join(map(_inline, made(section.heads)))}</small></p>")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(parts) + "\n", "utf-8")


def commands(heads: Iterable[Mapping[str, Any]]) -> list[str]:
    """The commands that make a table again; those that differ in the peer alone are one line."""
    several: dict[str, list[str]] = {}
    for head in heads:
        peer = head.get("peer", "")
        command = _PLACES.sub("", head["command"])
        form = re.sub(rf"(?<= ){re.escape(peer)}(?= )", "{}", command, count=1) if peer else command
        several.setdefault(form, []).append(peer)
    lines = []
    for form, peers in several.items():
        names = list(dict.fromkeys(peers))
        if "{}" in form and len(names) > 1:
            lines.append(f"for peer in {' '.join(names)}; do {form.replace('{}', '$peer')}; done")
        else:
            lines.append(form.replace("{}", names[0]))
    return lines


def made(heads: Sequence[Mapping[str, Any]]) -> list[str]:
    """What made a table: when, of which state, on which machine, with which versions and settings."""
    if not heads:
        return []
    times = sorted(head["at"] for head in heads)
    span = times[0] if times[0] == times[-1] else f"{times[0]} to {times[-1]}"
    loads = sorted(head["machine"]["load"] for head in heads)
    machine, versions = heads[-1]["machine"], heads[-1]["versions"]
    commits = [head["commit"] for head in sorted(heads, key=lambda head: head["at"]) if head["commit"]]
    state = " to ".join(dict.fromkeys((commits[0], commits[-1]))) if commits else "no commit"
    lines = [
        f"Measured {span} at {state}, on {machine['system']}, {machine['processors']} processors, "
        f"Python {machine['python']}, load {loads[0]:g} to {loads[-1]:g}.",
        "Versions: " + ", ".join(f"{name} {version}" for name, version in versions.items()) + ".",
    ]
    if blas := heads[-1].get("blas"):
        lines.append(f"Products of matrices: {blas}.")
    settings = {head["peer"]: head for head in heads if head.get("setting")}
    told = [f"{peer} {head['version']} ({head['setting']})".replace("  ", " ") for peer, head in settings.items()]
    return [*lines, "Settings: " + "; ".join(told) + "."] if told else lines


def _rows(table: Table) -> list[str]:
    lines = [table.columns, ["---"] + ["---:"] * (len(table.columns) - 1), *table.rows]
    return ["| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines]


def _inline(text: str) -> str:
    safe = html.escape(text, quote=False)
    return re.sub(r"\*\*(.+?)\*\*", r"<b>\1</b>", re.sub(r"`(.+?)`", r"<code>\1</code>", safe))
