"""The declarations of the agent layer: which memory an agent's sessions have, and how each backend behaves.

As in `settings`: each once, read in `config`. Nothing here spends or downloads anything unless it is set.
"""

from __future__ import annotations

from mnemopi.model.values import dataclass
from mnemopi.settings import setting

SCOPINGS = ("global", "per-project", "per-project-tagged")


@dataclass(frozen=True, slots=True)
class MemoryConfig:
    """Which backend an agent's sessions use, and where the agent layer keeps its own files."""

    backend: str = setting(
        "off",
        "MNEMOPI_MEMORY_BACKEND",
        "memory of agents' sessions",
        choices=("off", "local", "mnemopi", "hindsight", "sharpshooter"),
    )
    agent_dir: str = setting(
        "", "MNEMOPI_AGENT_DIR", "folder of lessons, skills, queues and projects; empty: `agent` in the data folder"
    )


@dataclass(frozen=True, slots=True)
class MnemopiConfig:
    """The backend `mnemopi`: what it captures, what it recalls and how much of it."""

    scoping: str = setting(
        "per-project",
        "MNEMOPI_SCOPING",
        "banks of a session: one for all, one a project, or one a project that recalls the common one too",
        choices=SCOPINGS,
    )
    auto_recall: bool = setting(True, "MNEMOPI_AUTO_RECALL", "whether prompts are answered with what they recall")
    auto_retain: bool = setting(True, "MNEMOPI_AUTO_RETAIN", "whether the messages of a session are kept")
    retain_every_n_turns: int = setting(
        4, "MNEMOPI_RETAIN_EVERY_N_TURNS", "turns kept and read at a time", unit="turns", least=1
    )
    recall_limit: int = setting(8, "MNEMOPI_RECALL_LIMIT", "memories recalled for a prompt", unit="memories", least=1)
    recall_context_turns: int = setting(
        3, "MNEMOPI_RECALL_CONTEXT_TURNS", "turns that a prompt's question is made of", unit="turns", least=1
    )
    recall_max_query_chars: int = setting(
        4000, "MNEMOPI_RECALL_MAX_QUERY_CHARS", "longest such question", unit="characters", least=256
    )
    injection_token_limit: int = setting(
        5000, "MNEMOPI_INJECTION_TOKEN_LIMIT", "most that is put before the model at once", unit="tokens", least=256
    )
