"""Take a project's local memory away, and bring it back within a week. Other projects are not touched.

What is taken lies in a folder of its own until its week is over. Sessions from before are not read again: they would
bring back what was to go.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from mnemopi.backends import files, transcript
from mnemopi.backends.local import lessons
from mnemopi.backends.local.kit import DOCUMENTS
from mnemopi.backends.local.places import Places, Project
from mnemopi.errors import MnemopiError, NotFoundError, StorageError
from mnemopi.model.interval import iso
from mnemopi.model.session import Cleared
from mnemopi.model.values import dataclass
from mnemopi.storage import private
from mnemopi.storage.agent import AgentFile
from mnemopi.storage.sessions import Account

WEEK_MS: Final = 7 * 86_400_000
_HOW: Final = "mnemopi memory undo"
_STATE: Final = "state.json"
_FILES: Final = "files"
_SPOOL: Final = "sessions"
_ALL: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Clearing:
    """What clearing is done with: where things lie, and the file of sessions."""

    places: Places
    file: AgentFile

    def lines(self, project: Project) -> tuple[str, ...]:
        """Say what clearing would take away."""
        accounts = self.file.sessions.accounts(project.scope, _ALL)
        there = [path for path in project.root.rglob("*") if path.is_file()] if project.root.is_dir() else []
        said = len(lessons.of(private.read(project.root / lessons.FILE) or ""))
        return (
            f"project {project.scope}: nothing of other projects",
            f"{len(there)} files in {project.root}",
            f"{said} lessons",
            f"what came of {len(accounts)} sessions",
            f"{len(self._spooled(project))} session files of hosts that keep none themselves",
        )

    def clear(self, project: Project, now: int) -> Cleared:
        """Take the memory away."""
        with project.locked():
            lines = self.lines(project)
            trash = self._new_trash(project, now)
            accounts = [each.as_dict() for each in self.file.sessions.accounts(project.scope, _ALL)]
            before = self.file.sessions.cleared_at(project.scope)
            files.write_json(trash / _STATE, {"at": now, "cleared_at": before, "accounts": accounts})
            with self.file.transaction():
                self.file.jobs.drop_all(project.scope)
                self.file.sessions.clear(project.scope, now)
            for path in self._spooled(project):
                _move(path, private.folder(trash / _SPOOL / path.parent.name) / path.name)
            if project.root.is_dir():
                _move(project.root, trash / _FILES)
        return Cleared(lines, True, _HOW, now + WEEK_MS)

    def undo(self, project: Project, now: int) -> Cleared:
        """Bring back what the last clearing took; lessons from since then stay, on top. Raises NotFoundError."""
        with project.locked():
            trash, state = self._last(project, now)
            if (trash / _FILES).is_dir():  # else it was cut off before they were taken
                newer = lessons.of(private.read(project.root / lessons.FILE) or "")
                if project.root.is_dir():
                    _move(project.root, self._new_trash(project, now) / _FILES)
                _move(trash / _FILES, project.root)
                if newer:
                    lessons.save(project.root, newer[::-1])
            for path in sorted((trash / _SPOOL).glob("*/*.jsonl")):
                _move(path, private.folder(self.places.spool / path.parent.name) / path.name)
            accounts = [Account(**each) for each in state["accounts"]]
            with self.file.transaction():
                self.file.sessions.set_cleared(project.scope, int(state["cleared_at"]))
                for each in accounts:
                    if self.file.sessions.account(each.session) is None:
                        self.file.sessions.put(each)
                self.file.jobs.want_more(DOCUMENTS, project.scope, project.scope, now)
            (trash / _STATE).unlink()
        lines = (
            f"project {project.scope} as it was on {iso(int(state['at']))}",
            f"what came of {len(accounts)} sessions",
        )
        return Cleared(lines, True)

    def sweep(self, now: int) -> None:
        """Delete what was cleared more than a week ago, of all projects."""
        for trash in (self.places.folder / ".cleared").glob("*/*"):
            at = re.match(r"\d+", trash.name)
            if at is not None and int(at[0]) < now - WEEK_MS:
                shutil.rmtree(trash, ignore_errors=True)

    def _last(self, project: Project, now: int) -> tuple[Path, dict[str, Any]]:
        for trash in sorted(self._trash(project).glob("*"), key=lambda path: path.name, reverse=True):
            state = files.read_json(trash / _STATE)
            if state is not None and int(state["at"]) >= now - WEEK_MS:
                return trash, state
        raise NotFoundError("nothing was cleared here within a week", hint="what is older is gone")

    def _trash(self, project: Project) -> Path:
        return self.places.folder / ".cleared" / project.scope

    def _new_trash(self, project: Project, now: int) -> Path:
        number, folder = 0, self._trash(project) / f"{now}"
        while folder.exists():
            number += 1
            folder = self._trash(project) / f"{now}-{number}"
        return private.folder(folder)

    def _spooled(self, project: Project) -> list[Path]:
        """List the files that we keep for hosts, of sessions in this project."""
        return list(self._own(project))

    def _own(self, project: Project) -> Iterator[Path]:
        scope_of = self.places.scopes()
        for path in sorted(self.places.spool.glob("*/*.jsonl")) if self.places.spool.is_dir() else ():
            try:
                header = transcript.header(path)
            except MnemopiError:
                continue
            if header is not None and scope_of(header.cwd) == project.scope:
                yield path


def _move(old: Path, new: Path) -> None:
    try:
        private.folder(new.parent)
        os.replace(old, new)  # noqa: PTH105 -- a folder, too
    except OSError as error:
        raise StorageError(f"{old} cannot be moved: {error.strerror}", hint="check who owns it") from error
