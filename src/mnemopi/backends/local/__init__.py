"""The backend `local`: documents made of past sessions by a language model, or by rules, and a file of lessons."""

from __future__ import annotations

from mnemopi.backends.local.backend import Local
from mnemopi.backends.means import Means


def open_backend(means: Means) -> Local:
    """Return the backend; nothing is opened yet."""
    return Local(means)
