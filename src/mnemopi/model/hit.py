"""What is found: hits, and the explanation that is their score."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, overload

from mnemopi.model.fact import Fact, Source
from mnemopi.model.interval import iso
from mnemopi.model.memory import Memory
from mnemopi.model.values import dataclass


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a hit stands where it stands.

    `terms` are the named parts that add up to `order`, the number that candidates are ranked by; `belief` (0 to 1)
    says how likely the hit answers the question; `score` is belief made monotone along the order. `answerable` (0 to
    1), the same for all hits of a question in a bank, says how likely the bank answers at all, and is part of belief.
    """

    order: float
    belief: float
    score: float
    terms: Mapping[str, float]
    found_by: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    answerable: float = 1.0

    def __str__(self) -> str:
        parts = sorted(((name, value) for name, value in self.terms.items() if abs(value) >= 0.005), key=_weightiest)
        shown = ", ".join(f"{name} {value:+.2f}" for name, value in parts[:4])
        head = "+".join(self.found_by)
        notes = f" [{', '.join(self.notes)}]" if self.notes else ""
        return f"{head}: {shown}{notes}" if head else f"{shown}{notes}"

    def as_dict(self) -> dict[str, Any]:
        """Render the explanation for programs."""
        return {
            "order": round(self.order, 4),
            "belief": round(self.belief, 4),
            "score": round(self.score, 4),
            "answerable": round(self.answerable, 4),
            "terms": {name: round(value, 4) for name, value in self.terms.items()},
            "found_by": list(self.found_by),
            "notes": list(self.notes),
        }


def _weightiest(part: tuple[str, float]) -> float:
    return -abs(part[1])


@dataclass(frozen=True, slots=True)
class Hit:
    """One memory, or one fact, that was found.

    `content` is a preview when `truncated`; `span` is where in the whole text it lies. A fact has the shape
    of a memory.
    """

    memory: Memory
    content: str
    score: float
    explanation: Explanation
    span: tuple[int, int]
    truncated: bool
    full_length: int
    vec_score: float
    fts_score: float
    importance_score: float
    recency_score: float
    temporal_score: float
    bank: str = ""
    fact: Fact | None = None

    @property
    def id(self) -> str:
        """The id of the memory."""
        return self.memory.id

    @property
    def timestamp(self) -> str:
        """When it was said, ISO 8601 in UTC (`memory.timestamp` has the milliseconds)."""
        return iso(self.memory.timestamp)

    @property
    def valid_until(self) -> str | None:
        """Until when it holds, ISO 8601 in UTC, or None."""
        return None if self.memory.valid_until is None else iso(self.memory.valid_until)

    @property
    def sources(self) -> Sequence[Source]:
        """What a hit that is a fact rests on: memory, version and span of each; none for a memory."""
        return () if self.fact is None else self.fact.sources

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.memory, name)

    def __getitem__(self, name: str) -> Any:
        return self.as_dict()[name]

    def as_dict(self) -> dict[str, Any]:
        """Render the hit for programs, with the reference's names of fields in snake_case."""
        memory = self.memory
        return {
            "id": memory.id,
            "content": self.content,
            "score": round(self.score, 4),
            "vec_score": round(self.vec_score, 4),
            "fts_score": round(self.fts_score, 4),
            "importance_score": round(self.importance_score, 4),
            "recency_score": round(self.recency_score, 4),
            "temporal_score": round(self.temporal_score, 4),
            "tier": memory.tier,
            "kind": memory.kind,
            "source": memory.source,
            "timestamp": self.timestamp,
            "session_id": memory.session_id,
            "position": memory.position,
            "author_id": memory.author_id,
            "author_type": memory.author_type,
            "channel_id": memory.channel_id,
            "scope": memory.scope,
            "importance": memory.importance,
            "veracity": memory.veracity,
            "trust_tier": memory.trust_tier,
            "metadata": dict(memory.metadata) if memory.metadata else None,
            "valid_until": self.valid_until,
            "superseded_by": memory.superseded_by,
            "truncated": self.truncated,
            "full_length": self.full_length,
            "span": list(self.span),
            "version": memory.version,
            "bank": self.bank,
            "explanation": self.explanation.as_dict(),
            "fact": None if self.fact is None else self.fact.as_dict(),
            "sources": [source.as_dict() for source in self.sources],
        }


class Hits(Sequence[Hit]):
    """The hits, best first, with which retrievers ran (`retrievers`) and the question they answer (`query`).

    `reranker` names the model that had a say in the order, "" where none had; `notes` say why not, where one was asked.
    """

    __slots__ = ("_hits", "bank", "notes", "query", "reranker", "retrievers")

    def __init__(
        self,
        hits: Sequence[Hit],
        query: str,
        retrievers: tuple[str, ...],
        bank: str,
        reranker: str = "",
        notes: tuple[str, ...] = (),
    ) -> None:
        self._hits = tuple(hits)
        self.query, self.retrievers, self.bank = query, retrievers, bank
        self.reranker, self.notes = reranker, notes

    @overload
    def __getitem__(self, index: int) -> Hit: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Hit]: ...
    def __getitem__(self, index: int | slice) -> Hit | Sequence[Hit]:
        return self._hits[index]

    def __len__(self) -> int:
        return len(self._hits)

    def __iter__(self) -> Iterator[Hit]:
        return iter(self._hits)

    def __repr__(self) -> str:
        ran = "+".join((*self.retrievers, *filter(None, [self.reranker])))
        return f"<Hits {len(self)} for {self.query!r}, ran {ran}>"
