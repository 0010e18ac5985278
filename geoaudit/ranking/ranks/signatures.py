"""Launch signatures with their calls and times on every rank side by side."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from geoaudit.diagnosis.thresholds import NOTABLE_RANK_DIFFERENCE, TIGHT_TICKS, TIMER_TICK_NS
from geoaudit.launches import schema as s
from geoaudit.launches.signatures import SIGNATURE, group_ids
from geoaudit.ranking.evidence import groups
from geoaudit.ranking.ranks.collectives import ComparedRanks, calls_and_times
from geoaudit.ranking.ranks.comparison import PerRank, RankedSignature

_ON_ANY_DEVICE = tuple(name for name in SIGNATURE if name != s.DEVICE)


def compare_signatures(
    compared: ComparedRanks, numbers: Sequence[int]
) -> tuple[RankedSignature, ...]:
    """The launch signatures but collectives, whatever their device, in the order asked for.

    A launch's time is the one that rows of the audit count: overlap on a stream counts once.

    Args:
        compared: the ranks.
        numbers: number of each rank in the distributed run.
    """
    kernels = compared.kernels
    is_compared = np.isin(compared.device, compared.devices)
    shown = ~kernels.communication & (compared.places > 0) & is_compared
    launches = np.flatnonzero(shown).astype(np.int64)
    if not launches.size:
        return ()
    of_launch = group_ids(kernels.launches.iloc[launches], _ON_ANY_DEVICE)
    found = [_signature(compared, launches[group], numbers) for group in groups(of_launch)]
    found.sort(key=lambda one: one.place)
    return tuple(replace(one, place=place) for place, one in enumerate(found, start=1))


def _signature(
    compared: ComparedRanks, launches: npt.NDArray[np.int64], numbers: Sequence[int]
) -> RankedSignature:
    kernels = compared.kernels
    one = kernels.signatures[kernels.signature[launches[0]]]
    calls, times = calls_and_times(compared, launches, kernels.attributed_ns)
    known = [time for time in times if time is not None]
    difference = max(known) - min(known) if len(known) == len(times) else None
    slowest = None
    if difference is not None and _is_notable(difference, max(known), calls):
        slowest = numbers[times.index(max(known))]
    return RankedSignature(
        place=int(compared.places[launches].min()),
        kernel=one.kernel,
        kernel_short=one.kernel_short,
        owner=one.owner,
        shape=one.shape,
        calls_per_token=calls,
        time_per_token_ns=times,
        difference_ns=difference,
        difference_fraction=None if difference is None else difference / max(max(known), 1e-9),
        slowest=slowest,
    )


def _is_notable(difference_ns: float, longest_ns: float, calls: PerRank) -> bool:
    """Whether a difference is worth a mark: no small share, and none that the timer makes."""
    most = max(call for call in calls if call is not None)
    return (
        difference_ns >= NOTABLE_RANK_DIFFERENCE * longest_ns
        and difference_ns > TIGHT_TICKS * TIMER_TICK_NS * most
    )
