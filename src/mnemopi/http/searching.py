"""Search over REST: recall with all its options, each hit with its explanation."""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import Field

from mnemopi.http.memories import Narrowed
from mnemopi.http.operation import Call, Operation, Reply
from mnemopi.http.shapes import NOTICE, Found
from mnemopi.tools.tool import Flag, Number, Output, Reranked, Whole

_NOT_OPTIONS: Final = ("bank", "query", "top_k")


class Search(Narrowed):
    """A question and how to answer it. Options are those of `recall`."""

    query: str
    top_k: Annotated[Whole, Field(description="Most hits.", ge=0, le=1000)] = 5
    min_score: Annotated[Number | None, Field(description="Least belief of a hit, 0 to 1.")] = None
    include_invalid: Flag | None = None
    query_time: Annotated[str | None, Field(description="ISO time that the question's `now` means.")] = None
    temporal_weight: Number | None = None
    temporal_halflife: Annotated[Number | None, Field(description="Hours at which nearness counts half.")] = None
    vec_weight: Number | None = None
    fts_weight: Number | None = None
    importance_weight: Number | None = None
    profile: Annotated[str | None, Field(description="default, lexical, recent, facts or polyphonic.")] = None
    use_mmr: Flag | None = None
    mmr_lambda: Number | None = None
    quotas: Annotated[dict[str, Whole] | None, Field(description="Kind to most hits.")] = None
    content_preview_chars: Annotated[Whole | None, Field(description="Length of previews; 0: whole texts.")] = None
    retrievers: Annotated[list[str] | None, Field(description="Fewer than the profile's.")] = None
    rerank: Reranked = None


class Answer(Output):
    """Hits, the best first."""

    query: str
    bank: str
    retrievers: list[str]
    hits: list[Found]
    notice: str
    reranker: Annotated[str | None, Field(description="The model that had a say in the order.")] = None
    notes: Annotated[list[str] | None, Field(description="Why none had, where one was asked.")] = None


def search(call: Call) -> Reply:
    """Find memories."""
    asked = call.body
    options = asked.given(*(name for name in type(asked).model_fields if name not in _NOT_OPTIONS))
    hits = call.caller.recall(asked.bank, asked.query, asked.top_k, options)
    found = [Found.of(each) for each in hits]
    name = call.caller.name(asked.bank)
    answer = Answer(
        query=asked.query,
        bank=name,
        retrievers=list(hits.retrievers),
        hits=found,
        notice=NOTICE,
        reranker=hits.reranker or None,
        notes=list(hits.notes) or None,
    )
    return Reply(answer)


OPERATIONS: Final = (
    Operation(
        "POST",
        "/api/v1/search",
        "search",
        "Find memories, the best first, each with its explanation.",
        "read",
        Answer,
        search,
        body=Search,
    ),
)
