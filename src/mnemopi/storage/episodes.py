"""Episodes in the database: what waits for sleep, what each episode sums up, and which of them no longer hold.

What waits is derived: a live, valid turn or note that no episode cites. The rows of `citation` stay when a person
forgets an episode; they are the mark that keeps sleep from making it again. An episode that was made anew, or that
rests on something that no longer holds, lets its sources go (`released`).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any, Final, TypeAlias

from mnemopi.model.memory import Memory
from mnemopi.model.values import dataclass
from mnemopi.ports import Connection, Row, Value
from mnemopi.storage.queries import Queries
from mnemopi.storage.rows import from_row

Source: TypeAlias = tuple[str, int]
"""A memory and the version of it that is summed up."""
BEGINNING: Final = (-1, -1)
"""Before the first place of a session."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """A memory that waits for sleep, with its search text."""

    memory: Memory
    shadow: str


@dataclass(frozen=True, slots=True)
class Horizon:
    """What counts as waiting: not younger than `before` (UTC ms) at the moment `at`; `released` are episodes that let
    their sources go."""

    at: int
    before: int
    released: Sequence[str] = ()


class Episodes:
    """The episodes of one bank and what waits to become one."""

    def __init__(self, connection: Connection, bank: str, sql: Queries) -> None:
        self._connection, self._bank, self._sql = connection, bank, sql

    # -- what waits

    def released(self, at: int) -> list[str]:
        """Return the episodes whose sources are free again at a moment (UTC ms)."""
        return [row[0] for row in self._all(self._sql.released_episodes, {"at": at, "as_of": None})]

    def sessions(self, horizon: Horizon) -> list[tuple[str, int, int]]:
        """Return (session, number that waits, timestamp of the oldest in UTC ms), the oldest first."""
        return [(row[0], row[1], row[2]) for row in self._all(self._sql.waiting_sessions, _asked(horizon))]

    def is_enough(self, horizon: Horizon, count: int) -> bool:
        """Say whether so many memories wait."""
        rows = self._all(self._sql.enough_waiting, _asked(horizon) | {"limit": count})
        return int(rows[0][0]) >= count

    def turns(self, session: str, horizon: Horizon, after: tuple[int, int], limit: int) -> list[Waiting]:
        """Return what waits in a session after (position, row key), in the order in which it was said."""
        place: dict[str, Value] = {"after_position": after[0], "after_rowkey": after[1]}
        return self._waiting(self._sql.waiting_turns, session, horizon, place | {"limit": limit})

    def notes(self, session: str, horizon: Horizon, after: int, limit: int) -> list[Waiting]:
        """Return what waits in a session without a place in it, after a row key."""
        return self._waiting(self._sql.waiting_notes, session, horizon, {"after_rowkey": after, "limit": limit})

    def still_wait(self, sources: Sequence[Source], horizon: Horizon) -> bool:
        """Say whether each of these still waits, at that version. The caller holds the transaction."""
        ids = json.dumps([memory for memory, _ in sources])
        released = self._all(self._sql.released_citing, {"ids": ids, "at": horizon.at, "as_of": None})
        asked = _asked(horizon) | {"released": json.dumps([row[0] for row in released])}
        found = self._all(self._sql.still_waiting, asked | {"sources": json.dumps(list(sources))})
        return int(found[0][0]) == len(sources)

    # -- what is summed up

    def cite(self, episode: str, sources: Iterable[Source]) -> None:
        """Keep what an episode sums up; the caller holds the transaction."""
        self._put(self._sql.cite, ((episode, *source) for source in sources))

    def adopt(self, citations: Iterable[tuple[str, str, int]]) -> None:
        """Keep (episode, memory, version) as a load brings them; known ones are left as they are."""
        self._put(self._sql.adopt_citation, citations)

    def sources(self, episode: str) -> list[Source]:
        """Return what an episode sums up."""
        return [(row[0], row[1]) for row in self._all(self._sql.cited, {"episode": episode})]

    def cited_memories(self, episode: str) -> list[Memory]:
        """Return what an episode sums up, each at the version that it sums up, in the order in which it was said."""
        return [from_row(row) for row in self._all(self._sql.cited_memories, {"episode": episode})]

    def count(self) -> int:
        """Return the number of episodes in force."""
        return int(self._all(self._sql.count_episodes, {})[0][0])

    def citing(self, memory: str) -> list[str]:
        """Return the episodes that sum up a memory, former ones too."""
        return [row[0] for row in self._all(self._sql.citing, {"memory": memory})]

    def replaced_by(self, sources: Sequence[Source], at: int) -> list[Memory]:
        """Return the episodes in force that let one of these sources go: what a new episode of them takes over from."""
        ids = json.dumps([memory for memory, _ in sources])
        rows = self._all(self._sql.released_citing, {"ids": ids, "at": at, "as_of": None})
        found = self.current([row[0] for row in rows])
        return [memory for memory in found if memory.valid_until is None]

    def erase_citing(self, memory: str) -> list[str]:
        """Drop what is known of the episodes that sum up a memory, and return them; the caller erases them.

        Where the episode itself was forgotten, its other sources stay marked.
        """
        gone = [episode.id for episode in self.current(self.citing(memory))]
        for episode in gone:
            self.uncite(episode)
        self._connection.execute(self._sql.uncite_memory, {"bank": self._bank, "memory": memory})
        return gone

    def uncite(self, episode: str) -> None:
        """Drop what an episode sums up; the caller holds the transaction."""
        self._connection.execute(self._sql.uncite, {"bank": self._bank, "episode": episode})

    def current(self, ids: Iterable[str]) -> list[Memory]:
        """Return the versions in force of given memories, whoever may see them, in the order of the ids."""
        wanted = list(ids)
        found = {row[2]: from_row(row) for row in self._all(self._sql.current_whole, {"ids": json.dumps(wanted)})}
        return [found[id] for id in wanted if id in found]

    def parts(self, rowkeys: Iterable[int]) -> dict[int, tuple[str, set[int]]]:
        """Return the id of each episode among these rows by its row key, with those of the rows that it sums up."""
        found: dict[int, tuple[str, set[int]]] = {}
        for key, id, source in self._all(self._sql.parts, {"rowkeys": json.dumps(list(rowkeys))}):
            found.setdefault(key, (id, set()))[1].add(source)
        return found

    def of_detail(self, level: int, before: int, limit: int) -> list[Memory]:
        """Return episodes in force of a level of detail that were last written in full before a moment (UTC ms)."""
        asked: dict[str, Value] = {"detail": level, "before": before, "limit": limit}
        return [from_row(row) for row in self._all(self._sql.episodes_of_detail, asked)]

    def _waiting(self, sql: str, session: str, horizon: Horizon, more: dict[str, Value]) -> list[Waiting]:
        rows = self._all(sql, _asked(horizon) | {"session": session} | more)
        return [Waiting(from_row(row), row[-1]) for row in rows]

    def _put(self, sql: str, citations: Iterable[tuple[str, str, int]]) -> None:
        self._connection.execute_many(
            sql,
            (
                {"bank": self._bank, "episode": episode, "memory": memory, "version": version}
                for episode, memory, version in citations
            ),
        )

    def _all(self, sql: str, parameters: dict[str, Any]) -> list[Row]:
        return self._connection.all(sql, parameters | {"bank": self._bank})


def _asked(horizon: Horizon) -> dict[str, Value]:
    return {"at": horizon.at, "before": horizon.before, "released": json.dumps(list(horizon.released))}
