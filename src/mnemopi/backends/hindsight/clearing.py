"""Taking away what lies in a session's scope, on the server and here, and bringing it back for a week.

What is taken is written to a file of this machine first, documents with their texts. A document whose text the server
does not have stays: it could not be brought back. The server derives its memories from documents, so that they go
with them; after an undo it reads the documents anew. A session may have gone on meanwhile, under the same name: what
comes back joins what is there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Final

from mnemopi.backends import files
from mnemopi.backends.hindsight import capture
from mnemopi.backends.hindsight.ledger import Kept, Parcel, mark
from mnemopi.backends.hindsight.scope import Scope
from mnemopi.backends.hindsight.sessions import Sessions
from mnemopi.errors import NotFoundError, RefusedError
from mnemopi.model.session import Cleared, SessionRef

WEEK_MS: Final = 7 * 86_400_000
_PAGE: Final = 100
_HOW: Final = "mnemopi memory undo"


def clear(sessions: Sessions, session: SessionRef, *, dry_run: bool) -> Cleared:
    """Delete the documents of the scope, and what waits to join them. Raises ProviderError."""
    here = sessions.scope(session)
    if not dry_run:
        sessions.seal_all(here)
    names = [str(each["id"]) for each in _listed(sessions, here)]
    parcels = [parcel for _, kept in sessions.ledger.sessions() for parcel in kept.parcels if _is_of(parcel, here)]
    lines = [
        f"documents in {here.described} at {sessions.client.host}: {len(names)}",
        f"parcels waiting for it here: {len(parcels)}",
    ]
    if dry_run:
        return Cleared((*lines, "the copy is kept for a week; after an undo the server reads the documents anew"))
    _purge(sessions)
    documents = [each for name in names if (each := _document(sessions, here, name)) is not None]
    copy = _folder(sessions) / f"{mark(_key(here))}-{sessions.clock()}.json"
    saved = {"scope": _key(here), "documents": documents, "parcels": [asdict(each) for each in parcels]}
    files.write_json(copy, saved)
    for each in documents:
        _deleted(sessions, here, str(each["document_id"]))
    for name, _ in sessions.ledger.sessions():
        sessions.ledger.change_named(name, lambda kept: _emptied(kept, here))
    left = len(names) - len(documents)
    more = [f"documents left there, since the server does not give their text: {left}"] if left else []
    return Cleared((*lines, *more), done=True, undo=_HOW, until=sessions.clock() + WEEK_MS)


def undo(sessions: Sessions, session: SessionRef) -> Cleared:
    """Put what the last `clear` took into the ledger again, and send it. Raises NotFoundError."""
    here = sessions.scope(session)
    _purge(sessions)
    found = sorted(_folder(sessions).glob(f"{mark(_key(here))}-*.json"), key=_at)
    saved = files.read_json(found[-1]) if found else None
    if saved is None:
        raise NotFoundError("nothing that was cleared here can be brought back", hint="a copy is kept for a week")
    parcels = [Parcel(**{**each, "items": tuple(each["items"])}) for each in saved["parcels"]]
    documents = [
        Parcel(f"{found[-1].stem}\n{each['document_id']}", here.bank, (_joining(each),), sessions.clock())
        for each in saved["documents"]
    ]
    known = {parcel.key for parcel in sessions.ledger.read(session).parcels}
    more = tuple(parcel for parcel in (*documents, *parcels) if parcel.key not in known)
    sessions.ledger.change(session, lambda kept: replace(kept, parcels=(*kept.parcels, *more)))
    found[-1].unlink(missing_ok=True)
    sent = sessions.flush(sessions.config.retain_timeout_ms / 1000, force=True)
    waits = [f"still to be sent: {sent.waiting}"] if sent.waiting else []
    return Cleared((f"documents sent again: {len(documents)}", f"parcels put back: {len(parcels)}", *waits), done=True)


def _listed(sessions: Sessions, here: Scope) -> Iterator[Mapping[str, Any]]:
    """Yield the documents of a scope: those with its tag, or all of its bank."""
    offset = 0
    tags = {"tags": list(here.tags), "tags_match": "all_strict"} if here.tags else {}
    timeout = sessions.config.request_timeout_ms / 1000
    while True:
        query = {"limit": _PAGE, "offset": offset, **tags}
        reply = sessions.client.send("GET", here.bank, "documents", query=query, timeout=timeout)
        if reply.status == 404:
            return
        if not reply.is_good:
            raise sessions.client.error("list documents", reply)
        items = reply.value.get("items") or []
        yield from items
        offset += len(items)
        if len(items) < _PAGE:
            return


def _document(sessions: Sessions, here: Scope, name: str) -> dict[str, Any] | None:
    """Return a document as an item to retain; None where it is gone, or has no text."""
    timeout = sessions.config.request_timeout_ms / 1000
    try:
        told = sessions.client.ask("read document", "GET", here.bank, "documents", name, timeout=timeout)
    except RefusedError as error:
        if error.status == 404:
            return None
        raise
    if not told.get("original_text"):
        return None
    with_ = told.get("retain_params") or {}
    return {
        "content": told["original_text"],
        "document_id": name,
        "context": with_.get("context") or sessions.config.retain_context,
        "timestamp": with_.get("event_date") or with_.get("timestamp") or told.get("created_at"),
        "metadata": {str(key): str(value) for key, value in (told.get("document_metadata") or {}).items()},
        "tags": told.get("tags") or [],
    }


def _joining(document: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a document as one that replaces nothing, whatever is said under its name until it is sent.

    A lesson's name is made of its text: one that was told again is the same.
    """
    is_lesson = str(document["document_id"]).startswith(capture.LESSON)
    return document if is_lesson else {**document, "update_mode": "append"}


def _deleted(sessions: Sessions, here: Scope, name: str) -> None:
    timeout = sessions.config.request_timeout_ms / 1000
    reply = sessions.client.send("DELETE", here.bank, "documents", name, timeout=timeout)
    if not reply.is_good and reply.status != 404:
        raise sessions.client.error("delete document", reply)


def _emptied(kept: Kept, here: Scope) -> Kept:
    """Return a session without what waits for a scope; what was seen stays seen."""
    is_here = (kept.bank, kept.tags) == (here.bank, here.tags)
    parcels = tuple(parcel for parcel in kept.parcels if not _is_of(parcel, here))
    return replace(kept, parcels=parcels, open=() if is_here else kept.open, before=() if is_here else kept.before)


def _is_of(parcel: Parcel, here: Scope) -> bool:
    return parcel.bank == here.bank and all(tuple(item.get("tags", ())) == here.tags for item in parcel.items)


def _purge(sessions: Sessions) -> None:
    """Delete copies whose week is over."""
    for path in _folder(sessions).glob("*.json"):
        if _at(path) + WEEK_MS < sessions.clock():
            path.unlink(missing_ok=True)


def _at(path: Path) -> int:
    return int(path.stem.rpartition("-")[2])


def _folder(sessions: Sessions) -> Path:
    return files.folder(sessions.folder / "cleared")


def _key(here: Scope) -> str:
    return "\n".join((here.bank, *here.tags))
