"""What sleep did, and whether it runs. Times are UTC milliseconds."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from mnemopi.model.interval import iso
from mnemopi.model.values import dataclass

State: TypeAlias = Literal["healthy", "stale", "failing", "no_data"]


@dataclass(frozen=True, slots=True)
class Slept:
    """What one sleep did, or on a dry run would do: nothing is written then, and `episodes` are empty.

    `made` episodes sum up `memories`; `remade` of them take the place of former ones. `waiting` memories stay, since
    they are too few or say too little. `by_llm` summaries came from a model, `refused` of its answers did not hold.
    `shortened` are the episodes brought to detail 2 and 3. `busy` sessions are another process's; `errors` are codes.
    `elsewhere` are memories of sessions that it was not asked to sum up.
    """

    dry_run: bool = False
    sessions: int = 0
    made: int = 0
    memories: int = 0
    waiting: int = 0
    remade: int = 0
    by_llm: int = 0
    refused: int = 0
    shortened: tuple[int, int] = (0, 0)
    episodes: tuple[str, ...] = ()
    busy: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()
    elsewhere: int = 0

    @property
    def status(self) -> str:
        """`dry_run`, `consolidated` where something was made, else `no_op`."""
        return "dry_run" if self.dry_run else "consolidated" if self.made else "no_op"

    def as_dict(self) -> dict[str, Any]:
        """Render the report for programs, with the reference's names."""
        return {
            "status": self.status,
            "dry_run": self.dry_run,
            "sessions_scanned": self.sessions,
            "items_consolidated": self.memories,
            "summaries_created": self.made,
            "remade": self.remade,
            "waiting": self.waiting,
            "waiting_elsewhere": self.elsewhere,
            "llm_used": self.by_llm,
            "llm_refused": self.refused,
            "degradation": {"tier1_to_tier2": self.shortened[0], "tier2_to_tier3": self.shortened[1]},
            "episodes": list(self.episodes),
            "busy": list(self.busy),
            "errors": len(self.errors),
            "error_details": list(self.errors),
        }


@dataclass(frozen=True, slots=True)
class Health:
    """Whether sleep runs: `last` success, how much is `waiting` and since when (`oldest`), `error` of the last run.

    `since` and `threshold` are hours: how long ago the last success is (None: there was none), and from when that is
    too long.
    """

    status: State
    last: int | None
    since: float | None
    threshold: float
    waiting: int
    oldest: int | None
    episodes: int
    error: str = ""

    @property
    def words(self) -> str:
        """The state in a sentence, with what to do."""
        waits = f"{self.waiting:,} wait" + (f", the oldest from {iso(self.oldest)}" if self.oldest is not None else "")
        if self.status == "healthy":
            return f"{self.episodes:,} episodes; {waits}" if self.waiting else f"{self.episodes:,} episodes"
        if self.status == "failing":
            return f"the last sleep failed: {self.error}; {waits}"
        never = self.last is None
        ran = "sleep never ran" if never or self.since is None else f"sleep ran last {self.since:,.0f} hours ago"
        return f"{ran}; {waits}: `mnemopi sleep --all-sessions`"

    def as_dict(self) -> dict[str, Any]:
        """Render the state for programs, with the reference's names."""
        return {
            "status": self.status,
            "last_successful_consolidation": None if self.last is None else iso(self.last),
            "stale_hours": None if self.since is None else round(self.since, 2),
            "stale_threshold_hours": self.threshold,
            "waiting": self.waiting,
            "oldest_waiting": None if self.oldest is None else iso(self.oldest),
            "episodes": self.episodes,
            "error": self.error,
            "recommendation": self.words,
        }
