"""What the work of the local backend is done with, and the kinds of jobs that there are."""

from __future__ import annotations

from datetime import tzinfo
from typing import TYPE_CHECKING, Final

from mnemopi.agent_settings import MemoriesConfig
from mnemopi.backends.local.heart import Heart
from mnemopi.model.values import dataclass
from mnemopi.ports import Clock
from mnemopi.storage.agent import AgentFile

if TYPE_CHECKING:
    from mnemopi.backends.asking import Asker

ATTEMPTS: Final = 3
"""How often a job is tried."""
SESSION: Final = "session"
"""The kind of job that reads a past session; its key is `host:id`."""
DOCUMENTS: Final = "documents"
"""The kind of job that changes a project's documents; its key is the scope."""


@dataclass(frozen=True, slots=True)
class Kit:
    """The file of jobs, the settings, the time and its zone, the heart, and who is asked (None: rules do it)."""

    file: AgentFile
    config: MemoriesConfig
    clock: Clock
    zone: tzinfo
    heart: Heart
    asker: Asker | None
