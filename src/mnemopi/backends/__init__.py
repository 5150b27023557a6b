"""Memory for an agent's session: backends behind one interface, and the session's life cycle."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mnemopi.backends.registry import resolve_backend

__all__ = ["resolve_backend"]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib  # noqa: PLC0415

    found = getattr(importlib.import_module("mnemopi.backends.registry"), name)
    globals()[name] = found
    return found
