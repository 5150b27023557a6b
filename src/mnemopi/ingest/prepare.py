"""From a draft to a memory, without touching anything: redact, date, classify, clamp, analyse.

Pure but for the random id. Secrets are gone before anything else sees the text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import tzinfo
from functools import lru_cache
from typing import Any

from mnemopi.ingest import claiming
from mnemopi.ingest import draft as drafts
from mnemopi.ingest.claiming import Later
from mnemopi.ingest.draft import Draft, When
from mnemopi.model import trust
from mnemopi.model.fact import Claim
from mnemopi.model.memory import Identity, Memory
from mnemopi.model.values import dataclass
from mnemopi.storage import ids
from mnemopi.storage.memories import Prepared
from mnemopi.text import dates, passages, redact, tokens


@dataclass(frozen=True, slots=True)
class Gate:
    """The write gate: limits, redaction level, the zone in which words such as `yesterday` are read, whether claims
    are read (`rules`, `llm` for a language model too, or `off`), and whether rules read them before the write."""

    max_content_chars: int
    redact: redact.Level
    zone: tzinfo
    extract: str = "rules"
    at_once: bool = True


@dataclass(frozen=True, slots=True)
class Reading:
    """How claims are to be read: by which gate, of which part of the text (None: all that a user said), and whether
    somebody wished it (None: as the gate has it)."""

    gate: Gate
    said: str | None = None
    wished: bool | None = None


@dataclass(frozen=True, slots=True)
class Ready:
    """A memory that may be written, what search sees of it, what was redacted (kind to count), how its claims are to
    be read, what it claims, what a language model and what rules are to read of it later, and who writes it."""

    prepared: Prepared
    redacted: Mapping[str, int]
    reading: Reading
    claims: Sequence[Claim] = ()
    later: Later | None = None
    who: Identity = Identity()
    unclaimed: Later | None = None

    @property
    def memory(self) -> Memory:
        """The memory itself."""
        return self.prepared.memory


def prepare(draft: Draft, who: Identity, now: int, gate: Gate) -> Ready:
    """Check a draft and build the memory it describes. Raises UsageError; `now` is UTC ms."""
    counts: dict[str, int] = {}
    content = _clean(drafts.text(draft.content, "content", gate.max_content_chars), gate, counts)
    embed_text = draft.embed_text
    if embed_text is not None:
        embed_text = _clean(drafts.text(embed_text, "embed_text", gate.max_content_chars), gate, counts)
    source = _counted(_source(drafts.text(draft.source, "source", drafts.LONGEST_NAME), gate.redact), counts)
    timestamp = now if draft.timestamp is None else dates.moment(draft.timestamp)
    turn = draft.is_turn
    memory = Memory(
        id=ids.new(),
        version=1,
        kind="turn" if turn else "note",
        content=content,
        recorded_at=now,
        timestamp=timestamp,
        session_id=drafts.name(draft.session_id, "session_id") or who.session_id,
        scope=drafts.name(draft.scope, "scope", optional=False) or "bank",
        source=source,
        importance=drafts.importance(draft.importance),
        veracity=trust.veracity(draft.veracity),
        trust_tier=trust.tier(draft.trust_tier, source),
        memory_type=drafts.name(draft.memory_type, "memory_type", optional=False) or "unknown",
        pinned=drafts.flag(draft.pinned, "pinned"),
        position=drafts.position(draft.position),
        external_id=drafts.name(draft.external_id, "external_id"),
        author_id=drafts.name(draft.author_id, "author_id") or who.author_id,
        author_type=drafts.name(draft.author_type, "author_type") or who.author_type,
        channel_id=drafts.name(draft.channel_id, "channel_id") or who.channel_id,
        event=dates.event_time(content, timestamp, gate.zone),
        valid_until=until(draft.valid_until),
        metadata=_metadata(draft.metadata, gate, counts),
        embed_text=None if embed_text == content else embed_text,
    )
    said = draft.extract_text
    if said:
        said = _clean(drafts.text(said, "extract_text", gate.max_content_chars), gate, counts)
    wished = None if draft.extract is None else drafts.flag(draft.extract, "extract")
    return _ready(memory, counts, who, Reading(gate, said, wished))


def reread(ready: Ready, memory: Memory) -> Ready:
    """Let what was prepared become part of a memory with terms of its own: by these its dates and claims are read."""
    told = replace(memory, event=dates.event_time(memory.content, memory.timestamp, ready.reading.gate.zone))
    return _ready(told, ready.redacted, ready.who, ready.reading)


def retold(memory: Memory, content: str, gate: Gate) -> Ready:
    """Give a memory another text: what was derived from the old one is derived anew."""
    counts: dict[str, int] = {}
    clean = _clean(drafts.text(content, "content", gate.max_content_chars), gate, counts)
    event = dates.event_time(clean, memory.timestamp, gate.zone)
    told = replace(memory, content=clean, embed_text=None, event=event)
    return _ready(told, counts, Identity(), Reading(gate))


def _ready(memory: Memory, redacted: Mapping[str, int], who: Identity, reading: Reading) -> Ready:
    gate, said, wished = reading.gate, reading.said, reading.wished
    rules = gate.extract if wished is None else "rules" if wished else "off"
    later = claiming.later(memory, gate.extract, said, wished)
    if gate.at_once:
        claims, left = claiming.claims(memory, rules, gate.zone, said), None
    else:
        wanted = claiming.wanted(memory, rules, said)
        claims, left = (), Later(None if said == memory.content else said) if wanted else None
    return Ready(analysed(memory), redacted, reading, claims, later, who, left)


def analysed(memory: Memory) -> Prepared:
    """Add what search indexes to a memory."""
    spans = passages.passages(memory.content) if len(memory.content) > passages.SIZE and not memory.embed_text else ()
    return Prepared(memory, tokens.shadow(memory.searchable), spans)


def until(value: When | None) -> int | None:
    """Read an end of validity (UTC ms): a bare date is included to its end."""
    if value is None:
        return None
    given = dates.parse(value)
    return given.start if given.precision == "instant" else given.end


def _clean(text: str, gate: Gate, counts: dict[str, int]) -> str:
    return _counted(redact.redact(text, gate.redact), counts)


def _counted(done: redact.Redaction, counts: dict[str, int]) -> str:
    for kind, count in done.counts.items():
        counts[kind] = counts.get(kind, 0) + count
    return done.text


@lru_cache(maxsize=256)
def _source(value: str, level: redact.Level) -> redact.Redaction:
    """Redact a source; remembered, since nearly all memories have one of a few."""
    return redact.redact(value, level)


def _metadata(given: Mapping[str, Any] | None, gate: Gate, counts: dict[str, int]) -> Mapping[str, Any] | None:
    if given is None:
        return None
    clean: Mapping[str, Any] = _clean_values(drafts.metadata(given, gate.max_content_chars), gate, counts)
    return clean


def _clean_values(value: Any, gate: Gate, counts: dict[str, int]) -> Any:
    if isinstance(value, str):
        return _clean(value, gate, counts)
    if isinstance(value, list):
        return [_clean_values(item, gate, counts) for item in value]
    if isinstance(value, dict):
        return {_clean(key, gate, counts): _clean_values(item, gate, counts) for key, item in value.items()}
    return value
