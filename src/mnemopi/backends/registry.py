"""Which backend the settings name: each is a module or package of its name here, and is loaded when it is named."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Protocol, cast

from mnemopi.backends.backend import MemoryBackend
from mnemopi.backends.means import Means
from mnemopi.config import Config
from mnemopi.engine import system_clock
from mnemopi.ports import Clock


class _Home(Protocol):
    """The module of a backend."""

    open_backend: Callable[[Means], MemoryBackend]


def resolve_backend(
    settings: Config | Mapping[str, Any] | None = None,
    *,
    llm: Any = None,
    clock: Clock | None = None,
    db_path: str | Path | None = None,
    **options: Any,
) -> MemoryBackend:
    """Return the backend that the setting `memory.backend` names; close it when done.

    `settings` is a Config or a mapping of `group.name` to values, which count before environment and file. `llm`,
    `db_path`, `clock` and `options` are as `Mnemopi` takes them. Nothing is opened yet. Raises ConfigError.
    """
    config = settings if isinstance(settings, Config) else Config.load(settings)
    path = None if db_path is None else Path(db_path)
    means = Means(config, clock or system_clock, llm, path, options)
    home = cast("_Home", importlib.import_module(f"mnemopi.backends.{config.memory.backend}"))
    return home.open_backend(means)
