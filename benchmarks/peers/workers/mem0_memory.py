"""Mem0: add with infer=False and search of its open-source class, Qdrant on disk, its OpenAI embedder at our server."""

from __future__ import annotations

from importlib import metadata

import wire
from mem0 import Memory

USER = "benchmark"


class Bank:
    """A memory in the folder. Its model for facts is never asked; it has to be named all the same."""

    version = metadata.version("mem0ai")

    def __init__(self, folder, url, dimensions):
        served = {"api_key": "none", "openai_base_url": url, "model": "benchmark"}
        store = {"path": f"{folder}/qdrant", "on_disk": True, "embedding_model_dims": dimensions}
        self._memory = Memory.from_config(
            {
                "embedder": {"provider": "openai", "config": served | {"embedding_dims": dimensions}},
                "llm": {"provider": "openai", "config": served},
                "vector_store": {"provider": "qdrant", "config": store},
                "history_db_path": f"{folder}/history.db",
            }
        )

    def fill(self, items):
        for item in items:
            self._memory.add(item["text"], user_id=USER, metadata={"set_id": item["id"]}, infer=False)

    def ask(self, text, top):
        found = self._memory.search(text, filters={"user_id": USER}, top_k=top, threshold=0.0)["results"]
        return [each["metadata"]["set_id"] for each in found]


wire.serve(Bank)
