"""The backend `hindsight`: a server keeps and finds the memories; here they are scoped, queued and shown.

Read `backend`. What is to arrive is in the `ledger` before it is sent (`outbox`), so that neither an outage nor a crash
loses it. `models` are the server's standing summaries.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mnemopi.backends.hindsight.backend import Hindsight
    from mnemopi.backends.means import Means


def open_backend(means: Means) -> Hindsight:
    """Return the backend; nothing is sent yet. Raises ConfigError."""
    from mnemopi.backends.hindsight.backend import Hindsight  # noqa: PLC0415

    return Hindsight(means)
