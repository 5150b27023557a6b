"""The public names are counted: adding or taking one away is a decision, and this is where it is made."""

from __future__ import annotations

import mnemopi

NAMES = [
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


def test_the_public_names_are_these_and_no_others() -> None:
    assert sorted(mnemopi.__all__) == NAMES


def test_each_public_name_is_there_and_documented() -> None:
    silent = [name for name in mnemopi.__all__ if not getattr(mnemopi, name).__doc__]
    assert silent == []


def test_the_reference_names_the_bank_engine_beam_memory() -> None:
    assert mnemopi.BeamMemory is mnemopi.Bank
