from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from geoaudit.diagnosis.bimodality import mode_distances
from geoaudit.diagnosis.drift import SIGNIFICANT, trend_scores
from geoaudit.diagnosis.evidence import Timing
from geoaudit.diagnosis.spread import looks_time_sliced, timing_of_sites
from geoaudit.diagnosis.spread_comparison import compare_spreads

Stack = NDArray[np.float64]
Generator = np.random.Generator
TICK_NS = 32.0


def in_ticks(durations_ns: Stack) -> Stack:
    return np.round(durations_ns / TICK_NS) * TICK_NS


def bimodal_share(durations_ns: Stack) -> float:
    return float(np.mean(mode_distances(np.sort(in_ticks(durations_ns), axis=1), TICK_NS) > 0))


def normal(generator: Generator, shape: tuple[int, int]) -> Stack:
    return generator.standard_normal(shape)


def exponential(generator: Generator, shape: tuple[int, int]) -> Stack:
    return generator.exponential(size=shape)


def lognormal(generator: Generator, shape: tuple[int, int]) -> Stack:
    return generator.lognormal(size=shape)


def uniform(generator: Generator, shape: tuple[int, int]) -> Stack:
    return generator.random(shape)


def heavy(generator: Generator, shape: tuple[int, int]) -> Stack:
    return generator.standard_t(2, shape)


LAWS = [normal, exponential, lognormal, uniform, heavy]


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("launches", [10, 12, 30, 100, 400])
@pytest.mark.parametrize("scale_ns", [20.0, 60.0, 300.0])
def test_one_group_however_skewed_and_quantised_is_not_two(
    law: Callable[[Generator, tuple[int, int]], Stack], launches: int, scale_ns: float
) -> None:
    durations = 5_000 + scale_ns * law(np.random.default_rng(11), (400, launches))
    assert bimodal_share(np.maximum(durations, 64.0)) <= 0.025


@pytest.mark.parametrize(
    ("launches", "slow_share", "found"),
    [(12, 0.5, 0.9), (30, 0.4, 0.9), (100, 0.25, 0.95), (400, 0.2, 0.95)],
)
def test_two_groups_are_found(launches: int, slow_share: float, found: float) -> None:
    generator = np.random.default_rng(12)
    is_slow = np.arange(launches) < round(slow_share * launches)
    durations = 20_000 + 100 * generator.standard_normal((300, launches)) + 2_000 * is_slow
    assert bimodal_share(durations) >= found


def test_a_slow_millisecond_does_not_hide_two_groups() -> None:
    site = np.array([20_032.0, 22_048.0] * 10 + [1_020_000.0])
    timing = timing_of_sites([site])
    assert timing.bimodal_fraction == 1.0
    assert timing.mode_distance == pytest.approx(0.1, abs=0.01)
    assert timing.outliers == 1


def test_whole_microseconds_are_the_tick_where_the_source_rounds_to_them() -> None:
    assert timing_of_sites([np.array([20_000.0, 22_000.0] * 10)]).bimodal_fraction == 0.0
    assert timing_of_sites([np.array([20_000.0, 24_000.0] * 10)]).bimodal_fraction == 1.0


def test_two_ticks_are_no_two_groups() -> None:
    assert bimodal_share(np.array([[800.0, 864.0] * 10])) == 0.0
    assert bimodal_share(np.array([[800.0, 960.0] * 10])) == 1.0


def test_an_order_of_launches_is_rarely_a_trend_where_there_is_none() -> None:
    generator = np.random.default_rng(13)
    for launches in (10, 12, 24, 100):
        scores = trend_scores(in_ticks(3_000 + 40 * generator.standard_normal((2_000, launches))))
        assert np.mean(np.abs(scores) > SIGNIFICANT) <= 0.015


@pytest.mark.parametrize("launches", [12, 100, 1_000])
def test_a_trend_is_found_with_its_size_and_direction(launches: int) -> None:
    generator = np.random.default_rng(14)
    rising = np.linspace(10_000, 11_000, launches)
    sites = [rising + 100 * generator.standard_normal(launches) for _ in range(20)]
    timing = timing_of_sites(sites)
    assert timing.drift_fraction == 1.0
    assert timing.drift == pytest.approx(0.0635, abs=0.008)
    falling = timing_of_sites([site[::-1] for site in sites])
    assert falling.drift == pytest.approx(-(timing.drift or 0.0))


def test_a_worked_trend_score() -> None:
    # Ten values that rise: S = 45, variance 10 x 9 x 25 / 18 = 125, (45 - 1) / sqrt(125).
    assert trend_scores(np.arange(10.0)[None, :])[0] == pytest.approx(44 / 125**0.5)
    assert trend_scores(np.full((1, 10), 7.0))[0] == 0.0


def time_sliced(outliers: int, excess_ns: float) -> Timing:
    generator = np.random.default_rng(15)
    sites = in_ticks(50_000 + 150 * generator.standard_normal((10, 12)))
    sites[:outliers, 5] += excess_ns
    return timing_of_sites(list(sites))


def test_time_slices_are_rare_outliers_that_leave_the_median_alone() -> None:
    alone, shared = time_sliced(0, 0.0), time_sliced(3, 1_100_000.0)
    assert (alone.outliers, alone.outlier_excess_ns) == (0, None)
    assert shared.outliers == 3
    assert shared.outlier_excess_ns == pytest.approx(1_100_000, rel=0.01)
    assert (shared.outlier_max_excess_ns or 0.0) >= (shared.outlier_excess_ns or 0.0)
    assert shared.median_ns == pytest.approx(alone.median_ns, abs=64)
    assert shared.spread == alone.spread == "tight"
    assert [looks_time_sliced(timing) for timing in (alone, shared)] == [False, True]
    assert looks_time_sliced(time_sliced(3, 20_000.0)) is False
    assert looks_time_sliced(time_sliced(10, 1_100_000.0)) is True
    assert looks_time_sliced(timing_of_sites([np.array([5.0, 5.0, 6.0])])) is None


def test_quartiles_and_the_last_hundredth_are_of_each_site() -> None:
    timing = timing_of_sites([np.arange(1.0, 102.0), 10 * np.arange(1.0, 102.0)])
    assert timing.relative_iqr == pytest.approx(50 / 51)
    assert timing.p99_to_median == pytest.approx(100 / 51, rel=0.01)
    assert timing_of_sites([np.arange(1.0, 13.0)]).p99_to_median is None


def test_three_repetitions_tell_no_shape() -> None:
    timing = timing_of_sites([np.array([10.0, 12.0, 11.0])] * 8)
    assert (timing.relative_mad_high, timing.spread) == (None, "undecided")
    assert (timing.relative_iqr, timing.bimodal_fraction, timing.drift) == (None, None, None)
    assert (timing.drift_fraction, timing.outliers, timing.p99_to_median) == (None, None, None)


def test_between_sites_is_apart_from_within() -> None:
    generator = np.random.default_rng(16)
    means = 20_000 + 1_000 * generator.standard_normal(400)
    sites = list(means[:, None] + 500 * generator.standard_normal((400, 12)))
    timing = timing_of_sites(sites)
    assert timing.std_ns == pytest.approx(500, rel=0.05)
    assert timing.site_std_ns == pytest.approx(float(np.std(means, ddof=1)), rel=0.03)
    assert timing_of_sites([np.array([9.0, 11.0, 10.0])] * 3).site_std_ns == 0.0
    assert timing_of_sites([np.array([9.0, 11.0])]).site_std_ns is None


def test_equal_spreads_rarely_differ() -> None:
    generator = np.random.default_rng(17)
    found = []
    for _ in range(600):
        first, second = (
            list(in_ticks(scale * (1 + 0.03 * generator.standard_normal((3, 11)))))
            for scale in (9_000, 40_000)
        )
        p_value = compare_spreads(first, second).p_value
        assert p_value is not None
        found.append(p_value < 0.05)
    assert np.mean(found) <= 0.07


def test_spreads_of_one_and_three_percent_differ() -> None:
    generator = np.random.default_rng(18)
    first, second = (
        list(9_000 * (1 + share * generator.standard_normal((4, 12)))) for share in (0.01, 0.03)
    )
    compared = compare_spreads(first, second)
    assert compared.deviation_ratio == pytest.approx(3, rel=0.4)
    assert compared.p_value is not None
    assert compared.p_value < 1e-4


def test_spreads_that_cannot_be_compared_are_not() -> None:
    single, flat = [np.array([5.0])] * 4, [np.full(12, 5.0)]
    assert compare_spreads(single, flat).p_value is None
    assert compare_spreads(flat, flat).p_value is None
    assert compare_spreads(flat, flat).deviation_ratio is None
