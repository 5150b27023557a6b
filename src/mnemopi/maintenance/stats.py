"""Figures about a bank: the reference's keys, and what they leave out (coverage, states, bytes).

Counts only, from indexes and rows; no text is read and no model is loaded. Whether all is well, `diagnose` says.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mnemopi.ingest import settle
from mnemopi.model.interval import iso
from mnemopi.ports import LLM, Embedder
from mnemopi.settings import LlmConfig
from mnemopi.storage.store import Store

_DAY_MS = 86_400_000
_HOUR_MS = 3_600_000


def stats(store: Store, embedder: Embedder | None, now: int) -> dict[str, Any]:
    """Return the figures of a bank. Times are ISO 8601 in UTC or None, sizes bytes, shares 0 to 1."""
    tiers = store.inventory.tiers()
    live, retired, invalid, sessions, pinned, everywhere = store.inventory.states(now)
    last_write, lately = store.journal.last_write(now - _DAY_MS)
    embeddings = _embeddings(store, embedder, live)
    held, ended, contested = store.facts.counts(now)
    annotations, edges = store.graph.counts()
    return {
        "total_memories": live,
        "total_sessions": sessions,
        "sources": store.inventory.sources(),
        "last_memory": _iso(max((last for _, last in tiers.values()), default=None)),
        "database": str(store.path),
        "mode": "beam",
        "beam": {
            "working_memory": _tier(tiers, "working"),
            "episodic_memory": _tier(tiers, "episodic")
            | {
                "vectors": embeddings["models"].get(embeddings["serving"], 0),
                "vec_type": "float32" if embeddings["models"] else "none",
            },
            "triples": {"total": held},
        },
        "facts": {"in_force": held, "ended": ended, "contested": contested, "waiting": store.unclaimed.count()},
        "graph": {"annotations": annotations, "edges": edges},
        "bank": store.name,
        "bank_id": store.bank,
        "created_at": _iso(int(made) if (made := store.meta.get("created_at")) else None),
        "schema": store.schema(),
        "writable": store.writable,
        "embeddings": embeddings,
        "retired_versions": retired,
        "invalid": invalid,
        "pinned": pinned,
        "global": everywhere,
        "tombstones": store.inventory.forgotten(),
        "last_write": _iso(last_write),
        "writes_last_day": lately,
        "bytes": _bytes(store),
    }


def spending(store: Store, llm: LLM | None, limits: LlmConfig, now: int) -> dict[str, Any]:
    """Return what language models cost this bank and did for it; calls and tokens are those of the last 60 minutes."""
    lately, ever = store.spending.since(now - _HOUR_MS), store.spending.since(0)
    waiting, given_up, read = store.readings.counts(now)
    provider, _, model = llm.name.partition(":") if llm else ("none", "", "")
    return {
        "llm": {
            "provider": provider,
            "model": model or None,
            "calls": lately.calls,
            "calls_per_hour": limits.calls_per_hour,
            "tokens": lately.tokens,
            "tokens_per_hour": limits.tokens_per_hour,
            "refused": lately.refused,
            "failures": lately.failures,
            "calls_ever": ever.calls,
            "tokens_ever": ever.tokens,
        },
        "extraction": {"waiting": waiting, "given_up": given_up, "read": read},
    }


def _tier(tiers: dict[str, tuple[int, int]], name: str) -> dict[str, Any]:
    count, last = tiers.get(name, (0, None))
    return {"total": count, "count": count, "last": _iso(last)}


def _embeddings(store: Store, embedder: Embedder | None, live: int) -> dict[str, Any]:
    """Say how far vectors have come. The length of a vector is read from those that are there."""
    models = store.vectors.models()
    pending, oldest = settle.pending(store, embedder)
    refused = len(settle.refused(store, embedder.name)) if embedder else 0
    provider, _, model = embedder.name.partition(":") if embedder else ("none", "", "")
    return {
        "provider": provider,
        "model": model or None,
        "dimensions": store.vectors.dimensions(embedder.name) if embedder and embedder.name in models else None,
        "coverage": round(1 - (pending + refused) / live, 4) if embedder and live else float(embedder is not None),
        "pending": pending,
        "oldest_pending": _iso(oldest),
        "refused": refused,
        "serving": settle.serving(store, embedder.name) if embedder else None,
        "models": models,
    }


def _bytes(store: Store) -> int:
    """Return the size of the file and its log."""
    files = () if store.in_memory else (store.path, Path(f"{store.path}-wal"))
    return sum(file.stat().st_size for file in files if file.exists())


def _iso(moment: int | None) -> str | None:
    return None if moment is None else iso(moment)
