"""The commands about what ties memories together."""

from __future__ import annotations

from typing import Any

import pytest


@pytest.fixture
def two(call: Any) -> tuple[str, str]:
    def stored(text: str) -> str:
        return str(call("store", text, "--json").json["id"])

    return stored("Kubernetes (K8s) failover runs in Oslo"), stored("Mara tested the K8s failover")


def test_links_are_drawn_walked_and_taken_away(call: Any, two: tuple[str, str]) -> None:
    a, b = two
    done = call("link", a, b, "--type", "caused_by", "--weight", "0.8", "--evidence", "it was planned", "--json").json
    assert (done["source"], done["target"], done["type"], done["weight"]) == (a, b, "caused_by", 0.8)
    told = call("related", a, "--json").json
    assert told["count"] == 1 and told["related"][0]["id"] == b and told["related"][0]["hops"] == 1
    assert [each["id"] for each in call("path", b, a, "--json").json["path"]] == [b, a]
    assert "it was planned" in call("related", a).out and b in call("path", a, b).out
    assert call("unlink", b, a, "--json").json["unlinked"] == 1
    assert call("related", a).out == "Nothing is linked to it.\n"
    assert call("path", a, b).out == "No way of at most 6 links.\n"
    assert call("path", a, b, "--json").json["found"] is False


def test_annotations_are_shown_given_and_taken_back(call: Any, two: tuple[str, str]) -> None:
    a, _ = two
    told = call("annotations", a, "--kind", "mentions", "--json").json["annotations"]
    assert [each["value"] for each in told] == ["K8s", "Kubernetes", "Oslo"]
    assert call("annotate", a, "mood", "calm").out == "Annotated: mood calm\n"
    assert "calm" in call("annotations", a).out
    assert call("annotate", a, "mood", "calm", "--remove").out == "Taken back.\n"
    assert call("annotate", a, "mood", "calm", "--remove").out == "It was not said.\n"


def test_entities_are_listed_and_looked_up(call: Any, two: tuple[str, str]) -> None:
    a, b = two
    listed = call("entities", "--json").json["entities"]
    assert listed[0] == {"name": "K8s", "count": 2, "aliases": ["Kubernetes"]}
    told = call("entities", "kubernetes", "--json").json
    assert [each["id"] for each in told["memories"]] == [b, a] and told["aliases"] == ["K8s"]
    assert "Also called K8s." in call("entities", "kubernetes").out
    assert call("entities", "nobody").out == "Nothing mentions it.\n"


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (("link", "A", "A"), 2),
        (("link", "A", "B", "--weight", "nan"), 2),
        (("link", "A", "B", "--weight", "2"), 2),
        (("link", "A", "nobody"), 3),
        (("related", "A", "--type", "nonsense"), 2),
        (("related", "A", "--hops", "0"), 2),
        (("related", "nobody"), 3),
        (("path", "A", "nobody"), 3),
        (("annotate", "A", "alias", "K8s"), 2),
        (("annotations", "nobody"), 3),
        (("entities", ""), 2),
    ],
)
def test_what_cannot_be_is_refused_with_a_status(
    call: Any, two: tuple[str, str], arguments: tuple[str, ...], status: int
) -> None:
    names = {"A": two[0], "B": two[1]}
    done = call(*(names.get(word, word) for word in arguments))
    assert done.status == status and done.err.startswith("Error: ")
