"""Examine one bank and what surrounds it, and say what is wrong: counts and paths, never content.

Each check is one function and one line of the report. `warn` is what a person should know, `fail` what must not be.
Nothing is repaired here, and no bank is made.
"""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

from mnemopi import config as settings
from mnemopi.config import Config
from mnemopi.consolidation import health
from mnemopi.errors import MnemopiError, NotFoundError
from mnemopi.ingest import settle
from mnemopi.model.interval import iso
from mnemopi.model.values import dataclass
from mnemopi.ports import Embedder
from mnemopi.storage import schema
from mnemopi.storage.banks import DEFAULT, FILE, Banks
from mnemopi.storage.peek import peek
from mnemopi.storage.store import Store
from mnemopi.text import tokens

Status: TypeAlias = Literal["ok", "warn", "fail"]
_DAY_MS: Final = 86_400_000
_LITTLE_SPACE: Final = 100_000_000
"""Bytes free below which a bank may soon be unable to grow."""


@dataclass(frozen=True, slots=True)
class Check:
    """One finding."""

    name: str
    status: Status
    detail: str

    def as_dict(self) -> dict[str, Any]:
        """Render the finding for programs."""
        return {"name": self.name, "status": self.status, "detail": self.detail}


@dataclass(frozen=True, slots=True)
class Report:
    """All findings, in a fixed order."""

    checks: tuple[Check, ...]

    @property
    def healthy(self) -> bool:
        """Whether nothing failed."""
        return all(check.status != "fail" for check in self.checks)

    def as_dict(self) -> dict[str, Any]:
        """Render the report for programs."""
        return {"healthy": self.healthy, "checks": [check.as_dict() for check in self.checks]}


def diagnose(config: Config, banks: Banks, name: str, now: int, embedder: Embedder | None) -> Report:
    """Examine a bank by name. Opens it as any command does; never raises for what it finds."""
    checks: list[Check] = []
    try:
        with closing(_opened(banks, name, now)) as store:
            checks.append(Check("file", "ok", f"{store.path}, {'writable' if store.writable else 'read only'}"))
            checks += _within(store, config, embedder, now)
    except MnemopiError as error:
        checks.append(Check("file", "fail", str(error)))
    if not banks.in_memory:
        checks += _around(config, banks, _file_of(banks, name, now))
    refused = settings.refused_in()
    detail = "; ".join(f"{key}: {why}" for key, why in sorted(refused.items()))
    checks.append(Check("settings", "warn" if refused else "ok", detail or "none is set that has no effect"))
    return Report(tuple(checks))


def _opened(banks: Banks, name: str, now: int) -> Store:
    if name == DEFAULT and not banks.in_memory and not banks.default_file.exists():
        raise NotFoundError(f"{banks.default_file} is not there", hint="the first memory makes it")
    return banks.open(name, now, create=False)


def _file_of(banks: Banks, name: str, now: int) -> Path | None:
    if name == DEFAULT:
        return banks.default_file
    try:
        folder = banks.folder_of(name)
    except MnemopiError:
        return None
    return folder / FILE if folder else None


# -- what the bank says


def _within(store: Store, config: Config, embedder: Embedder | None, now: int) -> Iterator[Check]:
    """Run the checks that ask the database; one that cannot be answered is a failure, not the end."""
    asked: dict[str, Callable[[], Check]] = {
        "schema": lambda: _schema(store),
        "integrity": lambda: _integrity(store),
        "search": lambda: _search(store),
        "vectors": lambda: _vectors(store, embedder, now),
        "orphans": lambda: _orphans(store),
        "graph": lambda: _graph(store),
        "writes": lambda: _writes(store, now),
        "sleep": lambda: _sleep(store, config, now),
        "erasure": lambda: _erasure(store),
    }
    for name, ask in asked.items():
        try:
            yield ask()
        except MnemopiError as error:
            yield Check(name, "fail", str(error))


def _schema(store: Store) -> Check:
    found, known = store.schema(), len(schema.steps())
    detail = f"schema {found}, application id as it should be"
    return Check("schema", "ok" if found == known else "warn", detail if found == known else f"{detail}; now {known}")


def _integrity(store: Store) -> Check:
    found = store.integrity()
    return Check("integrity", "fail" if found else "ok", f"{len(found)} faults: {found[0]}" if found else "no faults")


def _search(store: Store) -> Check:
    indexed, stray, missing = store.inventory.search_rows()
    detail = f"{indexed} versions indexed, {missing} not, {stray} rows without a version"
    if stray or missing:
        return Check("search", "fail", detail)
    if store.meta.get("analyzer") != tokens.ANALYZER:
        return Check("search", "warn", f"{detail}; by an older analyzer, `mnemopi settle` renews it")
    return Check("search", "ok", detail)


def _vectors(store: Store, embedder: Embedder | None, now: int) -> Check:
    models = ", ".join(f"{model} {count}" for model, count in store.vectors.models().items()) or "none stored"
    if embedder is None:
        return Check("vectors", "ok", f"no embedder; vectors: {models}")
    pending, oldest = settle.pending(store, embedder)
    live = store.memories.count()
    refused = len(settle.refused(store, embedder.name))
    detail = f"{live - pending - refused} of {live} memories have vectors of {embedder.name}; vectors: {models}"
    if refused:
        detail = f"{detail}; {refused} texts were refused by the embedder"
    if not pending:
        return Check("vectors", "warn" if refused else "ok", detail)
    waiting = f"{pending} wait, the oldest for {_ago(now - (oldest or now))}; `mnemopi settle` works them off"
    return Check("vectors", "warn", f"{detail}; {waiting}")


def _orphans(store: Store) -> Check:
    vectors, passages, occurrences, recalls = lost = store.inventory.orphans()
    detail = f"{vectors} vectors, {passages} passages, {occurrences} occurrences, {recalls} counts without a memory"
    return Check("orphans", "fail" if any(lost) else "ok", detail)


def _graph(store: Store) -> Check:
    annotations, edges = store.graph.counts()
    lost, cut = store.graph.loose()
    detail = f"{annotations} annotations, {edges} links; {lost} and {cut} of them without a memory"
    return Check("graph", "fail" if lost or cut else "ok", detail)


def _writes(store: Store, now: int) -> Check:
    last, lately = store.journal.last_write(now - _DAY_MS)
    if last is None:
        return Check("writes", "ok", "no writes yet")
    told = f"{lately} in the last day" if lately else f"no writes since {iso(last)}"
    return Check("writes", "ok", f"{told}, the last {_ago(now - last)} ago")


def _sleep(store: Store, config: Config, now: int) -> Check:
    state = health.health(store, config.sleep, now)
    return Check("sleep", "warn" if state.status in ("failing", "stale") else "ok", state.words)


def _erasure(store: Store) -> Check:
    if store.is_erasing:
        return Check(
            "erasure",
            "warn",
            "erased text may still be in the files: a reader has them open, or they cannot be cleaned",
        )
    return Check("erasure", "ok", f"nothing waits; {store.inventory.forgotten()} memories were forgotten")


# -- what the disk says


def _around(config: Config, banks: Banks, file: Path | None) -> Iterator[Check]:
    yield _others(banks, file)
    if file is not None and file.exists():
        yield _modes(config, banks, file)
        yield _lock(file)
    folders = [folder for folder in (file.parent if file else None, config.backup_dir) if folder is not None]
    yield _leftovers(folders)
    yield _space(file.parent if file else banks.default_file.parent)


def _others(banks: Banks, file: Path | None) -> Check:
    """A damaged bank has no name, so that no list shows it: its file tells."""
    found = [path for path in sorted((banks.default_file.parent / "banks").glob(f"*/{FILE}")) if path != file]
    faults = []
    for path in found:
        try:
            peek(path)
        except MnemopiError as error:
            faults.append(error.message)
    detail = "; ".join([f"{len(found)} other banks, {len(faults)} of them cannot be read", *faults[:3]])
    return Check("other banks", "fail" if faults else "ok", detail)


def _modes(config: Config, banks: Banks, file: Path) -> Check:
    """Files are for their owner. So is a folder that we made; of another, only that no one else writes there."""
    if os.name != "posix":
        return Check("modes", "ok", "not to be had on this system")
    ours = file.parent == config.data_dir.absolute() or file != banks.default_file
    wrong: list[str] = []
    loose: list[str] = []
    for path in (file, *(Path(f"{file}{end}") for end in ("-wal", "-shm", ".lock"))):
        if path.exists() and _mode(path) & 0o077:
            wrong.append(f"{path} is {_mode(path):04o}, should be 0600")
    if (mode := _mode(file.parent)) & 0o077:
        words = f"{file.parent} is {mode:04o}, should be 0700"
        (wrong if ours or (mode & 0o022 and not mode & stat.S_ISVTX) else loose).append(words)
    status: Status = "fail" if wrong else "warn" if loose else "ok"
    return Check("modes", status, "; ".join(wrong + loose) or "files and folder are private")


def _lock(file: Path) -> Check:
    lock = Path(f"{file}.lock")
    if lock.is_file():
        return Check("lock", "ok", str(lock))
    return Check(
        "lock", "warn", f"{lock} is {'no file' if lock.exists() else 'not there'}: nobody sees who has it open"
    )


def _leftovers(folders: list[Path]) -> Check:
    """Working files end with the work; one that stays was left by a crash, or belongs to somebody at work."""
    found = sorted({str(path) for folder in folders for end in ("*.part", "*.restoring*") for path in folder.glob(end)})
    if not found:
        return Check("leftovers", "ok", "no unfinished files")
    return Check("leftovers", "warn", f"{len(found)} unfinished files: {', '.join(found[:3])}")


def _space(folder: Path) -> Check:
    while not folder.exists():
        folder = folder.parent
    free = shutil.disk_usage(folder).free
    return Check("space", "warn" if free < _LITTLE_SPACE else "ok", f"{free / 1e6:,.0f} MB free")


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def _ago(ms: int) -> str:
    """Write a stretch of time in its largest unit."""
    for unit, size in (("days", _DAY_MS), ("hours", 3_600_000), ("minutes", 60_000)):
        if ms >= 2 * size:
            return f"{ms // size} {unit}"
    return f"{max(0, ms) // 1000} seconds"
