"""How what ties memories together is shown."""

from __future__ import annotations

import pytest

from mnemopi.model import graph
from mnemopi.model.graph import Edge
from mnemopi.model.interval import Interval

DAY = 86_400_000


@pytest.mark.parametrize(
    ("event", "words"),
    [
        (Interval(0, DAY, "day"), "1970-01-01"),
        (Interval(0, 31 * DAY, "month"), "1970-01-01/1970-01-31"),
        (Interval(3_600_000, 3_600_001, "instant"), "1970-01-01T01:00:00.000Z"),
        (Interval(0, 3_600_000, "hour"), "1970-01-01T00:00:00.000Z/1970-01-01T01:00:00.000Z"),
    ],
)
def test_an_event_time_is_told_as_shortly_as_it_can_be(event: Interval, words: str) -> None:
    assert graph.told(event) == words


def test_an_edge_knows_its_other_end() -> None:
    edge = Edge("a", "b", "follows", 0.5)
    assert (edge.other("a"), edge.other("b")) == ("b", "a")
