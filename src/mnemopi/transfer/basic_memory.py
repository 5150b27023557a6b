"""The notes of basic-memory: Markdown with front matter, observations and relations.

An observation is `- [category] text #tag (context)`, a relation `- type [[Target]] (context)`, anywhere in a note. Each
stays as it stands, as a memory; a relation is a statement besides. All else is read as any Markdown (`markdown`).
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

from mnemopi.transfer import markdown
from mnemopi.transfer.cargo import Cargo
from mnemopi.transfer.lenient import Lenient
from mnemopi.transfer.markdown import Page, Part
from mnemopi.transfer.others import stated

_OBSERVATION = re.compile(r"^\[(?![ xX]\])([^\[\]()\n]{1,60})\]\s+(?=\S)")
_RELATION = re.compile(r"^(?:\"([^\"\n]{1,100})\"|([^\[\]\n]{0,100}?))\s*\[\[([^\[\]\n]{1,300})\]\]")
_TAG = re.compile(r"(?:^|\s)#([\w/-]+)")
_CONTEXT = re.compile(r"\(([^()]+)\)\s*$")


def notes(path: Path, fields: Lenient) -> Cargo:
    """Read a note, or all below a folder. Raises NotFoundError, StorageError, UsageError."""
    return markdown.gathered(path, fields, _read)


def _read(made: Cargo, fields: Lenient, where: str, page: Page, changed: int) -> None:
    seen: Counter[str] = Counter()
    front = fields.mapping(page.front)
    title = fields.text(front.get("title")) or Path(where).stem
    said_at = fields.time(front.get("created"), front.get("date"), changed)
    for part in page.parts:
        more: dict[str, Any] = {"title": title, **({"front": front} if front else {})}
        observation = _OBSERVATION.match(part.text) if part.bullet else None
        relation = _RELATION.match(part.text) if part.bullet and observation is None else None
        if observation is not None or relation is not None:
            more |= _told(fields, part)
        kind = fields.name(observation[1]) if observation else "relation" if relation else None
        told = markdown.memory_of(fields, where, part, seen, said_at, more, memory_type=kind or "unknown")
        made.memories += told
        if relation is not None and told:
            made.found["relations"] += 1
            predicate = (relation[1] or relation[2] or "").strip() or "relates to"
            made.statements += stated(fields, title, predicate, relation[3], said_at, None, told[0])


def _told(fields: Lenient, part: Part) -> dict[str, Any]:
    """What a line says of itself beside its text."""
    tags = [fields.text(tag) for tag in _TAG.findall(part.text)]
    context = _CONTEXT.search(part.text)
    return {
        **({"tags": tags} if tags else {}),
        **({"context": fields.text(context[1])} if context else {}),
    }
