"""The examples of the documentation run, page by page, in the order in which they stand."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
WITH_PYTHON = [page for page in PAGES if BLOCK.search(page.read_text("utf-8"))]


@pytest.mark.parametrize("page", WITH_PYTHON, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_the_python_examples_of_a_page_run(page: Path, tmp_path: Path) -> None:
    program = "\n".join(BLOCK.findall(page.read_text("utf-8")))
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MNEMOPI_")}
    environment |= {"HOME": str(tmp_path), "MNEMOPI_DATA_DIR": str(tmp_path / "data"), "PYTHONUTF8": "1"}
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


def test_pages_with_examples_are_found() -> None:
    assert {"README.md", "quickstart.md"} <= {page.name for page in WITH_PYTHON}
