"""What hardware counters say of launches, where they were read."""

import numpy as np
import numpy.typing as npt

from geoaudit.diagnosis.evidence import Counters
from geoaudit.launches import schema as s
from geoaudit.ranking.annotation import AnnotatedKernels

Integers = npt.NDArray[np.int64]
Reals = npt.NDArray[np.float64]


def counters_of(kernels: AnnotatedKernels, places: Integers) -> Counters | None:
    """The median counters of these launches; None where no launch has any.

    Args:
        kernels: the audited launches.
        places: which of them.
    """
    dram_bytes, sm_active, sm_throughput = (
        _median(_column(kernels, name, places)) for name in s.COUNTERS
    )
    if dram_bytes is None and sm_active is None and sm_throughput is None:
        return None
    return Counters(
        dram_bytes=dram_bytes,
        sm_active_fraction=sm_active,
        sm_throughput_fraction=sm_throughput,
    )


def measured_waste_ns(kernels: AnnotatedKernels, places: Integers) -> float | None:
    """SM-time of these launches in which SMs had no resident warp: time x (1 - active fraction).

    Returns:
        Summed over them, in ns of the whole device; None where a launch that has a time has no
        such counter, since the sum would be of a part.
    """
    time_ns = kernels.attributed_ns[places]
    idle = 1.0 - _column(kernels, s.SM_ACTIVE_FRACTION, places)[~np.isnan(time_ns)]
    time_ns = time_ns[~np.isnan(time_ns)]
    if not time_ns.size or np.isnan(idle).any():
        return None
    return float((time_ns * idle).sum())


def _column(kernels: AnnotatedKernels, name: str, places: Integers) -> Reals:
    column: Reals = kernels.launches[name].to_numpy(dtype=np.float64, na_value=np.nan)
    return column[places]


def _median(values: Reals) -> float | None:
    known = values[~np.isnan(values)]
    return float(np.median(known)) if known.size else None
