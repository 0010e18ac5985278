"""Rules on verdicts: one per verdict that is a problem, so that gates and reports can name it.

The last two digits of an id are the verdict's place in the list of all verdicts.
"""

from dataclasses import dataclass

from geoaudit.diagnosis.finding import Severity, Verdict, VerdictName
from geoaudit.diagnosis.rule import Observation, rule


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """A kernel and the verdict on it.

    Attributes:
        kernel: whole name.
        verdict: the verdict.
    """

    kernel: str
    verdict: Verdict


@rule("GA201", "starved-kernel", since="0.1", severities=("warning",))
def starved_kernel(judgement: Judgement) -> Observation | None:
    """The verdict is starved: the blocks are not there.

    What it measures:
        The verdict that shape and time reach together; see `geoaudit explain starved`.
    Why it matters:
        Such a kernel is slow by a launch parameter, not by its arithmetic: often the cheapest
        time of a token.

    Example:
        12 of 132 SMs, 87 us, 1.1 % spread.
    What to do:
        Split an axis, or widen the block where one block is right.
    Limits:
        Suspected from one recording; a changed grid measured against it confirms it.
    """
    return _reported(judgement, "starved", "warning")


@rule("GA202", "tail-bound-kernel", since="0.1", severities=("note",))
def tail_bound_kernel(judgement: Judgement) -> Observation | None:
    """The verdict is tail: a partial last wave loses over a fifth of the time.

    What it measures:
        The verdict; see `geoaudit explain tail`.
    Why it matters:
        The device waits for a few last blocks at every launch.

    Example:
        1.02 waves: an ideal loss of 49.0 %.
    What to do:
        Size the grid to whole waves.
    Limits:
        A note: blocks of equal time are assumed; GA102 carries the number.
    """
    return _reported(judgement, "tail", "note")


@rule("GA203", "occupancy-limited-kernel", since="0.1", severities=("note",))
def occupancy_limited_kernel(judgement: Judgement) -> Observation | None:
    """The verdict is occupancy_limited: the grid is there, the SM cannot hold it.

    What it measures:
        The verdict; see `geoaudit explain occupancy_limited`.
    Why it matters:
        Warps that are kept away cannot hide the latency of those that run.

    Example:
        168 registers and 384 threads: one block, 12 of 64 warps.
    What to do:
        See GA104, GA105 and GA106, whichever fired.
    Limits:
        A note: low occupancy is often bought on purpose; counters decide.
    """
    return _reported(judgement, "occupancy_limited", "note")


@rule("GA206", "launch-bound-kernel", since="0.1", severities=("note",))
def launch_bound_kernel(judgement: Judgement) -> Observation | None:
    """The verdict is launch_bound: the kernel takes what a launch takes.

    What it measures:
        The verdict; see `geoaudit explain launch_bound`.
    Why it matters:
        Reshaping it wins nothing; launching fewer such kernels does.

    Example:
        A one-block elementwise kernel of 0.9 us.
    What to do:
        Fuse it with its neighbour; programmatic dependent launch.
    Limits:
        Where no empty kernel was measured on the device, the floor is a default of 2.5 us.
    """
    return _reported(judgement, "launch_bound", "note")


@rule("GA204", "imbalanced-kernel", since="0.1", severities=("warning",))
def imbalanced_kernel(judgement: Judgement) -> Observation | None:
    """The verdict is imbalanced: the grid is full, and few blocks do the work.

    What it measures:
        The verdict; see `geoaudit explain imbalanced`.
    Why it matters:
        The grid passes every test of blocks against SMs, and the device idles all the same.

    Example:
        264 blocks of which one works: SMs have a warp 3 % of the time.
    What to do:
        Share the work of the few long blocks out.
    Limits:
        Counters tell it; without them such a kernel is far from its floor, or looks healthy.
    """
    return _reported(judgement, "imbalanced", "warning")


@rule("GA205", "serial-kernel", since="0.1", severities=("note",))
def serial_kernel(judgement: Judgement) -> Observation | None:
    """The verdict is serial: the time is a chain within each thread.

    What it measures:
        The verdict; see `geoaudit explain serial`.
    Why it matters:
        No launch shape shortens a chain; another algorithm does.

    Example:
        A full grid whose time does not change with the block count.
    What to do:
        Break the dependence: independent accumulators, fewer serial iterations.
    Limits:
        A note: it is suspected from counters, and confirmed by a sweep of block counts.
    """
    return _reported(judgement, "serial", "note")


@rule("GA207", "dud-launch", since="0.1", severities=("note",))
def dud_launch(judgement: Judgement) -> Observation | None:
    """The verdict is dud: a self-gated launch that exits at once.

    What it measures:
        The verdict; see `geoaudit explain dud`.
    Why it matters:
        Each costs its launch; the audit totals what they cost a token.

    Example:
        1.5 us beside the twin of 62 us that does the work.
    What to do:
        Choose on the host where it knows the size, or accept the price of a graph that stays valid.
    Limits:
        Recognised by its twin: the same grid at the next position under a similar name.
    """
    return _reported(judgement, "dud", "note")


@rule("GA210", "contended-kernel", since="0.1", severities=("warning",))
def contended_kernel(judgement: Judgement) -> Observation | None:
    """The verdict is contended: others take the device from it.

    What it measures:
        The verdict; see `geoaudit explain contended`.
    Why it matters:
        Its time is not its own: reshaping it wins little while the others run.

    Example:
        A full grid, 95 % of its time under another stream's full grid.
    What to do:
        Time it alone (geoaudit scan --confirm), and the step without the other work.
    Limits:
        A process that is not in the recording shows only as durations that do not repeat.
    """
    return _reported(judgement, "contended", "warning")


JUDGEMENT_RULES = (
    starved_kernel,
    tail_bound_kernel,
    occupancy_limited_kernel,
    imbalanced_kernel,
    serial_kernel,
    launch_bound_kernel,
    dud_launch,
    contended_kernel,
)


def _reported(judgement: Judgement, name: VerdictName, severity: Severity) -> Observation | None:
    if judgement.verdict.name != name:
        return None
    return severity, f"{name}: {judgement.verdict.reason}"
