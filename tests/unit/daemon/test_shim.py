"""The shim reads the few settings that it needs as `config` does, and costs a start next to nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from mnemopi.config import Config, settings
from mnemopi.daemon import shim

HEAVY = {"typing", "click", "pathlib", "re", "json", "socket", "apsw", "logging", "platformdirs", "mnemopi.errors"}
FILES = {
    "none": None,
    "folder": "[storage]\ndata_dir = '/of/the/file'\n",
    "camel": "[storage]\ndataDir = '/of/the/file'\n",
    "use": "[daemon]\nuse = 'off'\nstart = 'on-demand'\n",
    "home": "[storage]\ndata_dir = '~/there'\n",
}
ENVIRONMENTS: list[dict[str, str]] = [
    {},
    {"MNEMOPI_DATA_DIR": "/of/the/environment"},
    {"MNEMOPI_DATA_DIR": " "},
    {"MNEMOPI_DATA_DIR": "~/mine"},
    {"XDG_DATA_HOME": "/xdg/data"},
    {"XDG_DATA_HOME": " "},
    {"MNEMOPI_DAEMON": "off"},
    {"MNEMOPI_DAEMON_START": "on-demand", "MNEMOPI_DAEMON": " auto "},
]


@pytest.mark.parametrize("text", FILES.values(), ids=FILES)
@pytest.mark.parametrize("environ", ENVIRONMENTS, ids=str)
@pytest.mark.parametrize("named", [True, False])
def test_it_reads_what_config_reads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str | None, environ: dict[str, str], named: bool
) -> None:
    for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    file = tmp_path / ("named.toml" if named else ".config/mnemopi/config.toml")
    if sys.platform == "darwin" and not named:
        file = tmp_path / "Library/Application Support/mnemopi/config.toml"
    if text is not None:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        if named:
            monkeypatch.setenv("MNEMOPI_CONFIG", str(file))
    told, config = shim._wishes(os.environ), Config.load()
    assert told["data_dir"] == str(config.data_dir)
    assert (told["use"] or "auto", told["start"] or "never") == (config.daemon.use, config.daemon.start)


def test_its_names_are_those_of_the_settings() -> None:
    names = {name: told.metadata["env"] for name, told in settings()}
    assert names["storage.data_dir"] == shim.DATA_DIR
    assert (names["daemon.use"], names["daemon.start"]) == (shim.USE, shim.START)


def test_it_imports_nothing_before_there_is_somebody_to_ask(tmp_path: Path) -> None:
    code = (
        "import sys; before = set(sys.modules)\n"
        "from mnemopi.daemon import shim\n"
        "assert shim.attempt(['recall', 'crane']) is None\n"
        "print('\\n'.join(set(sys.modules) - before))"
    )
    kept = {name: value for name, value in os.environ.items() if not name.startswith("MNEMOPI_")}
    environment = kept | {"HOME": str(tmp_path), "MNEMOPI_DATA_DIR": str(tmp_path / "data")}
    done = subprocess.run(
        [sys.executable, "-S", "-c", f"import sys; sys.path.insert(0, {str(_source())!r})\n{code}"],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert set(done.stdout.split()) & HEAVY == set()


def _source() -> Path:
    return Path(shim.__file__).parents[2]


@pytest.mark.parametrize("argv", [[], ["--help"], ["config"], ["import", "x"], ["delete", "x"], ["mcp", "--help"]])
def test_most_commands_are_none_of_its_business(argv: list[str]) -> None:
    assert shim.attempt(argv) is None
