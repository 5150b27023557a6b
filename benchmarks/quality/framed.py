"""Does it matter how one asks? Each question as it is, and framed: `Do you remember ...`, `帮我查一下...`.

    python -m benchmarks.quality.framed
    python -m benchmarks.quality.framed locomo_dev

The mean of R@10 and nDCG@10 on sampled questions, and the share of them that is served: a gold memory stands among the
ten best and is believed enough to be told unasked. Framed questions are asked twice: as recall reads them, without the
frame (`mnemopi.text.frames`), and with it, which is what the frame would cost.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator, Sequence
from typing import Any

from benchmarks import runlog
from benchmarks.quality import embedders, harness, sampling, sets
from mnemopi.agent_settings import MnemopiConfig
from mnemopi.retrieval import scoring
from mnemopi.text import language

FRAMES = (
    "Do you remember {}",
    "Can you tell me {}",
    "Could you please remind me {}",
    "Find out {}",
    "I was wondering {}",
    "Do we know {}",
)
CHINESE = ("请问{}", "你还记得{}", "帮我查一下{}", "请告诉我{}", "我想知道{}")
BELIEF = MnemopiConfig().recall_belief
ASKED = ("plain", "framed", "kept")


def main() -> int:
    """Print and log the table."""
    names, log, folder = sets.asked("framed", __doc__)
    if not names:
        return 0
    print(f"{'':38s}" + "".join(f"{title:>20s}" for title in ("as it is", "framed", "frame kept")))
    rows = []
    for row in (row for name in names for row in _rows(name)):
        cells = "".join(f"{row[asked]['figure']:12.3f} /{row[asked]['served']:6.3f}" for asked in ASKED)
        print(f"{row['set'] + ' ' + row['embedder']:38s}{cells}", flush=True)
        rows.append(row)
    runlog.write(log, runlog.head("framed", runlog.command(), belief=BELIEF), rows, folder)
    return 0


def _rows(name: str) -> Iterator[dict[str, Any]]:
    """What each way of asking comes to, a row an embedder."""
    groups, queries = sets.load(name)
    queries = random.Random(sampling.SEED).sample(queries, min(sampling.MOST, len(queries)))
    for embedder in ("none", "static"):
        try:
            opened = embedders.opened(embedder)
        except embedders.Unavailable as error:
            print(f"{name} {embedder}: skipped: {error}")
            continue
        indexed = {group: harness.Group(groups[group], opened) for group in sorted({each.group for each in queries})}
        ways: dict[str, list[harness.Asked]] = {asked: [] for asked in ASKED}
        for query in queries:
            group, text = indexed[query.group], framed(query.text)
            ways["plain"].append(harness.ask(group, query))
            ways["framed"].append(harness.ask(group, query, text))
            ways["kept"].append(harness.ask(group, query, text, understood=False))
        yield {"set": name, "embedder": embedder, "n": len(queries), **{way: _worth(ways[way]) for way in ASKED}}


def framed(question: str) -> str:
    """Return a question in a frame of its language, the same each time."""
    rng = random.Random(question)
    if language.has_unspaced_script(question):
        return rng.choice(CHINESE).format(question)
    small = question[:1].lower() + question[1:] if question[1:2].islower() else question
    return rng.choice(FRAMES).format(small)


def _worth(asked: Sequence[harness.Asked]) -> dict[str, float]:
    figures, served = [], 0
    for each in asked:
        best = scoring.rank(each.question, each.candidates)[:10]
        hits = [each.ids[place] in each.gold for place, _ in best]
        figures.append(harness.one(hits, len(each.gold)))
        served += any(hit and told.score >= BELIEF for hit, (_, told) in zip(hits, best, strict=True))
    return {"figure": sum(figures) / len(figures), "served": served / len(asked)}


if __name__ == "__main__":
    sys.exit(main())
