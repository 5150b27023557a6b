"""Load the example conversation, ask it eight questions, and show what comes back and why (`make demo`).

Only the public interface is used: what stands here works in a program of your own.
"""

from __future__ import annotations

import json
import shutil
import sys
import time
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from mnemopi import Mnemopi

HERE = Path(__file__).resolve().parent
FOLDER = HERE.parent / ".demo"
TOP = 3


def read(name: str) -> list[dict[str, Any]]:
    """Read a file of JSON lines that lies beside this one."""
    return [json.loads(line) for line in (HERE / name).read_text("utf-8").splitlines()]


def age(then: str, now: str) -> str:
    """Tell the time between two ISO times in days."""
    days = (datetime.fromisoformat(now) - datetime.fromisoformat(then)).days
    return f"{days} day{'' if days == 1 else 's'}"


def answer(memory: Mnemopi, asked: dict[str, Any], table: Table) -> tuple[bool, tuple[str, ...]]:
    """Add the hits of one question to the table; return whether a gold turn is among them, and who looked."""
    hits = memory.recall(asked["question"], top_k=TOP, query_time=asked["asked_at"])
    gold = {(turn["session_id"], turn["position"]) for turn in asked["gold"]}
    table.add_row(f"[bold]{escape(asked['question'])}[/bold]", *[""] * 5)
    for hit in hits:
        right = "[green]✓[/green]" if (hit.session_id, hit.position) in gold else " "
        table.add_row(
            f"{right} {escape(hit.content)}",
            f"{hit.score:.2f}",
            age(hit.timestamp, asked["asked_at"]),
            hit.author_id,
            hit.source,
            escape(str(hit.explanation)),
        )
    table.add_section()
    return any((hit.session_id, hit.position) in gold for hit in hits), tuple(hits.retrievers)


def columns() -> Table:
    """Make the empty table."""
    table = Table(title="Each question as of the day it was asked; ✓ marks a turn that answers it", show_lines=False)
    table.add_column("question, and what was recalled", ratio=5, overflow="fold")
    for heading in ("score", "age", "who", "source"):
        table.add_column(heading, no_wrap=True)
    table.add_column("reason", ratio=3)
    return table


def main(arguments: Iterable[str]) -> None:
    """Run the demonstration."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir()
    console = Console(width=None if sys.stdout.isatty() else 150)
    turns, questions = read("conversation.jsonl"), read("questions.jsonl")
    with Mnemopi(FOLDER / "demo.db", no_embeddings="--no-embeddings" in arguments) as memory:
        begun = time.perf_counter()
        receipts = memory.remember_many(turns)
        memory.settle()
        took = time.perf_counter() - begun
        table = columns()
        answers = [answer(memory, asked, table) for asked in questions]
    looked = ", ".join(dict.fromkeys(name for _, names in answers for name in names))
    found = sum(right for right, _ in answers)
    console.print(f"{len(receipts)} memories loaded in {took:.2f} s; retrievers that ran: {looked}")
    console.print(table)
    console.print(f"{found} of {len(questions)} questions have their answer in the first {TOP}.")


if __name__ == "__main__":
    main(sys.argv[1:])
