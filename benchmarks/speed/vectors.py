"""The index of vectors against exact search with numpy over the same vectors: what it finds, and how fast.

Two kinds of vectors: those of the corpus by the static embedder (one a passage), and random ones around centres,
which lie as those of a trained model do, close together in groups. Recall counts a hit where the found row is as near
as the tenth of the exact ones, since equal texts have equal vectors and any of them is right. The index is asked for as
many as recall asks it for, and the first ten are looked at.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.speed import corpus, floors
from benchmarks.speed.figures import Figure, Samples, Target, median, microseconds, timed
from mnemopi.retrieval import retrievers
from mnemopi.retrieval.index import Kind, VectorIndex
from mnemopi.storage.store import Store

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Matrix = npt.NDArray[np.float32]

RECALL_TARGET = Target(0.98, least=True)
KINDS: tuple[Kind, ...] = ("turbo", "bits")
_TEN = 10
_CLUSTERED = "benchmark:clustered-256"
_CENTRES = 500
_SPREAD = 0.06
_QUERIES = 120
_SEED = 5
_EQUAL = 1e-6


def vectors(folder: Path, count: int = 100_000) -> list[Figure]:
    """Recall at ten and time a search of both kinds of index, on both kinds of vectors."""
    path = folder / f"vectors-{count}.db"  # a copy, since random vectors are added
    if not path.exists():
        shutil.copyfile(corpus.bank(folder, count, "static"), path)
    found: list[Figure] = []
    with corpus.opened(path, "static") as memory:
        store, embedder = memory.bank._store, memory.embedder
        assert embedder is not None
        asked = [question for kind in corpus.KINDS for question in corpus.questions(kind)]
        found += _figures(store, embedder.name, embedder.embed_queries(asked), f"static, {count:,}")
        found += _figures(store, _CLUSTERED, _cluster(store, count), f"clustered, {count:,}")
    return found


def _figures(store: Store, model: str, queries: Matrix, label: str) -> Iterator[Figure]:
    exact = floors.Exact(store, model)
    for kind in KINDS:
        index = VectorIndex(model, kind)
        built, _ = timed(index.search, store.vectors, queries[0], retrievers.DEPTH)
        ours, floor = Samples(), Samples()
        right = 0.0
        for query in queries:
            best = _best(exact, query)
            got = index.search(store.vectors, query, retrievers.DEPTH)[:_TEN]
            right += sum(cosine >= best[-1] - _EQUAL for _, _, cosine in got) / _TEN
            ours.append(timed(index.search, store.vectors, query, retrievers.DEPTH))
            floor.append(timed(_best, exact, query))
        details: dict[str, float | str] = {
            "search": microseconds(median(ours)),
            "exact": microseconds(median(floor)),
            "of exact": median(ours) / median(floor),
            "vectors": len(exact.matrix),
            "fill": microseconds(built),
        }
        yield Figure(f"recall@10, {label}, {kind}", right / len(queries), RECALL_TARGET, details)


def _best(exact: floors.Exact, query: Matrix) -> Sequence[float]:
    """The cosines of the ten nearest rows, best first; a row counts by its best passage."""
    best: dict[int, float] = {}
    for place, cosine in zip(*exact.nearest(query, 20 * _TEN), strict=True):
        best.setdefault(int(exact.rowkeys[place]), float(cosine))
    return list(best.values())[:_TEN]


def _cluster(store: Store, count: int) -> Matrix:
    """Give each memory of the bank a vector near one of the centres, and return queries from the same groups."""
    import numpy as np

    rng = np.random.default_rng(_SEED)
    centres = rng.standard_normal((_CENTRES, 256)).astype(np.float32)
    centres /= np.linalg.norm(centres, axis=1, keepdims=True)

    def drawn(many: int) -> Matrix:
        near = centres[rng.integers(_CENTRES, size=many)]
        points = near + rng.standard_normal(near.shape).astype(np.float32) * np.float32(_SPREAD)
        made: Matrix = points / np.linalg.norm(points, axis=1, keepdims=True)
        return made

    if not store.vectors.after(_CLUSTERED, 0, 1):
        made = drawn(count)
        with store.transaction():
            store.vectors.put(_CLUSTERED, ((place + 1, 0, row.tobytes()) for place, row in enumerate(made)))
    return drawn(_QUERIES)
