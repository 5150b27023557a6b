"""Past sessions of hosts: their files, what came of each, and what was put before the models of those that go on."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from mnemopi.model.values import dataclass
from mnemopi.ports import Connection, Value
from mnemopi.storage.queries import Queries


@dataclass(frozen=True, slots=True)
class PastSession:
    """A session file: whose it is (`host:id`), in which scope, and how it stood when it was seen last (UTC ms)."""

    path: str
    session: str
    scope: str
    cwd: str
    changed_at: int
    size: int


@dataclass(frozen=True, slots=True)
class Account:
    """What came of a session, when the session last changed; `method` is `llm` or `rules`.

    Empty texts: there was nothing to keep. `taken`: the documents hold it.
    """

    session: str
    scope: str
    changed_at: int
    method: str
    slug: str | None
    summary: str
    memory: str
    made_at: int
    taken: bool = False

    def as_dict(self) -> dict[str, Any]:
        """Render it for a file."""
        return {name: getattr(self, name) for name in self.__slots__}


class Sessions:
    """The past sessions of a file."""

    def __init__(self, connection: Connection, sql: Queries) -> None:
        self._connection, self._sql = connection, sql

    def seen(self, files: Collection[PastSession]) -> None:
        """Write down whose files these are."""
        names = PastSession.__slots__
        rows = [{name: getattr(file, name) for name in names} for file in files]
        if rows:
            with self._connection.transaction():
                self._connection.execute_many(self._sql.put_past_session, rows)

    def known(self) -> Mapping[str, PastSession]:
        """Return the session files that are known, by path."""
        return {row[0]: PastSession(*row) for row in self._connection.all(self._sql.list_past_sessions)}

    def file(self, session: str) -> tuple[str, int] | None:
        """Return the newest file of a session, and when it last changed."""
        rows = self._connection.all(self._sql.past_session_file, {"session": session})
        return (rows[0][0], rows[0][1]) if rows else None

    def gone(self, path: str) -> None:
        """Forget a file that is no longer there."""
        self._connection.execute(self._sql.drop_past_session, {"path": path})

    def put(self, account: Account) -> None:
        """Write down what came of a session."""
        self._connection.execute(self._sql.put_account, account.as_dict() | {"taken": int(account.taken)})

    def account(self, session: str) -> Account | None:
        """Return what came of a session."""
        rows = self._connection.all(self._sql.account_of, {"session": session})
        return _account(rows[0]) if rows else None

    def accounts(self, scope: str, limit: int) -> Sequence[Account]:
        """Return what came of the sessions of a scope, newest first."""
        row: dict[str, Value] = {"scope": scope, "limit": limit}
        return [_account(each) for each in self._connection.all(self._sql.list_accounts, row)]

    def take(self, accounts: Collection[Account]) -> None:
        """Say that the documents hold these; what changed meanwhile still waits."""
        rows: list[dict[str, Value]] = [{"session": each.session, "made_at": each.made_at} for each in accounts]
        self._connection.execute_many(self._sql.take_account, rows)

    def drop(self, session: str) -> None:
        """Drop what came of a session."""
        self._connection.execute(self._sql.drop_account, {"session": session})

    def piece(self, session: str, digest: str, notes: str) -> None:
        """Write down what came of a part of a session."""
        row: dict[str, Value] = {"session": session, "digest": digest, "notes": notes}
        self._connection.execute(self._sql.put_piece, row)

    def pieces(self, session: str) -> Mapping[str, str]:
        """Return what came of the parts of a session, by digest."""
        return dict(self._connection.all(self._sql.list_pieces, {"session": session}))

    def drop_pieces(self, session: str, but: Collection[str]) -> None:
        """Drop what came of the parts of a session that are not named."""
        row: dict[str, Value] = {"session": session, "but": json.dumps(sorted(but))}
        self._connection.execute(self._sql.drop_pieces, row)

    def cleared_at(self, scope: str) -> int:
        """Return since when (UTC ms) a project's memory was cleared; 0: never."""
        rows = self._connection.all(self._sql.cleared_at, {"scope": scope})
        return int(rows[0][0]) if rows else 0

    def clear(self, scope: str, at: int) -> None:
        """Drop what came of a scope's sessions, and note that nothing from before a moment is to be read again."""
        own: dict[str, Value] = {"scope": scope}
        with self._connection.transaction():
            for statement in (self._sql.drop_scope_pieces, self._sql.drop_accounts, self._sql.drop_prefixes):
                self._connection.execute(statement, own)
            self.set_cleared(scope, at)

    def set_cleared(self, scope: str, at: int) -> None:
        """Write down since when (UTC ms) a project's memory was cleared."""
        self._connection.execute(self._sql.put_cleared_at, {"scope": scope, "at": at})

    def prefix(self, host: str, session: str, scope: str) -> str | None:
        """Return what was put before the model of a session."""
        row: dict[str, Value] = {"host": host, "session": session, "scope": scope}
        rows = self._connection.all(self._sql.prefix_of, row)
        return str(rows[0][0]) if rows else None

    def freeze(self, host: str, session: str, scope: str, text: str, at: int, before: int) -> None:
        """Write down what is put before the model of a session, and drop what is from before a moment (UTC ms)."""
        row: dict[str, Value] = {"host": host, "session": session, "scope": scope, "text": text, "at": at}
        with self._connection.transaction():
            self._connection.execute(self._sql.put_prefix, row)
            self._connection.execute(self._sql.drop_old_prefixes, {"before": before})


def _account(row: tuple[Any, ...]) -> Account:
    told = dict(zip(Account.__slots__, row, strict=True))
    return Account(**told | {"taken": bool(told["taken"])})
