"""All tests run without the settings of whoever runs them: no variables of ours, no configuration file, no data."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from mnemopi import config


@pytest.fixture(scope="session", autouse=True)
def nobodys_settings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Hide the settings of this machine, also from the processes that tests start."""
    names = {field.metadata["env"] for _, field in config.settings()} | {"MNEMOPI_CONFIG", *config.REFUSED}
    with pytest.MonkeyPatch.context() as patch:
        for name in names & set(os.environ):
            patch.delenv(name)
        for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME"):
            patch.setenv(name, str(tmp_path_factory.mktemp("nobody")))
        yield
