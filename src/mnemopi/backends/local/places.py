"""Where the files of a project's local memory lie, and who may change them meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from mnemopi.backends.local import publish
from mnemopi.config import Config
from mnemopi.model.values import dataclass
from mnemopi.projects import identity
from mnemopi.projects.registry import Registry
from mnemopi.storage import private

DOCUMENT: Final = "MEMORY.md"
SUMMARY: Final = "memory_summary.md"
RAW: Final = "raw_memories.md"
ROLLOUTS: Final = "rollout_summaries"
STATE: Final = ".kept"
"""What was written last, to tell what a person changed since."""
DATABASE: Final = "sessions.db"


@dataclass(frozen=True, slots=True)
class Project:
    """A project's local memory: the name of its scope, its folder, and those of projects that were merged into it."""

    scope: str
    root: Path
    also: tuple[Path, ...] = ()

    @property
    def roots(self) -> tuple[Path, ...]:
        """All folders that are read for it, its own first."""
        return (self.root, *self.also)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the folder against other threads and processes; what one that died left half done is finished first.

        Raises ConflictError for one that is a link.
        """
        if self.root.is_symlink():
            raise private.linked(self.root)
        with private.locked(self.root):
            publish.recover(self.root)
            yield


class Places:
    """The folders of all projects, below the folder of the agent layer."""

    def __init__(self, config: Config, scope_of: Callable[[str], str] | None = None) -> None:
        """`scope_of` names the scope of a folder; None: the project that it belongs to."""
        self.folder = config.agent_dir / "memories"
        self.database = config.agent_dir / DATABASE
        self.spool = config.agent_dir / "sessions"
        self._agent_dir, self._patterns = config.agent_dir, config.memory.projects
        self._scope_of = (lambda cwd: (scope_of(cwd),)) if scope_of else self._named

    def project(self, cwd: str) -> Project:
        """Return the project of a folder."""
        scope, *also = self._scope_of(cwd)
        return Project(scope, self.folder / scope, tuple(self.folder / each for each in also))

    def scopes(self) -> Callable[[str], str]:
        """Return how to name the scopes of many folders, each looked at once."""
        known: dict[str, str] = {}

        def named(cwd: str) -> str:
            if cwd not in known:
                known[cwd] = self._scope_of(cwd)[0]
            return known[cwd]

        return named

    def _named(self, cwd: str) -> tuple[str, ...]:
        project = Registry(self._agent_dir).of(identity.identify(cwd, self._patterns))
        return (project.bank, *project.also)
