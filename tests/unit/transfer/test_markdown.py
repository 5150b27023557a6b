from __future__ import annotations

import os
from pathlib import Path

import pytest

from mnemopi.errors import NotFoundError, StorageError, UsageError
from mnemopi.transfer import markdown
from mnemopi.transfer.lenient import Lenient

TEXT = """\
---
title: Notes
tags: [a, "b c"]
list:
- one
- two
---
# Project

Intro line
goes on.

## Style

- Use tabs
- Run the checks:
  1. lint
  2. types

  ```sh
  # not a heading
  - not a bullet
  make check
  ```
* Another list

  with a second paragraph
- [x] done thing

Prose after the list.

```python
def f():
    return 1

# a comment
```

### Deep
1. first
2) second

## Style
- Use tabs

***
"""


def texts(source: str) -> list[str]:
    return [part.text for part in markdown.page(source).parts]


def test_a_page_comes_apart_into_bullets_and_stretches_of_prose() -> None:
    page = markdown.page(TEXT)
    assert page.front == {"title": "Notes", "tags": ["a", "b c"], "list": ["one", "two"]}
    found = [(part.text, part.headings, part.place, part.bullet) for part in page.parts]
    style = ("Project", "Style")
    fenced = "Run the checks:\n  1. lint\n  2. types\n\n  ```sh\n  # not a heading\n  - not a bullet\n"
    prose = "Prose after the list.\n\n```python\ndef f():\n    return 1\n\n# a comment\n```"
    assert found == [
        ("Intro line\ngoes on.", ("Project",), 0, False),
        ("Use tabs", style, 0, True),
        (fenced + "  make check\n  ```", style, 1, True),
        ("Another list\n\n  with a second paragraph", style, 2, True),
        ("[x] done thing", style, 3, True),
        (prose, style, 4, False),
        ("first", (*style, "Deep"), 0, True),
        ("second", (*style, "Deep"), 1, True),
        ("Use tabs", style, 5, True),
    ]


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("", []),
        ("\n\n", []),
        ("---\nno end", ["no end"]),
        ("word", ["word"]),
        ("- a\n  - b\n- c", ["a\n  - b", "c"]),
        ("  - a\n  - b", ["a", "b"]),
        ("- a\r\n- b\r\n", ["a", "b"]),
        ("- a\n\n- b", ["a", "b"]),
        ("# only a heading", []),
        ("~~~\n# x\n```\n~~~\nafter", ["~~~\n# x\n```\n~~~\nafter"]),
        ("```\nnever closed\n# x", ["```\nnever closed\n# x"]),
        ("- 部署在周五\n- 用制表符", ["部署在周五", "用制表符"]),
        ("-no bullet\n#no heading", ["-no bullet\n#no heading"]),
        ("| a | b |\n|---|---|\n| 1 | 2 |", ["| a | b |\n|---|---|\n| 1 | 2 |"]),
    ],
)
def test_odd_pages_come_apart_too(source: str, told: list[str]) -> None:
    assert texts(source) == told


def test_a_memory_knows_its_file_its_headings_and_its_place(tmp_path: Path, lenient: Lenient) -> None:
    file = tmp_path / "CLAUDE.md"
    file.write_text("# Style\n- Use tabs\n- Use tabs\n", "utf-8")
    os.utime(file, (1_700_000_000, 1_700_000_000))
    made = markdown.notes(file, lenient)
    first, second = made.memories
    assert first.metadata == {"path": file.as_posix(), "headings": ["Style"], "place": 0}
    assert first.external_id is not None
    assert second.external_id == first.external_id + "-2"
    assert first.id != second.id
    assert (first.kind, first.content, first.embed_text) == ("note", "Use tabs", "Style\nUse tabs")
    assert (first.source, first.trust_tier, first.timestamp) == ("CLAUDE.md", "IMPORTED", 1_700_000_000_000)
    assert made.prefixes == [f"{file.as_posix()}#"]


def test_a_folder_is_read_whole_but_for_what_is_hidden(tmp_path: Path, lenient: Lenient) -> None:
    for name in ("b.md", "sub/a.markdown", "x.txt", ".git/c.md", "node_modules/d.md"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(f"text of {name}")
    made = markdown.notes(tmp_path, lenient)
    assert sorted(memory.content for memory in made.memories) == ["text of b.md", "text of sub/a.markdown"]
    assert made.found == {"files": 2, "parts": 2}


def test_a_path_too_long_for_an_id_is_a_digest(tmp_path: Path, lenient: Lenient) -> None:
    file = tmp_path / ("d" * 100) / ("e" * 100) / "n.md"
    file.parent.mkdir(parents=True)
    file.write_bytes(b"- a b")
    (memory,) = markdown.notes(file, lenient).memories
    assert memory.external_id is not None
    assert len(memory.external_id) < 200


@pytest.mark.parametrize(
    ("mark", "encoding"),
    [(b"", "utf-8"), (b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be")],
)
def test_a_file_is_read_as_its_mark_says(mark: bytes, encoding: str, tmp_path: Path, lenient: Lenient) -> None:
    file = tmp_path / "n.md"
    file.write_bytes(mark + "---\ntitle: x\n---\n- café 船".encode(encoding))
    (memory,) = markdown.notes(file, lenient).memories
    assert memory.content == "café 船"
    assert (memory.metadata or {})["front"] == {"title": "x"}


BROKEN = {
    "Latin 1": ("- café".encode("latin-1"), "UTF-8 at byte 5"),
    "UTF-16 without its mark": ("- a".encode("utf-16-le"), "UTF-8 at byte 1"),
    "half a character": (b"\xff\xfe" + "- a".encode("utf-16-le") + b"\x00\xd8", "UTF-16-LE at byte 8"),
    "UTF-32": ("- a".encode("utf-32"), "UTF-16-LE at byte 2"),
}


@pytest.mark.parametrize(("raw", "told"), BROKEN.values(), ids=BROKEN)
def test_what_is_in_no_known_encoding_is_refused_by_its_place(
    raw: bytes, told: str, tmp_path: Path, lenient: Lenient
) -> None:
    file = tmp_path / "n.md"
    file.write_bytes(raw)
    with pytest.raises(UsageError, match=f"{file} is not {told}"):
        markdown.notes(file, lenient)


def test_what_cannot_be_read_in_a_folder_is_left_out_by_name(tmp_path: Path, lenient: Lenient) -> None:
    (tmp_path / "good.md").write_text("kept")
    (tmp_path / "bad.md").write_bytes(b"caf\xe9")
    (tmp_path / "gone.md").symlink_to(tmp_path / "nowhere")
    os.mkfifo(tmp_path / "pipe.md")
    made = markdown.notes(tmp_path, lenient)
    assert [memory.content for memory in made.memories] == ["kept"]
    assert made.left == {
        ("files", f"{tmp_path}/bad.md is not UTF-8 at byte 3"): 1,
        ("files", f"{tmp_path}/gone.md cannot be read: No such file or directory"): 1,
        ("files", f"{tmp_path}/pipe.md is no file"): 1,
    }
    assert made.found == {"files": 4, "parts": 1}
    assert len(made.prefixes) == 1


def test_a_folder_that_cannot_be_listed_is_told(
    tmp_path: Path, lenient: Lenient, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "good.md").write_text("kept")
    closed = tmp_path / "closed"
    closed.mkdir()
    listed = os.scandir

    def scandir(folder: str) -> object:
        if Path(folder) == closed:  # permissions would not keep the superuser out
            raise PermissionError(13, "Permission denied", folder)
        return listed(folder)

    monkeypatch.setattr(os, "scandir", scandir)
    made = markdown.notes(tmp_path, lenient)
    assert [memory.content for memory in made.memories] == ["kept"]
    assert made.left == {("folders", f"{closed} cannot be read: Permission denied"): 1}
    with pytest.raises(StorageError, match="closed cannot be read"):
        markdown.notes(closed, lenient)


def test_a_link_to_a_folder_is_not_followed_and_told(tmp_path: Path, lenient: Lenient) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "good.md").write_text("kept")
    (tmp_path / "notes" / "round").symlink_to(tmp_path)
    made = markdown.notes(tmp_path / "notes", lenient)
    assert [memory.content for memory in made.memories] == ["kept"]
    assert made.left == {("folders", f"{tmp_path}/notes/round is a link, and is not followed"): 1}


def test_text_between_rules_is_text() -> None:
    assert texts("---\n\nWe deploy on Friday.\n\n---\n- Use tabs") == ["We deploy on Friday.", "Use tabs"]


@pytest.mark.parametrize("text", ["---\ntitle: x\n---\n", "# A heading\n## Another\n"])
def test_a_file_without_text_below_its_heads_is_told(text: str, tmp_path: Path, lenient: Lenient) -> None:
    file = tmp_path / "n.md"
    file.write_text(text)
    made = markdown.notes(file, lenient)
    assert made.left == {("files", f"{file} has front matter or headings, and no text below"): 1}


def test_a_secret_that_goes_on_in_another_part_is_taken_out_as_a_whole(tmp_path: Path, lenient: Lenient) -> None:
    begin, end = ("-----" + word + " RSA PRIVATE KEY-----" for word in ("BEGIN", "END"))
    file = tmp_path / "n.md"
    file.write_text(f"- the key:\n{begin}\nProc-Type: 4,ENCRYPTED\n\n{'aB3+' * 16}\n{end}\n- last\n")
    made = markdown.notes(file, lenient)
    assert "aB3+" not in "".join(memory.content for memory in made.memories)
    assert made.memories[-1].content == "last"


def test_no_file_is_not_found(tmp_path: Path, lenient: Lenient) -> None:
    with pytest.raises(NotFoundError):
        markdown.notes(tmp_path / "none.md", lenient)
