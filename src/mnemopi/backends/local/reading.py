"""Do a job of stage 1: read one past session, and write down what came of it in one step with the end of the job."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from mnemopi.backends import transcript
from mnemopi.backends.local import accounts, pieces, scanning
from mnemopi.backends.local.accounts import Known, Notes
from mnemopi.backends.local.heart import Lost
from mnemopi.backends.local.kit import ATTEMPTS, DOCUMENTS, Kit
from mnemopi.errors import NotFoundError
from mnemopi.ingest.answers import BadAnswer
from mnemopi.model.session import Message
from mnemopi.storage.jobs import Claim
from mnemopi.storage.sessions import Account


class Stopped(Exception):
    """Somebody asked to stop; what is done so far is kept."""


def read(kit: Kit, claim: Claim, scope: str, stop: Callable[[], bool]) -> None:
    """Read a session. Raises what reading or the language model raises, Lost and Stopped."""
    messages = _messages(kit, claim.key, scope)
    if messages is None:
        kit.file.jobs.drop(claim.kind, claim.key)
        return
    if kit.asker is None:
        put(kit, claim, scope, accounts.by_rules(messages, kit.zone), "rules")
        return
    parts = list(pieces.pieces(messages, kit.asker.limit))

    def keep(digest: str, notes: str) -> None:
        if not kit.heart.is_ours(claim):
            raise Lost
        kit.file.sessions.piece(claim.key, digest, notes)
        if stop():
            raise Stopped

    known = Known(kit.file.sessions.pieces(claim.key), keep)
    notes, used = accounts.by_model(kit.asker, parts, known)
    put(kit, claim, scope, notes, "llm", used)


def put(
    kit: Kit, claim: Claim, scope: str, notes: Notes, method: str, used: frozenset[str] = frozenset(), why: str = ""
) -> None:
    """Write down what came of a session and end its job, or with a reason `why` let it fail. Raises Lost."""
    file, now = kit.file, kit.clock()
    with file.transaction():
        pause = round(kit.config.stage1_retry_delay_seconds * 1000)
        if not (file.jobs.fail(claim, now, why, pause) if why else file.jobs.end(claim, now)):
            raise Lost
        before = file.sessions.account(claim.key)
        account = Account(
            claim.key,
            scope,
            scanning.changed_at(claim.wanted),
            method,
            None if notes.is_empty else notes.slug,
            "" if notes.is_empty else notes.summary,
            "" if notes.is_empty else notes.memory,
            max(now, before.made_at + 1 if before else 0),
        )
        file.sessions.drop_pieces(claim.key, used)
        if before is not None and (before.summary, before.memory) == (account.summary, account.memory):
            file.sessions.put(replace(account, taken=before.taken))
        elif before is not None or account.memory:
            file.sessions.put(account)
            file.jobs.want_more(DOCUMENTS, scope, scope, now)


def failed(kit: Kit, claim: Claim, scope: str, error: Exception) -> None:
    """Let a session that could not be read wait; at the last attempt rules read it, so that nothing stated is lost."""
    why = f"the answer cannot be used: {error}" if isinstance(error, BadAnswer) else str(error)
    if claim.attempt < ATTEMPTS or (messages := _messages(kit, claim.key, scope)) is None:
        kit.file.jobs.fail(claim, kit.clock(), why, round(kit.config.stage1_retry_delay_seconds * 1000))
        return
    put(kit, claim, scope, accounts.by_rules(messages, kit.zone), "rules", why=why)


def _messages(kit: Kit, session: str, scope: str) -> list[Message] | None:
    """Return what was said in a session since its project's memory was cleared; None where its file is gone."""
    found = kit.file.sessions.file(session)
    cleared = kit.file.sessions.cleared_at(scope)
    try:
        said = None if found is None else list(transcript.read(found[0]).messages())
    except NotFoundError:
        return None
    return said if said is None else [each for each in said if each.at is None or each.at > cleared]
