"""What language models cost a bank: each call, by task and model, with its tokens and what came of it."""

from __future__ import annotations

from typing import Final

from mnemopi.model.values import dataclass
from mnemopi.ports import Connection, Value
from mnemopi.storage import ids
from mnemopi.storage.queries import Queries

_DAY_MS: Final = 86_400_000


@dataclass(frozen=True, slots=True)
class Spent:
    """What was spent in some time: calls, tokens (both ways), calls refused for want of budget, calls that failed."""

    calls: int = 0
    tokens: int = 0
    refused: int = 0
    failures: int = 0


class Spending:
    """The calls of one bank. A call that was entered and never settled counts with what it might have taken."""

    def __init__(self, connection: Connection, bank: str, sql: Queries) -> None:
        self._connection, self._bank, self._sql = connection, bank, sql

    def reserve(
        self, at: int, task: str, model: str, tokens: tuple[int, int], most: tuple[int, int], since: int
    ) -> str | None:
        """Enter a call of so many tokens (in, out) and return its id; None, and a refusal entered, where that is more
        than `most` (calls, tokens) from `since` (UTC ms) on. Others that enter calls wait meanwhile."""
        with self._connection.transaction():
            spent = self.since(since)
            fits = spent.calls < most[0] and spent.tokens + sum(tokens) <= most[1]
            id = ids.new()
            if fits:
                self._put(at, id, task, model, tokens, "open")
                return id
            before: dict[str, Value] = {"bank": self._bank, "before": at - _DAY_MS}
            self._connection.execute(self._sql.drop_refusals, before)
            self._put(at, id, task, model, (0, 0), "refused")
        return None

    def settle(self, at: int, id: str, tokens: tuple[int, int], outcome: str) -> None:
        """Write down what a call took, and what came of it: `ok` or `failed`."""
        row: dict[str, Value] = {"bank": self._bank, "at": at, "id": id}
        row |= {"tokens_in": tokens[0], "tokens_out": tokens[1], "outcome": outcome}
        self._connection.execute(self._sql.settle_spending, row)

    def since(self, moment: int) -> Spent:
        """Return what was spent after a moment (UTC ms)."""
        return Spent(*self._connection.all(self._sql.spent, {"bank": self._bank, "since": moment})[0])

    def _put(self, at: int, id: str, task: str, model: str, tokens: tuple[int, int], outcome: str) -> None:
        row: dict[str, Value] = {"bank": self._bank, "at": at, "id": id, "task": task, "model": model}
        row |= {"tokens_in": tokens[0], "tokens_out": tokens[1], "outcome": outcome}
        self._connection.execute(self._sql.put_spending, row)
