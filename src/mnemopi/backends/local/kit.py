"""What the work of the local backend is done with."""

from __future__ import annotations

from datetime import tzinfo

from mnemopi.agent_settings import MemoriesConfig
from mnemopi.backends.local.asking import Asker
from mnemopi.backends.local.heart import Heart
from mnemopi.model.values import dataclass
from mnemopi.ports import Clock
from mnemopi.storage.agent import AgentFile

ATTEMPTS = 3
"""How often a job is tried."""


@dataclass(frozen=True, slots=True)
class Kit:
    """The file of jobs, the settings, the time and its zone, the heart, and who is asked (None: rules do it)."""

    file: AgentFile
    config: MemoriesConfig
    clock: Clock
    zone: tzinfo
    heart: Heart
    asker: Asker | None
