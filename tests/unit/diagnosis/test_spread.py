import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from geoaudit.diagnosis.spread import (
    _bootstrap_interval,
    classify_interval,
    classify_spread,
    spread_bounds,
    timing_of_sites,
)
from geoaudit.diagnosis.thresholds import DEFAULT_THRESHOLDS, Thresholds
from geoaudit.errors import NotMeasuredError

Site = NDArray[np.float64]


def sites(median_ns: float, std_ns: float, *, count: int, launches: int) -> list[Site]:
    generator = np.random.default_rng(7)
    return [generator.normal(median_ns, std_ns, launches) for _ in range(count)]


def test_figures_of_two_sites_are_those_of_the_sites() -> None:
    timing = timing_of_sites([np.array([10, 12, 14, 12]), np.array([100, 110, 90])])
    assert timing.launches == 7
    assert timing.median_ns == 14
    assert timing.mean_ns == pytest.approx(348 / 7)
    assert timing.relative_mad == pytest.approx((1 / 12 + 10 / 100) / 2)
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


def test_the_documents_spread_is_tight() -> None:
    timing = timing_of_sites(sites(87_000, 982, count=1, launches=12))
    assert timing.spread == "tight"
    assert timing.std_ns is not None
    assert timing.std_ns / timing.median_ns == pytest.approx(0.011, rel=0.35)


def test_a_spread_of_thirty_percent_is_wide() -> None:
    assert classify_spread(sites(87_000, 30_000, count=4, launches=40)) == "wide"


@pytest.mark.parametrize("std_ns", [4_900, 9_000])
def test_a_spread_between_the_bounds_is_undecided(std_ns: float) -> None:
    assert classify_spread(sites(87_000, std_ns, count=1, launches=400)) == "undecided"


def test_nine_launches_decide_nothing() -> None:
    assert classify_spread([np.full(9, 87_000.0)]) == "undecided"
    assert classify_spread([np.full(10, 87_000.0)]) == "tight"


def test_sites_launched_once_have_no_spread() -> None:
    timing = timing_of_sites([np.array([5_000.0])] * 20)
    assert (timing.relative_mad, timing.std_ns, timing.spread) == (None, None, "undecided")
    assert timing.site_spread == 0


def test_two_timer_ticks_are_the_timers() -> None:
    jumping = [np.array([800.0, 864.0] * 40)]
    assert classify_spread(jumping) == "tight"
    assert classify_spread(jumping, thresholds=Thresholds(timer_tick_ns=1.0)) == "undecided"


def test_durations_of_zero_have_no_relative_spread() -> None:
    timing = timing_of_sites([np.zeros(20)])
    assert (timing.median_ns, timing.relative_mad, timing.spread) == (0.0, None, "undecided")


def test_an_open_verdict_is_settled_by_the_bootstrap_and_repeats() -> None:
    open_case = sites(87_000, 26_000, count=3, launches=12)
    first = timing_of_sites(open_case)
    assert first == timing_of_sites(open_case)
    assert first.spread == "wide"


@pytest.mark.parametrize(("count", "launches"), [(1, 60), (5, 12), (40, 9)])
def test_bootstrap_agrees_with_scipy(count: int, launches: int) -> None:
    noisy = sites(87_000, 11_500, count=count, launches=launches)

    def row_relative_mad(*samples: Site, axis: int = -1) -> Site:
        row: Site = np.median(
            [stats.median_abs_deviation(s, axis=axis) / np.median(s, axis=axis) for s in samples],
            axis=0,
        )
        return row

    expected = stats.bootstrap(
        noisy, row_relative_mad, n_resamples=2_000, method="percentile", random_state=1
    ).confidence_interval
    width = expected.high - expected.low
    low, high = _bootstrap_interval(noisy)
    # 32 of 40 sites are resampled: the interval may be that much wider.
    assert low == pytest.approx(expected.low, abs=0.25 * width)
    assert high == pytest.approx(expected.high, abs=0.25 * width)


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
