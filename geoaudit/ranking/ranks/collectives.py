"""What collectives take, and how much of it is waiting for the rank that arrives last."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from geoaudit.launches import schema as s
from geoaudit.ranking.annotation import AnnotatedKernels
from geoaudit.ranking.ranks.alignment import NONE, AlignedLaunches
from geoaudit.ranking.ranks.comparison import PerRank, RankedCollective, Skew

Integers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
Reals = npt.NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class ComparedRanks:
    """The audited launches of ranks that are compared.

    Attributes:
        kernels: the audited launches, of any device.
        devices: the device of each rank.
        divisors: what sums over a rank's launches are divided by; None: it has no audited launch.
        aligned: their common tokens; None: there is none.
        places: of every audited launch the place of its row in the order; 0: filtered out.
        device: of every audited launch.
    """

    kernels: AnnotatedKernels
    devices: tuple[int, ...]
    divisors: tuple[int | None, ...]
    aligned: AlignedLaunches | None
    places: Integers
    device: Integers


def compare_collectives(compared: ComparedRanks) -> list[RankedCollective]:
    """The collectives of all ranks, one row per kernel, in order of their places.

    A collective is assumed to end on all ranks together, at the time its last rank has arrived and
    the data has moved, and all ranks that were recorded are assumed to take part in each call. Then
    the shortest of a call's durations is the nearest to the collective's own time, and what
    another rank takes longer is its waiting for the last one to arrive. Only durations are used:
    the clocks of two devices need not agree. The own time still holds what the last rank itself
    waits for data, and it is too long where no recorded rank arrives last; a root that is done
    with a broadcast before the others looks as if they waited.

    Calls are aligned by token and position. Figures are means over the common tokens in which
    every call of the kernel was found, with a time, on all ranks; where there is none they are
    None, and nothing is guessed.

    Args:
        compared: the ranks.

    Returns:
        Also those that filters left out, with place 0.
    """
    kernels = compared.kernels
    names = kernels.launches[s.KERNEL].cat.codes.to_numpy(dtype=np.int64)
    communication = kernels.communication
    mine = np.isin(compared.device, compared.devices)
    found = []
    for name in np.unique(names[communication & mine]):
        chosen = communication & mine & (names == name)
        found.append(_collective(compared, chosen))
    return sorted(
        found, key=lambda one: (one.place, -max(_known(one.time_per_token_ns)), one.kernel)
    )


def _known(values: PerRank) -> list[float]:
    return [0.0 if value is None else value for value in values]


def _collective(compared: ComparedRanks, chosen: Flags) -> RankedCollective:
    kernels = compared.kernels
    launches = np.flatnonzero(chosen).astype(np.int64)
    signature = kernels.signatures[kernels.signature[launches[0]]]
    calls, times = calls_and_times(compared, launches, kernels.duration_ns)
    durations = _common_durations(compared, chosen)
    placed = compared.places[launches][compared.places[launches] > 0]
    row = RankedCollective(
        place=int(placed.min()) if placed.size else 0,
        kernel=signature.kernel,
        kernel_short=signature.kernel_short,
        owner=signature.owner,
        calls_per_token=calls,
        tokens=None,
        time_per_token_ns=times,
        own_time_per_token_ns=None,
        waiting_per_token_ns=(None,) * len(compared.devices),
        skew=None,
    )
    return row if durations is None else _with_waiting(row, *durations)


def _with_waiting(row: RankedCollective, durations: Reals, tokens: int) -> RankedCollective:
    """The row with what its aligned calls, ranks x calls, say."""
    shortest = durations.min(axis=0)
    apart = durations.max(axis=0) - shortest
    waiting = (durations - shortest).sum(axis=1) / tokens
    return RankedCollective(
        place=row.place,
        kernel=row.kernel,
        kernel_short=row.kernel_short,
        owner=row.owner,
        calls_per_token=row.calls_per_token,
        tokens=tokens,
        time_per_token_ns=tuple((durations.sum(axis=1) / tokens).tolist()),
        own_time_per_token_ns=float(shortest.sum()) / tokens,
        waiting_per_token_ns=tuple(waiting.tolist()),
        skew=Skew(
            median_ns=float(np.median(apart)),
            p95_ns=float(np.percentile(apart, 95)),
            max_ns=float(apart.max()),
            calls=len(apart),
        ),
    )


def _common_durations(compared: ComparedRanks, chosen: Flags) -> tuple[Reals, int] | None:
    """Durations of one kernel's calls, ranks x calls, and of how many tokens; None: none aligned.

    Only of the tokens in which each of its launches, on every rank, has its like on all ranks.
    """
    aligned, kernels = compared.aligned, compared.kernels
    if aligned is None:
        return None
    durations = aligned.of(np.where(chosen, kernels.duration_ns, np.nan))
    whole = ~np.isnan(durations).any(axis=0)
    launched = [
        np.bincount(
            aligned.token[chosen & (compared.device == one) & (aligned.token != NONE)],
            minlength=aligned.tokens,
        )
        for one in compared.devices
    ]
    complete = (np.array(launched) == whole.sum(axis=1)).all(axis=0)
    calls = whole & complete[:, np.newaxis]
    return (durations[:, calls], int(complete.sum())) if calls.any() else None


def calls_and_times(
    compared: ComparedRanks, launches: Integers, times_ns: Reals
) -> tuple[PerRank, PerRank]:
    """Calls and time per token on each rank.

    Args:
        compared: the ranks.
        launches: numbers of audited launches.
        times_ns: of every audited launch, NaN where untimed.

    Returns:
        Calls are 0 where the rank has tokens and no such launch; a time is then None.
    """
    device, times_here = compared.device[launches], times_ns[launches]
    calls: list[float | None] = []
    times: list[float | None] = []
    for one, divisor in zip(compared.devices, compared.divisors, strict=True):
        mine = times_here[device == one]
        known = mine[~np.isnan(mine)]
        calls.append(None if divisor is None else len(mine) / divisor)
        times.append(None if divisor is None or not known.size else float(known.sum()) / divisor)
    return tuple(calls), tuple(times)


def total(values: Sequence[float | None]) -> float | None:
    """The sum; None where there is nothing to sum, or a part of it is not known."""
    known = [value for value in values if value is not None]
    return sum(known) if known and len(known) == len(values) else None
