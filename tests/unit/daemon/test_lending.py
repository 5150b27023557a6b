"""Many command lines in one process: what each prints is its own, and so are its settings."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
import pytest

from mnemopi.cli import app, lending
from mnemopi.daemon import work
from mnemopi.errors import DaemonError


@contextmanager
def nobody(config: Any, db_path: str | None, bank: str, *, makes: bool) -> Iterator[Any]:
    """Lend nothing."""
    raise DaemonError("not here")
    yield


def asked(*argv: str, width: int = 0, **environment: str) -> work.Asked:
    return work.Asked(argv, environment, width)


def test_what_calls_print_at_the_same_time_is_kept_apart() -> None:
    together = threading.Barrier(4)

    def run(argv: Sequence[str]) -> int:
        for _ in range(20):
            together.wait(10)
            sys.stdout.write(argv[0] + "\n")
            click.echo(argv[0])
            sys.stderr.write(argv[0] + "!")
        return int(argv[0])

    done: dict[str, work.Outcome] = {}

    def call(name: str) -> None:
        done[name] = lending.Lender(run).run(asked(name), nobody)

    with lending.divided():
        threads = [threading.Thread(target=call, args=(str(number),)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert {name: (each.status, each.out, each.err) for name, each in done.items()} == {
        str(number): (number, f"{number}\n" * 40, f"{number}!" * 20) for number in range(4)
    }


def test_outside_of_a_call_printing_goes_where_it_went(capsys: pytest.CaptureFixture[str]) -> None:
    with lending.divided():
        sys.stdout.write("before\n")
        lending.Lender(lambda argv: sys.stdout.write("within\n") and 0).run(asked("x"), nobody)
        sys.stdout.write("after\n")
    assert capsys.readouterr().out == "before\nafter\n"
    assert lending.current() is None


def test_a_call_has_the_terminal_of_its_client() -> None:
    seen: list[tuple[bool, bool, int | None]] = []

    def run(argv: Sequence[str]) -> int:
        seen.append((sys.stdout.isatty(), sys.stderr.isatty(), lending.width()))
        return 0

    with lending.divided():
        for width in (0, 90):
            lending.Lender(run).run(asked("x", width=width), nobody)
    assert seen == [(False, False, 0), (True, False, 90)]


def test_an_engine_that_is_not_lent_makes_the_call_one_for_its_client(tmp_path: Path) -> None:
    with lending.divided():
        done = lending.Lender(app.mnemopi.run).run(
            asked("store", "The crane", MNEMOPI_DATA_DIR=str(tmp_path / "data")), nobody
        )
    assert done.refused == "not here"
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize("option", ["--db", "--config"])
def test_a_relative_path_is_for_the_client(tmp_path: Path, option: str) -> None:
    with lending.divided():
        done = lending.Lender(app.mnemopi.run).run(
            asked("recall", "crane", option, "x", MNEMOPI_DATA_DIR=str(tmp_path / "data")), nobody
        )
    assert "relative" in done.refused


def test_the_arguments_of_an_agent_are_read_as_the_command_reads_them(tmp_path: Path) -> None:
    settings = {"MNEMOPI_DATA_DIR": str(tmp_path), "MNEMOPI_TOOLS": "core"}
    lender = lending.Lender(app.mnemopi.run)
    with lending.divided():
        plain = lender.agent(asked("mcp", **settings))
        full = lender.agent(asked("--bank", "work", "mcp", "--tools", "recall", "--session", "s", **settings))
        wrong = lender.agent(asked("mcp", "--no-such-option", **settings))
    assert isinstance(plain, work.Agent) and isinstance(full, work.Agent)
    assert (plain.bank, plain.tools, plain.config.data_dir) == (None, "core", tmp_path)
    assert (full.bank, full.tools, full.config.identity.session_id) == ("work", "recall", "s")
    assert isinstance(wrong, work.Outcome)
    assert "no-such-option" in wrong.err
