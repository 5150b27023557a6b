"""Walking from memory to memory: breadth first, each once, the strongest way first."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from mnemopi.knowledge import graph
from mnemopi.knowledge.graph import Around
from mnemopi.model.graph import Edge


def world(*edges: tuple[str, str, float]) -> Around:
    made = [Edge(source, target, "related_to", weight) for source, target, weight in edges]

    def around(ids: Sequence[str]) -> list[Edge]:
        return [edge for edge in made if edge.source in ids or edge.target in ids]

    return around


def walked(around: Around, hops: int = 5, limit: int = 50) -> list[tuple[str, int, float]]:
    return [(step.id, step.hops, round(step.weight, 3)) for step in graph.related("a", around, hops, limit)]


def test_the_fewest_hops_come_first_then_the_strongest() -> None:
    around = world(("a", "b", 0.2), ("a", "c", 0.9), ("c", "d", 1.0))
    assert walked(around) == [("c", 1, 0.9), ("b", 1, 0.2), ("d", 2, 0.9)]


def test_edges_are_walked_in_both_directions() -> None:
    assert walked(world(("b", "a", 0.5), ("c", "b", 0.5))) == [("b", 1, 0.5), ("c", 2, 0.25)]


def test_circles_end_and_each_memory_comes_once() -> None:
    around = world(("a", "b", 1.0), ("b", "c", 1.0), ("c", "a", 0.1))
    assert walked(around) == [("b", 1, 1.0), ("c", 1, 0.1)]


def test_a_walk_ends_after_so_many_hops_and_memories() -> None:
    around = world(("a", "b", 1.0), ("b", "c", 1.0), ("c", "d", 1.0))
    assert [step[0] for step in walked(around, hops=2)] == ["b", "c"]
    assert [step[0] for step in walked(around, limit=1)] == ["b"]


def test_of_ways_of_the_same_length_the_strongest_is_told() -> None:
    around = world(("a", "b", 0.5), ("b", "d", 0.5), ("a", "c", 0.9), ("c", "d", 0.9))
    found = graph.path("a", "d", around, 6)
    assert found is not None and [edge.weight for edge in found.path] == [0.9, 0.9]


def test_the_shortest_way_wins_over_a_stronger_longer_one() -> None:
    around = world(("a", "d", 0.1), ("a", "b", 1.0), ("b", "d", 1.0))
    found = graph.path("a", "d", around, 6)
    assert found is not None and (found.hops, found.weight) == (1, 0.1)


def test_there_is_no_way_beyond_the_hops_or_between_strangers() -> None:
    around = world(("a", "b", 1.0), ("b", "c", 1.0), ("x", "y", 1.0))
    assert graph.path("a", "c", around, 1) is None
    assert graph.path("a", "y", around, 9) is None


def test_a_way_to_itself_is_no_way_at_all() -> None:
    found = graph.path("a", "a", world(), 6)
    assert found is not None and found.path == () and found.hops == 0


edges = st.lists(
    st.tuples(st.sampled_from("abcdef"), st.sampled_from("abcdef"), st.sampled_from([0.1, 0.5, 0.9])).filter(
        lambda edge: edge[0] != edge[1]
    ),
    max_size=12,
)


def hops_between(found: list[tuple[str, str, float]], start: str) -> dict[str, int]:
    """The hops to each, by trying all walks one hop longer at a time."""
    reached = {start: 0}
    for hops in range(1, 7):
        for (one, other, _), here in product(found, list(reached)):
            far = other if here == one else one if here == other else None
            if far is not None and reached[here] == hops - 1:
                reached.setdefault(far, hops)
    return reached


@given(edges)
def test_all_that_can_be_reached_is_found_at_its_least_distance(found: list[tuple[str, str, float]]) -> None:
    steps = graph.related("a", world(*found), 6, 100)
    expected = hops_between(found, "a")
    del expected["a"]
    assert {step.id: step.hops for step in steps} == expected
    assert [step.hops for step in steps] == sorted(step.hops for step in steps)


@given(edges, st.randoms(use_true_random=False))
def test_the_order_of_the_edges_changes_nothing(found: list[tuple[str, str, float]], chance: object) -> None:
    shuffled = list(found)
    chance.shuffle(shuffled)  # type: ignore[attr-defined]
    assert graph.related("a", world(*found), 6, 100) == graph.related("a", world(*shuffled), 6, 100)


@given(edges)
def test_a_way_leads_from_edge_to_edge_and_weighs_their_product(found: list[tuple[str, str, float]]) -> None:
    for step in graph.related("a", world(*found), 6, 100):
        here, weight = "a", 1.0
        for edge in step.path:
            assert here in (edge.source, edge.target)
            here, weight = edge.other(here), weight * edge.weight
        assert here == step.id and len(step.path) == step.hops
        assert abs(weight - step.weight) < 1e-12
