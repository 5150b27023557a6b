"""How to recall: the caller's options, checked, and the recipes (profiles) that name the retrievers to run."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from mnemopi.errors import UsageError
from mnemopi.model import numbers, trust
from mnemopi.model.interval import FOREVER, Interval
from mnemopi.model.memory import Identity
from mnemopi.model.query import Filter
from mnemopi.model.values import dataclass
from mnemopi.retrieval import factual
from mnemopi.retrieval.scoring import Scales
from mnemopi.settings import RecallConfig
from mnemopi.text import dates

RETRIEVERS: Final = ("lexical", "dense", "identifier", "temporal", "recent", "fact", "entity", "graph")
PROFILES: Final[Mapping[str, tuple[str, ...]]] = {
    "default": ("lexical", "identifier", "dense", "temporal", "fact"),
    "lexical": ("lexical", "identifier", "temporal"),
    "recent": ("lexical", "identifier", "dense", "temporal", "recent", "fact"),
    "facts": ("fact", "lexical", "identifier", "dense", "temporal"),
    "polyphonic": RETRIEVERS,
}
FACTS: Final[Mapping[str, factual.Mode]] = {"facts": "first", "polyphonic": "place"}
"""How facts stand in a profile; in others they attach to the memories that say them."""
_MOST: Final = 1e6
"""The greatest weight: beyond it, sums of terms would not tell anything any more."""
_FILTERS: Final = (
    "session_id",
    "author_id",
    "author_type",
    "channel_id",
    "source",
    "scope",
    "tier",
    "kind",
    "memory_type",
)
_KINDS: Final = ("turn", "note", "episode", "fact")
_CLOSED: Final[Mapping[str, tuple[str, ...]]] = {"tier": ("working", "episodic"), "kind": _KINDS}
"""Filters that can only have a few values: anything else is a slip, not a question with no answer."""
_NUMBERS: Final = (
    "temporal_weight",
    "temporal_halflife",
    "vec_weight",
    "fts_weight",
    "importance_weight",
    "mmr_lambda",
    "min_score",
)
_OTHERS: Final = (
    "veracity",
    "from_date",
    "to_date",
    "as_of",
    "include_invalid",
    "query_time",
    "profile",
    "use_mmr",
    "quotas",
    "content_preview_chars",
    "retrievers",
    "rerank",
)
_LONGEST: Final = 1e9
"""The longest half-life (h): no two moments of the calendar differ by it."""
_HALF: Final = re.compile("[\ud800-\udfff]")
_TEMPORAL_WEIGHT: Final = 0.35
"""The reference's default once a question names a time; ours is scaled against it."""


@dataclass(frozen=True, slots=True)
class Options:
    """A recall as it was asked for. Times are UTC ms, half-lives hours.

    `trust` weighs labels of veracity, `detail` episodes by how fully they are told; `rerank` is None where it is left
    to the settings.
    """

    top_k: int
    filter: Filter
    scales: Scales
    retrievers: tuple[str, ...]
    trust: Mapping[str, float]
    detail: Mapping[int | None, float]
    recency_halflife: float
    temporal_halflife: float
    query_time: int | None = None
    min_score: float = 0.0
    use_mmr: bool = False
    mmr_lambda: float = 0.7
    quotas: Mapping[str, int] | None = None
    preview_chars: int = 500
    recent: bool = False
    facts: factual.Mode = "attach"
    rerank: bool | None = None

    @classmethod
    def of(
        cls, given: Mapping[str, Any], top_k: object, who: Identity, config: RecallConfig, *, whole: bool = False
    ) -> Options:
        """Check the options of a recall. `whole` drops the preview limit. Raises UsageError."""
        if unknown := sorted(set(given) - set(_FILTERS) - set(_NUMBERS) - set(_OTHERS)):
            known = ", ".join((*_FILTERS, *_NUMBERS, *_OTHERS))
            raise UsageError(f"unknown option {', '.join(map(repr, unknown))}", hint=f"known: {known}")
        profile = "default" if given.get("profile") is None else given["profile"]
        if not isinstance(profile, str) or profile not in PROFILES:
            raise UsageError(f"unknown profile {profile!r:.60}", hint=f"one of {', '.join(PROFILES)}")
        preview = given.get("content_preview_chars")
        return cls(
            top_k=numbers.whole(top_k, "top_k", 0),
            filter=_filter(given, who),
            scales=_scales(given, config),
            retrievers=_retrievers(given.get("retrievers"), PROFILES[profile], config),
            trust=_trust(config),
            detail={1: config.tier1_weight, 2: config.tier2_weight, 3: config.tier3_weight},
            recency_halflife=config.recency_halflife,
            temporal_halflife=_number(given, "temporal_halflife", least=1e-6, most=_LONGEST)
            or config.temporal_halflife,
            query_time=None if given.get("query_time") is None else dates.moment(given["query_time"]),
            min_score=_number(given, "min_score", least=0, most=1) or 0.0,
            use_mmr=bool(_flag(given, "use_mmr")),
            mmr_lambda=_default(_number(given, "mmr_lambda", least=0, most=1), 0.7),
            quotas=_quotas(given.get("quotas")),
            preview_chars=0
            if whole
            else config.preview_chars
            if preview is None
            else numbers.whole(preview, "content_preview_chars", 0),
            recent=profile == "recent",
            facts=FACTS.get(profile, "attach"),
            rerank=_flag(given, "rerank"),
        )


def last_moment(value: Any) -> int:
    """Read a moment up to which something counts: the last millisecond of a bare date."""
    given = dates.parse(value)
    return given.start if given.precision == "instant" else given.end - 1


def _filter(given: Mapping[str, Any], who: Identity) -> Filter:
    named: dict[str, Any] = {}
    for name in _FILTERS:
        value = given.get(name)
        if value is not None and (not isinstance(value, str) or not value or _HALF.search(value)):
            raise UsageError(f"{name} is a non-empty string of whole characters, not {value!r:.60}")
        if value is not None and value not in _CLOSED.get(name, (value,)):
            raise UsageError(f"unknown {name} {value!r:.60}", hint=f"one of {', '.join(_CLOSED[name])}")
        named[name] = value
    veracity = given.get("veracity")
    return Filter(
        identity=who,
        **named,
        veracity=None if veracity is None else trust.veracity(veracity),
        within=_within(given.get("from_date"), given.get("to_date")),
        as_of=None if given.get("as_of") is None else last_moment(given["as_of"]),
        include_invalid=bool(_flag(given, "include_invalid")),
    )


def _within(first: Any, last: Any) -> Interval | None:
    if first is None and last is None:
        return None
    start = -FOREVER if first is None else dates.moment(first)
    end = FOREVER if last is None else last_moment(last) + 1
    if end <= start:
        raise UsageError("to_date lies before from_date")
    return Interval(start, end)


def _scales(given: Mapping[str, Any], config: RecallConfig) -> Scales:
    """A weight given, over the fitted default of its setting, is what its term is multiplied by."""
    words = _default(_number(given, "fts_weight", least=0, most=_MOST), config.fts_weight)
    meaning = _default(_number(given, "vec_weight", least=0, most=_MOST), config.vec_weight)
    importance = _default(_number(given, "importance_weight", least=0, most=_MOST), config.importance_weight)
    period = _default(_number(given, "temporal_weight", least=0, most=_MOST), _TEMPORAL_WEIGHT)
    defaults = RecallConfig()
    return Scales(
        words=words / defaults.fts_weight,
        meaning=meaning / defaults.vec_weight,
        importance=importance / defaults.importance_weight,
        period=period / _TEMPORAL_WEIGHT,
        recency=period / _TEMPORAL_WEIGHT,
    )


def _retrievers(given: Any, usual: tuple[str, ...], config: RecallConfig) -> tuple[str, ...]:
    if given is not None:
        if not isinstance(given, list | tuple) or not all(name in RETRIEVERS for name in given) or not given:
            raise UsageError(f"retrievers is a list out of {', '.join(RETRIEVERS)}, not {given!r:.60}")
        return tuple(dict.fromkeys(given))
    switches = (("dense", config.dense), ("temporal", config.temporal), ("fact", config.fact), ("graph", config.graph))
    off = {name for name, on in (*switches, ("entity", config.graph)) if not on}
    return tuple(name for name in usual if name not in off)


def _trust(config: RecallConfig) -> Mapping[str, float]:
    set_here = {
        "stated": config.stated_weight,
        "inferred": config.inferred_weight,
        "tool": config.tool_weight,
        "imported": config.imported_weight,
        "unknown": config.unknown_weight,
    }
    return {**trust.VERACITY, **set_here}


def _quotas(given: Any) -> Mapping[str, int] | None:
    if given is None:
        return None
    if not isinstance(given, Mapping) or not set(given) <= set(_KINDS):
        raise UsageError(f"quotas maps a kind ({', '.join(_KINDS)}) to the most hits of it")
    return {kind: numbers.whole(most, f"quota of {kind}", 0) for kind, most in given.items()}


def _number(given: Mapping[str, Any], name: str, *, least: float, most: float) -> float | None:
    value = given.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
        raise UsageError(f"{name} is a number from {least:g} to {most:g}, not {value!r:.60}")
    return float(value)


def _flag(given: Mapping[str, Any], name: str) -> bool | None:
    value = given.get(name)
    if value is None or isinstance(value, bool):
        return value
    raise UsageError(f"{name} is true or false, not {value!r:.60}")


def _default(value: float | None, otherwise: float) -> float:
    return otherwise if value is None else value
