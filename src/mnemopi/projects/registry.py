"""What this machine was told of projects: which keys are one project, and which ids in repositories are believed.

It is one file in the agent layer's folder. A key that nobody told anything of needs no entry: its bank's name follows
from it. So a file that is lost costs what was told, and no memory.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from mnemopi.errors import ConflictError, CorruptError, NotFoundError, UsageError
from mnemopi.model.values import dataclass
from mnemopi.projects.identity import ID_FILE, Identity, bank_name
from mnemopi.storage import private
from mnemopi.storage.banks import check_name

FILE: Final = "projects.json"
_NO_ID: Final = "`mnemopi project link` in it makes it known"


@dataclass(frozen=True, slots=True)
class Project:
    """What is known of a project: the bank it writes, and what else counts as it."""

    bank: str
    name: str
    keys: tuple[str, ...] = ()
    """Keys of folders that are this project, by `alias` and `merge`."""
    linked: tuple[tuple[str, str], ...] = ()
    """(id, key or place): where an id file is believed."""
    also: tuple[str, ...] = ()
    """Banks that it recalls besides its own: of merged projects, and of former names."""
    looked: bool = False
    """Whether banks of former names were looked for."""


class Registry:
    """The projects of a machine. Each change is made under a lock, on what the file says then."""

    def __init__(self, agent_dir: Path) -> None:
        self.path = agent_dir / FILE

    def of(self, here: Identity) -> Project:
        """Return the project of a folder: as told, else as it shows itself."""
        return _found(self._all(), here) or Project(here.bank, here.name)

    def known(self) -> list[Project]:
        """Return all projects that something was told of, by bank."""
        return sorted(self._all().values(), key=lambda each: each.bank)

    def is_believed(self, here: Identity) -> bool:
        """Whether the id file of a folder counts: it was linked for this key or place, on this machine."""
        return here.carried is not None and _by_id(self._all(), here) is not None

    def link(self, here: Identity) -> tuple[Project, str]:
        """Believe the id file of a folder from now on, here; return the project and the id, new where there is none.

        A folder whose id belongs to a project that is known joins it.
        """
        carried = here.carried or f"{_slug(here.name)}-{secrets.token_hex(8)}"

        def change(known: dict[str, Project]) -> Project:
            theirs = next((each for each in known.values() if any(id == carried for id, _ in each.linked)), None)
            project = theirs or _found(known, here) or Project(here.bank, here.name)
            pairs = dict.fromkeys((*project.linked, (carried, here.key), (carried, here.place)))
            also = project.also if here.bank == project.bank else _joined(project.also, (here.bank,))
            return replace(project, linked=tuple(pairs), also=also)

        return self._changed(change), carried

    def alias(self, here: Identity, other: Identity) -> Project:
        """Let another folder be this project. Raises ConflictError where it has a bank of its own by what was told."""

        def change(known: dict[str, Project]) -> Project:
            project = _found(known, here) or Project(here.bank, here.name)
            theirs = _found(known, other)
            if theirs is not None and theirs.bank != project.bank:
                raise ConflictError(f"{other.name} is known as a project of its own", hint="`mnemopi project merge`")
            return _taking(project, other)

        if here.key == other.key:
            raise UsageError("both are the same project already")
        return self._changed(change)

    def merge(self, here: Identity, other: Identity | str) -> Project:
        """Let another project, given by a folder of it or its bank, go on as this one, which recalls its bank, too."""
        bank = check_name(other) if isinstance(other, str) else None

        def change(known: dict[str, Project]) -> Project:
            project = _found(known, here) or Project(here.bank, here.name)
            if isinstance(other, Identity):
                project = _taking(project, other)
                theirs = _found(known, other)
            else:
                theirs = known.get(bank or "")
            taken = theirs or Project(bank or "", bank or "")
            if taken.bank == project.bank:
                raise UsageError("both are the same project already")
            if taken.bank:
                known.pop(taken.bank, None)
                project = replace(
                    project,
                    keys=_joined(project.keys, taken.keys),
                    linked=tuple(dict.fromkeys((*project.linked, *taken.linked))),
                    also=_joined(project.also, tuple(name for name in (taken.bank, *taken.also) if name)),
                )
            return project

        return self._changed(change)

    def adopt(self, here: Identity, banks: tuple[str, ...]) -> Project:
        """Note that banks of former names were looked for, and which are this project's."""

        def change(known: dict[str, Project]) -> Project:
            project = _found(known, here) or Project(here.bank, here.name)
            return replace(project, looked=True, also=_joined(project.also, banks))

        return self._changed(change)

    def _changed(self, change: Callable[[dict[str, Project]], Project]) -> Project:
        with private.locked(self.path):
            known = self._all()
            project = change(known)
            known[project.bank] = replace(project, also=tuple(name for name in project.also if name != project.bank))
            told = {"version": 1, "projects": [_told(each) for each in sorted(known.values(), key=lambda x: x.bank)]}
            private.write(self.path, json.dumps(told, ensure_ascii=False, indent=1) + "\n")
            return known[project.bank]

    def _all(self) -> dict[str, Project]:
        text = private.read(self.path)
        if text is None:
            return {}
        try:
            read = json.loads(text)
            return {each["bank"]: _project(each) for each in read["projects"]}
        except (ValueError, KeyError, TypeError) as error:
            raise CorruptError(
                f"{self.path} is damaged", hint="mend it, or move it away: banks are then found by their keys"
            ) from error


def of_bank(registry: Registry, bank: str) -> Project:
    """Return a known project by its bank. Raises NotFoundError."""
    for project in registry.known():
        if project.bank == bank:
            return project
    raise NotFoundError(f"nothing was told of a project {bank!r:.80}", hint=_NO_ID)


def _found(known: dict[str, Project], here: Identity) -> Project | None:
    """Return the project of an id that is believed, else of an alias, else of the key itself."""
    if (linked := _by_id(known, here)) is not None:
        return linked
    by_key = next((each for each in known.values() if here.key in each.keys), None)
    return by_key or known.get(here.bank)


def _by_id(known: dict[str, Project], here: Identity) -> Project | None:
    if here.carried is None:
        return None
    wanted = {(here.carried, here.key), (here.carried, here.place)}
    return next((each for each in known.values() if wanted & set(each.linked)), None)


def _taking(project: Project, other: Identity) -> Project:
    """Let a project count for another's key, and recall the bank that it may have had."""
    return replace(project, keys=_joined(project.keys, (other.key,)), also=_joined(project.also, (other.bank,)))


def _joined(old: tuple[str, ...], new: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*old, *new)))


def _slug(name: str) -> str:
    return bank_name("", name).rpartition("-")[0]


def _told(project: Project) -> dict[str, Any]:
    return {
        "bank": project.bank,
        "name": project.name,
        "keys": list(project.keys),
        "linked": [list(pair) for pair in project.linked],
        "also": list(project.also),
        "looked": project.looked,
    }


def _project(told: dict[str, Any]) -> Project:
    return Project(
        check_name(told["bank"]),
        str(told["name"]),
        tuple(map(str, told["keys"])),
        tuple((str(id), str(where)) for id, where in told["linked"]),
        tuple(check_name(each) for each in told["also"]),
        bool(told["looked"]),
    )


__all__ = ["FILE", "ID_FILE", "Project", "Registry", "of_bank"]
