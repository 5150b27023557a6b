"""A bar with rate and time left on stderr, where that is a terminal; elsewhere nothing."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

from mnemopi.cli.everywhere import Asked

Advance: TypeAlias = Callable[[int, int], None]
"""Called with how much more is done, in the unit of the total, and with how many memories more."""


@contextmanager
def bar(asked: Asked, what: str, total: int | None) -> Iterator[Advance]:
    """Show a bar while the block runs. `total` is in any unit, None where nobody knows; the rate is in memories."""
    if asked.quiet or not sys.stderr.isatty():
        yield lambda amount, memories: None
        return
    from rich import progress  # noqa: PLC0415
    from rich.console import Console  # noqa: PLC0415

    columns = (
        progress.TextColumn("{task.description}"),
        progress.BarColumn(),
        progress.TaskProgressColumn(),
        progress.TextColumn("{task.fields[count]:,} memories, {task.fields[rate]:,.0f}/s"),
        progress.TimeRemainingColumn(),
    )
    with progress.Progress(*columns, console=Console(stderr=True), transient=True) as shown:
        task = shown.add_task(what, total=total, count=0, rate=0.0)
        begun, count = time.monotonic(), 0

        def advance(amount: int, memories: int) -> None:
            nonlocal count
            count += memories
            rate = count / max(time.monotonic() - begun, 1e-6)
            shown.update(task, advance=amount, count=count, rate=rate)

        yield advance


@contextmanager
def download(asked: Asked, what: str) -> Iterator[Callable[[str, int, int], None]]:
    """Show a bar for each file that is fetched. It is called with file name, bytes so far and bytes in all."""
    if asked.quiet or not sys.stderr.isatty():
        yield lambda file, so_far, total: None
        return
    from rich import progress  # noqa: PLC0415
    from rich.console import Console  # noqa: PLC0415

    columns = (
        progress.TextColumn("{task.description}"),
        progress.BarColumn(),
        progress.DownloadColumn(),
        progress.TransferSpeedColumn(),
        progress.TimeRemainingColumn(),
    )
    with progress.Progress(*columns, console=Console(stderr=True), transient=True) as shown:
        tasks: dict[str, progress.TaskID] = {}

        def advance(file: str, so_far: int, total: int) -> None:
            task = tasks.get(file)
            if task is None:
                task = tasks[file] = shown.add_task(f"{what}: {file}")
            shown.update(task, completed=so_far, total=total or None)

        yield advance
