"""What the other processes of these tests do: `python child.py TASK FILE ...`. They speak in lines on stdout.

Each task opens the bank, prints `ready`, and begins when it reads a line; so that several begin together.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from typing import Any

import apsw

from mnemopi.engine import Mnemopi
from mnemopi.errors import MnemopiError


def say(*words: object) -> None:
    """Print a line now."""
    sys.stdout.write(" ".join(map(str, words)) + "\n")
    sys.stdout.flush()


def wait() -> None:
    """Be ready, and go on when told."""
    say("ready")
    sys.stdin.readline()


def opened(file: str, bank: str = "default", **options: Any) -> Mnemopi:
    """Open a bank without embeddings."""
    return Mnemopi(file, bank, no_embeddings=True, **options)


def write(file: str, bank: str, who: str, count: str) -> None:
    """Remember notes one by one, and say each id."""
    with opened(file, bank) as memory:
        wait()
        for number in range(int(count)):
            say(memory.remember(f"{who} writes note {number} about harbour logistics"))


def make(file: str, bank: str, who: str) -> None:
    """Open a bank that is not there yet, at the same moment as others, and write into it."""
    wait()
    with opened(file, bank) as memory:
        say(memory.bank.name, memory.remember(f"{who} was here"))


def recall(file: str, count: str) -> None:
    """Recall again and again, and say how much was found last."""
    with opened(file) as memory:
        wait()
        found = 0
        for number in range(int(count)):
            found = len(memory.recall(f"harbour logistics note {number}"))
        say(found)


def bulk(file: str, who: str, batch_size: str) -> None:
    """Load without end, and acknowledge each batch by its ids; somebody will kill this process."""

    def items() -> Iterator[dict[str, Any]]:
        number = 0
        while True:
            yield {"content": f"{who} item {number} in the bulk load", "session_id": who, "position": number}
            number += 1

    with opened(file) as memory:
        wait()
        memory.remember_many(items(), int(batch_size), on_batch=lambda receipts: say(*receipts))


def turns(file: str, session: str, count: str) -> None:
    """Append turns to one session, whose places the bank gives out."""
    with opened(file) as memory:
        wait()
        for _ in range(int(count)):
            memory.remember("ok", session_id=session)
        say("done")


def update(file: str, id: str, version: str, text: str) -> None:
    """Update the version that was read, and say what came of it."""
    with opened(file) as memory:
        wait()
        try:
            say("updated", memory.update(id, text, expected_version=int(version)).version)
        except MnemopiError as error:
            say("refused", error.code)


def hold(file: str, bank: str) -> None:
    """Keep a bank open until told; then write into it."""
    with opened(file, bank) as memory:
        wait()
        say(memory.remember("written by the one who held it"))


def read(file: str) -> None:
    """Stand in the middle of a read, as a slow reader does."""
    connection = apsw.Connection(file)
    connection.execute("BEGIN")
    connection.execute("SELECT count(*) FROM memory").fetchall()
    wait()
    connection.execute("ROLLBACK")
    connection.close()
    say("done")


def as_another(file: str, user: str) -> None:
    """Recall and write as a user who may only read, and say what came of it."""
    os.setgid(int(user))
    os.setuid(int(user))
    try:
        with opened(file) as memory:
            say("found", *[hit.content for hit in memory.recall("harbour")])
            memory.remember("this cannot be written")
            say("written")
    except MnemopiError as error:
        say("refused", error.code)


TASKS: dict[str, Callable[..., None]] = {
    task.__name__: task for task in (write, make, recall, bulk, turns, update, hold, read, as_another)
}

if __name__ == "__main__":
    TASKS[sys.argv[1]](*sys.argv[2:])
