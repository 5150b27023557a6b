"""The official conformance suite of the Model Context Protocol.

It calls the real server over HTTP, with its own fixtures set before it; each scenario that a revision of the protocol
requires has to pass. Extensions, which the suite runs for show, do not count.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

pytestmark = pytest.mark.real

SUITE = "@modelcontextprotocol/conformance@0.2.0-alpha.12"


def required(package: Path, revision: str) -> list[str]:
    """Read which scenarios a revision requires of a server."""
    text = (package / "requirements" / f"{revision}.yaml").read_text()
    found = re.search(r"^server:\n((?:  - .*\n)+)", text, re.MULTILINE)
    assert found is not None
    return [line.removeprefix("  - ") for line in found[1].splitlines()]


@pytest.mark.parametrize(("revision", "least"), [("2025-11-25", 30), ("2026-07-28", 37)])
def test_all_that_a_revision_requires_passes(
    revision: str,
    least: int,
    installed: Callable[..., Path],
    node: Path,
    listening: Callable[..., int],
    tmp_path: Path,
) -> None:
    package = installed("conformance", SUITE) / "@modelcontextprotocol" / "conformance"
    url = f"http://127.0.0.1:{listening('serve.py', tmp_path / 'data')}/mcp"
    command = [node, package / "dist" / "index.js", "server", "--url", url, "--requirements", revision]
    done = subprocess.run(
        [*command, "--output-dir", tmp_path / "results"], capture_output=True, text=True, timeout=300, check=False
    )
    passed = dict(re.findall(r"^✓ (\S+): (\d+) passed, 0 failed", done.stdout, re.MULTILINE))
    wanted = required(package, revision)
    assert len(wanted) >= least
    assert [name for name in wanted if int(passed.get(name, 0)) == 0] == [], done.stdout[-5000:]
    assert done.returncode == 0
