"""The verdict on one launch signature: a table of cases over what shape and time alone allow.

=====  ==================================================  =====================================
order  case                                                verdict
=====  ==================================================  =====================================
1      a collective or a copy, by owner or name            communication
2      median duration at or below the launch floor        launch_bound
3      grid or device unknown, or figures contradict       inconclusive: geometry
4      no launch timed                                     inconclusive: time
5      less than 50 % of the SMs have a block              starved
6      50 to 80 % of the SMs have a block                  inconclusive: between
7      blocks or clusters held at once unknown             inconclusive: registers, clusters
8      grid = k x SMs, resident at once, filled            healthy (persistent)
9      1 to 4 whole waves, wave efficiency below 80 %      tail
10     a full wave, theoretical occupancy below 50 %       occupancy_limited
11     every SM has a block, thread slots below 50 %       inconclusive: warps
12     none of these                                       healthy
=====  ==================================================  =====================================

Cases 5, 9 and 10 give way to ``inconclusive`` where the evidence disagrees: durations spread
widely (a starved kernel may be noisy too, so noise proves neither), or the launch mostly runs
under other kernels, which use the SMs that it leaves (small grids are then often on purpose).
A wide spread also takes a ``healthy`` back, overlap does not; where call sites are not told apart
a wide spread is no evidence. Above the launch floor by up to a fifth, the reason says so.

`judge` reaches the verdicts of ``REACHED``; the others need an intervention or counters. All
verdicts are ``suspected``: one recording holds
no intervention.
"""

from collections.abc import Callable

from geoaudit.diagnosis.evidence import SignatureEvidence
from geoaudit.diagnosis.finding import Verdict, VerdictName
from geoaudit.diagnosis.recognition import (
    is_clustered,
    is_launch_bound,
    is_persistent,
    leaves_threads_unfilled,
    tail_loss,
    thread_bound,
)
from geoaudit.diagnosis.thresholds import (
    DEFAULT_THRESHOLDS,
    FILLED_SM_FILL,
    LOW_THEORETICAL_OCCUPANCY,
    SMALL_GRID_SM_FILL,
    TAIL_FULL_WAVES,
    UNFILLED_THREADS,
    WORTHWHILE_TAIL,
    Thresholds,
)
from geoaudit.diagnosis.weighing import inconclusive, suspected, weighed
from geoaudit.geometry.shape import Limiter
from geoaudit.launches.names import is_communication
from geoaudit.quantities import duration, percent, plural

REACHED: tuple[VerdictName, ...] = (
    "starved",
    "tail",
    "occupancy_limited",
    "launch_bound",
    "communication",
    "healthy",
    "inconclusive",
)

Case = Callable[[SignatureEvidence, Thresholds], Verdict | None]

_LIMITED_BY: dict[Limiter, str] = {
    "registers": "registers",
    "shared_memory": "shared memory",
    "blocks": "block slots (the block is too small)",
    "barriers": "barriers",
}


def judge(evidence: SignatureEvidence, thresholds: Thresholds = DEFAULT_THRESHOLDS) -> Verdict:
    """Say what holds a launch signature back, as far as shape and time allow.

    Args:
        evidence: shape, geometry and timing of the signature.
        thresholds: the launch floor and the bounds of the spread.

    Returns:
        The verdict of the first case of the table above that applies, with the numbers it rests
        on, what they rule out, and what would decide or strengthen it.
    """
    for case in CASES:
        verdict = case(evidence, thresholds)
        if verdict is not None:
            return weighed(verdict, evidence, thresholds)
    return weighed(_healthy(evidence), evidence, thresholds)


def _communication(evidence: SignatureEvidence, thresholds: Thresholds) -> Verdict | None:
    if not is_communication(evidence.kernel, evidence.owner):
        return None
    return suspected(
        "communication", "a collective or a copy, by its owner or name: its grid is small by design"
    )


def _launch_bound(evidence: SignatureEvidence, thresholds: Thresholds) -> Verdict | None:
    timing = evidence.timing
    if timing is None or not is_launch_bound(timing, thresholds):
        return None
    return suspected(
        "launch_bound",
        f"median {duration(timing.median_ns)} is at or below the launch floor of "
        f"{duration(thresholds.launch_floor_ns)}: another shape wins nothing, fewer launches do",
        "the time of an empty kernel on this device",
    )


def _unknown_geometry(evidence: SignatureEvidence, thresholds: Thresholds) -> Verdict | None:
    geometry = evidence.geometry
    if geometry.grid_blocks is None:
        return inconclusive(
            "the recording has no grid for this kernel",
            "a recording that carries the grid, CUDA graphs node by node",
        )
    if geometry.sm_fill is None:
        return inconclusive(
            "the device, and with it the SM count, is unknown", "--device NAME or --sms N"
        )
    nothing_fits = geometry.resident_blocks_per_sm == 0 or evidence.shape.max_active_clusters == 0
    if geometry.grid_blocks < 1 or nothing_fits:
        return inconclusive(
            "a launch of this shape is impossible on the device named", "the device it ran on"
        )
    return None


def _untimed(evidence: SignatureEvidence, thresholds: Thresholds) -> Verdict | None:
    if evidence.timing is not None:
        return None
    return inconclusive(f"{_grid_on_sms(evidence)}, but no launch was timed", "a timed recording")


def _starved(evidence: SignatureEvidence, thresholds: Thresholds) -> Verdict | None:
    fill = evidence.geometry.sm_fill
    if fill is None or fill >= SMALL_GRID_SM_FILL:
        return None
    reason = f"{_grid_on_sms(evidence)}, and each launch takes {_median(evidence)}"
    if evidence.geometry.grid_blocks == 1:
        reason += (
            "; one block may be structurally right: then the width of the block and its bytes in "
            "flight are the lever, not more blocks"
        )
    return suspected(
        "starved",
        reason,
        "another block count measured against this one, or the bytes of a launch against the "
        "device's bandwidth",
    )


def _between(evidence: SignatureEvidence, thresholds: Thresholds) -> Verdict | None:
    fill = evidence.geometry.sm_fill
    if fill is None or fill >= FILLED_SM_FILL:
        return None
    return inconclusive(
        f"{_grid_on_sms(evidence)}: neither starved nor full",
        "another block count measured against this one",
    )


def _unknown_residency(evidence: SignatureEvidence, thresholds: Thresholds) -> Verdict | None:
    if evidence.geometry.waves is not None or is_persistent(evidence):
        return None
    if is_clustered(evidence.shape) and evidence.shape.max_active_clusters is None:
        return inconclusive(
            f"{_grid_on_sms(evidence)}, but how many of its clusters are active at once is unknown",
            "the clusters active at once: cudaOccupancyMaxActiveClusters, or a recording by Nsight "
            "Compute",
        )
    return inconclusive(
        f"{_grid_on_sms(evidence)}, but how many blocks an SM holds is unknown",
        "registers per thread and shared memory",
    )


def _persistent(evidence: SignatureEvidence, thresholds: Thresholds) -> Verdict | None:
    sms = evidence.geometry.usable_sms
    if sms is None or not is_persistent(evidence):
        return None
    per_sm = (evidence.geometry.grid_blocks or 0) // sms
    return suspected(
        "healthy",
        f"the grid is {per_sm} x {sms} SMs and resident at once, the shape of a persistent kernel",
    )


def _tail(evidence: SignatureEvidence, thresholds: Thresholds) -> Verdict | None:
    loss, geometry = tail_loss(evidence, TAIL_FULL_WAVES), evidence.geometry
    if loss is None or geometry.waves is None or loss <= 1 - WORTHWHILE_TAIL:
        return None
    return suspected(
        "tail",
        f"{geometry.waves:.2f} waves: the partial last wave loses {percent(loss)} of "
        f"{_median(evidence)} if all blocks take equally long",
        "a grid of whole waves measured against this one",
    )


def _occupancy_limited(evidence: SignatureEvidence, thresholds: Thresholds) -> Verdict | None:
    geometry = evidence.geometry
    occupancy, waves, limiter = geometry.theoretical_occupancy, geometry.waves, geometry.limiter
    if occupancy is None or waves is None or limiter not in _LIMITED_BY:
        return None
    if waves < 1 or occupancy >= LOW_THEORETICAL_OCCUPANCY:
        return None
    return suspected(
        "occupancy_limited",
        f"the grid fills {waves:.2f} waves, but {_LIMITED_BY[limiter]} let an SM hold only "
        f"{plural(geometry.resident_blocks_per_sm or 0, 'block')}: theoretical occupancy "
        f"{percent(occupancy)}",
        "counters: kernels with enough independent loads or matrix instructions in flight per "
        "thread do not need more warps",
    )


def _unfilled(evidence: SignatureEvidence, thresholds: Thresholds) -> Verdict | None:
    bound = thread_bound(evidence)
    if bound is None or not leaves_threads_unfilled(evidence, UNFILLED_THREADS):
        return None
    return inconclusive(
        f"{_grid_on_sms(evidence)}, but only {percent(bound)} of the thread slots are filled",
        "the bytes each SM has in flight, by counters, or more or wider blocks measured against "
        "this shape",
    )


CASES: tuple[Case, ...] = (
    _communication,
    _launch_bound,
    _unknown_geometry,
    _untimed,
    _starved,
    _between,
    _unknown_residency,
    _persistent,
    _tail,
    _occupancy_limited,
    _unfilled,
)


def _healthy(evidence: SignatureEvidence) -> Verdict:
    geometry = evidence.geometry
    return suspected(
        "healthy",
        f"{_grid_on_sms(evidence)}, {geometry.waves or 0:.2f} waves, "
        f"theoretical occupancy {percent(geometry.theoretical_occupancy or 0)}",
    )


def _grid_on_sms(evidence: SignatureEvidence) -> str:
    """``12 blocks on 132 SMs (9.1 % have work)``."""
    geometry = evidence.geometry
    blocks = plural(geometry.grid_blocks or 0, "block")
    if geometry.sm_fill is None:
        return blocks
    return f"{blocks} on {geometry.usable_sms} SMs ({percent(geometry.sm_fill)} have work)"


def _median(evidence: SignatureEvidence) -> str:
    return "an unknown time" if evidence.timing is None else duration(evidence.timing.median_ns)
