"""The client has the methods of the library: in the same words, at the same places, with the same defaults."""

from __future__ import annotations

import inspect
from inspect import Parameter, Signature
from typing import Any

import pytest

from mnemopi import Mnemopi
from mnemopi.doors.banks import BankList
from mnemopi.http import client

MORE = {"close": {"timeout"}, "load": {"confirm"}, "delete": {"confirm"}}
"""What one of the two takes and the other has no use for."""
PAIRS = {
    name: (ours, theirs)
    for of, behind in ((Mnemopi, client.Client), (BankList, client.BankList))
    for name, theirs in vars(behind).items()
    if not name.startswith("_") and inspect.isfunction(theirs) and (ours := getattr(of, name, None)) is not None
}


def named(signature: Signature, beside: Signature, name: str) -> dict[str, Any]:
    """Return what is to agree: kind, default and type of each parameter that the other does not take as `**options`."""
    free = any(each.kind is Parameter.VAR_KEYWORD for each in beside.parameters.values())
    return {
        each.name: (each.kind, each.default, each.annotation)
        for each in signature.parameters.values()
        if each.kind is not Parameter.VAR_KEYWORD
        and each.name not in MORE.get(name, ())
        and not (free and each.kind is Parameter.KEYWORD_ONLY)
    }


def test_the_verbs_of_the_library_are_there() -> None:
    assert set(PAIRS) >= {
        "remember",
        "remember_many",
        "recall",
        "context",
        "get",
        "update",
        "forget",
        "export",
        "create",
    }


@pytest.mark.parametrize("name", PAIRS)
def test_a_method_of_the_client_is_called_as_the_librarys(name: str) -> None:
    ours, theirs = (inspect.signature(each) for each in PAIRS[name])
    assert named(theirs, ours, name) == named(ours, theirs, name)
    if name not in ("close", "create"):  # a client has no files of its own to tell of
        assert theirs.return_annotation == ours.return_annotation
