"""Tools of a session: retain, recall, reflect, memory_edit. What each offers depends on what its backend can do.

Their names have no prefix, since hosts know them so. They do not know which backend answers: what only some can do is a
protocol of `backends.backend`, and `offer` asks for it before a tool is shown.
"""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from pydantic import BeforeValidator, Field, model_validator

from mnemopi.backends import stripping
from mnemopi.errors import StorageError
from mnemopi.model.interval import iso
from mnemopi.model.session import Edit, Edited, Found, Lesson, Saved
from mnemopi.tools import shape
from mnemopi.tools.agent_caller import AgentCaller
from mnemopi.tools.caller import Effect
from mnemopi.tools.tool import Input, MemoryId, Number, Output, Tool, Whole

SOURCE: Final = "coding-agent-retain"
SCOPE: Final = "Where it belongs: to this project, or to what all projects share."
_MOST: Final = 50
_LIMIT: Final = 10

Scope = Annotated[Literal["project", "global"], Field(description=SCOPE)]
Words = Annotated[str, BeforeValidator(lambda said: stripping.repair(said)[0] if isinstance(said, str) else said)]
"""What a model says: a host may have cut it through a character, which is repaired."""
Context = Annotated[Words | None, Field(description="Where it came from or what it is about, in a few words.")]
Query = Annotated[Words, Field(min_length=1, description="A question in words, with the names that matter.")]


class Item(Input):
    """One thing to keep."""

    content: Words = Field(min_length=1, description="What to keep, in words that stand on their own.")
    context: Context = None


class ScopedItem(Item):
    """One thing to keep, and for whom."""

    scope: Scope = "project"


class RetainIn(Input):
    """What is to be kept."""

    items: list[Item] = Field(min_length=1, description="What to keep, one fact, decision or preference each.")


class ScopedRetainIn(Input):
    """What is to be kept, and for whom."""

    items: list[ScopedItem] = Field(min_length=1, description="What to keep, one fact, decision or preference each.")


class RetainOut(Output):
    """What was kept."""

    message: str
    count: int
    ids: list[str]


class RecallIn(Input):
    """What is asked."""

    query: Query
    limit: Whole = Field(_LIMIT, ge=1, le=_MOST, description="Most memories to return.")


class RecallOut(Output):
    """What was found, the best first."""

    message: str
    now: str
    count: int
    memories: list[dict[str, Any]]
    notice: str


class ReflectIn(Input):
    """What is asked, and what for."""

    query: Query
    context: Annotated[Words | None, Field(description="What the answer is for.")] = None


class ReflectOut(Output):
    """An answer, or a digest of what was found, with the ids it rests on."""

    text: str
    digest: bool
    ids: list[str]
    notice: str
    message: str | None = None


class EditIn(Input):
    """Which memory is to be changed, and how."""

    op: Literal["update", "forget", "invalidate"] = Field(
        description="update replaces the whole text; invalidate hides it and keeps it; forget erases it for good."
    )
    id: MemoryId
    content: Annotated[str | None, Field(description="With update: the new text, whole.")] = None
    importance: Annotated[Number | None, Field(description="With update: 0 to 1.")] = None
    replacement_id: Annotated[str | None, Field(description="With invalidate: the memory that holds instead.")] = None
    version: Annotated[
        Whole | None, Field(description="With update: the version you read; another in its place is not overwritten.")
    ] = None

    @model_validator(mode="after")
    def _fits(self) -> EditIn:
        given = self.given("content", "importance", "version") if self.op != "update" else {}
        if given or (self.op != "invalidate" and self.replacement_id is not None):
            wrong = next(iter(given), "replacement_id")
            raise ValueError(f"{self.op} takes no {wrong}")
        if self.op == "update" and self.content is None and self.importance is None:
            raise ValueError("update needs content or importance")
        return self


class EditOut(Output):
    """What became of it, and where it lies."""

    message: str
    status: str
    id: str
    bank: str | None = None
    store: str | None = None
    version: int | None = None
    held_by: list[str] | None = None


def retain(caller: AgentCaller, asked: RetainIn | ScopedRetainIn) -> RetainOut:
    """Keep what the model says should be kept."""
    lessons = [
        Lesson(each.content, each.context, SOURCE, everywhere=getattr(each, "scope", "project") == "global")
        for each in asked.items
    ]
    saved = caller.session.save(lessons)
    count = kept(saved, len(lessons))
    noun = "memory" if count == 1 else "memories"
    verb = "queued" if saved.queued else "stored"
    tail = f"; {saved.message}" if saved.message else ""
    return RetainOut(message=f"{count} {noun} {verb}{tail}.", count=count, ids=list(saved.ids))


def kept(saved: Saved, wanted: int) -> int:
    """Return how many lessons were kept. Raises StorageError, which says what was, where some were not."""
    count = saved.stored + saved.queued
    if count >= wanted:
        return count
    why = (saved.message or "no reason was given").rstrip(".")
    if not count:
        raise StorageError(f"nothing was stored: {why}", hint="change what is wrong, and call it again")
    raise StorageError(
        f"{count} of {wanted} were stored ({', '.join(saved.ids)}), the rest was not: {why}",
        hint="call it again with the rest",
    )


def recall(caller: AgentCaller, asked: RecallIn) -> RecallOut:
    """Find memories."""
    found = caller.session.search(asked.query, asked.limit)
    count = len(found.items)
    noun = "memory" if count == 1 else "memories"
    said = f"Found {count} relevant {noun}." if count else found.message or "There are no relevant memories."
    now = iso(caller.clock())[:16].replace("T", " ")
    return RecallOut(
        message=said, now=f"{now} UTC", count=count, memories=[_hit(each) for each in found.items], notice=shape.NOTICE
    )


def reflect(caller: AgentCaller, asked: ReflectIn) -> ReflectOut:
    """Answer from memory."""
    told = caller.session.reflect(asked.query, asked.context)
    message = told.message if told.text.strip() else "There is nothing to reflect on: no memory speaks to this."
    return ReflectOut(
        text=shape.neutral(told.text), digest=told.is_digest, ids=list(told.ids), message=message, notice=shape.NOTICE
    )


def edit(caller: AgentCaller, asked: EditIn) -> EditOut:
    """Change one memory."""
    importance = None if asked.importance is None else min(max(asked.importance, 0.0), 1.0)
    change = Edit(asked.op, asked.id, asked.content, importance, asked.replacement_id, asked.version)
    done = caller.session.edit(change)
    return EditOut(
        message=_said(done, asked.op),
        status=done.outcome,
        id=done.id,
        bank=done.bank,
        store=done.store,
        version=done.version,
        held_by=list(done.held_by) or None,
    )


def _hit(found: Found) -> dict[str, Any]:
    told = {
        "id": found.id,
        "content": shape.neutral(found.content),
        "source": shape.neutral(found.source) if found.source else None,
        "timestamp": None if found.at is None else iso(found.at),
        "score": None if found.score is None else round(found.score, 4),
        "bank": found.bank,
        "version": found.version,
        "truncated": found.truncated,
        "full_length": len(found.content) if found.full_length is None else found.full_length,
        "notes": [shape.neutral(note) for note in found.notes] or None,
    }
    return {name: value for name, value in told.items() if value is not None}


def _said(done: Edited, op: str) -> str:
    where = f" in bank {done.bank} ({done.store})" if done.bank else ""
    if done.outcome == "not_found":
        return f"Not found: no bank of this session has {done.id[:100]}. Ids come from recall."
    if done.outcome == "not_editable":
        return f"Not editable: {done.id}{where} is derived, and read-only for {op}. See memory://{done.id}."
    held = f"; copies remain in {', '.join(done.held_by)}" if done.held_by else ""
    return f"{done.outcome.capitalize()}: {done.id}{where}{held}."


def _retains(asked: RetainIn | ScopedRetainIn) -> Effect:
    return "change" if any(getattr(each, "scope", "") == "global" for each in asked.items) else "add"


_RETAIN: Final = (
    "Keep facts, decisions, preferences and corrections for later sessions: one thing an item, in words that stand on "
    "their own, with names and dates. Nothing secret, and nothing that the files say anyway."
)
_SHARED: Final = (
    " With `scope` global it goes to what all projects share: only what holds everywhere, such as how the user likes "
    "to be answered."
)
RETAIN: Final = Tool("retain", "Retain", _RETAIN, RetainIn, RetainOut, retain, "add")
RETAIN_SCOPED: Final = Tool(
    "retain", "Retain", _RETAIN + _SHARED, ScopedRetainIn, RetainOut, retain, "change", least="add", by=_retains
)
RECALL: Final = Tool(
    "recall",
    "Recall",
    "Find what earlier sessions left that speaks to a question. Each memory is a preview with its id, date and source; "
    "`truncated` says that there is more, up to `full_length` characters; `notes` what it states, and whether that was "
    "superseded.",
    RecallIn,
    RecallOut,
    recall,
    "read",
)
REFLECT: Final = Tool(
    "reflect",
    "Reflect",
    "Answer a question from memory as a whole, with the ids that the answer rests on. Where `digest` is true nobody "
    "thought about it: it is what was found, put together.",
    ReflectIn,
    ReflectOut,
    reflect,
    "read",
)
EDIT: Final = Tool(
    "memory_edit",
    "Edit a memory",
    "Correct one memory by its id, which recall gives. Prefer invalidate to forget. Update replaces the whole text, "
    "and recall shows previews: read the memory at memory://<id> first, and name the version that you read.",
    EditIn,
    EditOut,
    edit,
    "destroy",
    again=True,
    least="change",
    by=lambda asked: "destroy" if asked.op == "forget" else "change",
)
