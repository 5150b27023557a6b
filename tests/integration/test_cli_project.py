"""Projects on the command line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mnemopi.projects.identity import ID_FILE


def folders(tmp_path: Path) -> tuple[str, str]:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    return str(tmp_path / "one"), str(tmp_path / "two")


def test_a_folder_is_shown_linked_and_joined(call: Any, tmp_path: Path) -> None:
    one, two = folders(tmp_path)
    bank = call("project", "show", "--at", one, "--quiet").out.strip()
    assert call("project", "link", "--at", one).status == 2
    told = call("project", "link", "--file", "--at", one, "--json").json
    assert told["project"] == bank
    (Path(two) / ID_FILE).write_text((Path(one) / ID_FILE).read_text())
    shown = call("project", "show", "--at", two, "--json").json
    assert shown["project"] != bank
    assert "counts for nothing" in shown["remark"]
    assert call("project", "link", "--at", two, "--json").json["project"] == bank
    assert bank in call("project", "show", "--at", two).out


def test_a_folder_is_an_alias_and_a_bank_is_merged(call: Any, tmp_path: Path) -> None:
    one, two = folders(tmp_path)
    bank = call("project", "show", "--at", one, "--quiet").out.strip()
    assert call("project", "alias", two, "--at", one).status == 0
    assert call("project", "show", "--at", two, "--quiet").out.strip() == bank
    call("bank", "create", "old")
    assert "old" in call("project", "merge", "old", "--at", one, "--json").json["recalls"]
    assert call("project", "merge", "nothing-like-it", "--at", one).status == 2


def test_a_folder_that_is_not_there_is_an_error(call: Any, tmp_path: Path) -> None:
    assert call("project", "show", "--at", str(tmp_path / "none")).status == 2
