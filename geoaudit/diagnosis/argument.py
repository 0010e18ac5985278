"""All evidence there is of a launch signature, one sentence each: what a verdict rests on."""

from collections.abc import Iterator

from geoaudit.diagnosis.evidence import Floor, SignatureEvidence, Timing
from geoaudit.diagnosis.recognition import (
    has_two_groups,
    is_of_bytes,
    may_be_served_by_l2,
    shared_time,
    spread_of,
)
from geoaudit.diagnosis.thresholds import BUSY_COMPUTE, MOST_SITES, SMALL_GRID_SM_FILL, Thresholds
from geoaudit.diagnosis.wording import (
    against_floor,
    busiest_while_active,
    dram_share_of,
    floor_ratio_of,
    grid_on_sms,
    median,
)
from geoaudit.quantities import byte_count, duration, percent, plural


def rests_on(evidence: SignatureEvidence, thresholds: Thresholds) -> tuple[str, ...]:
    """The evidence as sentences, what is unknown left out.

    Args:
        evidence: all that is known of the signature.
        thresholds: bounds of the spread.
    """
    return (
        *_shape(evidence),
        *_time(evidence, thresholds),
        *_floor(evidence),
        *_work(evidence),
        *_concurrency(evidence),
        *_counters(evidence),
    )


def _shape(evidence: SignatureEvidence) -> Iterator[str]:
    geometry = evidence.geometry
    if geometry.grid_blocks is None:
        return
    sentence = f"grid: {grid_on_sms(evidence)}"
    if geometry.waves is not None:
        waves = "less than 0.01" if geometry.waves < 0.01 else f"{geometry.waves:.2f}"
        sentence += f", {waves} waves"
    if geometry.resident_blocks_per_sm is not None:
        sentence += f", an SM holds {plural(geometry.resident_blocks_per_sm, 'block')}"
    yield sentence


def _time(evidence: SignatureEvidence, thresholds: Thresholds) -> Iterator[str]:
    if evidence.timing is not None:
        spread = spread_of(evidence.timing, thresholds)
        yield f"time: median {median(evidence)}; {spread.name}: {spread.sentence}"
        yield from _spread_shape(evidence.timing)


def _spread_shape(timing: Timing) -> Iterator[str]:
    """What the one number of a spread hides, where there is something."""
    if has_two_groups(timing):
        apart, sites = percent(timing.mode_distance or 0.0), percent(timing.bimodal_fraction or 0.0)
        yield f"two groups: {apart} apart, at {sites} of the sites"
    if (timing.drift_fraction or 0.0) >= MOST_SITES and timing.drift:
        way, sites = "rise" if timing.drift > 0 else "fall", percent(timing.drift_fraction or 0.0)
        yield f"drift: durations {way} by {percent(abs(timing.drift))}, at {sites} of the sites"
    if timing.outliers and timing.outlier_excess_ns is not None:
        yield (
            f"outliers: {plural(timing.outliers, 'launch', 'launches')} far above the others of "
            f"their site, by {duration(timing.outlier_excess_ns)} typically and "
            f"{duration(timing.outlier_max_excess_ns)} at most; they count in all figures"
        )


def _floor(evidence: SignatureEvidence) -> Iterator[str]:
    floor = evidence.floor
    if floor is None or floor.bytes is None:
        return
    where = "; all that the token touches in between fits the L2" * may_be_served_by_l2(evidence)
    yield f"floor: {against_floor(evidence)}: {_floor_source(floor)}{where}"


def _floor_source(floor: Floor) -> str:
    kind = "compulsory bytes" if floor.bytes_source == "compulsory" else "counted bytes"
    rate = "an unknown bandwidth"
    if floor.bandwidth_bytes_per_second is not None:
        rate = f"{floor.bandwidth_bytes_per_second / 1e12:.2f} TB/s"
    known_by = "measured on this device" if floor.is_measured else "by the data sheet"
    moved = f"{byte_count(floor.bytes)} of {kind} at {rate}, {known_by}"
    if is_of_bytes(floor):
        return moved
    return f"that of a launch that does nothing, since {moved}, take less"


def _work(evidence: SignatureEvidence) -> Iterator[str]:
    work = evidence.work
    if work is None:
        return
    sentence = f"work: {work.working_warps:g} working warps on an SM that has blocks"
    if work.bytes_in_flight is not None:
        sentence += f", {byte_count(work.bytes_in_flight)} in flight"
    if work.needed_bytes_in_flight is not None:
        needed = byte_count(work.needed_bytes_in_flight)
        sentence += f" where latency times bandwidth asks for {needed}"
    yield sentence


def _concurrency(evidence: SignatureEvidence) -> Iterator[str]:
    concurrency = evidence.concurrency
    if concurrency is None:
        return
    shares = (
        ("kernels of other streams", concurrency.other_streams),
        ("kernels of other contexts or processes", concurrency.other_contexts),
        ("its predecessor", concurrency.predecessor),
        ("its successor", concurrency.successor),
    )
    told = [f"{percent(share)} under {what}" for what, share in shares if share]
    if told:
        yield f"concurrency: of its time {', '.join(told)}"
    elif concurrency.other_streams is not None:
        yield "concurrency: nothing else ran beside it"


def _counters(evidence: SignatureEvidence) -> Iterator[str]:
    counters = evidence.counters
    if counters is None:
        return
    told = []
    if counters.sm_active_fraction is not None:
        told.append(f"SMs have a warp {percent(counters.sm_active_fraction)} of the time")
    if counters.sm_throughput_fraction is not None:
        busiest = percent(counters.sm_throughput_fraction)
        told.append(f"their busiest unit is at {busiest} of its peak")
    if counters.dram_bytes is not None:
        share = dram_share_of(evidence)
        of_copy = "" if share is None else f", {percent(share)} of what a copy moves in its time"
        told.append(f"{byte_count(counters.dram_bytes)} of DRAM traffic{of_copy}")
    if told:
        yield f"counters: {'; '.join(told)}"


def ruled_out(evidence: SignatureEvidence, thresholds: Thresholds) -> tuple[str, ...]:
    """What the evidence rules out, each by the number that does.

    Args:
        evidence: of a launch with a time.
        thresholds: the launch floor, and bounds of the spread and the floor ratio.
    """
    return (
        *_not_contention(evidence, thresholds),
        *_not_the_launch(evidence, thresholds),
        *_not_the_device(evidence, thresholds),
    )


def _not_contention(evidence: SignatureEvidence, thresholds: Thresholds) -> Iterator[str]:
    timing = evidence.timing
    if timing is None:
        return
    spread = spread_of(timing, thresholds)
    if spread.name == "tight":
        yield f"not contention: {spread.sentence}"
    beside = shared_time(evidence)
    if beside is not None and beside < 0.05:
        yield f"not other streams: {percent(beside)} of its time is under other kernels"


def _not_the_launch(evidence: SignatureEvidence, thresholds: Thresholds) -> Iterator[str]:
    timing = evidence.timing
    if timing is None:
        return
    floors = timing.median_ns / thresholds.launch_floor_ns
    if floors >= 2:
        yield (
            f"not the launch itself: {duration(timing.median_ns)} is {floors:.1f} times the "
            f"launch floor of {duration(thresholds.launch_floor_ns)}"
        )


def _not_the_device(evidence: SignatureEvidence, thresholds: Thresholds) -> Iterator[str]:
    """Bandwidth and arithmetic of the device, by the floor, the counters or the empty SMs."""
    ratio = floor_ratio_of(evidence)
    if ratio is not None and ratio >= thresholds.large_floor_ratio:
        yield f"not bandwidth: {against_floor(evidence)}"
    busy = busiest_while_active(evidence)
    if busy is not None and busy < BUSY_COMPUTE / 2:
        yield (
            f"not arithmetic: counted, no unit of an SM that has work is above {percent(busy)} of "
            "its peak"
        )
        return
    fill = evidence.geometry.sm_fill
    if fill is not None and fill < SMALL_GRID_SM_FILL:
        yield f"not the device's arithmetic: {percent(1 - fill)} of its SMs have no block"
