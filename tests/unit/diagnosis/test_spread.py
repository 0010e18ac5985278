import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from geoaudit.diagnosis.evidence import SpreadClass
from geoaudit.diagnosis.site_stacks import repeated_deviations, stacked
from geoaudit.diagnosis.spread import (
    classify_interval,
    is_whole_microseconds,
    rank_below_median,
    spread_bounds,
    spread_interval,
    timing_of_sites,
)
from geoaudit.diagnosis.thresholds import DEFAULT_THRESHOLDS, Thresholds
from geoaudit.errors import NotMeasuredError

Site = NDArray[np.float64]


def sites(median_ns: float, std_ns: float, *, count: int, launches: int) -> list[Site]:
    generator = np.random.default_rng(7)
    return [generator.normal(median_ns, std_ns, launches) for _ in range(count)]


def interval_of(durations_ns: list[Site]) -> tuple[float, float] | None:
    return spread_interval(repeated_deviations(stacked(durations_ns)))


def test_figures_of_two_sites_are_those_of_the_sites() -> None:
    timing = timing_of_sites([np.array([10, 12, 14, 12]), np.array([100, 110, 90])])
    assert timing.launches == 7
    assert timing.median_ns == 14
    assert timing.mean_ns == pytest.approx(348 / 7)
    assert timing.relative_mad == pytest.approx(0.978 * 10 / 100)
    assert timing.std_ns == pytest.approx(((8 + 200) / (3 + 2)) ** 0.5)
    assert timing.site_spread == pytest.approx(44 / 56)
    assert (timing.sites, timing.repetitions) == (2, 3)


def test_sites_of_different_speed_are_not_a_spread() -> None:
    timing = timing_of_sites(
        [np.full(12, 10_000.0 * (layer + 1)) for layer in range(6)], overlapped_fraction=0.25
    )
    assert timing.relative_mad == 0
    assert timing.std_ns == 0
    assert timing.spread == "tight"
    assert timing.site_spread is not None
    assert timing.site_spread > 0.4
    assert timing.overlapped_fraction == 0.25


def test_one_percent_over_twelve_launches_is_tight() -> None:
    timing = timing_of_sites(sites(87_000, 982, count=1, launches=12))
    assert timing.spread == "tight"
    assert timing.std_ns is not None
    assert timing.std_ns / timing.median_ns == pytest.approx(0.011, rel=0.35)


def test_a_spread_of_thirty_percent_is_wide() -> None:
    assert timing_of_sites(sites(87_000, 30_000, count=4, launches=40)).spread == "wide"


@pytest.mark.parametrize("std_ns", [4_900, 9_000])
def test_a_spread_between_the_bounds_is_undecided(std_ns: float) -> None:
    assert timing_of_sites(sites(87_000, std_ns, count=1, launches=400)).spread == "undecided"


def test_nine_launches_decide_nothing() -> None:
    assert timing_of_sites([np.full(9, 87_000.0)]).spread == "undecided"
    assert timing_of_sites([np.full(10, 87_000.0)]).spread == "tight"


def test_few_launches_at_many_sites_decide_nothing() -> None:
    twelve_sites_of_three = [np.full(3, 87_000.0)] * 12
    timing = timing_of_sites(twelve_sites_of_three)
    assert (timing.spread, timing.relative_mad, timing.relative_mad_low) == ("undecided", 0, None)
    one_of_ten = [*twelve_sites_of_three, np.full(10, 87_000.0)]
    assert timing_of_sites(one_of_ten).spread == "tight"


def test_sites_launched_once_have_no_spread() -> None:
    timing = timing_of_sites([np.array([5_000.0])] * 20)
    assert (timing.relative_mad, timing.std_ns, timing.spread) == (None, None, "undecided")
    assert timing.site_spread == 0


def test_two_timer_ticks_are_the_timers() -> None:
    jumping = [np.array([800.0, 864.0] * 40)]
    assert timing_of_sites(jumping).spread == "tight"
    assert timing_of_sites(jumping, thresholds=Thresholds(timer_tick_ns=1.0)).spread == "undecided"


def test_durations_of_zero_have_no_relative_spread() -> None:
    timing = timing_of_sites([np.zeros(20)])
    assert (timing.median_ns, timing.relative_mad, timing.spread) == (0.0, None, "undecided")


# MAD of a normal sample / its standard deviation.
NORMAL_MAD = 0.6745
SAMPLES = 300


def _classes(law: str, relative_mad: float, count: int, launches: int) -> dict[SpreadClass, float]:
    """Share of samples in each class; the true relative MAD of all sites is the one given."""
    generator = np.random.default_rng(20260807)
    std = relative_mad / NORMAL_MAD
    found: dict[SpreadClass, float] = {"tight": 0.0, "undecided": 0.0, "wide": 0.0}
    for _ in range(SAMPLES):
        noise = std * generator.standard_normal((count, launches))
        factors = 1 + noise if law == "normal" else np.exp(noise)
        spread = timing_of_sites(list(87_000.5 * factors)).spread
        assert spread is not None
        found[spread] += 1 / SAMPLES
    return found


PLANS = [(1, 12), (5, 10), (4, 13), (69, 12), (1, 100)]


@pytest.mark.parametrize("law", ["normal", "lognormal"])
@pytest.mark.parametrize(("count", "launches"), PLANS)
def test_a_wrong_class_is_rare_whatever_the_plan(law: str, count: int, launches: int) -> None:
    assert _classes(law, 0.06, count, launches)["tight"] <= 0.05
    assert _classes(law, 0.05, count, launches)["wide"] <= 0.05
    # At the bounds themselves: each side of the interval is wrong in at most 2.5 %.
    assert _classes(law, 0.0301, count, launches)["tight"] <= 0.05
    assert _classes(law, 0.0799, count, launches)["wide"] <= 0.05


@pytest.mark.parametrize(
    ("count", "launches", "relative_mad", "expected", "share"),
    [
        (1, 12, 0.008, "tight", 0.9),
        (69, 12, 0.02, "tight", 0.9),
        (69, 12, 0.1, "wide", 0.9),
        (1, 100, 0.15, "wide", 0.9),
        (32, 2, 0.0, "undecided", 1.0),
        (32, 9, 0.2, "undecided", 1.0),
    ],
)
def test_what_is_clear_is_told(
    count: int, launches: int, relative_mad: float, expected: SpreadClass, share: float
) -> None:
    assert _classes("normal", relative_mad, count, launches)[expected] >= share - 1e-9


@pytest.mark.parametrize("count", [*range(1, 200), 1_000])
def test_the_rank_is_a_bound_and_a_close_one(count: int) -> None:
    def exceeds_median(rank: int) -> float:
        """How often the order statistic of this rank lies above the median."""
        return float(sum(math.comb(count, below) for below in range(rank + 1)) / 2**count)

    rank = rank_below_median(count)
    if rank is None:
        assert count < 6
        return
    assert exceeds_median(rank) <= 0.025
    assert exceeds_median(rank + 2) > 0.025


def test_a_site_of_two_launches_tells_one_deviation() -> None:
    pair = [np.array([99.0, 101.0])]
    assert timing_of_sites(pair * 6).relative_mad == pytest.approx(0.01414)
    assert interval_of(pair * 6) is None


@given(st.lists(st.lists(st.integers(1, 10**6), min_size=2, max_size=14), min_size=1, max_size=8))
def test_a_spread_lies_within_its_own_interval(values: list[list[int]]) -> None:
    timing = timing_of_sites([np.array(site) for site in values])
    if timing.relative_mad_low is None:
        return
    assert timing.relative_mad is not None
    assert timing.relative_mad_high is not None
    assert timing.relative_mad_low <= timing.relative_mad <= timing.relative_mad_high


def test_the_interval_is_that_of_the_order_statistics() -> None:
    # Twelve launches around 100: deviations 0.5 (twice), 1.5, 1.5, ... 5.5, 5.5.
    launches = [np.array([94.5, 95.5, 96.5, 97.5, 98.5, 99.5, 100.5, 101.5, 102.5, 103.5,
                          104.5, 105.5])]  # fmt: skip
    # Eleven are free; the second from either end bounds the median.
    assert interval_of(launches) == pytest.approx((0.015, 0.055))


def test_equal_input_gives_equal_output() -> None:
    noisy = sites(87_000, 26_000, count=3, launches=12)
    assert timing_of_sites(noisy) == timing_of_sites(noisy)


@pytest.mark.parametrize(
    ("durations_ns", "expected"),
    [
        ([12_000.0] * 200, "undecided"),
        ([87_000.0] * 200, "tight"),
        ([12_032.0] * 200, "tight"),
        ([*[12_000.0] * 199, 12_032.0], "tight"),
        ([8_000.0, 12_000.0] * 100, "wide"),
        ([11_000.0, 13_000.0] * 100, "undecided"),
        ([11_032.0, 13_032.0] * 100, "wide"),
    ],
)
def test_what_whole_microseconds_round_away_was_not_measured(
    durations_ns: list[float], expected: SpreadClass
) -> None:
    assert timing_of_sites([np.array(durations_ns)]).spread == expected


def test_whole_microseconds_are_told() -> None:
    assert is_whole_microseconds(np.array([1_000.0, 87_000.0]))
    assert not is_whole_microseconds(np.array([1_000.0, 87_008.0]))


def test_no_duration_at_all_is_not_a_timing() -> None:
    with pytest.raises(NotMeasuredError, match="untimed"):
        timing_of_sites([np.array([])])


def test_empty_sites_are_left_out() -> None:
    timing = timing_of_sites([np.array([]), np.array([7.0, 7.0])])
    assert (timing.sites, timing.launches) == (1, 2)


def test_bounds_grow_with_the_tick_on_short_launches() -> None:
    assert spread_bounds(87_000, DEFAULT_THRESHOLDS) == (0.03, 0.08)
    assert spread_bounds(640, DEFAULT_THRESHOLDS) == (0.1, 0.1)


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0.0, 0.03, "tight"),
        (0.0, 0.0301, "undecided"),
        (0.0799, 0.5, "undecided"),
        (0.08, 0.5, "wide"),
    ],
)
def test_interval_against_the_bounds(low: float, high: float, expected: str) -> None:
    assert classify_interval(low, high, tight=0.03, wide=0.08) == expected


durations = st.lists(
    st.lists(st.integers(1, 10**7), min_size=1, max_size=12), min_size=1, max_size=6
)


@settings(max_examples=40)
@given(durations, st.integers(2, 50))
def test_relative_figures_do_not_depend_on_the_unit(values: list[list[int]], scale: int) -> None:
    arrays = [np.array(site, dtype=np.float64) for site in values]
    timing = timing_of_sites(arrays)
    scaled = timing_of_sites([array * scale for array in arrays])
    assert scaled.relative_mad == pytest.approx(timing.relative_mad)
    assert scaled.site_spread == pytest.approx(timing.site_spread)
    assert scaled.median_ns == pytest.approx(timing.median_ns * scale)


@settings(max_examples=40)
@given(durations)
def test_order_of_the_sites_does_not_matter(values: list[list[int]]) -> None:
    arrays = [np.array(site, dtype=np.float64) for site in values]
    forward, backward = timing_of_sites(arrays), timing_of_sites(arrays[::-1])
    assert forward.relative_mad == pytest.approx(backward.relative_mad)
    assert forward.std_ns == pytest.approx(backward.std_ns)
    assert forward.launches == backward.launches == sum(len(site) for site in values)


@pytest.mark.parametrize("law", ["normal", "lognormal"])
@pytest.mark.parametrize(("count", "launches"), [(1, 10), (1, 12), (1, 30), (4, 10), (5, 12)])
def test_the_interval_covers_quantised_durations(law: str, count: int, launches: int) -> None:
    generator = np.random.default_rng(8)

    def durations_ns(shape: tuple[int, int]) -> Site:
        noise = 0.05 / NORMAL_MAD * generator.standard_normal(shape)
        factors = 1 + noise if law == "normal" else np.exp(noise)
        return np.round(3_000 * factors / 32) * 32

    whole = durations_ns((1, 400_001))[0]
    true_mad = float(np.median(np.abs(whole - np.median(whole))) / np.median(whole))
    covered = 0
    for _ in range(SAMPLES):
        interval = interval_of(list(durations_ns((count, launches))))
        assert interval is not None
        covered += interval[0] <= true_mad <= interval[1]
    assert covered / SAMPLES >= 0.92
