"""Which banks a session writes and sees: one for all, one a project, or one a project beside the common one."""

from __future__ import annotations

from typing import Final

from mnemopi.model.values import dataclass
from mnemopi.projects.registry import Project
from mnemopi.storage.banks import DEFAULT, check_name

GLOBAL: Final = "global"
PER_PROJECT: Final = "per-project"
TAGGED: Final = "per-project-tagged"


@dataclass(frozen=True, slots=True)
class Scope:
    """The banks of a session: the one it writes, those it recalls in order, and the common one where it has it."""

    kind: str
    retain: str
    recall: tuple[str, ...]
    shared: str | None = None

    @property
    def banks(self) -> frozenset[str]:
        """All banks that a session may see: what a caller's view is limited to."""
        return frozenset((self.retain, *self.recall))


def scope(kind: str, shared: str, project: Project | None) -> Scope:
    """Return the banks of a project, by the setting. `shared` is the common bank, "" for the default one.

    A project's bank has the common one's name before its own where that is given.
    """
    common = check_name(shared or DEFAULT)
    if kind == GLOBAL or project is None:
        return Scope(GLOBAL, common, (common,), common)
    own, *others = (
        name for bank in (project.bank, *project.also) for name in ([_below(shared, bank), bank] if shared else [bank])
    )
    seen = tuple(dict.fromkeys((own, *others)))
    return Scope(kind, own, (*seen, common), common) if kind == TAGGED else Scope(kind, own, seen)


def _below(shared: str, bank: str) -> str:
    """Put the common bank's name before a project's, whose own end makes it unlike others."""
    return f"{shared}-{bank}"[-64:].lstrip("-_.")
