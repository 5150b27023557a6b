"""Look for past sessions: which files there are, whose they are, and which are worth reading now."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from mnemopi.agent_settings import MemoriesConfig
from mnemopi.backends import transcript, transcript_files
from mnemopi.backends.local.kit import DOCUMENTS, SESSION
from mnemopi.backends.transcript_files import SessionFile
from mnemopi.errors import MnemopiError
from mnemopi.model.session import SessionRef
from mnemopi.model.values import dataclass
from mnemopi.storage.agent import AgentFile
from mnemopi.storage.sessions import Account, PastSession

_HOUR_MS: Final = 3_600_000
_DAY_MS: Final = 24 * _HOUR_MS


@dataclass(frozen=True, slots=True)
class Seeing:
    """What a scan is made with: the settings, the folders of hosts, how to name scopes, and whether a model reads."""

    config: MemoriesConfig
    folders: Mapping[str, Path]
    scope_of: Callable[[str], str]
    has_model: bool


def scan(file: AgentFile, seeing: Seeing, scope: str, active: SessionRef, now: int, idle_hours: float) -> None:
    """Let the past sessions of a scope be read: those that rest, are not too old, and changed since they were read.

    `active` is the session that goes on now. What a model has not read yet waits again where there is one.
    """
    found = transcript_files.newest(seeing.folders, seeing.config.thread_scan_limit)
    mine = [each for each in _known(file, seeing, found) if each.scope == scope and not _is(each, active)]
    newest, oldest = now - _hours(idle_hours), now - _days(seeing.config.max_rollout_age_days)
    cleared = file.sessions.cleared_at(scope)
    with file.transaction():
        for each in mine:
            _moved(file, each.session, scope, now)
            if _is_read(file.sessions.account(each.session), each, seeing.has_model):
                continue
            if oldest <= each.changed_at <= newest and each.changed_at > cleared:
                file.jobs.want(SESSION, each.session, scope, wanted(each.changed_at, seeing.has_model), now)


def wanted(changed_at: int, has_model: bool) -> int:
    """Return how much is wanted of a session: more when it changed, and more when a model may read it."""
    return 2 * changed_at + has_model


def changed_at(wanted: int) -> int:
    """Return when a session had changed of which so much is wanted (UTC ms)."""
    return wanted // 2


def _known(file: AgentFile, seeing: Seeing, found: list[SessionFile]) -> list[PastSession]:
    """Look into the heads of files that are new or have changed; subagents' sessions are their parents' business."""
    known = file.sessions.known()
    sessions, fresh = [], []
    for each in found:
        before = known.get(str(each.path))
        if before is not None and (before.changed_at, before.size) == (each.changed, each.size):
            told = (before.session, before.cwd)
        else:
            told = _headed(each)
        scope = seeing.scope_of(told[1]) if told[1] else ""
        session = PastSession(str(each.path), told[0], scope, told[1], each.changed, each.size)
        sessions.append(session)
        if session != before:
            fresh.append(session)
    file.sessions.seen(fresh)
    there = {str(each.path) for each in found}
    for path in known.keys() - there:
        if not os.path.lexists(path):
            file.sessions.gone(path)
    return [each for each in sessions if each.cwd]


def _headed(file: SessionFile) -> tuple[str, str]:
    """Return the session and folder that a file's head tells; no folder for a subagent, or where it tells nothing."""
    try:
        header = transcript.header(file.path)
    except MnemopiError:
        header = None
    if header is None:
        return f"{file.host}:{file.path.stem}", ""
    return f"{header.host}:{header.id}", "" if header.parent else header.cwd


def _moved(file: AgentFile, session: str, scope: str, now: int) -> None:
    """Let what came of a session follow it into the project that its own became part of."""
    account = file.sessions.account(session)
    if account is not None and account.scope != scope:
        file.sessions.put(replace(account, scope=scope, taken=False))
        file.jobs.want_more(DOCUMENTS, scope, scope, now)


def _is_read(account: Account | None, session: PastSession, has_model: bool) -> bool:
    """Whether what came of a session is known as well as it can be."""
    if account is None or account.changed_at < session.changed_at:
        return False
    return account.method == "llm" or not has_model


def _is(past: PastSession, active: SessionRef) -> bool:
    """Whether a file is the session's own; hosts do not always call themselves as their files are called."""
    return past.path == active.transcript or past.session.partition(":")[2] == active.id


def _hours(hours: float) -> int:
    return round(hours * _HOUR_MS)


def _days(days: float) -> int:
    return round(days * _DAY_MS)
