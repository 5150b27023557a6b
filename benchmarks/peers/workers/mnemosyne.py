"""Mnemosyne: remember and recall of its class, vectors through the API endpoint that its documentation names."""

from __future__ import annotations

import os
import sys
from importlib import metadata
from pathlib import Path

HERE = str(Path(__file__).resolve().parent)
sys.path[:] = [each for each in sys.path if str(Path(each or ".").resolve()) != HERE]  # for its name
sys.path.append(HERE)

import wire  # noqa: E402


class Bank:
    """A file in the folder; ids of the set by its own."""

    version = metadata.version("mnemosyne-memory")

    def __init__(self, folder, url, dimensions):
        if url:
            os.environ["MNEMOSYNE_EMBEDDING_API_URL"] = url
            os.environ["MNEMOSYNE_EMBEDDING_MODEL"] = "benchmark"
            os.environ["MNEMOSYNE_EMBEDDING_DIM"] = str(dimensions)
        else:
            os.environ["MNEMOSYNE_NO_EMBEDDINGS"] = "1"
        from mnemosyne import Mnemosyne

        self._memory = Mnemosyne(session_id="benchmark", db_path=Path(folder, "bank.db"))
        self._ids = {}

    def fill(self, items):
        for item in items:
            self._ids.setdefault(self._memory.remember(item["text"]), item["id"])

    def ask(self, text, top):
        return [self._ids.get(hit["id"], f"other:{hit['id']}") for hit in self._memory.recall(text, top_k=top)]


wire.serve(Bank)
