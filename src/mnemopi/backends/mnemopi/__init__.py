"""The backend `mnemopi`: what is said in a session becomes memories of a bank, and prompts recall them.

Read `backend.py`: each event is a few lines there. `banks` says which banks a session has, `capture` makes memories of
messages, `unasked` recalls for a prompt, `state` keeps what a session was told, `upkeep` does what can wait.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mnemopi.backends.means import Means

if TYPE_CHECKING:
    from mnemopi.backends.mnemopi.backend import MnemopiBackend


def open_backend(means: Means) -> MnemopiBackend:
    """Return the backend; no bank is opened yet."""
    from mnemopi.backends.mnemopi.backend import MnemopiBackend  # noqa: PLC0415

    return MnemopiBackend(means)
