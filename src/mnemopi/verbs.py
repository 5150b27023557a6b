"""What an engine passes on to the bank that it works on, unchanged.

Only words stand here: what each verb does, its bank says. What needs more than the bank is in `engine`.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mnemopi.bank import Bank
from mnemopi.ingest.draft import When
from mnemopi.model.memory import Erasure, Event, Loaded, Memory, Occurrence, Receipt, Settled

if TYPE_CHECKING:
    from mnemopi.doors.facts import FactDoor
    from mnemopi.doors.graph import GraphDoor
    from mnemopi.doors.scratchpad import Scratchpad
    from mnemopi.maintenance import backup as backups
    from mnemopi.model.doubt import Contaminated
    from mnemopi.model.sleep import Health, Slept
    from mnemopi.transfer.cargo import Taken


class Verbs:
    """The verbs of `Mnemopi` that are its bank's."""

    bank: Bank

    @property
    def facts(self) -> FactDoor:
        """What is known: `assert_`, `list`, `get`, `end`, `prefer`, `conflicts`, `reconcile`."""
        return self.bank.facts

    @property
    def graph(self) -> GraphDoor:
        """What ties memories together: `link`, `related`, `path`, `annotate`, `annotations`, `entities` ..."""
        return self.bank.graph

    @property
    def scratchpad(self) -> Scratchpad:
        """The working paper of this session: `write`, `read`, `clear`. What stands there is no memory."""
        return self.bank.scratchpad

    def pin(self, id: str) -> Receipt:
        """Make a memory part of `context` always, before all others."""
        return self.bank.pin(id)

    def unpin(self, id: str) -> Receipt:
        """Make a memory part of `context` only where it is asked for."""
        return self.bank.unpin(id)

    def validate(
        self, id: str, action: str, *, validator: str, reason: str | None = None, content: str | None = None
    ) -> Receipt | Erasure:
        """Let somebody vouch for a memory, correct it, hide it or erase it, and keep who that was and why.

        `action` is attest (what is believed becomes true, anything else stated, and trust is the highest), update (to
        `content`), invalidate or delete. Raises UsageError, NotFoundError and ConflictError.
        """
        return self.bank.validate(id, action, validator=validator, reason=reason, content=content)

    def contaminated(self, limit: int = 50, min_importance: float = 0.0) -> list[Contaminated]:
        """Return the episodes and facts that rest on weak sources, with which and why, the most important first.

        Weak is what a tool wrote, what was imported, inferred, contested or false, what no longer holds, and what was
        forgotten.
        """
        return self.bank.contaminated(limit, min_importance)

    def history(self, id: str) -> list[Event]:
        """Return what happened to a memory or fact, the oldest first: who did what, when and why."""
        return self.bank.history(id)

    def undo(self, id: str, *, reason: str | None = None) -> Receipt:
        """Take back the last change of a memory: the version before is in force again, as a new one.

        Undoing again goes further back. Raises ConflictError for a memory as it was first stored, and for a forgotten
        one; NotFoundError where there is none.
        """
        return self.bank.undo(id, reason=reason)

    def events(self, after: str | None = None, limit: int = 1000) -> list[Event]:
        """Return the journal in the order in which it was written, after the event whose `cursor` is given."""
        return self.bank.events(after, limit)

    def update(
        self,
        id: str,
        content: str | None = None,
        importance: float | None = None,
        *,
        pinned: bool | None = None,
        expected_version: int | None = None,
    ) -> Receipt:
        """Replace text and/or importance by a new version; what depended on the old text is derived anew.

        `expected_version` is the version that was read: ChangedError where another has been written since.
        Raises NotFoundError, and UsageError where there is nothing to change.
        """
        return self.bank.update(id, content, importance, pinned=pinned, expected_version=expected_version)

    def invalidate(
        self,
        id: str,
        replacement: str | None = None,
        *,
        reason: str | None = None,
        expected_version: int | None = None,
    ) -> Receipt:
        """Hide a memory from recall from now on; `replacement` names the existing memory that supersedes it.

        `get` still shows it, with `valid_until` and `superseded_by`. `expected_version` as in `update`. Raises
        NotFoundError and ConflictError.
        """
        return self.bank.invalidate(id, replacement, reason=reason, expected_version=expected_version)

    def forget(self, id: str, *, expected_version: int | None = None) -> Erasure:
        """Erase a memory for good: all versions, search rows and vectors. This cannot be undone.

        `expected_version` as in `update`.
        The receipt says `erased`, or `pending` with what still holds the bytes (a reader, a backup).
        """
        return self.bank.forget(id, expected_version=expected_version)

    def get(self, id: str, *, version: int | None = None, as_of: When | None = None) -> Memory | None:
        """Return a memory whole, also an invalidated one; None where there is none that the caller may see."""
        return self.bank.get(id, version=version, as_of=as_of)

    def occurrences(self, id: str) -> list[Occurrence]:
        """Return the further times that a note was stated, the earliest first. Raises NotFoundError."""
        return self.bank.occurrences(id)

    def page(self, after: int = 0, limit: int = 100, **filters: Any) -> list[Memory]:
        """Return whole memories in the order of their recording, up to `limit` after the one whose `rowkey` is given.

        Filters are those of `recall`: `session_id`, `kind`, `source`, `from_date` ... An update moves a memory to the
        end. Raises UsageError.
        """
        return self.bank.page(after, limit, **filters)

    def settle(self, limit: int | None = None) -> Settled:
        """Work off what is pending (vectors of the current model, search rows), up to `limit` memories.

        Where a language model is set, it reads what was remembered to be read by it, within its budget.
        """
        return self.bank.settle(limit)

    def sleep(self, dry_run: bool = False) -> Slept:
        """Sum up what waits in this session in episodes that cite it; a dry run only says what would be done.

        What waits in other sessions is counted (`elsewhere`), and is the work of `sleep_all_sessions`.
        """
        return self.bank.sleep(dry_run)

    def sleep_all_sessions(self, dry_run: bool = False) -> Slept:
        """Sum up what waits in every session. Sessions that another process is at are left to it."""
        return self.bank.sleep_all_sessions(dry_run)

    def consolidate(self, ids: Iterable[str], summary: str | None = None) -> Receipt:
        """Make an episode of given memories, in given words or their own. ConflictError for a mixed audience."""
        return self.bank.consolidate(ids, summary)

    def restore_detail(self, id: str) -> Receipt:
        """Tell an episode that was shortened with age in full again, from its sources."""
        return self.bank.restore_detail(id)

    def health(self, stale_hours: float = 24.0) -> Health:
        """Say whether sleep runs: the last success, what waits and since when, and the last error."""
        return self.bank.health(stale_hours)

    def export(self, target: str | Path) -> dict[str, int]:
        """Write everything of the bank to a file of JSON lines, and return the counts of its manifest.

        Export, load into an empty bank, export again gives the same bytes.
        """
        return self.bank.export(target)

    def export_mnemopi(self, target: str | Path) -> dict[str, int]:
        """Write live memories and notes as the JSON document that the TypeScript engine imports; return row counts.

        It has no place for former versions, occurrences, facts and the graph; `export` has.
        """
        return self.bank.export_mnemopi(target)

    def take_over(
        self, system: str, source: str | Path | None = None, *, keep_scope: bool = False, dry_run: bool = False
    ) -> Taken:
        """Take in what another system remembers, all or nothing; its files are only read.

        `system` is mnemopi (TypeScript), mnemosyne, mem0, letta, zep, claude-mem, basic-memory or markdown; without
        `source` it is looked for where it usually lies. What is here already stays as it is, what was forgotten here
        stays forgotten. A session's scope there becomes the bank's, unless `keep_scope`. Raises UsageError,
        NotFoundError and StorageError kinds.
        """
        return self.bank.take_over(system, source, keep_scope=keep_scope, dry_run=dry_run)

    def load(self, source: str | Path | Iterable[str], *, force: bool = False, skip_bad: bool = False) -> Loaded:
        """Take in an export, all or nothing. Known ids are skipped (`force`: overwritten); forgotten ones stay so.

        A bad line raises UsageError with its number; `skip_bad` leaves it out and reports it.
        """
        return self.bank.load(source, force=force, skip_bad=skip_bad)

    def backup(self, folder: str | Path | None = None) -> backups.Backup:
        """Copy the bank's file while it is in use, verify the copy, and keep the newest MNEMOPI_BACKUP_KEEP."""
        return self.bank.backup(folder)
