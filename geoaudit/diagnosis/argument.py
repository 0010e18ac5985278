"""All evidence there is of a launch signature, one sentence each: what a verdict rests on."""

from collections.abc import Iterator

from geoaudit.diagnosis.evidence import SignatureEvidence, Timing
from geoaudit.diagnosis.recognition import is_of_bytes, may_be_served_by_l2, spread_of
from geoaudit.diagnosis.thresholds import MOST_SITES, Thresholds
from geoaudit.diagnosis.wording import (
    against_floor,
    dram_share_of,
    grid_on_sms,
    launch_floor,
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
        *_floor(evidence, thresholds),
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
        yield from _spread_shape(evidence.timing, thresholds)


def _spread_shape(timing: Timing, thresholds: Thresholds) -> Iterator[str]:
    """What the one number of a spread hides, where there is something."""
    apart = timing.mode_distance or 0.0
    if (timing.bimodal_fraction or 0.0) >= MOST_SITES and apart >= thresholds.tight_spread:
        yield f"two groups: {percent(apart)} apart{_at_sites(timing.bimodal_fraction, timing)}"
    if (timing.drift_fraction or 0.0) >= MOST_SITES and timing.drift:
        way, at_sites = (
            "rise" if timing.drift > 0 else "fall",
            _at_sites(timing.drift_fraction, timing),
        )
        yield f"drift: durations {way} by {percent(abs(timing.drift))}{at_sites}"
    if timing.outliers and timing.outlier_excess_ns is not None:
        of_site = "" if timing.sites is None else " of their site"
        yield (
            f"outliers: {plural(timing.outliers, 'launch', 'launches')} far above the others"
            f"{of_site}, by {duration(timing.outlier_excess_ns)} typically and "
            f"{duration(timing.outlier_max_excess_ns)} at most; they count in all figures"
        )


def _at_sites(share: float | None, timing: Timing) -> str:
    """Empty where call sites are not told apart."""
    return "" if timing.sites is None else f", at {percent(share)} of the sites"


def _floor(evidence: SignatureEvidence, thresholds: Thresholds) -> Iterator[str]:
    floor = evidence.floor
    if floor is None or floor.bytes is None:
        return
    kind = "compulsory bytes" if floor.bytes_source == "compulsory" else "counted bytes"
    moved = f"{byte_count(floor.bytes)} of {kind}"
    if floor.bandwidth_bytes_per_second is None:
        yield f"floor: unknown: {moved}, and a bandwidth that nobody tells (--device NAME)"
        return
    known_by = "measured on this device" if floor.is_measured else "by the data sheet"
    moved += f" at {floor.bandwidth_bytes_per_second / 1e12:.2f} TB/s, {known_by}"
    if not is_of_bytes(floor):
        moved = f"{launch_floor(evidence, thresholds)}, since {moved}, take less"
    where = "; all that the token touches in between fits the L2" * may_be_served_by_l2(evidence)
    yield f"floor: {against_floor(evidence) or duration(floor.floor_ns)}: {moved}{where}"


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
