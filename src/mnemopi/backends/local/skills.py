"""Playbooks that consolidation writes, each a folder with a SKILL.md. One that a person changed is theirs."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Final

from mnemopi.model.values import dataclass
from mnemopi.storage import private
from mnemopi.text import redact

FOLDER: Final = "skills"
FILE: Final = "SKILL.md"
_UNFIT = re.compile(r"[^a-z0-9_-]+")
_LONGEST: Final = 64


@dataclass(frozen=True, slots=True)
class Skill:
    """A playbook."""

    name: str
    content: str

    @property
    def text(self) -> str:
        """The file."""
        return self.content.strip() + "\n"

    @property
    def digest(self) -> str:
        """What tells the file from any other."""
        return digest(self.text)


def made(name: str, content: str) -> Skill | None:
    """Return a playbook of what was answered; None where its name or content comes to nothing."""
    fit = _UNFIT.sub("-", name.lower()).strip("-")[:_LONGEST].strip("-")
    content = redact.redact(content, "full").text.strip()
    return Skill(fit, content) if fit and content else None


def digest(text: str) -> str:
    """Return what tells a file from any other."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]


def there(root: Path) -> Mapping[str, str]:
    """Return the texts of a project's playbooks, by name."""
    files = sorted((root / FOLDER).glob(f"*/{FILE}")) if (root / FOLDER).is_dir() else []
    return {file.parent.name: private.read(file) or "" for file in files if not file.is_symlink()}


def head(text: str) -> str:
    """Return what heads a playbook, on one line."""
    return next((line.lstrip("# ").strip()[:120] for line in text.splitlines() if line.strip()), "")


def changes(
    now: Mapping[str, str], written: Mapping[str, str], new: Sequence[Skill], drop: Collection[str]
) -> tuple[dict[str, str | None], dict[str, str]]:
    """Return the files to write (None: to delete) and the digests of what is then ours, by name.

    `now` is what is there, `written` the digests of what we wrote. What differs from that is a person's, and stays.
    """
    ours = {name: told for name, told in written.items() if name in now and digest(now[name]) == told}
    files: dict[str, str | None] = {}
    for name in set(drop) & ours.keys():
        files[f"{FOLDER}/{name}/{FILE}"] = None
        del ours[name]
    for skill in new:
        if skill.name in ours or skill.name not in now:
            files[f"{FOLDER}/{skill.name}/{FILE}"] = skill.text
            ours[skill.name] = skill.digest
    return files, ours
