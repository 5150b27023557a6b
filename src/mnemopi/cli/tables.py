"""Tables on a terminal: ids and names stay whole, since they are copied, and prose takes the room that is left.

Where that is too little for prose to be read, each row is a list with a line for each field.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Final

from mnemopi.cli import controls, lending

READABLE: Final = 16
"""Columns of the terminal that prose needs at least."""


def drawn(headings: Sequence[str], rows: Sequence[Sequence[str]], prose: Sequence[str]) -> None:
    """Draw rows. Only cells under the headings in `prose` may be broken, the last of them first."""
    from rich.cells import cell_len  # noqa: PLC0415
    from rich.console import Console  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    console = Console(file=sys.stdout, width=lending.width())
    cells = [[controls.shown(cell).expandtabs() for cell in row] for row in rows]
    columns = zip(headings, *cells, strict=True)
    needed = [max(cell_len(line) for cell in column for line in cell.split("\n")) for column in columns]
    widths = shared(needed, [headings.index(each) for each in prose], console.width)
    if widths is None:
        print("\n\n".join(_listed(headings, row) for row in cells), flush=True)
        return
    table = Table(header_style="bold")
    for heading, width in zip(headings, widths, strict=True):
        table.add_column(heading, width=width, overflow="fold")
    for row in cells:
        table.add_row(*map(Text, row))
    console.print(table)


def shared(needed: Sequence[int], prose: Sequence[int], room: int) -> list[int] | None:
    """Share a room among columns that need so much each; None where it is too narrow.

    Those at the places in `prose` take what is left, the first of them first.
    """
    widths = [min(width, READABLE) if place in prose else width for place, width in enumerate(needed)]
    left = room - sum(widths) - (3 * len(needed) + 1)  # the frame, and a blank on both sides of each cell
    if left < 0:
        return None
    for place in prose:
        more = min(left, needed[place] - widths[place])
        widths[place] += more
        left -= more
    return widths


def _listed(headings: Sequence[str], row: Sequence[str]) -> str:
    told = [(f"{heading}:", cell.replace("\n", "\n  ")) for heading, cell in zip(headings, row, strict=True) if cell]
    width = max(map(len, headings)) + 1
    return "\n".join(f"{name:<{width}} {cell}" for name, cell in told)
