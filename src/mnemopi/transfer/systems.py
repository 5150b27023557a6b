"""The systems that memories can be taken from: how each is read, and where it lies where nobody says so."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final, TypeAlias

from mnemopi.errors import NotFoundError, UsageError
from mnemopi.ingest.prepare import Gate
from mnemopi.model.values import dataclass
from mnemopi.storage.store import Store
from mnemopi.transfer import basic_memory, claude_mem, markdown, mnemosyne, others
from mnemopi.transfer.cargo import Cargo, Taken
from mnemopi.transfer.lenient import Lenient
from mnemopi.transfer.unload import unload

Reader: TypeAlias = Callable[[Path, Lenient], Cargo]


@dataclass(frozen=True, slots=True)
class System:
    """A system: its reader, the files or folders to look for (`~` is the home folder), and whether times without a
    zone are by the clock on the wall there."""

    read: Reader
    places: Sequence[str] = ()
    wall_clock: bool = False
    every: bool = False
    """Whether all of the places are read that are there, or the first."""


SYSTEMS: Final[Mapping[str, System]] = {
    "mnemopi": System(
        mnemosyne.database,
        ("~/.hermes/mnemopi/data/mnemopi.db", "~/.omp/agent/memories/mnemopi/mnemopi.db"),
    ),
    "mnemosyne": System(
        mnemosyne.database,
        ("~/.hermes/mnemosyne/data/mnemosyne.db", "~/.mnemosyne/data/mnemosyne.db"),
        wall_clock=True,
    ),
    "mem0": System(others.mem0),
    "letta": System(others.letta),
    "zep": System(others.zep),
    "claude-mem": System(claude_mem.database, ("~/.claude-mem/claude-mem.db",)),
    "basic-memory": System(basic_memory.notes, ("~/basic-memory",)),
    "markdown": System(
        markdown.notes,
        ("./CLAUDE.md", "./AGENTS.md", "./MEMORY.md", "~/.claude/CLAUDE.md", "~/.codex/AGENTS.md"),
        every=True,
    ),
}


def take_over(
    store: Store,
    system: str,
    path: Path | None,
    now: int,
    gate: Gate,
    *,
    keep_scope: bool = False,
    dry_run: bool = False,
    actor: str | None = None,
) -> Taken:
    """Take in what another system remembers, all or nothing; the source is only read. `now` is UTC ms.

    Raises UsageError for an unknown system or a file that is not its own, NotFoundError where nothing is there, and
    StorageError kinds.
    """
    if system not in SYSTEMS:
        raise UsageError(f"unknown system {system!r:.60}", hint=f"one of {', '.join(SYSTEMS)}")
    how = SYSTEMS[system]
    sources = [path] if path is not None else found(system)
    fields = Lenient(gate, now, keep_scope=keep_scope)
    if how.wall_clock:
        fields.local = gate.zone
    cargo = Cargo(redacted=fields.redacted, repaired=fields.repaired)
    for source in sources:
        cargo.join(how.read(source.expanduser(), fields))
    told = ", ".join(map(str, sources))
    return unload(store, cargo, now, system=system, source=told, dry_run=dry_run, actor=actor)


def found(system: str) -> list[Path]:
    """Return where a system lies on this machine. Raises NotFoundError."""
    how = SYSTEMS[system]
    there = [path for place in how.places if (path := Path(place).expanduser()).exists()]
    if not there:
        looked = f"not at {', '.join(how.places)}" if how.places else "it has no usual place"
        raise NotFoundError(f"nothing of {system} is found: {looked}", hint="name the file")
    return there if how.every else there[:1]
