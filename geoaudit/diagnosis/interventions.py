"""What it says of a kernel that it was repeated alone, and under other launch shapes."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from geoaudit.diagnosis.thresholds import TIMER_TICK_NS
from geoaudit.geometry.shape import LaunchShape
from geoaudit.launches.interventions import BlockCount, Intervention

Comparison = Literal["like", "faster", "slower", "unknown"]
Trend = Literal["falls", "flat", "rises", "unknown"]

FEWEST_REPETITIONS = 5
"""Fewer durations make no interval."""

ALIKE = 0.15
"""Medians within this share of each other are alike: the state of the L2 is rebuilt, not copied."""

FALLS = 0.8
"""A time with more blocks (or threads) of at most this share of the present one has fallen."""

FLAT = 0.05
"""A time within this share of the present one has not changed."""

NOTABLE_GAIN = 1.1
"""Another shape is faster that is surely (by the interval) so many times as fast."""

MORE_BLOCKS = 1.5
"""Fewer blocks than so many times the present ones do not show that more change nothing."""

FEWEST_PAIRS = 3
"""Fewer pairs have no rank correlation worth a number."""

_RESAMPLES = 2_000
_SEED = 20_111


@dataclass(frozen=True, kw_only=True)
class Ratio:
    """One median duration over another.

    Attributes:
        value: of the medians.
        low, high: 95 % interval, one timer tick either way included.
    """

    value: float
    low: float
    high: float


@dataclass(frozen=True, kw_only=True)
class Response:
    """How a kernel's time answers to another launch shape.

    Attributes:
        trend: ``falls``, where the best time is surely at most 0.8 of the present one; ``flat``,
            where it is surely within 5 % of it at half as many blocks more; ``rises``, where it is
            surely longer than that; ``unknown``, where nothing was tried, durations are too few,
            or the interval reaches over a bound.
        speedup: present median over the best; None: nothing was tried.
        best: the setting with the shortest time; None: nothing was tried.
        is_faster: the best time is surely shorter than the present one, by `NOTABLE_GAIN`.
        is_same_kernel: the best setting launches the same kernel, so that the speed-up is its
            shape's and not another code's.
    """

    trend: Trend
    speedup: float | None = None
    best: BlockCount | None = None
    is_faster: bool = False
    is_same_kernel: bool = False


@dataclass(frozen=True, kw_only=True)
class ArmGain:
    """What the geometry allowed an arm to win of a kernel, and what it won. Per token.

    Attributes:
        kernel_short: the kernel.
        grid_blocks: blocks of the grid before the arm.
        setting: the arm, as an option spells it.
        ceiling_ns: time x (1 - SM fill), before the arm.
        realised_ns: time saved; negative where time was lost.
    """

    kernel_short: str
    grid_blocks: int
    setting: str
    ceiling_ns: float
    realised_ns: float


def of_signature(
    interventions: Iterable[Intervention], kernel_short: str, shape: LaunchShape, device: int
) -> tuple[Intervention, ...]:
    """The interventions of one launch signature.

    Args:
        interventions: of a recording.
        kernel_short: the kernel's short name.
        shape: grid, block and dynamic shared memory; unknown shared memory is none.
        device: it is launched on.
    """
    wanted = (kernel_short, shape.grid, shape.block, shape.dynamic_shared_bytes or 0, device)
    return tuple(
        one
        for one in interventions
        if (one.kernel_short, one.grid, one.block, one.dynamic_shared_bytes, one.device) == wanted
    )


def duration_ratio(one_ns: Sequence[int], other_ns: Sequence[int]) -> Ratio | None:
    """The median of durations over the median of others, with its interval.

    Args:
        one_ns: durations of repetitions.
        other_ns: those of what it is compared with.

    Returns:
        The ratio with the 2.5 and 97.5 % quantiles of a bootstrap (Efron's percentiles, always
        the same resamples), or None: fewer than five durations on a side, or a median of 0.

    Example:
        >>> duration_ratio([20_320] * 20, [20_320] * 20).value
        1.0
    """
    one, other = np.asarray(one_ns, dtype=np.float64), np.asarray(other_ns, dtype=np.float64)
    if min(one.size, other.size) < FEWEST_REPETITIONS or not np.median(other) > 0:
        return None
    random = np.random.default_rng(_SEED)
    medians = [
        np.median(random.choice(sample, (_RESAMPLES, sample.size)), axis=1)
        for sample in (one, other)
    ]
    value = float(np.median(one) / np.median(other))
    low, high = np.quantile(medians[0] / np.maximum(medians[1], 1.0), (0.025, 0.975))
    tick = TIMER_TICK_NS / float(np.median(other))
    return Ratio(value=value, low=float(low) - tick, high=float(high) + tick)


def alone_ratio(intervention: Intervention) -> Ratio | None:
    """Median duration alone over that in its token; None: too few durations."""
    return duration_ratio(intervention.alone_ns, intervention.in_situ_ns)


def alone_against_in_situ(intervention: Intervention) -> Comparison:
    """How the launch alone compares with the same launch in its token.

    Returns:
        ``like``, where the interval of the ratio lies within 15 % of 1: what ran beside it takes
        no time from it, so it is not contended. ``faster``, where all of it lies below: contended,
        or its caches are colder in the token than alone. ``slower``, where all of it lies above:
        it finds in the token's caches what is cold alone. ``unknown``: too few durations, or the
        interval reaches over a bound.
    """
    ratio = alone_ratio(intervention)
    if ratio is None:
        return "unknown"
    low, high = 1.0 - ALIKE, 1.0 + ALIKE
    if low <= ratio.low and ratio.high <= high:
        return "like"
    if ratio.high < low:
        return "faster"
    return "slower" if ratio.low > high else "unknown"


def is_alone_like_in_situ(intervention: Intervention) -> bool | None:
    """Whether the launch takes the same time alone as in its token; None: cannot be told."""
    compared = alone_against_in_situ(intervention)
    return None if compared == "unknown" else compared == "like"


def response_to_blocks(intervention: Intervention) -> Response:
    """How the time answers to more blocks than the launch has.

    Settings with as many blocks or fewer are left out: that fewer blocks take longer does not say
    that more take less. Where some change the blocks alone, or launch the same kernel at least,
    the others do not count. What changes the threads of a block alone is `response_to_width`.

    Example:
        A delta attention step of 12 blocks takes 20.3 µs, of 96 blocks 2.03 µs: it falls, 10
        times as fast.
    """
    present = _blocks(intervention.grid)
    more = [one for one in intervention.sweep if one.grid_blocks > present]
    same = [one for one in more if is_same_kernel(one, intervention)]
    clean = [one for one in same if one.block_threads == _blocks(intervention.block)]
    return _response(intervention, clean or same or more)


def response_to_width(intervention: Intervention) -> Response:
    """How the time answers to more threads in each of the same number of blocks.

    Example:
        A norm of one block takes 20.7 µs with 128 threads, and 2.6 µs with 1024: it falls.
    """
    blocks, threads = _blocks(intervention.grid), _blocks(intervention.block)
    wider = [
        one
        for one in intervention.sweep
        if one.grid_blocks == blocks and one.block_threads > threads
    ]
    return _response(intervention, wider)


def arm_gains(
    intervention: Intervention, *, time_per_token_ns: float, sm_fill: float
) -> tuple[ArmGain, ...]:
    """What each setting of the sweep could win and did, per token.

    Args:
        intervention: with its sweep.
        time_per_token_ns: of all launches of the signature.
        sm_fill: share of the SMs that have a block of it, 0 to 1.

    Returns:
        The share of time saved alone, of the time in the token. Settings without durations are
        left out; all are, where the launch alone has none.
    """
    alone_ns = _median(intervention.alone_ns)
    return tuple(
        ArmGain(
            kernel_short=intervention.kernel_short,
            grid_blocks=_blocks(intervention.grid),
            setting=one.setting,
            ceiling_ns=time_per_token_ns * (1.0 - sm_fill),
            realised_ns=time_per_token_ns * (1.0 - then_ns / alone_ns),
        )
        for one in intervention.sweep
        if alone_ns and (then_ns := _median(one.durations_ns)) is not None
    )


def rank_correlation(gains: Sequence[ArmGain]) -> float | None:
    """Spearman's correlation of the predicted ceilings with the realised gains, -1 to 1.

    Returns:
        None: fewer than three pairs, or all ceilings or all gains are the same.
    """
    from scipy.stats import spearmanr

    ceilings, realised = [one.ceiling_ns for one in gains], [one.realised_ns for one in gains]
    if len(gains) < FEWEST_PAIRS or len(set(ceilings)) == 1 or len(set(realised)) == 1:
        return None
    return float(spearmanr(ceilings, realised).statistic)


def _response(intervention: Intervention, tried: Sequence[BlockCount]) -> Response:
    timed = [(one, _median(one.durations_ns)) for one in tried]
    measured = [(one, median_ns) for one, median_ns in timed if median_ns]
    present_ns = _median(intervention.alone_ns)
    if not measured or not present_ns:
        return Response(trend="unknown")
    best, best_ns = min(measured, key=lambda pair: pair[1])
    ratio = duration_ratio(best.durations_ns, intervention.alone_ns)
    is_more = best.grid_blocks >= MORE_BLOCKS * _blocks(intervention.grid)
    return Response(
        trend="unknown" if ratio is None else _trend(ratio, is_more=is_more),
        speedup=present_ns / best_ns,
        best=best,
        is_faster=ratio is not None and ratio.high <= 1.0 / NOTABLE_GAIN,
        is_same_kernel=is_same_kernel(best, intervention),
    )


def is_same_kernel(one: BlockCount, intervention: Intervention) -> bool:
    """Whether a setting launches the intervention's own kernel and not other code."""
    return one.kernel_short == intervention.kernel_short


def _trend(best: Ratio, *, is_more: bool) -> Trend:
    """What the best time says, as a share of the present one."""
    if best.high <= FALLS:
        return "falls"
    if best.low > 1.0 + FLAT:
        return "rises"
    is_flat = best.low >= 1.0 - FLAT and best.high <= 1.0 + FLAT
    return "flat" if is_flat and is_more else "unknown"


def _median(durations_ns: Sequence[int]) -> float | None:
    return float(np.median(durations_ns)) if durations_ns else None


def _blocks(dimensions: tuple[int, int, int]) -> int:
    x, y, z = dimensions
    return x * y * z
