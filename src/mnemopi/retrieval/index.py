"""A compact index of a bank's vectors in memory: scan the quantised ones, then measure the best exactly.

Derived and disposable: it follows the table of vectors by its sequence numbers, erasures included. Below a few
thousand vectors the exact ones are scanned. Above, `turbo` keeps 4 bits a number (turbovec), `bits` one (numpy, where
turbovec is not to be had); the exact vectors of the best are then read from the database. No file of its own.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol

from mnemopi.storage import forks
from mnemopi.storage.vectors import Vectors

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Matrix = npt.NDArray[np.float32]
    Ids = npt.NDArray[np.int64]

Kind = Literal["auto", "turbo", "bits", "exact"]
_FEW: Final = 4096
_STEP: Final = 8192
_PASSAGE_BITS: Final = 20
_MARGIN: Final = 2
_WIDER: Final = 8
"""How many times as many passages are asked for where those of few memories took all the places."""
_SAMPLE: Final = 512
_LEAST_DEVIATION: Final = 0.01
_ROW: Final = 1 << _PASSAGE_BITS
_KEPT: Final = 8
"""Banks whose indexes stay while they are closed."""


class _Scan(Protocol):
    """What holds the vectors: ids are `row key << 20 | passage`."""

    def add(self, ids: Ids, vectors: Matrix) -> None: ...
    def remove(self, ids: Sequence[int]) -> None: ...
    def nearest(self, query: Matrix, count: int, allowed: Ids | None) -> Ids: ...


class VectorIndex:
    """The vectors of one bank and model, followed as they change; one query at a time.

    Each question brings the bank's table of vectors: the bank may have been closed and opened again since the last.
    """

    def __init__(self, model: str, kind: Kind = "auto") -> None:
        self.model, self._kind = model, kind
        self._lock = threading.Lock()
        self._seq = 0
        self._held = _Held()
        self._scan: _Scan | None = None
        self._sample: Matrix | None = None

    def __len__(self) -> int:
        return len(self._held)

    def search(
        self, table: Vectors, query: Matrix, count: int, allowed: Sequence[int] | None = None
    ) -> list[tuple[int, int, float]]:
        """Return the nearest (row key, best passage, cosine), best first, one a row; `query` has shape (dimensions,).

        `allowed` restricts the search to these row keys.
        """
        with self._lock:
            self._follow(table)
            some = None if allowed is None else self._held.of(allowed)
            rowkeys = self._near(query, count, some)
        return self.measured(table, query, rowkeys)[:count]

    def background(self, query: Matrix) -> tuple[float, float] | None:
        """Return mean and deviation of the query's cosine to a sample of the bank; None where there are no vectors.

        The deviation is at least .01, so that texts which are all alike do not make one other stand out beyond measure.
        """
        if self._sample is None:
            return None
        import numpy as np  # noqa: PLC0415 -- heavy, and only needed with vectors

        cosines = np.vecdot(self._sample, query)
        return float(cosines.mean()), max(float(cosines.std()), _LEAST_DEVIATION)

    def measured(self, table: Vectors, query: Matrix, rowkeys: Sequence[int]) -> list[tuple[int, int, float]]:
        """Measure rows by their exact vectors, keeping the best passage of each, best first."""
        import numpy as np  # noqa: PLC0415

        rows = table.of(self.model, rowkeys)
        if not rows:
            return []
        exact = np.frombuffer(b"".join(row[2] for row in rows), dtype="<f4").reshape(len(rows), -1)
        best: dict[int, tuple[int, int, float]] = {}
        for (rowkey, passage, _), cosine in zip(rows, np.vecdot(exact, query).tolist(), strict=True):
            if rowkey not in best or cosine > best[rowkey][2]:
                best[rowkey] = (rowkey, passage, cosine)
        return sorted(best.values(), key=lambda found: -found[2])

    def _near(self, query: Matrix, count: int, some: Ids | None) -> list[int]:
        """Return at least so many rows that are near, or all there are; a row with many passages hides no other."""
        total, wanted = len(self._held if some is None else some), count * _MARGIN
        if self._scan is None or not total:
            return []
        while True:
            ids = self._scan.nearest(query, wanted, some)
            found = {id >> _PASSAGE_BITS for id in ids.tolist()}
            if len(found) >= count or wanted >= total:
                return sorted(found)
            wanted *= _WIDER

    def _follow(self, table: Vectors) -> None:
        """Take in what came after the last sequence number."""
        last = table.last_seq()
        while self._seq < last:
            rows = table.after(self.model, self._seq, _STEP)
            if not rows:
                self._seq = last
                return
            self._forget([row[1] for row in rows if row[3] is None])
            self._add([(row[1] * _ROW + row[2], row[3]) for row in rows if row[3] is not None], last - self._seq)
            self._seq = rows[-1][0]

    def _forget(self, rowkeys: Sequence[int]) -> None:
        gone = self._held.of(rowkeys)
        if self._scan is not None and len(gone):
            self._scan.remove(gone.tolist())
            self._held.remove(gone)

    def _add(self, rows: Sequence[tuple[int, bytes]], expected: int) -> None:
        import numpy as np  # noqa: PLC0415

        known = set(self._held.of([id // _ROW for id, _ in rows]).tolist())
        fresh = sorted(row for row in rows if row[0] not in known)
        if not fresh:
            return
        ids = np.array([id for id, _ in fresh], dtype=np.int64)
        vectors = np.frombuffer(b"".join(data for _, data in fresh), dtype="<f4").reshape(len(fresh), -1)
        self._scan = self._roomy(expected, vectors.shape[1])
        self._scan.add(ids, vectors.astype(np.float32, copy=False))
        self._held.add(ids)
        if self._sample is None or len(self._sample) < _SAMPLE:
            some = vectors[:: max(1, len(vectors) // _SAMPLE)]
            sample = some if self._sample is None else np.concatenate([self._sample, some])
            self._sample = sample[:_SAMPLE].astype(np.float32)

    def _roomy(self, expected: int, dimensions: int) -> _Scan:
        """Return what takes so many more: exact vectors that become many are quantised, those held already as well."""
        held, few = self._scan, len(self) + expected < _FEW
        if held is not None and (few or self._kind != "auto" or not isinstance(held, _Exact)):
            return held
        roomy = _made(self._kind, few, dimensions)
        if isinstance(held, _Exact):
            roomy.add(*held.all())
        return roomy


class _Held:
    """The ids of the vectors that are held, ascending: eight bytes each."""

    def __init__(self) -> None:
        import numpy as np  # noqa: PLC0415

        self._ids: Ids = np.empty(0, dtype=np.int64)

    def __len__(self) -> int:
        return len(self._ids)

    def of(self, rowkeys: Sequence[int]) -> Ids:
        """Return the ids of these rows' passages, each once."""
        import numpy as np  # noqa: PLC0415

        rows = np.unique(np.array(rowkeys, dtype=np.int64)) * _ROW
        first, end = np.searchsorted(self._ids, rows), np.searchsorted(self._ids, rows + _ROW)
        many = end - first
        return self._ids[np.repeat(end - np.cumsum(many), many) + np.arange(many.sum())]

    def add(self, ids: Ids) -> None:
        """Take in ids that are not held, ascending."""
        import numpy as np  # noqa: PLC0415

        self._ids = np.insert(self._ids, np.searchsorted(self._ids, ids), ids)

    def remove(self, ids: Ids) -> None:
        """Drop ids that are held."""
        import numpy as np  # noqa: PLC0415

        self._ids = np.delete(self._ids, np.searchsorted(self._ids, ids))


class Indexes:
    """The indexes of banks that are opened for one question at a time, by model: of those that were asked last."""

    def __init__(self) -> None:
        self._lock = forks.Lock()
        self._kept: OrderedDict[Hashable, dict[str, VectorIndex]] = OrderedDict()

    def of(self, file: Hashable) -> dict[str, VectorIndex]:
        """Return what there is of a file (`Store.edition`), to be added to."""
        with self._lock:
            found = self._kept.setdefault(file, {})
            self._kept.move_to_end(file)
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return found


def _made(kind: Kind, few: bool, dimensions: int) -> _Scan:
    if kind == "exact" or (kind == "auto" and few):
        return _Exact(dimensions)
    if kind != "bits" and dimensions % 8 == 0:
        try:
            return _Turbo(dimensions)
        except ImportError:
            if kind == "turbo":
                raise
    return _Bits(dimensions)


class _Turbo:
    """Four bits a number, by turbovec."""

    def __init__(self, dimensions: int) -> None:
        import turbovec  # noqa: PLC0415 -- native code, only needed with many vectors

        self._index: Any = turbovec.IdMapIndex(dimensions, 4)

    def add(self, ids: Ids, vectors: Matrix) -> None:
        import numpy as np  # noqa: PLC0415

        self._index.add_with_ids(np.ascontiguousarray(vectors), ids.astype(np.uint64))

    def remove(self, ids: Sequence[int]) -> None:
        for id in ids:
            self._index.remove(id)

    def nearest(self, query: Matrix, count: int, allowed: Ids | None) -> Ids:
        import numpy as np  # noqa: PLC0415

        some = None if allowed is None else allowed.astype(np.uint64)
        _, ids = self._index.search(query[None, :], count, allowlist=some)
        found: Ids = np.asarray(ids[0]).astype(np.int64)
        return found


class _Growing:
    """Rows in one matrix that grows by doubling; a removed row gives its place to the last one."""

    def __init__(self, width: int, dtype: str) -> None:
        import numpy as np  # noqa: PLC0415

        self._rows: npt.NDArray[Any] = np.empty((1024, width), dtype=dtype)
        self._ids: Ids = np.empty(1024, dtype=np.int64)
        self._place: dict[int, int] = {}

    def append(self, ids: Ids, rows: npt.NDArray[Any]) -> None:
        import numpy as np  # noqa: PLC0415

        start, stop = len(self._place), len(self._place) + len(ids)
        if stop > len(self._ids):
            room = max(stop, 2 * len(self._ids))
            self._rows = np.concatenate(
                [self._rows[:start], np.empty((room - start, self._rows.shape[1]), self._rows.dtype)]
            )
            self._ids = np.concatenate([self._ids[:start], np.empty(room - start, np.int64)])
        self._rows[start:stop], self._ids[start:stop] = rows, ids
        self._place.update(zip(ids.tolist(), range(start, stop), strict=True))

    def remove(self, ids: Sequence[int]) -> None:
        for id in ids:
            place, last = self._place.pop(id), len(self._place)
            if place != last:
                self._rows[place], self._ids[place] = self._rows[last], self._ids[last]
                self._place[int(self._ids[last])] = place

    def chosen(self, allowed: Ids | None) -> tuple[npt.NDArray[Any], Ids]:
        if allowed is None:
            return self._rows[: len(self._place)], self._ids[: len(self._place)]
        places = [self._place[id] for id in allowed.tolist() if id in self._place]
        return self._rows[places], self._ids[places]


class _Exact:
    """The vectors themselves."""

    def __init__(self, dimensions: int) -> None:
        self._all = _Growing(dimensions, "<f4")

    def add(self, ids: Ids, vectors: Matrix) -> None:
        self._all.append(ids, vectors)

    def remove(self, ids: Sequence[int]) -> None:
        self._all.remove(ids)

    def nearest(self, query: Matrix, count: int, allowed: Ids | None) -> Ids:
        import numpy as np  # noqa: PLC0415

        rows, ids = self._all.chosen(allowed)
        # Not a product of BLAS, whose threads spin on after it for longer than a recall takes.
        return _best(np.vecdot(rows, query), ids, count)

    def all(self) -> tuple[Ids, Matrix]:
        rows, ids = self._all.chosen(None)
        return ids, rows


class _Bits:
    """One bit a number, its sign, and how long the vector is in signs.

    The product of a question q and a vector v is estimated by (q . s) / (s . v) where s are the signs of v: what is
    known of v is the direction s, and s . v says how much of v lies in it (as RaBitQ does, Gao and Long 2024, but
    without rotation). Eight products of a question are looked up at once, by the byte of their signs.
    """

    _MEASURED: Final = 20
    """So many times as many as other indexes find are measured exactly: a bit tells less."""
    _LENGTH: Final = 4

    def __init__(self, dimensions: int) -> None:
        self._bytes = (dimensions + 7) // 8
        self._all = _Growing(self._bytes + self._LENGTH, "u1")

    def add(self, ids: Ids, vectors: Matrix) -> None:
        import numpy as np  # noqa: PLC0415

        within = np.abs(vectors).sum(axis=1, dtype=np.float32)
        lengths = (1 / np.maximum(within, 1e-9)).astype("<f4").view("u1").reshape(-1, self._LENGTH)
        self._all.append(ids, np.concatenate([np.packbits(vectors > 0, axis=1), lengths], axis=1))

    def remove(self, ids: Sequence[int]) -> None:
        self._all.remove(ids)

    def nearest(self, query: Matrix, count: int, allowed: Ids | None) -> Ids:
        import numpy as np  # noqa: PLC0415

        rows, ids = self._all.chosen(allowed)
        signs = np.unpackbits(np.arange(256, dtype="u1")[:, None], axis=1).astype(np.float32) * 2 - 1
        padded = np.pad(query, (0, 8 * self._bytes - len(query)))
        products = np.zeros(len(rows), np.float32)
        for eight, codes in zip(padded.reshape(-1, 8), rows.T, strict=False):
            products += (signs @ eight)[codes]
        lengths = np.ascontiguousarray(rows[:, self._bytes :]).view("<f4")[:, 0]
        return _best(products * lengths, ids, count * self._MEASURED)


def _best(scores: npt.NDArray[np.float32], ids: Ids, count: int) -> Ids:
    import numpy as np  # noqa: PLC0415

    if len(ids) > count:
        top = np.argpartition(-scores, count)[:count]
        scores, ids = scores[top], ids[top]
    return ids[np.argsort(-scores, kind="stable")]
