"""Tools for memories: store, find and read."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from mnemopi import errors
from mnemopi.errors import UsageError
from mnemopi.tools import shape
from mnemopi.tools.caller import Caller
from mnemopi.tools.tool import Flag, InBank, MemoryId, Number, Output, Reranked, Tool, Whole

_PREVIEW = 100
_FILTERS = ("author_id", "author_type", "channel_id")
_WEIGHTS = ("temporal_weight", "temporal_halflife", "vec_weight", "fts_weight", "importance_weight")
_TIMES = ("query_time", "as_of", "from_date", "to_date")


class Remember(InBank):
    """Arguments of mnemopi_remember."""

    content: Annotated[str, Field(description="What to remember, in words that stand on their own.")]
    importance: Annotated[Number, Field(description="0 to 1.")] = 0.5
    source: Annotated[str, Field(description="Where it comes from: user, assistant, tool, web ...")] = "user"
    scope: Annotated[
        str, Field(description="Who sees it: bank, session, channel, global (all banks), or a custom scope.")
    ] = "bank"
    valid_until: Annotated[str | None, Field(description="ISO time until which it holds; a date is included.")] = None
    extract_entities: Annotated[Flag, Field(description="Answer with the entities that it mentions.")] = False
    extract: Annotated[Flag, Field(description="Have the language model, where one is set, read facts from it.")] = (
        False
    )
    metadata: Annotated[dict[str, Any], Field(description="Your own fields, kept with it.")] = Field(
        default_factory=dict
    )
    veracity: Annotated[
        str, Field(description="true, likely_true, stated, inferred, tool, imported, contested, false or unknown.")
    ] = "unknown"
    author_id: str | None = None
    author_type: str | None = None
    channel_id: str | None = None


class Remembered(Output):
    """Answer of mnemopi_remember."""

    status: str
    memory_id: str
    bank: str
    outcome: Annotated[str, Field(description="created, merged with an equal note, revived, or updated.")]
    content_preview: str
    truncated: bool
    full_length: int
    redacted: Annotated[dict[str, int] | None, Field(description="Secrets that were removed, by kind.")] = None
    entities: list[str] | None = None


def remember(caller: Caller, asked: Remember) -> Remembered:
    """Store a memory."""
    with caller.writing(asked.bank) as bank:
        receipt = bank.remember(
            asked.content,
            importance=asked.importance,
            source=asked.source,
            scope=asked.scope,
            veracity=asked.veracity,
            metadata=asked.metadata or None,
            extract=True if asked.extract else None,
            **asked.given("valid_until", *_FILTERS),
        )
    kept = bank.get(receipt.id)
    text = kept.content if kept is not None else ""
    entities = None
    if asked.extract_entities:
        entities = [shape.neutral(said.value) for said in bank.graph.annotations(receipt.id, "mentions")]
    return Remembered(
        status="stored",
        memory_id=receipt.id,
        bank=bank.name,
        outcome=receipt.outcome,
        content_preview=shape.preview(text, _PREVIEW),
        truncated=len(text) > _PREVIEW,
        full_length=len(text),
        redacted=dict(receipt.redacted) or None,
        entities=entities,
    )


class Recall(InBank):
    """Arguments of mnemopi_recall."""

    query: Annotated[str, Field(description="A question, or words to look for.")]
    limit: Annotated[Whole, Field(description="Most results.")] = 5
    top_k: Annotated[Whole | None, Field(description="Most results; wins over limit.")] = None
    min_score: Annotated[Number | None, Field(description="Least belief of a result, 0 to 1.")] = None
    as_of: Annotated[str | None, Field(description="ISO time: what was known and valid then.")] = None
    from_date: Annotated[str | None, Field(description="ISO date: said or happened from then on.")] = None
    to_date: Annotated[str | None, Field(description="ISO date, included: said or happened until then.")] = None
    query_time: Annotated[str | None, Field(description="ISO time that the question's `now` means.")] = None
    temporal_weight: Annotated[
        Number | None, Field(description="How much nearness in time counts; by default as the question asks.")
    ] = None
    temporal_halflife: Annotated[
        Number | None, Field(description="Hours at which nearness counts half; by default as configured (24).")
    ] = None
    vec_weight: Annotated[Number | None, Field(description="Weight of meaning.")] = None
    fts_weight: Annotated[Number | None, Field(description="Weight of words.")] = None
    importance_weight: Annotated[Number | None, Field(description="Weight of importance.")] = None
    author_id: str | None = None
    author_type: str | None = None
    channel_id: str | None = None
    profile: Annotated[str | None, Field(description="default, lexical, recent, facts or polyphonic.")] = None
    content_preview_chars: Annotated[Whole | None, Field(description="Length of previews; 0: whole texts.")] = None
    rerank: Reranked = None
    explain: Annotated[Flag, Field(description="Add every figure of each score.")] = False


class Recalled(Output):
    """Answer of mnemopi_recall."""

    status: str
    query: str
    count: int
    results: Annotated[
        list[dict[str, Any]],
        Field(description="Best first; content is a preview where truncated: mnemopi_get reads the whole."),
    ]
    bank: str
    retrievers: list[str]
    reranker: Annotated[str | None, Field(description="The model that had a say in the order.")] = None
    notes: Annotated[list[str] | None, Field(description="Why none had, where one was asked.")] = None
    notice: str


def recall(caller: Caller, asked: Recall) -> Recalled:
    """Find memories."""
    options = asked.given(*_TIMES, *_WEIGHTS, *_FILTERS, "min_score", "profile", "content_preview_chars", "rerank")
    hits = caller.recall(asked.bank, asked.query, asked.limit if asked.top_k is None else asked.top_k, options)
    name = caller.name(asked.bank)
    results = [{"bank": name} | shape.hit(each, explain=asked.explain) for each in hits]
    return Recalled(
        status="ok",
        query=asked.query,
        count=len(results),
        results=results,
        bank=name,
        retrievers=list(hits.retrievers),
        reranker=hits.reranker or None,
        notes=list(hits.notes) or None,
        notice=shape.NOTICE,
    )


class Get(InBank):
    """Arguments of mnemopi_get."""

    memory_id: MemoryId
    offset: Annotated[Whole, Field(description="Where in the text to begin.", ge=0)] = 0
    max_chars: Annotated[Whole, Field(description="Most characters of the text.", ge=1)] = 20_000


class Got(Output):
    """Answer of mnemopi_get."""

    status: str
    memory: dict[str, Any]
    bank: str
    notice: str


def get(caller: Caller, asked: Get) -> Got:
    """Read a memory whole."""
    bank = caller.bank(asked.bank)
    kept = bank.get(asked.memory_id)
    if kept is None:
        raise errors.no_memory(asked.memory_id, bank.name)
    if asked.offset > len(kept.content):
        raise UsageError(f"the text has {len(kept.content)} characters", hint="begin before its end")
    told = shape.memory(kept, asked.offset, asked.max_chars)
    return Got(status="ok", memory=told, bank=bank.name, notice=shape.NOTICE)


class Context(InBank):
    """Arguments of mnemopi_context."""

    query: Annotated[str | None, Field(description="What it is about; without: the most important and latest.")] = None
    budget: Annotated[Whole, Field(description="Most characters.", ge=1)] = 4000
    min_score: Annotated[Number | None, Field(description="Least belief, 0 to 1; by default as configured.")] = None
    rerank: Reranked = None


class Told(Output):
    """Answer of mnemopi_context."""

    status: str
    context: Annotated[str, Field(description="A fenced block: pinned memories, then what was recalled.")]
    bank: str


def context(caller: Caller, asked: Context) -> Told:
    """Return a block of memories for a prompt."""
    options = asked.given("min_score", "rerank")
    if asked.query is None and options:
        raise UsageError(f"{' and '.join(options)} go with a query", hint="say what it is about")
    block = caller.context(asked.bank, asked.query, asked.budget, options)
    return Told(status="ok", context=block, bank=caller.name(asked.bank))


TOOLS = (
    Tool(
        "mnemopi_remember",
        "Remember",
        "Store a memory: a decision, a preference, a fact that will matter later. An equal note is merged, secrets "
        "are removed. Say it so that it is understood without the conversation.",
        Remember,
        Remembered,
        remember,
        "add",
        core=True,
    ),
    Tool(
        "mnemopi_recall",
        "Recall",
        "Find memories, the best first. Dates in the question count. What is invalid or superseded is left out; "
        "nothing may be the answer.",
        Recall,
        Recalled,
        recall,
        "read",
        core=True,
    ),
    Tool(
        "mnemopi_get",
        "Read a memory",
        "Read one memory whole, also an invalidated one. Do so before an update, which replaces the whole text.",
        Get,
        Got,
        get,
        "read",
        core=True,
    ),
    Tool(
        "mnemopi_context",
        "Context for a prompt",
        "Return a fenced block of memories within a budget of characters: pinned ones first, then what fits the query.",
        Context,
        Told,
        context,
        "read",
    ),
)
