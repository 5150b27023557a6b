"""To read and change what stands under an id: the first bank of the session that has it counts.

A fact is derived from what was stated, and an episode from its sources: neither is reworded here. Both may be hidden,
and an episode may be erased.
"""

from __future__ import annotations

from collections.abc import Iterable

from mnemopi.backends import framing, stripping
from mnemopi.bank import Bank
from mnemopi.engine import Mnemopi
from mnemopi.errors import UsageError
from mnemopi.model.fact import Fact
from mnemopi.model.memory import Memory, Receipt
from mnemopi.model.session import Edit, Edited, EditOutcome, Entry
from mnemopi.retrieval import render


def entry(engines: Iterable[Mnemopi], id: str) -> Entry | None:
    """Return the first entry with an id."""
    for engine in engines:
        if (kept := _kept(engine.bank, id)) is not None:
            return Entry(engine.bank.name, kept)
    return None


def edit(engines: Iterable[Mnemopi], change: Edit) -> Edited:
    """Change the first entry with an id that can be changed so; else say why, and where it lies."""
    change = checked(change)
    refused: Edited | None = None
    for engine in engines:
        kept = _kept(engine.bank, change.id)
        if kept is None:
            continue
        found = Entry(engine.bank.name, kept)
        if _may(change, kept):
            return _done(engine.bank, found, change)
        refused = refused or Edited("not_editable", change.id, found.bank, found.store, kept.version)
    return refused or Edited("not_found", change.id)


def checked(change: Edit) -> Edit:
    """Return a change with its text as it may be kept. Raises UsageError for one that says nothing."""
    if not change.id.strip():
        raise UsageError("an edit names the id of a memory", hint="recall shows ids")
    if change.verb != "update":
        return change
    if change.content is None:
        if change.importance is None:
            raise UsageError("an update needs content or importance", hint="read the memory first, then replace it")
        return change
    content = render.restored(stripping.stripped(change.content).text)  # in this order: a tag of ours would be cut out
    if not framing.is_substantive(content):
        raise UsageError("the new content says nothing", hint="forget or invalidate what is wrong")
    return Edit("update", change.id, content, change.importance, None, change.version)


def _kept(bank: Bank, id: str) -> Memory | Fact | None:
    return bank.get(id) or bank.facts.get(id)


def _may(change: Edit, kept: Memory | Fact) -> bool:
    return isinstance(kept, Memory) and (change.verb != "update" or kept.kind != "episode")


def _done(bank: Bank, found: Entry, change: Edit) -> Edited:
    id = change.id
    if change.verb == "forget":
        erased = bank.forget(id)
        return Edited("deleted", id, found.bank, found.store, found.kept.version, tuple(erased.held_by))
    if change.verb == "invalidate":
        receipt = bank.invalidate(id, change.replacement)
        return Edited(_outcome(receipt, "invalidated"), id, found.bank, found.store, receipt.version)
    receipt = bank.update(id, change.content, change.importance, expected_version=change.version)
    return Edited(_outcome(receipt, "updated"), id, found.bank, found.store, receipt.version)


def _outcome(receipt: Receipt, otherwise: EditOutcome) -> EditOutcome:
    return "unchanged" if receipt.outcome == "unchanged" else otherwise
