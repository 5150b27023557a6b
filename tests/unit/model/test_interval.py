"""Intervals are half open, and their relations agree with one another."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from mnemopi.model.interval import Interval, iso

MOMENTS = st.integers(-(10**13), 10**13)
INTERVALS = st.builds(lambda start, length: Interval(start, start + length), MOMENTS, st.integers(1, 10**12))


@given(INTERVALS)
def test_an_interval_holds_its_start_and_not_its_end(one: Interval) -> None:
    assert one.contains(one.start) and one.contains(one.end - 1)
    assert not one.contains(one.end) and not one.contains(one.start - 1)


@given(INTERVALS, INTERVALS)
def test_overlap_and_distance_are_symmetric_and_agree(one: Interval, two: Interval) -> None:
    assert one.overlaps(two) == two.overlaps(one)
    assert one.distance(two) == two.distance(one) >= 0
    if one.overlaps(two):
        assert one.distance(two) == 0
    elif one.distance(two) == 0:
        assert one.end == two.start or two.end == one.start


@given(INTERVALS, MOMENTS)
def test_holding_a_moment_is_overlapping_it(one: Interval, moment: int) -> None:
    assert one.contains(moment) == one.overlaps(Interval(moment, moment + 1))


@given(st.integers(-62_135_596_800_000, 253_402_300_799_999))
def test_a_moment_is_written_so_that_it_can_be_read_again(moment: int) -> None:
    written = iso(moment)
    assert len(written) == 24 and written.endswith("Z")
    assert round(datetime.fromisoformat(written).replace(tzinfo=UTC).timestamp() * 1000) == moment


@given(MOMENTS, MOMENTS)
def test_written_moments_are_ordered_as_moments_are(one: int, two: int) -> None:
    assert (iso(one) < iso(two)) == (one < two)
