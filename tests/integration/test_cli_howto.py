"""The examples of the how-to run, and print what the page says."""

from __future__ import annotations

import doctest
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[2] / "docs" / "howto" / "cli.md"
BLOCKS = [
    (heading, block)
    for heading, text in re.findall(r"^## ([^\n]+)\n(.*?)(?=^## |\Z)", PAGE.read_text("utf-8"), re.M | re.S)
    for block in re.findall(r"^```console\n(.*?)^```", text, re.M | re.S)
]


def test_the_page_has_examples() -> None:
    assert len(BLOCKS) >= 10


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not on this machine")
@pytest.mark.parametrize(("heading", "block"), BLOCKS, ids=[heading for heading, _ in BLOCKS])
def test_the_examples_print_what_the_page_says(
    heading: str, block: str, environment: dict[str, str], tmp_path: Path
) -> None:
    lines = block.splitlines()
    script = "\n".join(line[2:] for line in lines if line.startswith(("$ ", "> ")))
    wanted = "\n".join(line for line in lines if not line.startswith(("$ ", "> ")))
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "mnemopi"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m mnemopi "$@"\n', "utf-8")
    program.chmod(0o755)
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        env={**environment, "PATH": f"{program.parent}:{environment['PATH']}"},
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert doctest.OutputChecker().check_output(
        f"{wanted.rstrip()}\n", f"{done.stdout.rstrip()}\n", doctest.ELLIPSIS
    ), done.stdout
