"""LangGraph: the store in memory with an index, as its documentation of semantic search shows."""

from __future__ import annotations

from importlib import metadata

import wire
from langgraph.store.base import PutOp
from langgraph.store.memory import InMemoryStore

SPACE = ("benchmark",)
BATCH = 500


class Bank:
    """A store of this process."""

    version = metadata.version("langgraph")

    def __init__(self, folder, url, dimensions):
        index = {"dims": dimensions, "embed": lambda texts: wire.embed(url, texts), "fields": ["text"]}
        self._store = InMemoryStore(index=index)

    def fill(self, items):
        for start in range(0, len(items), BATCH):
            part = items[start : start + BATCH]
            self._store.batch([PutOp(SPACE, each["id"], {"text": each["text"]}) for each in part])

    def ask(self, text, top):
        return [each.key for each in self._store.search(SPACE, query=text, limit=top)]


wire.serve(Bank)
