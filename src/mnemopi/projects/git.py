"""What a repository says of itself, read from its files: no `git` is started, since a prompt waits for this.

What is read lies in `.git` and never in what is checked in: a folder named `.git` cannot be part of a commit. A bare
repository can (any folder may look like one), so it counts only where no working tree is around it.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path
from typing import Final, TypeAlias
from urllib.parse import unquote

from mnemopi.model.values import dataclass

Settings: TypeAlias = dict[str, list[str]]
"""Names such as `remote.origin.url`, the last value being the one that counts."""
_LARGEST: Final = 1 << 20
_INCLUDED: Final = 16
"""Files that one configuration may include, in all."""
_CLONED: Final = 8
"""Folders that one clone is followed through, each cloned from the next."""
_SECTION: Final = re.compile(r'\[\s*([A-Za-z0-9.-]+)\s*(?:"((?:[^"\\]|\\.)*)"\s*)?\]')
_PAIR: Final = re.compile(r"([A-Za-z][A-Za-z0-9-]*)\s*(?:=\s*(.*))?", re.DOTALL)
_QUOTED: Final = re.compile(r"\\(.)")
_BARE: Final = r"\1"
_ESCAPES: Final = {"n": "\n", "t": "\t", "b": "\b"}


@dataclass(frozen=True, slots=True)
class Repository:
    """A repository that a folder lies in: its working tree, and the folder that all its worktrees share."""

    root: Path
    common: Path
    head: str | None = None
    """The branch that is checked out."""


def find(folder: Path) -> Repository | None:
    """Return the repository around a folder, given as a canonical path; None where there is none."""
    places = (folder, *folder.parents)
    return next((found for look in (_tree, _bare) for place in places if (found := look(place))), None)


def source(repository: Repository) -> tuple[Repository, str | None]:
    """Return the repository that a project is named by, and its remote.

    That is the one itself, but what was cloned from a folder of this machine is named by that folder's repository.
    Where folders name each other in a circle, the first of them by name counts, as one without a remote.
    """
    passed = [repository]
    address = remote(repository)
    while address is not None and len(passed) <= _CLONED and (before := _cloned_from(address)) is not None:
        commons = [each.common for each in passed]
        if before.common in commons:
            return min(passed[commons.index(before.common) :], key=lambda each: each.common), None
        passed.append(before)
        address = remote(before)
    return passed[-1], address


def remote(repository: Repository) -> str | None:
    """Return the address of the remote that the project is named by; None where it has none.

    That is `origin`, else the one that the branch follows, else the first by name. One that is a folder is canonical.
    """
    settings = config(repository.common / "config")
    urls = {name[7:-4]: values[0] for name, values in settings.items() if re.fullmatch(r"remote\..+\.url", name)}
    followed = settings.get(f"branch.{repository.head}.remote", [""])[-1]
    chosen = next((name for name in ("origin", followed, *sorted(urls)) if urls.get(name)), None)
    if chosen is None:
        return None
    url = _rewritten(urls[chosen], settings)
    if url.startswith("/") or ":" not in url:
        base = repository.common.parent if repository.common.name == ".git" else repository.root
        with suppress(OSError, ValueError):
            return str((base / url).resolve())
    return url


def config(path: Path) -> Settings:
    """Read a configuration with what it includes; what is no configuration says nothing."""
    found: Settings = {}
    _read(path, found, [_INCLUDED])
    return found


def _read(path: Path, into: Settings, left: list[int]) -> None:
    text = _text(path)
    prefix = ""
    for line in _logical_lines(text):
        if section := _SECTION.match(line):
            name, sub = section.group(1).lower(), section.group(2)
            prefix = f"{name}." if sub is None else f"{name}.{_QUOTED.sub(_BARE, sub)}."
            line = line[section.end() :].strip()
        if not (pair := _PAIR.fullmatch(line)):
            continue
        name, value = prefix + pair.group(1).lower(), _value(pair.group(2) or "")
        into.setdefault(name, []).append(value)
        if name == "include.path" and left[0] > 0:
            left[0] -= 1
            with suppress(RuntimeError):  # the home of a user who is none
                _read(path.parent / Path(value).expanduser(), into, left)


def _logical_lines(text: str) -> list[str]:
    """Join lines that a backslash continues."""
    return [line.strip() for line in re.sub(r"\\\r?\n", "", text).splitlines()]


def _value(raw: str) -> str:
    """Read a value: quotes taken off, escapes resolved, a comment and the blanks around it dropped."""
    out: list[str] = []
    quoted, place = False, 0
    kept = 0
    while place < len(raw):
        char = raw[place]
        if char == '"':
            quoted = not quoted
            kept = len(out)
        elif char == "\\" and place + 1 < len(raw):
            place += 1
            out.append(_ESCAPES.get(raw[place], raw[place]))
            kept = len(out)
        elif char in "#;" and not quoted:
            break
        else:
            out.append(char)
            kept = len(out) if quoted or not char.isspace() else kept
        place += 1
    return "".join(out[:kept])


def _rewritten(url: str, settings: Settings) -> str:
    """Apply `url.<base>.insteadOf`; the longest that fits counts."""
    best = ""
    base = ""
    for name, values in settings.items():
        if name.startswith("url.") and name.endswith(".insteadof"):
            for short in values:
                if url.startswith(short) and len(short) > len(best):
                    best, base = short, name[4:-10]
    return base + url[len(best) :] if best else url


def _cloned_from(address: str) -> Repository | None:
    """Return the repository that a remote's address is, as `git` looks for it; None where it is not here."""
    path = unquote(address.removeprefix("file://")) if address.startswith("file://") else address
    if not path.startswith("/"):
        return None
    with suppress(OSError, ValueError):
        places = [Path(each).resolve() for each in (path, f"{path}.git")]
        return next((found for place in places for look in (_tree, _bare) if (found := look(place))), None)
    return None


def _tree(place: Path) -> Repository | None:
    """Return the repository whose working tree begins at a folder."""
    found = _git_folder(place / ".git")
    return None if found is None else Repository(place, _common(found), _head(found))


def _bare(place: Path) -> Repository | None:
    return Repository(place, place, _head(place)) if _is_git_folder(place) else None


def _git_folder(place: Path) -> Path | None:
    """Return the folder that `.git` is, or that it names as a file, as in worktrees and submodules."""
    try:
        if place.is_dir():
            return place.resolve() if _is_git_folder(place) else None
        if place.is_file() and (named := _text(place)).startswith("gitdir:"):
            found = (place.parent / named[7:].strip()).resolve()
            return found if (found / "HEAD").exists() else None
    except (OSError, ValueError):
        return None
    return None


def _is_git_folder(place: Path) -> bool:
    try:
        return (place / "HEAD").is_file() and (place / "objects").is_dir() and (place / "refs").is_dir()
    except OSError:
        return False


def _common(folder: Path) -> Path:
    """Return the folder that a worktree's own one shares with all others."""
    named = _text(folder / "commondir").strip()
    return (folder / named).resolve() if named else folder


def _head(folder: Path) -> str | None:
    said = _text(folder / "HEAD").strip()
    return said.removeprefix("ref: refs/heads/") if said.startswith("ref: refs/heads/") else None


def _text(path: Path) -> str:
    return peek(path, _LARGEST).decode("utf-8", "replace")


def peek(path: Path, most: int) -> bytes:
    """Return the beginning of a file, nothing where it cannot be read. What a stranger put there keeps nobody waiting:
    a pipe without a writer would."""
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        try:
            return os.read(handle, most)
        finally:
            os.close(handle)
    except (OSError, ValueError):
        return b""
