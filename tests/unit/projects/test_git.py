"""A repository's configuration is read as `git` reads it, and no further than it has to be."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from mnemopi.projects import git

CONFIG = r"""
[core]
	bare = false ; a comment
[remote "origin"] url = "https://host.example/a \"b\".git"  # words
[remote "sub\"name"]
	url = git@host.example:\
x/y.git
[url "https://long.example/"]
	insteadOf = l:
	insteadOf = lo:
"""


def test_the_configuration_is_read_as_git_reads_it(tmp_path: Path) -> None:
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    file = tmp_path / "config"
    file.write_text(CONFIG)
    listed = subprocess.run(
        ["git", "config", "--file", str(file), "--list", "--null"], capture_output=True, text=True, check=True
    ).stdout
    theirs: dict[str, list[str]] = {}
    for pair in listed.split("\0")[:-1]:
        name, _, value = pair.partition("\n")
        theirs.setdefault(name, []).append(value)
    assert git.config(file) == theirs


def test_what_includes_itself_ends(tmp_path: Path) -> None:
    file = tmp_path / "config"
    file.write_text("[include]\n path = config\n path = ~nobody-of-this-name/x\n[a]\n b = 1\n")
    assert set(git.config(file)["a.b"]) == {"1"}


def test_an_included_file_may_name_the_remote(tmp_path: Path) -> None:
    (tmp_path / "more").write_text('[remote "origin"]\n url = https://host.example/x\n')
    (tmp_path / "config").write_text("[include]\n path = more\n")
    assert git.config(tmp_path / "config")["remote.origin.url"] == ["https://host.example/x"]


@pytest.mark.parametrize("text", ["", "[", "\0\0", '[remote "', "=x", "[a]\nb", 'x = "'])
def test_what_is_no_configuration_says_nothing_wrong(tmp_path: Path, text: str) -> None:
    (tmp_path / "config").write_text(text)
    assert "remote.origin.url" not in git.config(tmp_path / "config")
