"""Take in an export, all or nothing, in one transaction.

A memory whose id is not here is inserted as it was: all versions, original times, session, author and place. One that
is here stays as it is, unless `force` puts the file's in its place; one that was forgotten here stays forgotten. Two
ids never merge. What is derived (search rows, passages) is derived anew; vectors come with the next settle.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Final

from mnemopi.errors import NotFoundError, StorageError, UsageError
from mnemopi.ingest import derive
from mnemopi.ingest.prepare import Gate, analysed
from mnemopi.knowledge import facts, slots
from mnemopi.model.fact import Statement
from mnemopi.model.graph import Annotation, Edge
from mnemopi.model.memory import Event, Loaded, Memory, Occurrence
from mnemopi.model.note import Note
from mnemopi.storage.memories import Prepared
from mnemopi.storage.notes import Notes
from mnemopi.storage.store import Store
from mnemopi.transfer import record
from mnemopi.transfer.export import LOADED

_BATCH: Final = 500
_COUNTED: Final = {
    "memory": "versions",
    "occurrence": "occurrences",
    "recalled": "recalled",
    "tombstone": "tombstones",
    "citation": "citations",
    "statement": "statements",
    "annotation": "annotations",
    "edge": "edges",
    "unclaimed": "unclaimed",
    "reading": "readings",
    "note": "notes",
    "event": "events",
}
"""Under which name the manifest counts the lines of a kind."""


def load(store: Store, lines: Path | Iterable[str], now: int, gate: Gate, *, force: bool, skip_bad: bool) -> Loaded:
    """Take in an export from a file or its lines, and say what became of each memory.

    A line that cannot be used raises UsageError (`line 37: ...`), and so does a file that is cut short; nothing is
    written then. With `skip_bad` both are left out and reported. Raises NotFoundError where there is no file.
    """
    with _opened(lines) as opened, store.transaction():
        loading = _Load(store, gate, now, force=force, skip_bad=skip_bad)
        loading.take(opened)
        store.journal.append([Event(now, LOADED)])
        return loading.report()


class _Load:
    def __init__(self, store: Store, gate: Gate, now: int, *, force: bool, skip_bad: bool) -> None:
        self._store, self._gate, self._now, self._force, self._skip_bad = store, gate, now, force, skip_bad
        self._gone: set[str] = set()
        self._marked: set[str] = set()
        """What this load brought a mark of that is as late as the one here, or the first: what it holds of it still was
        stated after that."""
        self._first = store.memories.last_rowkey()
        self._done: Counter[str] = Counter()
        self._seen: Counter[str] = Counter()
        self._problems: list[str] = []
        self._waiting: list[tuple[int, list[Memory]]] = []

    def take(self, lines: Iterator[str]) -> None:
        """Take in all lines. The lines of a kind stand together, and so do the versions of a memory."""
        counts = self._manifest(lines)
        takers: Mapping[str, Callable[[Sequence[object]], None]] = {
            "occurrence": self._occurrences,
            "recalled": self._recalled,
            "tombstone": self._tombstones,
            "citation": self._citations,
            "statement": self._statements,
            "annotation": self._annotations,
            "edge": self._edges,
            "unclaimed": self._unclaimed,
            "reading": self._readings,
            "note": self._notes,
            "event": self._events,
        }
        for kind, records in itertools.groupby(self._records(lines), lambda found: found[1]):
            if kind == "memory":
                self._memories((number, value) for number, _, value in records if isinstance(value, Memory))
                continue
            while batch := [value for _, _, value in itertools.islice(records, _BATCH)]:
                takers[kind](batch)
        self._compare(counts)

    def report(self) -> Loaded:
        """Say what was done."""
        done = self._done
        return Loaded(done["inserted"], done["skipped"], done["overwritten"], done["forgotten"], tuple(self._problems))

    # -- lines

    def _manifest(self, lines: Iterator[str]) -> Mapping[str, int]:
        try:
            return record.manifest(next(lines, "").removeprefix("\ufeff"))
        except UsageError as error:
            raise UsageError(f"line 1: {error.message}", hint=error.hint) from error

    def _records(self, lines: Iterator[str]) -> Iterator[tuple[int, str, record.Record]]:
        """Yield (line number, kind, value); a kind that comes too late is a bad line."""
        reached = 0
        for number, line in enumerate(lines, 2):
            if not line or line.isspace():
                continue
            try:
                kind, value = record.read(line, self._gate)
                if (place := record.KINDS.index(kind)) < reached:
                    raise UsageError(f"a line of kind {kind} stands after one of kind {record.KINDS[reached]}")
            except UsageError as error:
                self._bad(number, error)
                continue
            reached = place
            self._seen[_COUNTED[kind]] += 1
            yield number, kind, value

    def _bad(self, number: int, error: UsageError) -> None:
        if not self._skip_bad:
            raise UsageError(f"line {number}: {error.message}", hint=error.hint) from error
        self._problems.append(f"line {number}: {error.message}")

    def _compare(self, counts: Mapping[str, int]) -> None:
        """A file that was cut short, or grew, is not what was exported; bad lines account for what they left out."""
        missing = 0
        for name in _COUNTED.values():
            told, seen = counts.get(name, 0), self._seen[name]
            missing += told - seen
            if seen > told:
                self._wrong(f"the file holds {seen} {name}, its manifest says {told}")
        if missing > len(self._problems):
            whole = sum(counts.get(name, 0) for name in _COUNTED.values())
            self._wrong(f"the file is cut short: {missing} of {whole} lines are missing")

    def _wrong(self, message: str) -> None:
        if not self._skip_bad:
            raise UsageError(message, hint="export again, or have what is bad skipped")
        self._problems.append(message)

    # -- memories

    def _memories(self, found: Iterable[tuple[int, Memory]]) -> None:
        for id, group in itertools.groupby(found, lambda pair: pair[1].id):
            pairs = list(group)
            try:
                self._check(id, [memory for _, memory in pairs])
            except UsageError as error:
                self._bad(pairs[-1][0], error)
                continue
            self._waiting.append((pairs[0][0], [memory for _, memory in pairs]))
            if len(self._waiting) == _BATCH:
                self._flush()
        self._flush()

    def _check(self, id: str, versions: Sequence[Memory]) -> None:
        numbers = [memory.version for memory in versions]
        if numbers[0] < 1 or any(later <= earlier for earlier, later in itertools.pairwise(numbers)):
            raise UsageError(f"the versions of memory {id} are not in order")
        if versions[-1].retired_at is not None or any(memory.retired_at is None for memory in versions[:-1]):
            raise UsageError(f"memory {id} has not one version in force, its last")

    def _flush(self) -> None:
        """Decide what becomes of the memories that wait, and write them."""
        ids = [versions[0].id for _, versions in self._waiting]
        known, buried = self._store.inventory.versions(ids), self._store.inventory.buried(ids)
        put: dict[str, list[Prepared]] = {}
        for number, versions in self._waiting:
            id = versions[0].id
            if id in put or any(memory.rowkey > self._first for memory in known.get(id, ())):
                self._bad(number, UsageError(f"the versions of memory {id} do not stand together"))
                continue
            done = self._outcome(versions, known.get(id), forgotten=id in buried)
            self._done[done] += 1
            if done == "overwritten":
                facts.erase(self._store, id)
                self._store.unclaimed.erase(id)
                self._store.readings.erase(id)
                self._store.memories.drop(id)
            if done in ("inserted", "overwritten"):
                put[id] = _prepared(versions)
        self._store.memories.put(itertools.chain.from_iterable(put.values()))
        self._waiting.clear()

    def _outcome(self, versions: Sequence[Memory], known: Sequence[Memory] | None, *, forgotten: bool) -> str:
        if forgotten:
            return "forgotten"
        if known is None:
            return "inserted"
        same = [replace(memory, rowkey=0) for memory in known] == list(versions)
        return "overwritten" if self._force and not same else "skipped"

    # -- what hangs on memories, and the journal

    def _written(self, ids: Iterable[str]) -> set[str]:
        """Return those ids that this load wrote: what hangs on others is theirs already."""
        return self._store.inventory.put_after(dict.fromkeys(ids), self._first)

    def _occurrences(self, batch: Sequence[object]) -> None:
        found = [value for value in batch if isinstance(value, Occurrence)]
        written = self._written(occurrence.id for occurrence in found)
        for occurrence in found:
            if occurrence.id in written:
                self._store.memories.occur(occurrence)

    def _recalled(self, batch: Sequence[object]) -> None:
        found = [value for value in batch if isinstance(value, record.Recalled)]
        written = self._written(recalled.id for recalled in found)
        self._store.memories.count_recalls(
            {recalled.id: (recalled.times, recalled.last) for recalled in found if recalled.id in written}
        )

    def _tombstones(self, batch: Sequence[object]) -> None:
        """What was forgotten elsewhere is marked here; what is here is not erased by a load."""
        found = [value for value in batch if isinstance(value, record.Tombstone)]
        ids = [tombstone.id for tombstone in found]
        live = self._store.inventory.versions(ids)
        marks = self._store.inventory.marks(ids)
        self._marked |= {each.id for each in found if each.id not in marks or marks[each.id] <= each.at}
        for tombstone in found:
            if tombstone.id not in live and self._store.facts.known(tombstone.id) is None:
                self._store.memories.bury(tombstone.id, tombstone.at)

    def _citations(self, batch: Sequence[object]) -> None:
        """An episode that sums up what was forgotten here is not brought back by its load."""
        found = [value for value in batch if isinstance(value, record.Citation) and value.episode not in self._gone]
        theirs = self._written(citation.episode for citation in found)
        marks = self._store.inventory.buried(citation.episode for citation in found)
        gone = self._store.inventory.buried(citation.memory for citation in found)
        fallen = {citation.episode for citation in found if citation.memory in gone}
        self._store.episodes.adopt(each for each in found if each.episode in (theirs | marks) - fallen)
        for episode in fallen & (theirs | marks):
            self._store.episodes.uncite(episode)
            derive.erase(self._store, episode, self._now)
            self._store.memories.erase(episode, self._now, self._store.tombstone_key())
        self._gone |= fallen

    def _statements(self, batch: Sequence[object]) -> None:
        """What a memory says comes with it; what a person stated comes once, and not where it was erased after that.

        Where the file itself has both, the mark and the statement, it was stated anew, and so was what is later than
        the mark that is here.
        """
        found = [value for value in batch if isinstance(value, Statement)]
        written = self._written(each.memory for each in found if each.memory is not None)
        marks = self._store.inventory.marks(slots.id_of(each) for each in found if each.memory is None)
        erased = {id: at for id, at in marks.items() if id not in self._marked}
        kept = [
            each
            for each in found
            if (each.memory in written if each.memory else erased.get(slots.id_of(each), each.at - 1) < each.at)
        ]
        placed = [(slots.slot_of(each), each) for each in kept]
        known = self._store.facts.statements(where for where, each in placed if each.memory is None)
        fresh = [
            (where, each)
            for where, each in placed
            if each.memory is not None or each not in [replace(told, rowkey=0) for told in known.get(where, ())]
        ]
        self._store.facts.state(fresh)
        facts.rebuild(self._store, [where for where, _ in fresh])

    def _annotations(self, batch: Sequence[object]) -> None:
        found = [value for value in batch if isinstance(value, Annotation)]
        written = self._written(annotation.memory for annotation in found)
        self._store.graph.annotate(annotation for annotation in found if annotation.memory in written)

    def _edges(self, batch: Sequence[object]) -> None:
        """A link comes with either of its ends, where the other one is here, too."""
        found = [value for value in batch if isinstance(value, Edge)]
        ends = dict.fromkeys(end for edge in found for end in (edge.source, edge.target))
        written, known = self._written(ends), self._store.inventory.versions(ends)
        self._store.graph.link(
            edge
            for edge in found
            if {edge.source, edge.target} & written and {edge.source, edge.target} <= known.keys()
        )

    def _unclaimed(self, batch: Sequence[object]) -> None:
        found = [value for value in batch if isinstance(value, record.Unclaimed)]
        written = self._written(waiting.memory for waiting in found)
        self._store.unclaimed.leave(waiting for waiting in found if waiting.memory in written)

    def _readings(self, batch: Sequence[object]) -> None:
        found = [value for value in batch if isinstance(value, record.Reading)]
        written = self._written(waiting.memory for waiting in found)
        theirs = [waiting for waiting in found if waiting.memory in written]
        self._store.readings.want(((waiting.memory, waiting.said) for waiting in theirs), self._now)
        for waiting in theirs:
            self._store.readings.reach(waiting.memory, 0, waiting.reached)

    def _notes(self, batch: Sequence[object]) -> None:
        """A note that the session has stays as it is, unless by force."""
        notes = Notes(self._store.connection, self._store.bank, self._store.sql)
        found = [value for value in batch if isinstance(value, Note)]
        notes.put(note for note in found if self._force or not notes.has(note.session_id, note.id))

    def _events(self, batch: Sequence[object]) -> None:
        self._store.journal.adopt(value for value in batch if isinstance(value, Event) and value.verb != LOADED)


def _prepared(versions: Sequence[Memory]) -> list[Prepared]:
    """Derive what search sees; versions with the same text share it."""
    made: list[Prepared] = []
    for memory in versions:
        if made and made[-1].memory.searchable == memory.searchable and made[-1].memory.content == memory.content:
            made.append(replace(made[-1], memory=memory))
        else:
            made.append(analysed(memory))
    return made


def _opened(lines: Path | Iterable[str]) -> AbstractContextManager[Iterator[str]]:
    if not isinstance(lines, Path):
        return nullcontext(iter(lines))
    try:
        # Bytes that are no UTF-8 become halves of characters, which the write gate refuses with the line's number.
        return lines.open(encoding="utf-8", errors="surrogateescape", newline="\n")
    except FileNotFoundError as error:
        raise NotFoundError(f"there is no file {lines}") from error
    except OSError as error:
        raise StorageError(f"{lines} cannot be read: {error.strerror}") from error
