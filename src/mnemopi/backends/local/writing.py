"""Do a job of stage 2: bring the documents of a project up to what came of its sessions, a batch at a time.

Each batch is put in place as a whole before the next: who is killed goes on from there. What a person changed in a
document since it was written last is found when it is put in place, under the project's lock.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from mnemopi.backends import files
from mnemopi.backends.local import consolidating, documents, places, publish, skills
from mnemopi.backends.local.consolidating import Evidence
from mnemopi.backends.local.documents import Hand
from mnemopi.backends.local.heart import Lost
from mnemopi.backends.local.kit import Kit
from mnemopi.backends.local.places import DOCUMENT, STATE, SUMMARY, Project
from mnemopi.backends.local.reading import Stopped
from mnemopi.model.interval import iso
from mnemopi.model.session import CHARS_PER_TOKEN
from mnemopi.storage import private
from mnemopi.storage.jobs import Claim
from mnemopi.storage.sessions import Account

_HANDS: Final = f"{STATE}/hand.json"
_SKILLS: Final = f"{STATE}/skills.json"
_SHARE: Final = 0.6
"""The share of what is injected that the summary is written to take."""
_WORDS: Final = 600
_ALL: Final = 1_000_000
_MARK = re.compile(r" _\([^()]*\)_$", re.MULTILINE)


def write(kit: Kit, claim: Claim, project: Project, stop: Callable[[], bool]) -> None:
    """Bring the documents up to date. Raises what the language model raises, Lost and Stopped."""
    accounts = kit.file.sessions.accounts(project.scope, _ALL)
    evidence = [Evidence(consolidating.stem(each), each) for each in reversed(accounts) if not each.taken]
    for batch in _batches(kit, evidence):
        if stop():
            raise Stopped
        _put(kit, claim, project, _changed(kit, project, batch))
        kit.file.sessions.take([each.account for each in batch])
    document = private.read(project.root / DOCUMENT) or ""
    _put(
        kit,
        claim,
        project,
        {SUMMARY: _summary(kit, document), **_raw(project, accounts[: kit.config.max_raw_memories_for_global])},
    )
    if not kit.file.jobs.end(claim, kit.clock()):
        raise Lost


def _batches(kit: Kit, evidence: Sequence[Evidence]) -> list[list[Evidence]]:
    if kit.asker is None:
        return [list(evidence)] if evidence else []
    return consolidating.batches(evidence, kit.asker.limit)


def _changed(kit: Kit, project: Project, batch: Sequence[Evidence]) -> dict[str, str | None]:
    """Return the files that a batch changes."""
    document = private.read(project.root / DOCUMENT) or ""
    if kit.asker is None:
        return {DOCUMENT: consolidating.by_rules(document, batch)}
    change = consolidating.change(kit.asker, document, batch)
    there = skills.there(project.root)
    heads = {name: skills.head(text) for name, text in there.items()}
    new, drop = consolidating.playbooks(kit.asker, heads, batch)
    written = files.read_json(project.root / _SKILLS) or {}
    texts, ours = skills.changes(there, {name: str(told) for name, told in written.items()}, new, drop)
    return {**texts, DOCUMENT: documents.changed(document, change), _SKILLS: _json(ours)}


def _summary(kit: Kit, document: str) -> str:
    room = int(kit.config.summary_injection_token_limit * _SHARE)
    if not document.strip():
        return ""
    if kit.asker is None:
        return _MARK.sub("", consolidating.first_items(document, room * CHARS_PER_TOKEN))
    return consolidating.summary(kit.asker, document, max(50, min(_WORDS, room * 3 // 4)))


def _put(kit: Kit, claim: Claim, project: Project, texts: Mapping[str, str | None]) -> None:
    """Put files in place as one, with what a person did to the documents; nothing where the claim was lost."""
    with project.locked():
        lease = round(kit.config.phase2_lease_seconds * 1000)
        if not kit.file.jobs.beat(claim, kit.clock(), lease):
            raise Lost
        hands = files.read_json(project.root / _HANDS) or {}
        whole: dict[str, str | None] = dict(texts)
        for name in (DOCUMENT, SUMMARY):
            text = texts.get(name)
            if text is not None:
                hand = _hand(project, name, hands)
                hands[name] = hand.as_dict()
                whole[name] = documents.respecting(text, hand) or None
                whole[f"{STATE}/{name}"] = whole[name] or ""
        publish.publish(project.root, {**whole, _HANDS: _json(hands)})


def _hand(project: Project, name: str, hands: Mapping[str, Any]) -> Hand:
    base = private.read(project.root / STATE / name)
    now = private.read(project.root / name) or ""
    before = Hand.read(hands.get(name))
    # A document that was deleted whole is to be made anew; single lines that were taken out are not to come back.
    return Hand() if base and not now.strip() else documents.by_hand(base or "", now, before)


def _raw(project: Project, accounts: Sequence[Account]) -> dict[str, str | None]:
    """Return the files that show what came of each session, and which of the former are to go."""
    kept = [each for each in accounts if each.memory]
    folder = project.root / places.ROLLOUTS
    gone = {f"{places.ROLLOUTS}/{path.name}": None for path in folder.glob("*.md")} if folder.is_dir() else {}
    texts: dict[str, str | None] = {**gone}
    lines = ["# What came of past sessions, newest first", ""]
    for each in kept:
        head = f"session: {each.session}\nchanged: {iso(each.changed_at)}\nread by: {each.method}\n"
        name = f"{consolidating.stem(each)}-{each.slug}" if each.slug else consolidating.stem(each)
        texts[f"{places.ROLLOUTS}/{name}.md"] = f"{head}\n{each.summary}\n"
        lines += [f"## {consolidating.stem(each)}", "", f"{head}\n{each.memory}", ""]
    texts[places.RAW] = "\n".join(lines if kept else [*lines, "None yet.", ""])
    return texts


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True) + "\n"
