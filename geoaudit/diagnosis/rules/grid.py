"""Rules on the grid: are there enough blocks, and do they come out even."""

from geoaudit.diagnosis.evidence import SignatureEvidence
from geoaudit.diagnosis.recognition import (
    is_mostly_shared,
    leaves_threads_unfilled,
    tail_loss,
    thread_bound,
)
from geoaudit.diagnosis.rule import Observation, rule
from geoaudit.diagnosis.thresholds import (
    BARELY_FILLED_THREADS,
    NOTABLE_TAIL_LOSS,
    SMALL_GRID_SM_FILL,
    TAIL_FULL_WAVES,
    UNFILLED_THREADS,
    WORTHWHILE_TAIL,
)
from geoaudit.quantities import count, percent, plural


@rule("GA101", "grid-smaller-than-device", since="0.1", severities=("warning", "note"))
def grid_smaller_than_device(evidence: SignatureEvidence) -> Observation | None:
    """The grid has fewer blocks than the device has SMs.

    What it measures:
        sm_fill, the share of the usable SMs that get a block. Below 50 % it is a warning, from
        there up to 100 % a note.
    Why it matters:
        An SM without a block does nothing, and no throughput counter says so: the kernel looks
        memory-bound.
    Formula:
        sm_fill = min(1, grid blocks / usable SMs).

    Example:
        12 blocks on 132 SMs: 9.1 %, 120 SMs idle (warning). 128 blocks: 97.0 % (note).
    What to do:
        Find an axis that splits without a reduction across blocks, without reading anything
        twice and without another layout: value tiles, the context, groups of experts. Where one
        block is right (a mean before any element is scaled), make the block wider.
    Limits:
        A note only where the launch mostly runs under other kernels: small grids are then often
        meant to be. Not raised for collectives and at the launch floor.
    """
    geometry = evidence.geometry
    sms = geometry.usable_sms
    if sms is None or not geometry.grid_blocks or geometry.sm_fill is None:
        return None
    if geometry.sm_fill >= 1:
        return None
    message = (
        f"{plural(geometry.grid_blocks, 'block')} on {sms} SMs: {percent(geometry.sm_fill)} of "
        f"the SMs have work, {sms - geometry.grid_blocks} have none"
    )
    if is_mostly_shared(evidence):
        return "note", f"{message}, while other kernels run beside it"
    return ("warning" if geometry.sm_fill < SMALL_GRID_SM_FILL else "note"), message


@rule("GA102", "partial-last-wave", since="0.1", severities=("warning", "note"))
def partial_last_wave(evidence: SignatureEvidence) -> Observation | None:
    """The last wave of blocks fills the device only in part.

    What it measures:
        The ideal share of the kernel's time that the partial last wave loses, for grids of 1 to 4
        whole waves; reported from 5 %, a warning from 20 %.
    Why it matters:
        While the last few blocks run, the rest of the device waits.
    Formula:
        loss = 1 - waves / ceil(waves); waves = grid blocks / (resident blocks per SM x usable
        SMs). A wave is a model: equal block times are assumed.

    Example:
        1.02 waves lose 49.0 %, 1.77 waves 11.5 %.
    What to do:
        Size the grid as a multiple of what the device holds at once, make the blocks smaller, or
        let a persistent kernel share the work out.
    Limits:
        Blocks of unequal time blur the waves. Up to one wave it is GA101's case; above 4 whole
        waves the loss is small and the blocks no longer run in step.
    """
    loss, waves = tail_loss(evidence, TAIL_FULL_WAVES), evidence.geometry.waves
    if loss is None or waves is None or loss < NOTABLE_TAIL_LOSS:
        return None
    message = (
        f"{waves:.2f} waves: the partial last wave loses {percent(loss)} of the kernel's time if "
        "all blocks take equally long"
    )
    return ("warning" if loss > 1 - WORTHWHILE_TAIL else "note"), message


@rule("GA107", "thread-slots-unfilled", since="0.1", severities=("warning", "note"))
def thread_slots_unfilled(evidence: SignatureEvidence) -> Observation | None:
    """The grid reaches the SMs but brings too few threads to fill them.

    What it measures:
        The threads of the whole grid against the thread slots of the usable SMs; below 50 % a
        note, below 25 % a warning.
    Why it matters:
        Latency is hidden by other warps. A grid can pass any blocks-against-SMs test and still
        leave most warp slots empty.
    Formula:
        grid blocks x block threads / (usable SMs x max threads per SM).

    Example:
        512 blocks of 128 threads on 148 SMs of 2,048 threads: every SM has a block, 21.6 % of the
        thread slots are filled.
    What to do:
        More or wider blocks; or more loads in flight in each thread (16-byte loads, unrolling),
        which makes the same bytes outstanding with fewer threads.
    Limits:
        Not raised where the grid fills the resident-block slots (see GA104 to GA106; persistent
        kernels do) and below 50 % of SMs (GA101).
        Few warps with many independent loads each can be enough: counters tell.
    """
    bound = thread_bound(evidence)
    if bound is None or evidence.device is None:
        return None
    if not leaves_threads_unfilled(evidence, UNFILLED_THREADS):
        return None
    geometry = evidence.geometry
    message = (
        f"{count(geometry.grid_blocks)} blocks of {count(geometry.block_threads)} threads on "
        f"{evidence.device.usable_sms} SMs: {percent(bound)} of the thread slots are filled"
    )
    return ("warning" if bound < BARELY_FILLED_THREADS else "note"), message
