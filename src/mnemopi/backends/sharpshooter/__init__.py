"""The backend `sharpshooter`: decisions that somebody had to insist on, in three short files a project.

Read `backend`. `friction` says which prompts are looked at, `extracting` has a model read the decisions out of them,
`consolidating` has it put them into the files, and `shelf` is where all of it lies.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mnemopi.backends.means import Means
    from mnemopi.backends.sharpshooter.backend import Sharpshooter


def open_backend(means: Means) -> Sharpshooter:
    """Return the backend; nothing is written yet."""
    from mnemopi.backends.sharpshooter.backend import Sharpshooter  # noqa: PLC0415

    return Sharpshooter(means)
