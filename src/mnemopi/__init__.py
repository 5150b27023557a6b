"""Long-term memory for AI agents in one SQLite file.

    from mnemopi import Mnemopi

    with Mnemopi() as memory:
        memory.remember("The staging database listens on port 5433")
        for hit in memory.recall("which port does staging use?"):
            print(hit.score, hit.content, hit.explanation)

`Mnemopi` is the engine; `BeamMemory` is the name that the reference documents for what works on one bank. The functions
of this module work on one engine that is made when it is first needed. Errors are in `mnemopi.errors`, settings in
`mnemopi.config`, values in `mnemopi.model`, fakes for tests in `mnemopi.testing`.
"""

from __future__ import annotations

TYPE_CHECKING = False  # without `typing`, whose import takes as long as a bare interpreter
if TYPE_CHECKING:
    from typing import Any

    from mnemopi.bank import Bank
    from mnemopi.bank import Bank as BeamMemory
    from mnemopi.default import forget, get, get_stats, recall, remember, set_bank, update
    from mnemopi.engine import Mnemopi
    from mnemopi.errors import MnemopiError

__all__ = [
    "Bank",
    "BeamMemory",
    "Mnemopi",
    "MnemopiError",
    "forget",
    "get",
    "get_stats",
    "recall",
    "remember",
    "set_bank",
    "update",
]

_HOMES = {"Bank": "bank", "BeamMemory": "bank", "Mnemopi": "engine", "MnemopiError": "errors"}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that a part of the package costs what it needs and no more."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib  # noqa: PLC0415

    home = importlib.import_module(f"mnemopi.{_HOMES.get(name, 'default')}")
    found = getattr(home, "Bank" if name == "BeamMemory" else name)
    globals()[name] = found
    return found
