"""Who is measured: the plain rankers, ours, and the peers, each in its best documented setting."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

Kind = Literal["plain", "ours", "pip", "npm"]
ALL: Final = ("none", "static", "minilm")
VECTORS: Final = ("static", "minilm")


@dataclass(frozen=True, slots=True)
class Peer:
    """One row of a table: what it is made of, the embedders it can use, and how it is set."""

    name: str
    kind: Kind
    packages: tuple[str, ...]
    embedders: tuple[str, ...]
    setting: str
    worker: str = ""


PEERS: Final = {
    peer.name: peer
    for peer in (
        Peer("mnemopi", "ours", (), (*ALL, "e5"), "as it comes"),
        Peer(
            "bm25",
            "plain",
            ("bm25s",),
            ("none",),
            "bm25s, English stop words, Snowball stems; Han by pairs",
        ),
        Peer("dense", "plain", (), (*VECTORS, "e5"), "cosine of whole texts"),
        Peer("rrf", "plain", ("bm25s",), (*VECTORS, "e5"), "reciprocal rank fusion (60) of the two above"),
        Peer(
            "mnemosyne",
            "pip",
            ("mnemosyne-memory[embeddings]==3.15.1",),
            ALL,
            "Mnemosyne.remember, .recall, with its extra for embeddings; vectors through its API endpoint",
            "mnemosyne.py",
        ),
        Peer(
            "pi-mnemopi",
            "npm",
            ("@oh-my-pi/pi-mnemopi@18.2.3", "bun@1.3.14"),
            ALL,
            "Mnemopi.remember, .recall; vectors through its provider function",
            "pi_mnemopi.ts",
        ),
        Peer(
            "mem0",
            "pip",
            ("mem0ai==2.2.1",),
            VECTORS,
            "Memory.add(infer=False), .search without a threshold; Qdrant on disk; vectors through its OpenAI embedder",
            "mem0_memory.py",
        ),
        Peer(
            "chromadb",
            "pip",
            ("chromadb==1.5.9",),
            VECTORS,
            "a persistent collection, cosine; vectors through an embedding function",
            "chroma.py",
        ),
        Peer(
            "langgraph",
            "pip",
            ("langgraph==1.2.24", "numpy==2.4.6"),
            VECTORS,
            "InMemoryStore with an index (its SqliteStore needs a Python that loads extensions); vectors through embed",
            "langgraph_store.py",
        ),
    )
}
ABSENT: Final = {
    "txtai": "needs torch, whose wheel for Linux brings gigabytes of GPU libraries",
    "basic-memory": "its releases need Python 3.12 or newer",
}
"""Peers that were looked at and have no row, and why."""
