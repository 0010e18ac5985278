"""Launches that floors, counters and what ran beside them tell apart."""

from geoaudit.diagnosis import deciding
from geoaudit.diagnosis.evidence import SignatureEvidence
from geoaudit.diagnosis.finding import Verdict
from geoaudit.diagnosis.recognition import (
    beside_share,
    is_near_floor,
    is_of_bytes,
    is_persistent,
    launch_bound_ns,
    may_be_served_by_l2,
    spread_of,
    tail_loss,
)
from geoaudit.diagnosis.spread import looks_time_sliced
from geoaudit.diagnosis.thresholds import (
    BELOW_FLOOR,
    BOUND_MEMORY,
    BUSY_COMPUTE,
    BUSY_SMS,
    FILLED_SM_FILL,
    IDLE_SMS,
    MOST_TRAFFIC,
    OVERLAPPED,
    TAIL_FULL_WAVES,
    WORTHWHILE_SLICES,
    WORTHWHILE_TAIL,
    Thresholds,
)
from geoaudit.diagnosis.weighing import confirmed, inconclusive, suspected
from geoaudit.diagnosis.wording import (
    against_floor,
    amplification_of,
    dram_share_of,
    floor_ratio_of,
    grid_on_sms,
    median,
    waiting,
)
from geoaudit.quantities import duration, percent, plural


def contended(evidence: SignatureEvidence, thresholds: Thresholds) -> Verdict | None:
    """Most of its time lies under other streams' kernels, and together they want too much."""
    share = beside_share(evidence)
    concurrency, fill = evidence.concurrency, evidence.geometry.sm_fill
    if share is None or share <= OVERLAPPED or concurrency is None or fill is None:
        return None
    beside = concurrency.sm_fill_beside
    if beside is None or fill + beside <= 1:
        return None  # SMs are left for it: weighed where a small grid is blamed
    return suspected(
        "contended",
        f"{percent(share)} of its time is under kernels of other streams or processes that have "
        f"blocks for {percent(beside)} of the SMs, beside its own {percent(fill)}",
        deciding.first_of(deciding.alone(evidence)),
    )


def contradicted(evidence: SignatureEvidence, thresholds: Thresholds) -> Verdict | None:
    """Far below its floor: the bytes or the bandwidth are wrong."""
    ratio = floor_ratio_of(evidence)
    if ratio is None or ratio >= BELOW_FLOOR:
        return None
    return inconclusive(
        f"{against_floor(evidence)}: nothing is so far below its floor, so that the bytes of a "
        "launch or the bandwidth are not what is said",
        "the bytes again (--bytes)"
        if evidence.floor is not None and evidence.floor.is_measured
        else "the bytes again (--bytes), or the bandwidth as it is measured on that device",
    )


def time_sliced(evidence: SignatureEvidence, thresholds: Thresholds) -> Verdict | None:
    """Rare launches that take a time slice longer: another process has the device meanwhile."""
    timing = evidence.timing
    if timing is None or not looks_time_sliced(timing):
        return None
    excess_ns = (timing.outliers or 0) * (timing.outlier_excess_ns or 0.0)
    share = excess_ns / (timing.launches * timing.mean_ns)
    if share < WORTHWHILE_SLICES:
        return None
    return suspected(
        "contended",
        f"{timing.outliers} of {plural(timing.launches, 'launch', 'launches')} took about "
        f"{duration(timing.outlier_excess_ns)} longer than the median of {median(evidence)}, as a "
        f"time slice does, {percent(share)} of all its time: another process has the device then",
        "the same recording while nothing else uses the device",
    )


def bandwidth_bound(evidence: SignatureEvidence, thresholds: Thresholds) -> Verdict | None:
    """Near the floor of its bytes: no launch shape brings much."""
    floor = evidence.floor
    if floor is None or not is_near_floor(evidence, thresholds):
        return None
    if floor.bytes_source != "compulsory" or not is_of_bytes(floor):
        return None
    if may_be_served_by_l2(evidence):
        return None
    reason = against_floor(evidence) or ""
    loss = tail_loss(evidence, TAIL_FULL_WAVES)
    if loss is not None and loss > 0:
        reason += f"; of what is left, a partial last wave takes up to {percent(loss)} of the time"
    counted = dram_share_of(evidence)
    if counted is not None and BOUND_MEMORY <= counted <= MOST_TRAFFIC:
        return confirmed(
            "bandwidth_bound",
            f"{reason}; counted, it moves {percent(counted)} of what a copy moves in its time",
        )
    decides = deciding.first_of(deciding.counted(evidence, "the traffic it really has"))
    return suspected("bandwidth_bound", reason, decides)


def bandwidth_bound_by_traffic(
    evidence: SignatureEvidence, thresholds: Thresholds
) -> Verdict | None:
    """It moves what a copy moves in its time, whatever it would have to."""
    counted = dram_share_of(evidence)
    if counted is None or counted < BOUND_MEMORY or may_be_served_by_l2(evidence):
        return None
    reason = f"counted, it moves {percent(counted)} of what a copy moves in its time"
    if counted > MOST_TRAFFIC:
        return inconclusive(
            f"{grid_on_sms(evidence)}; {reason}: more than memory can, so that the L2 serves it in "
            "its token and did not where it was counted, with cold caches, or another launch was",
            "the same counters with warm caches",
        )
    amplification = amplification_of(evidence)
    if amplification is not None:
        reason += f", {amplification:.2f} times its compulsory bytes"
    return confirmed("bandwidth_bound", reason)


def compute_bound(evidence: SignatureEvidence, thresholds: Thresholds) -> Verdict | None:
    """The counters say that the arithmetic is busy."""
    counters = evidence.counters
    busy = None if counters is None else counters.sm_throughput_fraction
    memory = dram_share_of(evidence)
    if busy is None or busy < BUSY_COMPUTE or (memory or 0.0) >= BOUND_MEMORY:
        return None
    if (tail_loss(evidence, TAIL_FULL_WAVES) or 0.0) > 1 - WORTHWHILE_TAIL:
        return None
    reason = (
        f"counted, the busiest unit of its SMs is at {percent(busy)} of its peak over "
        f"{median(evidence)}"
    )
    if memory is None:
        decides = deciding.counted(evidence, "the DRAM traffic of a launch")
        return suspected(
            "compute_bound", reason, decides or "the device's bandwidth (--device NAME)"
        )
    return confirmed("compute_bound", f"{reason}, and memory at {percent(memory)} of a copy's rate")


def imbalanced(evidence: SignatureEvidence, thresholds: Thresholds) -> Verdict | None:
    """The grid covers the SMs, and the counters say that they idle."""
    counters, fill = evidence.counters, evidence.geometry.sm_fill
    if counters is None or counters.sm_active_fraction is None or fill is None:
        return None
    # A partial last wave idles SMs too, and so do the beginning and the end of any launch.
    waves = evidence.geometry.wave_efficiency if evidence.geometry.full_waves else fill
    median_ns = 0.0 if evidence.timing is None else evidence.timing.median_ns
    ramp = 1.0 if not median_ns else min(1.0, launch_bound_ns(evidence, thresholds) / median_ns)
    expected = (waves or 1.0) * (1.0 - ramp)
    if fill < FILLED_SM_FILL or counters.sm_active_fraction >= IDLE_SMS * expected:
        return None
    return confirmed(
        "imbalanced",
        f"{grid_on_sms(evidence)}, but counted, SMs have a warp "
        f"{percent(counters.sm_active_fraction)} of {median(evidence)}: few blocks do the work",
    )


def uneven(evidence: SignatureEvidence, thresholds: Thresholds) -> Verdict | None:
    """A full grid whose durations do not repeat: others take the device from it."""
    timing, fill = evidence.timing, evidence.geometry.sm_fill
    if timing is None or timing.sites is None or fill is None or fill < FILLED_SM_FILL:
        return None
    spread = spread_of(timing, thresholds)
    if spread.name != "wide":
        return None
    steady = timing.relative_mad_without_common_factor
    if steady is not None and steady <= thresholds.tight_spread:
        return inconclusive(
            f"{grid_on_sms(evidence)}, and its durations do not repeat: {spread.sentence}; but all "
            f"kernels of a token moved together, and without that the spread is {percent(steady)}: "
            "the clocks, or whatever slows the whole device",
            "the same recording with the clocks told (nvidia-smi -q -d CLOCK, PERFORMANCE)",
        )
    return suspected(
        "contended",
        f"{grid_on_sms(evidence)}, and its durations do not repeat: {spread.sentence}",
        deciding.first_of(deciding.alone(evidence), "which launches are the slow ones"),
    )


def serial(evidence: SignatureEvidence, thresholds: Thresholds) -> Verdict | None:
    """A full grid on busy SMs that wait: neither memory nor arithmetic is near its limit."""
    counters = evidence.counters
    if counters is None or counters.sm_active_fraction is None:
        return None
    compute, memory = counters.sm_throughput_fraction, dram_share_of(evidence)
    if counters.sm_active_fraction < BUSY_SMS or compute is None or memory is None:
        return None
    if compute >= BUSY_COMPUTE / 2 or memory >= BUSY_COMPUTE / 2:
        return None
    return suspected(
        "serial",
        f"{waiting(evidence)}: each thread waits for itself",
        deciding.first_of(deciding.another_shape(evidence), deciding.STALLS),
    )


def persistent(evidence: SignatureEvidence, thresholds: Thresholds) -> Verdict | None:
    """A grid of k x SMs that is resident at once, unless its floor says that it does too little."""
    sms = evidence.geometry.usable_sms
    if sms is None or not is_persistent(evidence):
        return None
    if against_floor(evidence) and not is_near_floor(evidence, thresholds):
        return None
    per_sm = (evidence.geometry.grid_blocks or 0) // sms
    return suspected(
        "healthy",
        f"the grid is {per_sm} x {sms} SMs and resident at once, the shape of a persistent kernel",
        ""
        if against_floor(evidence)
        else deciding.first_of(
            deciding.counted(evidence, "whether its blocks are busy"), deciding.floor(evidence)
        ),
    )


def far_from_floor(evidence: SignatureEvidence, thresholds: Thresholds) -> Verdict | None:
    """What is left: a grid that covers the device, far above the floor, and no reason in sight."""
    counters = evidence.counters
    if counters is None or counters.sm_throughput_fraction is None:
        return inconclusive(
            f"{grid_on_sms(evidence)}, {against_floor(evidence)}: the shape does not say why",
            deciding.first_of(
                deciding.counted(evidence, "SMs that idle, arithmetic or memory at its limit")
            ),
        )
    return inconclusive(
        f"{grid_on_sms(evidence)}, {against_floor(evidence)}; counted, SMs have a warp "
        f"{percent(counters.sm_active_fraction)} of the time, their busiest unit is at "
        f"{percent(counters.sm_throughput_fraction)} and memory at "
        f"{percent(dram_share_of(evidence))}: none of them is the limit",
        deciding.STALLS,
    )
