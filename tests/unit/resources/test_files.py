"""No path leads out of the folder of memory, whatever it says and whatever lies there."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from mnemopi.backends.backend import Folders
from mnemopi.errors import MnemopiError, NotFoundError, UsageError
from mnemopi.resources import files
from mnemopi.resources.address import steps_of

OUTSIDE = "what nobody but its owner reads"
INSIDE = "what memory says"
PARTS = [
    *(
        "..",
        ".",
        "",
        "%2e%2e",
        "%2E.",
        "%252e%252e",
        "%c0%ae",
        "..%2f",
        "%2f",
        "%5c",
        "..\\",
        "\\",
        "~",
        "%00",
        "%",
        "%zz",
    ),
    *(
        "notes.md",
        "skills",
        "one",
        "SKILL.md",
        "link.md",
        "linked",
        "hard.md",
        "loop",
        "dangling.md",
        ".state",
        "pipe.md",
    ),
    *(
        "secret.md",
        "outside",
        "project",
        "?",
        "*",
        "ü.md",
        "%c3%bc.md",
        "a b.md",
        "//",
        "C:",
        "nul",
        "\u2024\u2024",
        "\uff0e\uff0e",
    ),
]


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Folders]:
    """A folder of memory into which somebody put every way out that there is."""
    top = tmp_path_factory.mktemp("top")
    (top / "outside").mkdir()
    (top / "outside" / "secret.md").write_text(OUTSIDE)
    (top / "secret.md").write_text(OUTSIDE)
    root = top / "project"
    (root / "skills" / "one").mkdir(parents=True)
    (root / "notes.md").write_text(INSIDE)
    (root / "ü.md").write_text(INSIDE)
    (root / "%2e%2e").mkdir()
    (root / "skills" / "one" / "SKILL.md").write_text(INSIDE)
    (root / ".state").write_text(OUTSIDE)
    (root / "key.pem").write_text(OUTSIDE)
    (root / "link.md").symlink_to(top / "secret.md")
    (root / "linked").symlink_to(top / "outside")
    (root / "dangling.md").symlink_to(top / "nothing")
    (root / "loop").symlink_to(root / "loop")
    (root / "skills" / "up").symlink_to("../..")
    os.link(top / "secret.md", root / "hard.md")
    os.mkfifo(root / "pipe.md")
    yield Folders((root,), "notes.md")
    (root / "pipe.md").unlink()


def read(folders: Folders, uri: str) -> str:
    steps, _ = steps_of(uri.removesuffix("/"))
    return files.read(folders, steps[1:], uri, as_folder=uri.endswith("/")).text


@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sampled_from(PARTS) | st.text(max_size=5), max_size=6))
@example(["..", "secret.md"])
@example(["%2e%2e", "secret.md"])
@example(["skills", "up", "secret.md"])
@example(["linked", "secret.md"])
@example(["link.md"])
@example(["hard.md"])
@example([".state"])
def test_no_path_leads_out(hostile: Folders, parts: list[str]) -> None:
    try:
        text = read(hostile, "memory://root/" + "/".join(parts))
    except MnemopiError as error:
        assert str(hostile.roots[0]) not in str(error)
        assert isinstance(error, UsageError | NotFoundError)
        return
    assert OUTSIDE not in text
    assert "outside" not in text


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.text(max_size=8) | st.sampled_from(["..", "a/b", "link.md"]), max_size=4))
def test_no_step_leads_out_however_it_came(hostile: Folders, steps: list[str]) -> None:
    with suppress(UsageError, NotFoundError):
        assert OUTSIDE not in files.read(hostile, steps, "memory://root").text


def test_what_is_there_is_read_and_listed_without_what_is_hidden(hostile: Folders) -> None:
    assert read(hostile, "memory://root") == INSIDE
    assert read(hostile, "memory://root/skills/one/SKILL.md") == INSIDE
    assert read(hostile, "memory://root/%C3%BC.md") == INSIDE
    assert read(hostile, "memory://root/").splitlines() == ["skills/", "notes.md", "ü.md"]
    assert read(hostile, "memory://root/skills") == "one/"
    assert files.names(hostile) == ["notes.md", "skills/one/SKILL.md", "ü.md"]


@pytest.mark.parametrize("uri", ["notes.md/", "notes.md/x", "nothing.md", "key.pem", "pipe.md", "loop", "dangling.md"])
def test_what_is_no_file_of_memory_is_not_found(hostile: Folders, uri: str) -> None:
    with pytest.raises(NotFoundError, match="there is no file at"):
        read(hostile, f"memory://root/{uri}")


def test_a_root_that_is_a_link_is_not_there(hostile: Folders, tmp_path: Path) -> None:
    (tmp_path / "root").symlink_to(hostile.roots[0])
    with pytest.raises(NotFoundError):
        files.read(Folders((tmp_path / "root",), "notes.md"), ["notes.md"], "memory://root/notes.md")


def test_of_several_folders_the_first_that_has_it_counts(tmp_path: Path) -> None:
    for name in ("own", "merged"):
        (tmp_path / name).mkdir()
    (tmp_path / "merged" / "a.md").write_text("merged")
    folders = Folders((tmp_path / "own", tmp_path / "merged"))
    assert read(folders, "memory://root/a.md") == "merged"
    (tmp_path / "own" / "a.md").write_text("own")
    assert read(folders, "memory://root/a.md") == "own"


def test_a_secret_and_what_is_too_long_are_not_handed_out(tmp_path: Path) -> None:
    secret = "ghp_" + "a1B2" * 9
    (tmp_path / "a.md").write_text(f"The token is {secret}")
    (tmp_path / "b.md").write_text("x" * (files.MOST_BYTES + 1))
    assert secret not in read(Folders((tmp_path,)), "memory://root/a.md")
    with pytest.raises(UsageError, match="at most"):
        read(Folders((tmp_path,)), "memory://root/b.md")


def test_a_folder_that_becomes_a_link_meanwhile_leads_nowhere(tmp_path: Path) -> None:
    outside, root = tmp_path / "outside", tmp_path / "root"
    for folder in (outside, root / "there"):
        folder.mkdir(parents=True)
    (outside / "a.md").write_text(OUTSIDE)
    (root / "there" / "a.md").write_text(INSIDE)
    (root / "link").symlink_to(outside)
    over = threading.Event()

    def swap() -> None:
        while not over.is_set():
            (root / "there").rename(root / "aside")
            (root / "link").rename(root / "there")
            (root / "there").rename(root / "link")
            (root / "aside").rename(root / "there")

    swapping = threading.Thread(target=swap)
    swapping.start()
    told: set[str] = set()
    for _ in range(500):
        with suppress(NotFoundError):
            told.add(read(Folders((root,)), "memory://root/there/a.md"))
    over.set()
    swapping.join()
    assert told <= {INSIDE}
