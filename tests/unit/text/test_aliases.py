"""Which names a text says are one thing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemopi.text import aliases


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        ("Kubernetes (K8s) runs it.", [("Kubernetes", "K8s")]),
        ("The Knowledge Graph Store (KGS) is old.", [("Knowledge Graph Store", "KGS")]),
        ("We asked the Bank of England (BoE) today.", [("Bank of England", "BoE")]),
        ("Postgres, also known as PostgreSQL, is ours.", [("Postgres", "PostgreSQL")]),
        ("AWS aka Amazon Web Services", [("AWS", "Amazon Web Services")]),
        ("Facebook (formerly known as TheFacebook) grew.", [("Facebook", "TheFacebook")]),
        ("联合国（简称UN）开会。", [("联合国", "UN")]),
        ("We like tea (green) and the Store (open), or so.", []),
        ("He is also known here.", []),
        ("Alice (a doctor) came. Redis (7.2) is fast.", []),
        ("", []),
    ],
)
def test_aliases_are_read_where_a_text_says_so(text: str, pairs: list[tuple[str, str]]) -> None:
    assert aliases.find(text) == pairs


def test_a_pair_is_told_once() -> None:
    assert len(aliases.find("Kubernetes (K8s), also known as Kubernetes. Kubernetes (K8s).")) == 1


@given(st.text(alphabet="AKk8s ()also known as,简称（）", max_size=120))
def test_any_text_is_read_without_failing(text: str) -> None:
    assert all(one and other for one, other in aliases.find(text))
