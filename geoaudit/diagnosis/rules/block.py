"""Rules on the block: what its threads, registers and shared memory let an SM hold."""

from geoaudit.diagnosis.evidence import SignatureEvidence
from geoaudit.diagnosis.recognition import is_persistent
from geoaudit.diagnosis.rule import Observation, rule
from geoaudit.diagnosis.thresholds import LOW_THEORETICAL_OCCUPANCY
from geoaudit.geometry.shape import Limiter
from geoaudit.quantities import count, percent, plural


@rule("GA103", "block-not-warp-multiple", since="0.1", severities=("warning", "note"))
def block_not_warp_multiple(evidence: SignatureEvidence) -> Observation | None:
    """The threads of a block are no multiple of the warp.

    What it measures:
        Lanes of the last warp that no thread uses; a note, a warning where a quarter or more of
        all lanes is lost.
    Why it matters:
        A warp is scheduled whole: unused lanes cost issue slots and registers like used ones.
    Formula:
        lost = 1 - threads / (warp x ceil(threads / warp)).

    Example:
        100 threads take 4 warps of 32: 28 of 128 lanes (21.9 %) do nothing.
    What to do:
        Round the block up to the warp, or give each thread another share of the row.
    Limits:
        Only the shape is seen: lanes that a branch switches off are not. Not raised for
        collectives and at the launch floor.
    """
    threads = evidence.geometry.block_threads
    if threads is None or threads < 1 or evidence.device is None:
        return None
    warp = evidence.device.threads_per_warp
    warps = -(-threads // warp)
    lost = warps * warp - threads
    if not lost:
        return None
    message = (
        f"{plural(threads, 'thread')} in {plural(warps, 'warp')} of {warp}: {lost} of "
        f"{warps * warp} lanes ({percent(lost / (warps * warp))}) do nothing"
    )
    return ("warning" if lost / (warps * warp) >= 0.25 else "note"), message


@rule("GA104", "registers-limit-residency", since="0.1", severities=("note",))
def registers_limit_residency(evidence: SignatureEvidence) -> Observation | None:
    """Registers keep more than half of the SM's warp slots empty.

    What it measures:
        Theoretical occupancy below 50 % with registers as what bounds the resident blocks, in
        grids of a wave or more that are not sized to the device (k x SMs, all resident).
    Why it matters:
        Fewer resident warps hide less latency, and fewer resident blocks make more waves.
    Formula:
        resident blocks per SM as CUDA's occupancy calculation gives them: registers are given to
        warps in units, from the register file of the SM.

    Example:
        A 64-register budget doubled to 128 halves 8 resident blocks to 4: 32 warps become 16, and
        1,280 blocks on 48 SMs take 6.67 waves for 3.33.
    What to do:
        __launch_bounds__ with a minimum of blocks, fewer live values, smaller tiles per thread.
        `geoaudit occupancy --what-if registers=N` shows what it would give.
    Limits:
        A note: kernels that keep many independent loads or matrix instructions in flight per
        thread run well at low occupancy, and most tensor-core kernels are built so.
    """
    return _limited_by(evidence, "registers", _registers(evidence))


@rule("GA105", "shared-memory-limits-residency", since="0.1", severities=("note",))
def shared_memory_limits_residency(evidence: SignatureEvidence) -> Observation | None:
    """Shared memory keeps more than half of the SM's warp slots empty.

    What it measures:
        Theoretical occupancy below 50 % with shared memory as what bounds the resident blocks, in
        grids of a wave or more that are not sized to the device (k x SMs, all resident).
    Why it matters:
        Fewer resident blocks hide less latency and make more waves.
    Formula:
        resident blocks per SM as CUDA's occupancy calculation gives them: static + dynamic +
        reserved bytes of a block, rounded to the allocation unit, from the SM's carve-out.

    Example:
        160 KB of dynamic shared memory on an SM of 228 KB: one block, whatever its threads.
    What to do:
        Fewer pipeline stages, smaller tiles, or a wider block that shares the same buffers.
    Limits:
        A note: pipelined loads through shared memory hide latency without many warps.
    """
    return _limited_by(evidence, "shared_memory", _shared_memory(evidence))


@rule("GA106", "block-slots-limit-residency", since="0.1", severities=("note",))
def block_slots_limit_residency(evidence: SignatureEvidence) -> Observation | None:
    """Blocks so small that block slots run out before warp slots do.

    What it measures:
        Theoretical occupancy of at most 50 % with the block slots as what bounds it.
    Why it matters:
        The empty warp slots cost nothing to fill: the same threads in wider blocks fit.
    Formula:
        resident warps = block slots x warps per block, against the warps an SM holds.

    Example:
        Blocks of 32 threads: 24 block slots of a 1,536-thread SM hold 24 of its 48 warps.
    What to do:
        Two or more of today's blocks as the warps of one block.
    Limits:
        At 50 % it still fires, unlike GA104 and GA105, because the remedy costs nothing. Grids
        below a wave are GA101's or GA107's case.
    """
    geometry = evidence.geometry
    occupancy = geometry.theoretical_occupancy
    if geometry.limiter != "blocks" or occupancy is None or not _fills_its_slots(evidence):
        return None
    if occupancy > LOW_THEORETICAL_OCCUPANCY:
        return None
    return "note", (
        f"{count(geometry.resident_blocks_per_sm)} block slots of "
        f"{count(geometry.block_threads)} threads: "
        f"{_resident_warps(evidence)} ({percent(occupancy)})"
    )


def _limited_by(evidence: SignatureEvidence, limiter: Limiter, amount: str) -> Observation | None:
    geometry = evidence.geometry
    occupancy, resident = geometry.theoretical_occupancy, geometry.resident_blocks_per_sm
    if geometry.limiter != limiter or occupancy is None or not resident:
        return None
    if not _fills_its_slots(evidence) or occupancy >= LOW_THEORETICAL_OCCUPANCY:
        return None
    return "note", (
        f"{amount} allow {plural(resident, 'resident block')} per SM: "
        f"{_resident_warps(evidence)} ({percent(occupancy)})"
    )


def _fills_its_slots(evidence: SignatureEvidence) -> bool:
    """Whether the grid takes every slot its blocks may have, and was not sized to do just that."""
    return (evidence.geometry.waves or 0) >= 1 and not is_persistent(evidence)


def _resident_warps(evidence: SignatureEvidence) -> str:
    geometry, device = evidence.geometry, evidence.device
    if device is None or geometry.block_threads is None or geometry.resident_blocks_per_sm is None:
        return "resident warps"
    per_block = -(-geometry.block_threads // device.threads_per_warp)
    resident = per_block * geometry.resident_blocks_per_sm
    return f"{resident} of {device.max_warps_per_sm} warps"


def _registers(evidence: SignatureEvidence) -> str:
    registers = evidence.shape.registers_per_thread
    return "registers" if registers is None else f"{registers} registers per thread"


def _shared_memory(evidence: SignatureEvidence) -> str:
    shape = evidence.shape
    if shape.static_shared_bytes is not None and shape.dynamic_shared_bytes is not None:
        return f"{shape.static_shared_bytes + shape.dynamic_shared_bytes} bytes of shared memory"
    if shape.shared_bytes is not None:
        return f"{shape.shared_bytes} bytes of shared memory"
    return "bytes of shared memory"
