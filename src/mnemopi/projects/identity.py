"""What a folder is, seen from its files alone: the same for each worktree, clone and link to it.

The key is the remote, else the folder that a repository's worktrees share, else the folder itself. What was cloned from
a folder of this machine is the same as that. A folder within a repository is the repository, but for those that the
setting names as projects of their own.
"""

from __future__ import annotations

import hashlib
import re
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath
from typing import Final, Literal, TypeAlias

from mnemopi.model.values import dataclass
from mnemopi.projects import git, remotes

Kind: TypeAlias = Literal["remote", "repository", "folder"]
ID_FILE: Final = ".mnemopi-project"
"""Holds the id of a project, and may be checked in. It counts only where this machine was told to believe it."""
_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{7,63}")
_UNFIT: Final = re.compile(r"[^A-Za-z0-9_-]+")
_LONGEST: Final = 48


@dataclass(frozen=True, slots=True)
class Identity:
    """A folder's project as it shows itself. `key` names it; `place` is where it lies on this machine."""

    key: str
    kind: Kind
    place: str
    root: str
    subfolder: str = ""
    carried: str | None = None
    """What the id file at the root says."""

    @property
    def name(self) -> str:
        """A short name for people."""
        return (self.subfolder or self.key.removeprefix("git:").removesuffix("/.git")).rstrip("/").rpartition("/")[2]

    @property
    def bank(self) -> str:
        """The name of the bank: readable, and of no other project."""
        return bank_name(self.key, self.name)


def bank_name(key: str, name: str) -> str:
    """Return the name of the bank of a key."""
    words = _UNFIT.sub("-", name).strip("-_")[:_LONGEST].rstrip("-_") or "project"
    return f"{words}-{hashlib.sha256(key.encode('utf-8', 'surrogateescape')).hexdigest()[:12]}"


def identify(folder: str | Path, projects: str = "") -> Identity:
    """Return what a folder is. `projects` are patterns, apart by commas, of folders that are projects of their own."""
    here = Path(folder).expanduser().resolve()
    repository = git.find(here)
    if repository is None:
        return Identity(f"folder:{here}", "folder", str(here), str(here), carried=_carried(here))
    sub = subfolder(here.relative_to(repository.root), projects)
    named_by, address = git.source(repository)
    key = f"git:{named_by.common}" if address is None else remotes.normalised(address)
    root = repository.root / sub
    return Identity(
        f"{key}//{sub}" if sub else key,
        "repository" if address is None else "remote",
        f"{repository.common}//{sub}" if sub else str(repository.common),
        str(root),
        sub,
        _carried(root),
    )


def subfolder(within: Path, patterns: str) -> str:
    """Return the deepest folder on the way that a pattern names, each `*` one name; "" for none."""
    wanted = [tuple(PurePosixPath(each.strip()).parts) for each in patterns.split(",") if each.strip()]
    parts = within.parts
    for depth in range(len(parts), 0, -1):
        if any(len(each) == depth and all(map(fnmatchcase, parts, each)) for each in wanted):
            return "/".join(parts[:depth])
    return ""


def _carried(root: Path) -> str | None:
    said = git.peek(root / ID_FILE, 200).decode("ascii", "replace").strip()
    return said if _ID.fullmatch(said) else None
