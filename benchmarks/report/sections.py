"""The sections of the page, each made from the logs of its table; one without logs is left out."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from benchmarks import measures
from benchmarks.peers import languages, roster
from benchmarks.quality import embedders, rerankers
from benchmarks.report import plots
from benchmarks.report.page import Plot, Section, Table
from benchmarks.runlog import Log

ORDER: Final = ["mnemopi", *(f"mnemopi+{name}" for name in rerankers.NAMES[1:]), *list(roster.PEERS)[1:]]
QUALITY: Final = ("R@1", "R@5", "R@10", "nDCG@10", "MRR")
OFFICIAL: Final = ("recall_any@5", "recall_all@5", "ndcg_any@5", "recall_any@10", "recall_all@10", "ndcg_any@10")
SURE: Final = "In brackets: the 95 % interval of a seeded bootstrap over questions."


def made(logs: Sequence[Log]) -> list[Section]:
    """All sections that the logs hold."""
    return [section for make in _MAKERS for section in make(logs)]


def _quality(logs: Sequence[Log]) -> Iterator[Section]:
    for (name, haystack), found in _sets(logs).items():
        if name == languages.NAME:
            continue
        where = "one pool for all questions" if haystack == "pool" else "each question in its own haystack"
        count = max(len(log.rows) for log in found)
        rows = [row for log in found for row in [_row(log, found)]]
        dots = [(log.head["peer"], log.head["embedder"], _figure(log, "turn", "R@10")) for log in found if log.rows]
        plot = Plot(f"{name}-{haystack}", f"R@10 of {name}", plots.intervals("R@10", dots))
        columns = ("", "vectors", *QUALITY, "ours less theirs, R@10")
        text = f"{count} questions, {where}. {SURE} The last column is paired: the same questions, the same vectors."
        yield Section(f"{name}, {_short(haystack)}", text, Table(columns, rows), (plot,), _heads(found))


def _row(log: Log, beside: Sequence[Log]) -> list[str]:
    label = [log.head["peer"], log.head["embedder"]]
    if not log.rows:
        return [*label, f"skipped: {log.head['skipped']}", *[""] * len(QUALITY)]
    cells = [_cell(_figure(log, "turn", figure)) for figure in QUALITY]
    ours = [each for each in beside if each.head["peer"] == "mnemopi" and each.head["embedder"] == log.head["embedder"]]
    if not ours or log.head["peer"] == "mnemopi":
        return [*label, *cells, ""]
    mine, theirs = ({row["id"]: row["turn"]["R@10"] for row in each.rows} for each in (ours[0], log))
    return [*label, *cells, _cell(measures.gain(mine, theirs), "+")]


def _kinds(logs: Sequence[Log]) -> Iterator[Section]:
    for (name, haystack), found in _sets(logs).items():
        kinds = list(dict.fromkeys(row["category"] for log in found for row in log.rows))
        asked = [log for log in found if log.rows]
        if haystack != "own" or len(kinds) < 2 or not asked:
            continue
        counts = {kind: sum(row["category"] == kind for row in asked[0].rows) for kind in kinds}
        rows = [
            [log.head["peer"], log.head["embedder"], *(_pair(_of(log, kind)) for kind in kinds), _pair(log.rows)]
            for log in asked
        ]
        columns = ("", "vectors", *(f"{kind} ({counts[kind]})" for kind in kinds), "all")
        title = "Languages and forms" if name == languages.NAME else f"{name}, by kind of question"
        text = "R@1 / R@10."
        if name == languages.NAME:
            text = (
                "Chinese, English, both at once, and what code and data look like: a made-up, seeded set in which "
                "every memory has near twins, and a question gives the words that matter in another form. R@1 / R@10."
            )
        yield Section(title, text, Table(columns, rows), (), _heads(asked))


def _sessions(logs: Sequence[Log]) -> Iterator[Section]:
    for (name, haystack), found in _sets(logs).items():
        asked = [log for log in found if log.rows and "session" in log.rows[0]]
        if not asked or not name.startswith(("locomo", "longmemeval")) or haystack != "own":
            continue
        rows = [
            [log.head["peer"], log.head["embedder"], *(_cell(_figure(log, "session", each)) for each in QUALITY)]
            for log in asked
        ]
        text = f"The sessions of the ranked turns, each at its best place. {SURE}"
        yield Section(f"{name}, sessions", text, Table(("", "vectors", *QUALITY), rows), (), _heads(asked))


def _official(logs: Sequence[Log]) -> Iterator[Section]:
    for (name, haystack), found in _sets(logs).items():
        asked = [log for log in found if log.rows]
        if not name.startswith("longmemeval") or not asked or haystack != "own":
            continue
        apart = sum(bool(row.get("abstention")) for row in asked[0].rows)
        rows = []
        for log in asked:
            for level in ("official", "official_session"):
                kept = [row[level] for row in log.rows if level in row and not row.get("abstention")]
                cells = [f"{sum(row[each] for row in kept) / len(kept):.3f}" for each in OFFICIAL]
                rows.append([log.head["peer"], log.head["embedder"], "session" if "_" in level else "turn", *cells])
        text = (
            "The figures of LongMemEval's own scorer: any or all of the gold among the first k, and its nDCG, whose "
            f"first two places weigh the same. Questions that want no answer are left out: {apart} in this set."
        )
        columns = ("", "vectors", "level", *OFFICIAL)
        yield Section(f"{name}, official figures", text, Table(columns, rows), (), _heads(asked))


def _ablation(logs: Sequence[Log]) -> Iterator[Section]:
    for log in _of_table(logs, "ablation"):
        weights = log.head["weights"]
        rows = [
            [row["set"], row["embedder"], f"{row['bm25']:.3f}", f"{row['all']:.3f}"]
            + [f"{row[name]:+.3f}" for name in weights]
            for row in log.rows
        ]
        text = (
            "The mean of R@10 and nDCG@10 on sampled questions, candidates from an index in memory: all parts of the "
            "score, and what is lost (below zero) or won without each. BM25 here shares the analysis of words with us."
        )
        columns = ("", "vectors", "BM25", "all parts", *(f"without {name}" for name in weights))
        yield Section("What each part of the score is worth", text, Table(columns, rows), (), [log.head])


def _framed(logs: Sequence[Log]) -> Iterator[Section]:
    for log in _of_table(logs, "framed"):
        ways = ("plain", "framed", "kept")
        rows = [
            [row["set"], row["embedder"], *(f"{row[way]['figure']:.3f} / {row[way]['served']:.2f}" for way in ways)]
            for row in log.rows
        ]
        text = (
            "Sampled questions as they are, and in a frame such as `Do you remember ...` or `帮我查一下...`: the "
            "mean of R@10 and nDCG@10 / the share whose answer is believed enough to be told unasked "
            f"({log.head['belief']}). "
            "Recall reads a question without its frame; the last column is what the frame would cost."
        )
        columns = ("", "vectors", "as it is", "framed", "frame kept")
        yield Section("Does it matter how one asks?", text, Table(columns, rows), (), [log.head])


def _belief(logs: Sequence[Log]) -> Iterator[Section]:
    for log in sorted(_of_table(logs, "belief"), key=lambda log: bool(log.head.get("left_out"))):
        cuts = log.head["thresholds"]
        rows = [
            [row["set"], row["embedder"], f"{row['error']:.3f}", f"{row['gold']:.3f}", f"{row['belief']:.3f}"]
            + [f"{lost:.2f} / {refused:.2f}" for lost, refused in row["cut"]]
            for row in log.rows
        ]
        text = (
            "The expected calibration error over the ten best of each question (ten bins of equal count), the share "
            "that is gold, and the mean belief. Then, for a threshold on the best hit: the share of answerable "
            "questions that would be lost / of questions put to another conversation, which cannot answer them, that "
            "would be refused."
        )
        title, name = "Does a belief mean a probability?", "belief"
        if log.head.get("left_out"):
            title, name = "Does it on a set that was left out?", "belief-left-out"
            text += " For each set the numbers are fitted on the others; LoCoMo is among none of them."
        curves = {f"{row['set']}, {row['embedder']}": row["curve"] for row in log.rows if row["embedder"] == "none"}
        plot = Plot(name, "How often what is believed is true", plots.reliability(curves))
        columns = ("", "vectors", "error", "gold", "belief", *(f"at {cut:g}" for cut in cuts))
        yield Section(title, text, Table(columns, rows), (plot,), [log.head])


def _harm(logs: Sequence[Log]) -> Iterator[Section]:
    for log in _of_table(logs, "harm"):
        columns = log.head["columns"]
        rows = [
            [
                row["label"],
                str(row["n"]),
                *("" if row["shares"][name] is None else f"{row['shares'][name]:.2f}" for name in columns),
            ]
            for row in log.rows
        ]
        text = (
            "In what share of cases a kind of harm was kept away, over a made-up team's memories. BM25 and the peers "
            "hand out their best ten and have no label for what they return; a placebo returns nothing. An empty cell "
            "was not asked: to keep banks apart is the host's part there."
        )
        title = f"What a memory can do harm with, vectors: {log.head['embedder']}"
        yield Section(title, text, Table(("", "cases", *columns), rows), (), [log.head])


def _speed(logs: Sequence[Log]) -> Iterator[Section]:
    for log in _of_table(logs, "peers-speed"):
        ours = {row["n"]: row for row in log.rows if row["peer"] == "mnemopi"}
        rows = [_fast(row, ours[row["n"]]) for row in log.rows]
        recalled: dict[str, list[tuple[int, float]]] = defaultdict(list)
        taken: dict[str, list[tuple[int, float]]] = defaultdict(list)
        for row in log.rows:
            if not row["skipped"]:
                recalled[row["peer"]].append((row["n"], row["content"] * 1e3))
                taken[row["peer"]].append((row["n"], 1e3 / row["rate"]))
        embedder = log.head["embedder"]
        text = (
            "Memories taken in a second, and the median time of a recall of ten, in turns in one run; in brackets how "
            "many times ours it takes. Times alone tell of the machine and its load: read the ratios. pi-mnemopi keeps "
            "the newest 1,000 memories that sleep has not gone over, so it is never asked among more."
        )
        drawn = [
            Plot(f"{name}-{embedder}", f"{shows} by size", plots.growth(unit, lines))
            for name, shows, unit, lines in (
                ("speed", "Recall", "ms a recall", recalled),
                ("speed-taken", "Taking in", "ms a memory taken in", taken),
            )
            if lines
        ]
        columns = ("", "memories", "taken in a second", "recall, content words", "recall, mixed words")
        title = f"Speed beside the others, vectors: {embedder}"
        yield Section(title, text, Table(columns, rows), drawn, [log.head])


def _fast(row: Mapping[str, Any], ours: Mapping[str, Any]) -> list[str]:
    label = [row["peer"], f"{row['n']:,}"]
    if row["skipped"]:
        return [*label, f"skipped: {row['skipped']}", "", ""]
    asked = [f"{row[kind] * 1e3:.1f} ms ({row[kind] / ours[kind]:.1f})" for kind in ("content", "mixed")]
    return [*label, f"{row['rate']:,.0f} ({ours['rate'] / row['rate']:.1f})", *asked]


def _floors(logs: Sequence[Log]) -> Iterator[Section]:
    for log in _of_table(logs, "speed"):
        keys = list(dict.fromkeys(key for row in log.rows for key in row["details"]))
        rows = [
            [row["name"], _short_number(row["value"]), _target(row["target"]), row["verdict"]]
            + [_short_number(row["details"].get(key, "")) for key in keys]
            for row in log.rows
        ]
        text = (
            "A ratio to bare work on the same data in the same run, in turns; its target, and whether it holds. What "
            "each floor does stands in `benchmarks/README.md`."
        )
        part = log.head["part"]
        lines: dict[str, list[tuple[int, float]]] = defaultdict(list)
        for row in log.rows:
            for line, seconds in row.get("growth", {}).items():
                lines[line].append((row["size"], seconds * 1e3))
        drawn = [Plot(f"floor-{part}", f"{part} by size", plots.growth("ms", lines))] if lines else []
        title = f"Speed against the floor: {part}"
        columns = ("", "value", "target", "", *keys)
        yield Section(title, text, Table(columns, rows), drawn, [log.head])


def _target(target: Mapping[str, Any] | None) -> str:
    return "" if target is None else f"{'at least' if target['least'] else 'at most'} {target['bound']:g}"


def _short_number(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:.3g}" if abs(value) < 1000 else f"{value:,.0f}"


_MAKERS: Final[Sequence[Callable[[Sequence[Log]], Iterator[Section]]]] = (
    _quality,
    _kinds,
    _sessions,
    _official,
    _ablation,
    _framed,
    _belief,
    _harm,
    _speed,
    _floors,
)


def _of_table(logs: Iterable[Log], table: str) -> list[Log]:
    return [log for log in logs if log.head["table"] == table]


def _sets(logs: Iterable[Log]) -> dict[tuple[str, str], list[Log]]:
    found: dict[tuple[str, str], list[Log]] = defaultdict(list)
    for log in _of_table(logs, "quality"):
        found[log.head["set"], log.head["haystack"]].append(log)
    for each in found.values():
        each.sort(key=lambda log: (embedders.NAMES.index(log.head["embedder"]), ORDER.index(log.head["peer"])))
    return {key: each for key, each in sorted(found.items()) if any(log.rows for log in each)}


def _figure(log: Log, level: str, figure: str) -> plots.Interval:
    return measures.interval([row[level][figure] for row in log.rows])


def _of(log: Log, kind: str) -> list[Any]:
    return [row for row in log.rows if row["category"] == kind]


def _pair(rows: Sequence[Mapping[str, Any]]) -> str:
    return " / ".join(f"{sum(row['turn'][each] for row in rows) / max(1, len(rows)):.2f}" for each in ("R@1", "R@10"))


def _cell(value: plots.Interval, sign: str = "") -> str:
    mean, low, high = (f"{each:{sign}.3f}" for each in value)
    return f"{mean} [{low}, {high}]"


def _short(haystack: str) -> str:
    return "one pool" if haystack == "pool" else "own haystacks"


def _heads(logs: Iterable[Log]) -> list[Mapping[str, Any]]:
    return [log.head for log in logs]
