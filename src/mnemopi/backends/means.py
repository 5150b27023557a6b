"""What a backend is built from: the settings, the time, who answers prompts, and where the banks lie."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mnemopi.config import Config
from mnemopi.engine import Mnemopi, system_clock
from mnemopi.model.values import dataclass
from mnemopi.ports import LLM, Clock
from mnemopi.providers import llms


@dataclass(frozen=True, slots=True)
class Means:
    """What a backend is built from; nothing is opened before it is needed.

    `llm` is None for the configured model, False for none, or what `Mnemopi` takes. `db_path` is the file of the
    default bank. `options` are further arguments of `Mnemopi`, the same for each bank.
    """

    config: Config
    clock: Clock = system_clock
    llm: llms.Given = None
    db_path: Path | None = None
    options: Any = None

    @property
    def agent_dir(self) -> Path:
        """The folder of the agent layer's own files."""
        return self.config.agent_dir

    def language_model(self) -> LLM | None:
        """Return who answers prompts; None where nobody does. Secrets are taken out of what it is told."""
        wished = llms.wish(self.llm)
        return llms.open_llm(self.config.changed(wished.settings).llm, wished)

    def open(self, bank: str, **identity: Any) -> Mnemopi:
        """Open the engine of a bank, which is made where it does not exist; the caller closes it."""
        return Mnemopi(
            self.db_path,
            bank,
            config=self.config,
            clock=self.clock,
            **{"llm": self.llm, **(self.options or {}), **identity},
        )
