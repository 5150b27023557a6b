"""What is heavy is not loaded before it is needed: seen in the modules of a process that ran one command."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

RUN = """
import sys
from mnemopi.__main__ import main
report = sys.argv.pop(1)
try:
    main()
finally:
    with open(report, "w") as file:
        file.write("\\n".join(sys.modules))
"""

FACES = {"pydantic", "pydantic_core", "mcp", "mcp_types", "anyio", "starlette", "uvicorn", "httpx2"}
NEVER = FACES | {"httpx", "openai", "requests", "urllib3", "fastembed", "huggingface_hub", "tokenizers"}
WITHOUT_EMBEDDINGS = NEVER | {"numpy", "wordllama", "turbovec", "safetensors"}
PIPED = {"rich", "asyncio", "unittest", "email", "ssl", "http"}


def loaded(folder: Path, *arguments: str) -> set[str]:
    """Run one command in a process of its own, standard output piped; return the top-level modules it loaded."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MNEMOPI_")}
    environment |= {"MNEMOPI_DATA_DIR": str(folder), "HOME": str(folder), "MNEMOPI_NO_EMBEDDINGS": "1"}
    report = folder / "modules"
    command = [sys.executable, "-c", RUN, str(report), *arguments]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return {name.split(".")[0] for name in report.read_text().split()}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with one memory in it."""
    made = tmp_path_factory.mktemp("data")
    loaded(made, "store", "The harbour master is called Ines")
    return made


def test_a_recall_without_embeddings_loads_nothing_heavy(folder: Path) -> None:
    modules = loaded(folder, "recall", "harbour master", "--json")
    assert modules & (WITHOUT_EMBEDDINGS | PIPED) == set()


def test_storing_a_memory_loads_nothing_heavy(folder: Path) -> None:
    modules = loaded(folder, "store", "The crane stands on pier 7", "--json")
    assert modules & (WITHOUT_EMBEDDINGS | PIPED) == set()


def test_help_opens_no_database(folder: Path) -> None:
    assert loaded(folder, "--help") & (WITHOUT_EMBEDDINGS | {"apsw", "sqlite3"}) == set()


def test_importing_the_package_loads_no_database_and_no_provider() -> None:
    code = "import sys, mnemopi; print(chr(10).join(sys.modules))"
    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True)
    modules = {name.split(".")[0] for name in done.stdout.split()}
    assert modules & (WITHOUT_EMBEDDINGS | PIPED | {"apsw", "click"}) == set()
