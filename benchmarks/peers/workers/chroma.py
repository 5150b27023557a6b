"""Chroma: a persistent collection with cosine distance; its embedding function asks the benchmark's server."""

from __future__ import annotations

from importlib import metadata

import chromadb
import wire
from chromadb.config import Settings

BATCH = 1000


class Vectors(chromadb.EmbeddingFunction):
    """The function that a collection embeds documents and questions by."""

    def __init__(self, url: str = "") -> None:
        self._url = url

    def __call__(self, input):
        return wire.embed(self._url, input)


class Bank:
    """A collection in the folder."""

    version = metadata.version("chromadb")

    def __init__(self, folder, url, dimensions):
        client = chromadb.PersistentClient(folder + "/chroma", Settings(anonymized_telemetry=False))
        self._collection = client.create_collection(
            "benchmark", embedding_function=Vectors(url), configuration={"hnsw": {"space": "cosine"}}
        )

    def fill(self, items):
        for start in range(0, len(items), BATCH):
            part = items[start : start + BATCH]
            self._collection.add(ids=[each["id"] for each in part], documents=[each["text"] for each in part])

    def ask(self, text, top):
        return self._collection.query(query_texts=[text], n_results=top, include=[])["ids"][0]


wire.serve(Bank)
