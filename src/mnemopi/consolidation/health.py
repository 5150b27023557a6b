"""Whether sleep runs: when it last did, what waits and since when, and how it failed."""

from __future__ import annotations

from mnemopi.consolidation.means import HOUR_MS, horizon
from mnemopi.consolidation.sleep import FAILED, LAST
from mnemopi.errors import UsageError
from mnemopi.model.sleep import Health, State
from mnemopi.settings import SleepConfig
from mnemopi.storage.store import Store


def health(store: Store, settings: SleepConfig, now: int, stale_hours: float = 24.0) -> Health:
    """Return the state of sleep; it is stale where something waits and nothing was summed up for `stale_hours`."""
    if isinstance(stale_hours, bool) or not isinstance(stale_hours, int | float) or not stale_hours > 0:
        raise UsageError(f"stale_hours is a number above 0, not {stale_hours!r:.60}")
    sessions = store.episodes.sessions(horizon(store, settings, now))
    waiting = sum(count for _, count, _ in sessions)
    oldest = min((first for _, _, first in sessions), default=None)
    last = int(told) if (told := store.meta.get(LAST)) else None
    since = None if last is None else max(0, now - last) / HOUR_MS
    error = store.meta.get(FAILED) or ""
    status = _state(waiting, since, stale_hours, error)
    return Health(status, last, since, float(stale_hours), waiting, oldest, store.episodes.count(), error)


def _state(waiting: int, since: float | None, stale_hours: float, error: str) -> State:
    if error:
        return "failing"
    if not waiting:
        return "healthy"
    if since is None:
        return "no_data"
    return "stale" if since > stale_hours else "healthy"
