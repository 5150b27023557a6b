"""The banks of one data folder, beside the one that is open."""

from __future__ import annotations

from pathlib import Path

from mnemopi.ports import Clock
from mnemopi.storage.banks import Banks


class BankList:
    """The banks of one data folder."""

    def __init__(self, banks: Banks, clock: Clock, current: str) -> None:
        self._banks, self._clock, self._current = banks, clock, current

    def list(self) -> list[str]:
        """Return the names of all banks, the default one first."""
        return self._banks.names()

    def create(self, name: str) -> Path:
        """Make an empty bank and return its file. Raises ExistsError, and UsageError for an impossible name."""
        return self._banks.create(name, self._clock())

    def rename(self, old: str, new: str) -> None:
        """Give a bank another name. Raises InUseError while anybody has it open."""
        self._banks.rename(old, new, self._clock())

    def delete(self, name: str) -> None:
        """Delete a bank and all that it holds. Raises InUseError while anybody has it open."""
        self._banks.delete(name, self._clock())
