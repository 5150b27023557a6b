"""What is asked: the filter that narrows, and the question as it was understood."""

from __future__ import annotations

from dataclasses import field

from mnemopi.model.interval import Interval
from mnemopi.model.memory import Identity
from mnemopi.model.values import dataclass


@dataclass(frozen=True, slots=True)
class Filter:
    """Which memories may be found. Every part narrows; none widens what `identity` may see.

    `within` keeps what was said or happened in the interval; `as_of` (UTC ms) asks what was known and valid then;
    `global_only` is how another bank is asked; `include_invalid` also lets expired and superseded ones through.
    """

    identity: Identity = field(default_factory=Identity)
    session_id: str | None = None
    author_id: str | None = None
    author_type: str | None = None
    channel_id: str | None = None
    source: str | None = None
    scope: str | None = None
    tier: str | None = None
    kind: str | None = None
    veracity: str | None = None
    memory_type: str | None = None
    within: Interval | None = None
    as_of: int | None = None
    include_invalid: bool = False
    global_only: bool = False
