"""Mental models: summaries that the server keeps up to date, shown at the start of a session.

What is shown is the names and texts alone: no time of a refresh is in it, so that the bytes change only with what is
known. Missing ones of `SEEDS` are made once, and none is ever changed from here.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from mnemopi.backends.hindsight.client import HindsightClient
from mnemopi.backends.hindsight.scope import Scope
from mnemopi.errors import NotFoundError, RefusedError
from mnemopi.model.values import dataclass
from mnemopi.retrieval import render

TAG: Final = "mental_models"
CUT: Final = "(some of it was left out to keep this short)"
_LEAST_ROOM: Final = 64
_LEAST_EACH: Final = 120
_DIFF_SIDE: Final = 1000
_DIFF_LINES: Final = 200


@dataclass(frozen=True, slots=True)
class Seed:
    """A model that each scope is to have: the question it answers. `of_project`: not in the scope of all projects."""

    id: str
    name: str
    question: str
    max_tokens: int
    of_project: bool = False


@dataclass(frozen=True, slots=True)
class Model:
    """A mental model as the server has it."""

    id: str
    name: str
    content: str = ""
    tags: tuple[str, ...] = ()
    question: str = ""
    refreshed_at: str | None = None
    refreshes_itself: bool = False


SEEDS: Final = (
    Seed(
        "user-preferences",
        "User preferences",
        "Which lasting preferences has the user stated on style, tools, communication and review?",
        600,
    ),
    Seed(
        "project-conventions",
        "Project conventions",
        "Which conventions does this project state for style, building, testing, releases and review?",
        800,
        of_project=True,
    ),
    Seed(
        "project-decisions",
        "Project decisions",
        "Which decisions on architecture and product hold in this project, and for which reasons?",
        800,
        of_project=True,
    ),
)


class MentalModels:
    """The mental models that a scope may see."""

    def __init__(self, client: HindsightClient, scope: Scope, timeout: float) -> None:
        """`timeout` (seconds) holds for each request."""
        self._client, self._scope, self._timeout = client, scope, timeout

    def seed(self) -> tuple[list[str], list[str]]:
        """Make the seeds that are missing; return the ids of those that were made and that were there."""
        there = {model.id: model for model in self._all("metadata")}
        made: list[str] = []
        known: list[str] = []
        for seed in SEEDS:
            if seed.of_project and not self._scope.label:
                continue
            id, tags = self._named(seed)
            if id in there or (seed.id in there and there[seed.id].tags == tags):
                known.append(id if id in there else seed.id)
            elif self._make(seed, id, tags):
                made.append(id)
            else:
                known.append(id)
        return made, known

    def load(self) -> list[Model]:
        """Return those that may be seen and say something, by name."""
        return [model for model in self.seen("content") if model.content.strip()]

    def seen(self, detail: str = "metadata") -> list[Model]:
        """Return those that may be seen, by name; with `content` also what they say."""
        wanted = set(self._scope.recall_tags)
        visible = (model for model in self._all(detail) if not wanted or not model.tags or wanted & set(model.tags))
        return sorted(visible, key=lambda model: (model.name, model.id))

    def show(self, id: str) -> Model:
        """Return one with what it says. Raises NotFoundError."""
        return _model(self._one("show mental model", "GET", id, query={"detail": "content"}))

    def refresh(self, id: str | None = None) -> tuple[list[str], list[str]]:
        """Have one answered anew, or all that refresh themselves; return the ids of those, and of the others."""
        if id is not None:
            self._one("refresh mental model", "POST", id, "refresh")
            return [id], []
        models = self.seen("content")
        due = [model.id for model in models if model.refreshes_itself]
        for each in due:
            self._one("refresh mental model", "POST", each, "refresh")
        return due, [model.id for model in models if model.id not in due]

    def history(self, id: str) -> list[tuple[str, str]]:
        """Return the changes of one, newest first: when, and what differs."""
        now = self.show(id).content
        told = self._one("history of mental model", "GET", id, "history")
        changes = told.get("items", []) if isinstance(told, dict) else told
        found: list[tuple[str, str]] = []
        for change in changes:
            before = change.get("previous_content")
            found.append((str(change.get("changed_at") or ""), difference(before, now)))
            now = before or ""
        return found

    def delete(self, id: str) -> None:
        """Delete one on the server. Raises NotFoundError."""
        self._one("delete mental model", "DELETE", id)

    def _named(self, seed: Seed) -> tuple[str, tuple[str, ...]]:
        """Return the id and tags of a seed in this scope: where one bank holds many projects, each has its own."""
        if seed.of_project and self._scope.tags:
            return f"{seed.id}-{self._scope.label}", self._scope.tags
        return seed.id, ()

    def _make(self, seed: Seed, id: str, tags: Sequence[str]) -> bool:
        """Make one; False where another process was faster."""
        body = {
            "id": id,
            "name": seed.name,
            "source_query": seed.question,
            "tags": list(tags),
            "max_tokens": seed.max_tokens,
            "trigger": {"mode": "delta", "refresh_after_consolidation": True},
        }
        try:
            self._ask("create mental model", "POST", body=body)
        except RefusedError as error:
            if error.status == 409:
                return False
            raise
        return True

    def _all(self, detail: str) -> list[Model]:
        try:
            found = self._ask("list mental models", "GET", query={"detail": detail, "limit": 1000})
        except RefusedError as error:
            if error.status == 404:  # a bank that nothing was written to is not there, and has none
                return []
            raise
        return [_model(each) for each in found.get("items") or []]

    def _one(self, operation: str, method: str, id: str, *path: str, **options: Any) -> Any:
        try:
            return self._ask(operation, method, id, *path, **options)
        except RefusedError as error:
            if error.status == 404:
                hint = "`mnemopi memory mm list` names those that there are"
                raise NotFoundError(f"there is no mental model {id!r:.80}", hint=hint) from error
            raise

    def _ask(self, operation: str, method: str, *path: str, **options: Any) -> Any:
        return self._client.ask(
            operation, method, self._scope.bank, "mental-models", *path, timeout=self._timeout, **options
        )


def rendered(models: Iterable[Model], most: int) -> str:
    """Return a block of models within `most` characters; empty where that is too little, or there is none."""
    texts = [(" ".join(render.neutral(each.name).split()), render.neutral(each.content).strip()) for each in models]
    frame = len(f"<{TAG}>\n\n</{TAG}>")
    if not texts or most < frame + _LEAST_ROOM:
        return ""
    room = most - frame - len(CUT) - 2
    each = max(_LEAST_EACH, room // len(texts))
    parts: list[str] = []
    is_cut = False
    for name, content in texts:
        part = f"# {name}\n\n{content}"
        if len(part) > each:
            part, is_cut = f"{part[: each - 1].rstrip()}…", True
        if sum(len(one) + 2 for one in parts) + len(part) > room:
            is_cut = True
            if parts:
                break
            part = f"{part[: room - 1].rstrip()}…"
        parts.append(part)
    return "\n".join((f"<{TAG}>", "\n\n".join((*parts, *([CUT] if is_cut else []))), f"</{TAG}>"))


def difference(before: str | None, after: str) -> str:
    """Return what changed, line by line: taken away `- `, added `+ `, kept with two blanks. Long sides are cut."""
    old, new = (before or "").splitlines(), after.splitlines()
    notes = [f"(only the first {_DIFF_SIDE} lines were compared)"] if max(len(old), len(new)) > _DIFF_SIDE else []
    lines = [*notes, *_compared(old[:_DIFF_SIDE], new[:_DIFF_SIDE])]
    if len(lines) > _DIFF_LINES:
        lines = [*lines[:_DIFF_LINES], f"(and {len(lines) - _DIFF_LINES} lines more)"]
    return "\n".join(lines)


def _compared(old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    for kind, start, end, from_, to in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            yield from (f"  {line}" for line in old[start:end])
        else:
            yield from (f"- {line}" for line in old[start:end])
            yield from (f"+ {line}" for line in new[from_:to])


def _model(told: Mapping[str, Any]) -> Model:
    trigger = told.get("trigger") or {}
    return Model(
        str(told.get("id", "")),
        str(told.get("name", "")),
        str(told.get("content") or ""),
        tuple(map(str, told.get("tags") or ())),
        str(told.get("source_query") or ""),
        told.get("last_refreshed_at"),
        bool(trigger.get("refresh_after_consolidation")),
    )
