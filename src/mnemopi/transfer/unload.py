"""Write what another system held, all or nothing, in one transaction.

A memory whose id is here stays as it is, one that was forgotten here stays forgotten; two ids never merge. What hangs
on a memory (counts, citations, annotations, edges) comes with it, once. Statements are compared with those that are
here, so that a second import changes nothing. What was read in parts of a text file follows edits of it: see `edited`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import replace
from typing import Final

from mnemopi.ingest import annotate
from mnemopi.ingest.prepare import analysed
from mnemopi.knowledge import facts, slots
from mnemopi.model.fact import Statement
from mnemopi.model.memory import Event, Memory
from mnemopi.storage.notes import Notes
from mnemopi.storage.store import Store
from mnemopi.transfer import edited
from mnemopi.transfer.cargo import Cargo, Left, Taken

IMPORTED: Final = "imported"
"""The verb in the journal, once a memory."""
_BATCH: Final = 500


class _Undone(Exception):
    """Takes a dry run back."""


def unload(
    store: Store, cargo: Cargo, now: int, *, system: str, source: str, dry_run: bool, actor: str | None = None
) -> Taken:
    """Write a cargo and say what became of it. With `dry_run` all is done, told, and taken back. `now` is UTC ms."""
    done: Counter[str] = Counter()
    with suppress(_Undone), store.transaction():
        done = _Unloading(store, cargo, now, system, actor).done()
        if dry_run:
            raise _Undone
    return Taken(
        system=system,
        source=source,
        found=cargo.found,
        inserted=done["inserted"],
        updated=done["updated"],
        known=done["known"],
        forgotten=done["forgotten"],
        facts=done["facts"],
        annotations=done["annotations"],
        edges=done["edges"],
        notes=done["notes"],
        redacted=cargo.redacted,
        repaired=cargo.repaired,
        left=tuple(Left(table, count, why) for (table, why), count in sorted(cargo.left.items())),
        dry_run=dry_run,
    )


class _Unloading:
    def __init__(self, store: Store, cargo: Cargo, now: int, system: str, actor: str | None) -> None:
        self._store, self._cargo, self._now, self._system, self._actor = store, cargo, now, system, actor
        self._done: Counter[str] = Counter()

    def done(self) -> Counter[str]:
        """Write all there is; return counts of what became of it."""
        plan = edited.plan(self._store, self._cargo)
        self._done["known"] += plan.known
        changed: dict[str, int] = {}
        for old, new in plan.changed:
            changed[old.id] = edited.change(self._store, old, new, self._now, self._actor)
        self._done["updated"] += len(changed)
        written = self._memories(plan.new)
        self._hang_on(written)
        says = dict.fromkeys(written, 1) | changed
        self._states([_moved(each, plan.renamed, says) for each in self._cargo.statements], says.keys())
        self._notes()
        annotate.with_the_write(self._store)
        return self._done

    def _memories(self, memories: Sequence[Memory]) -> set[str]:
        written: set[str] = set()
        for first in range(0, len(memories), _BATCH):
            batch = memories[first : first + _BATCH]
            ids = [memory.id for memory in batch]
            known, buried = self._store.inventory.versions(ids), self._store.inventory.buried(ids)
            put = [memory for memory in batch if memory.id not in known and memory.id not in buried]
            self._done["forgotten"] += sum(memory.id in buried for memory in batch)
            self._done["known"] += sum(memory.id in known and memory.id not in buried for memory in batch)
            self._store.memories.put(map(analysed, put))
            events = [Event(self._now, IMPORTED, each.id, 1, self._actor, self._system) for each in put]
            self._store.journal.append(events)
            written.update(memory.id for memory in put)
        self._done["inserted"] += len(written)
        return written

    def _hang_on(self, written: set[str]) -> None:
        cargo, graph = self._cargo, self._store.graph
        self._store.memories.count_recalls({id: told for id, told in cargo.recalls.items() if id in written})
        cited = [pair for pair in cargo.citations if pair[0] in written]
        versions = self._versions(source for _, source in cited)
        self._store.episodes.adopt(
            (episode, source, versions[source]) for episode, source in dict.fromkeys(cited) if source in versions
        )
        annotations = [each for each in cargo.annotations if each.memory in written]
        graph.annotate(annotations)
        self._done["annotations"] += len(annotations)
        ends = self._versions(id for edge in cargo.edges for id in (edge.source, edge.target))
        edges = [
            edge
            for edge in cargo.edges
            if edge.source in ends and edge.target in ends and (edge.source in written or edge.target in written)
        ]
        graph.link(edges)
        self._done["edges"] += len(edges)

    def _states(self, statements: Sequence[Statement], written: Set[str]) -> None:
        """State what is not stated already; what a memory says comes with it, and only then."""
        placed = [(slots.slot_of(each), each) for each in statements if each.memory is None or each.memory in written]
        here = self._store.facts.statements(dict.fromkeys(where for where, _ in placed)) if placed else {}
        said = {_bare(each) for known in here.values() for each in known}
        fresh = {_bare(each): (where, each) for where, each in placed if _bare(each) not in said}
        self._store.facts.state(fresh.values())
        facts.rebuild(self._store, dict.fromkeys(where for where, _ in fresh.values()))
        self._done["facts"] += len(fresh)

    def _notes(self) -> None:
        notes = Notes(self._store.connection, self._store.bank, self._store.sql)
        fresh = [note for note in self._cargo.notes if not notes.has(note.session_id, note.id)]
        notes.put(fresh)
        self._done["notes"] += len(fresh)

    def _versions(self, ids: Iterable[str]) -> dict[str, int]:
        wanted, found = list(dict.fromkeys(ids)), {}
        for first in range(0, len(wanted), _BATCH):
            known = self._store.inventory.versions(wanted[first : first + _BATCH])
            found.update({id: versions[-1].version for id, versions in known.items()})
        return found


def _moved(statement: Statement, renamed: Mapping[str, str], versions: Mapping[str, int]) -> Statement:
    """Let a statement name its memory as it is known here, at the version that says so."""
    if statement.memory is None:
        return statement
    id = renamed.get(statement.memory, statement.memory)
    return replace(statement, memory=id, version=versions.get(id, statement.version))


def _bare(statement: Statement) -> Statement:
    """What a statement says, without when we came to know it."""
    return replace(statement, at=0, withdrawn_at=None, rowkey=0)
