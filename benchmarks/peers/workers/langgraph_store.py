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
        # the store in memory fails on a text that stands twice in a batch
        part = {}
        for item in items:
            if item["text"] in part or len(part) == BATCH:
                self._put(part)
                part = {}
            part[item["text"]] = item["id"]
        self._put(part)

    def _put(self, part):
        self._store.batch([PutOp(SPACE, id, {"text": text}) for text, id in part.items()])

    def ask(self, text, top):
        return [each.key for each in self._store.search(SPACE, query=text, limit=top)]


wire.serve(Bank)
