"""The sampled questions of the sets, with their candidates, as fitting and the tables of belief look at them."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from benchmarks.quality import embedders, harness, sets
from mnemopi.ports import Embedder

SEED = 20
MOST = 240
"""Questions of a set that are looked at, drawn once."""
STRANGERS = {
    "cmrc2018": "madial_zh",
    "madial_zh": "cmrc2018",
    "madial_en": "realmem_fact_dev",
    "memorycode_dev": "realmem_fact_dev",
}
"""Where a set's questions have no answer; those of the other sets have none in another group of their own set."""
TRANSFORMERS = {"locomo_dev": "minilm", "madial_en": "minilm", "madial_zh": "e5", "realmem_fact_dev": "minilm"}
"""The sets that are embedded in minutes, with a small transformer that reads their language."""


@dataclass(slots=True)
class Sample:
    """The sampled questions of one set, with some vectors or none."""

    name: str
    embedder: str
    asked: list[harness.Asked]
    floor: float


def samples(names: Sequence[str], foreign: bool = False) -> Iterable[Sample]:
    """Lay out the sampled questions of sets; `foreign` puts each question to another group than its own."""
    for name in names:
        groups, queries = sets.load(name)
        if foreign and name in STRANGERS:
            groups = sets.load(STRANGERS[name])[0]
        others = sorted(groups)
        queries = random.Random(SEED).sample(queries, min(MOST, len(queries)))
        for label, embedder in _embedders(name):
            indexed: dict[str, harness.Group] = {}
            asked, plain = [], {}
            for query in queries:
                where = query.group
                if foreign:
                    where = others[(others.index(where) + 1 if where in others else len(asked)) % len(others)]
                if where not in indexed:
                    indexed[where] = harness.Group(groups[where], embedder)
                asked.append(harness.ask(indexed[where], query))
                plain[query.id] = harness.plain(indexed[where], query)
            yield Sample(name, label, asked, figure(sets.scorer().score(plain, queries)["all"]))


def _embedders(name: str) -> Iterator[tuple[str, Embedder | None]]:
    """None, the static one, and the set's transformer where it can be had."""
    for label in ("none", "static", *filter(None, [TRANSFORMERS.get(name)])):
        try:
            yield label, embedders.opened(label)
        except embedders.Unavailable as error:
            print(f"{name} {label}: skipped: {error}")


def figure(row: dict[str, float]) -> float:
    """The one figure that a set's report is worth."""
    return (row["R@10"] + row["nDCG@10"]) / 2
