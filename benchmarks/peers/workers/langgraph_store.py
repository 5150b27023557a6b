"""LangGraph: the SQLite store with an index, as its documentation of semantic search shows."""

from __future__ import annotations

from importlib import metadata

import wire
from langgraph.store.base import PutOp
from langgraph.store.sqlite import SqliteStore

SPACE = ("benchmark",)
BATCH = 500


class Bank:
    """A store in the folder."""

    version = f"{metadata.version('langgraph')}, sqlite {metadata.version('langgraph-checkpoint-sqlite')}"

    def __init__(self, folder, url, dimensions):
        index = {"dims": dimensions, "embed": lambda texts: wire.embed(url, texts), "fields": ["text"]}
        self._held = SqliteStore.from_conn_string(folder + "/store.db", index=index)
        self._store = self._held.__enter__()
        self._store.setup()

    def fill(self, items):
        for start in range(0, len(items), BATCH):
            part = items[start : start + BATCH]
            self._store.batch([PutOp(SPACE, each["id"], {"text": each["text"]}) for each in part])

    def ask(self, text, top):
        return [each.key for each in self._store.search(SPACE, query=text, limit=top)]


wire.serve(Bank)
