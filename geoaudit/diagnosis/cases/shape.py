"""Launches whose shape, with their time, says what holds them back."""

from geoaudit.diagnosis import deciding
from geoaudit.diagnosis.evidence import SignatureEvidence
from geoaudit.diagnosis.finding import Verdict
from geoaudit.diagnosis.recognition import (
    is_near_floor,
    leaves_threads_unfilled,
    slots_filled,
    tail_loss,
)
from geoaudit.diagnosis.thresholds import (
    FILLED_SM_FILL,
    LOW_THEORETICAL_OCCUPANCY,
    SMALL_GRID_SM_FILL,
    TAIL_FULL_WAVES,
    UNFILLED_THREADS,
    WORTHWHILE_TAIL,
    Thresholds,
)
from geoaudit.diagnosis.weighing import inconclusive, suspected
from geoaudit.diagnosis.wording import against_floor, grid_on_sms, median
from geoaudit.geometry.shape import Limiter
from geoaudit.quantities import byte_count, percent, plural

_LIMITED_BY: dict[Limiter, str] = {
    "registers": "registers",
    "shared_memory": "shared memory",
    "blocks": "block slots (the block is too small)",
    "barriers": "barriers",
}


def starved(evidence: SignatureEvidence, thresholds: Thresholds) -> Verdict | None:
    """Less than half of the SMs have a block."""
    fill = evidence.geometry.sm_fill
    if fill is None or fill >= SMALL_GRID_SM_FILL:
        return None
    held_against = against_floor(evidence) or f"each launch takes {median(evidence)}"
    reason = f"{grid_on_sms(evidence)}, and {held_against}"
    if against_floor(evidence):
        reason = f"{held_against}: {grid_on_sms(evidence)}"
    if evidence.geometry.grid_blocks == 1:
        reason += (
            "; one block may be structurally right: then the width of the block and its bytes in "
            "flight are the lever, not more blocks"
        )
    return suspected(
        "starved",
        reason,
        deciding.any_of(
            deciding.another_shape(evidence),
            None if against_floor(evidence) else deciding.floor(evidence),
        ),
    )


def between(evidence: SignatureEvidence, thresholds: Thresholds) -> Verdict | None:
    """Half to four fifths of the SMs have a block."""
    fill = evidence.geometry.sm_fill
    if fill is None or fill >= FILLED_SM_FILL:
        return None
    return inconclusive(
        f"{grid_on_sms(evidence)}: neither starved nor full",
        deciding.first_of(deciding.another_shape(evidence), deciding.STALLS),
    )


def tail(evidence: SignatureEvidence, thresholds: Thresholds) -> Verdict | None:
    """A partial last wave that costs a fifth of the time or more."""
    loss, geometry = tail_loss(evidence, TAIL_FULL_WAVES), evidence.geometry
    if loss is None or geometry.waves is None or loss <= 1 - WORTHWHILE_TAIL:
        return None
    return suspected(
        "tail",
        f"{geometry.waves:.2f} waves: the partial last wave loses {percent(loss)} of "
        f"{median(evidence)} if all blocks take equally long",
        "a grid of whole waves measured against this one",
    )


def occupancy_limited(evidence: SignatureEvidence, thresholds: Thresholds) -> Verdict | None:
    """A grid that is there, and an SM that cannot hold it."""
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
        deciding.first_of(
            deciding.counted(
                evidence,
                "kernels with enough independent loads or matrix instructions in flight per thread "
                "do not need more warps",
            ),
            deciding.STALLS,
        ),
    )


def unfilled(evidence: SignatureEvidence, thresholds: Thresholds) -> Verdict | None:
    """Every SM has a block, and most thread slots are empty."""
    if not leaves_threads_unfilled(evidence, UNFILLED_THREADS):
        return None
    filled = slots_filled(evidence)
    work = evidence.work
    if work is None or work.bytes_in_flight is None or work.needed_bytes_in_flight is None:
        return inconclusive(
            filled,
            deciding.first_of(deciding.another_shape(evidence), deciding.STALLS),
        )
    flying, needed = byte_count(work.bytes_in_flight), byte_count(work.needed_bytes_in_flight)
    if work.bytes_in_flight >= work.needed_bytes_in_flight:
        return inconclusive(
            f"{filled}; yet an SM has {flying} in flight, and the latency of an idle memory times "
            f"the bandwidth asks for {needed}: whether more warps help is open",
            deciding.first_of(deciding.another_shape(evidence), deciding.STALLS),
        )
    return suspected(
        "occupancy_limited",
        f"{filled}: an SM has {flying} in flight where latency times bandwidth asks for {needed}",
        deciding.first_of(deciding.another_shape(evidence), deciding.STALLS),
    )


def healthy(evidence: SignatureEvidence, thresholds: Thresholds) -> Verdict | None:
    """A full grid, near its floor as far as that is known."""
    if against_floor(evidence) and not is_near_floor(evidence, thresholds):
        return None
    geometry = evidence.geometry
    return suspected(
        "healthy",
        f"{grid_on_sms(evidence)}, {geometry.waves or 0:.2f} waves, "
        f"theoretical occupancy {percent(geometry.theoretical_occupancy or 0)}",
        ""
        if against_floor(evidence)
        else deciding.any_of(
            deciding.floor(evidence),
            deciding.counted(evidence, "a full grid can do nothing"),
        ),
    )
