"""Rules on the health of a recording: how far its audit can be trusted."""

from geoaudit.diagnosis.evidence import RecordingEvidence
from geoaudit.diagnosis.finding import Severity
from geoaudit.diagnosis.rule import Observation, rule
from geoaudit.diagnosis.thresholds import (
    MINIMUM_COVERAGE,
    NOTABLE_UNKNOWN_GEOMETRY,
    NOTABLE_UNTIMED,
)
from geoaudit.launches.rank_words import missing_ranks_sentence
from geoaudit.quantities import count, percent, plural


@rule("GA901", "dropped-records", since="0.1", severities=("error",))
def dropped_records(evidence: RecordingEvidence) -> Observation | None:
    """The instrument lost records.

    What it measures:
        Records the instrument itself reports as dropped.
    Why it matters:
        Counts and times per token are too small by what was lost, and nobody knows whose.

    Example:
        1,200 records dropped beside 98,800 kept.
    What to do:
        Larger activity buffers, a shorter recording, or less traced beside kernels.
    Limits:
        Instruments that cannot tell are not accused: see GA903.
    """
    if not evidence.dropped:
        return None
    return "error", (
        f"{plural(evidence.dropped, 'record')} dropped beside {count(evidence.launches)} kept: "
        "counts and times are too small"
    )


@rule("GA902", "geometry-unknown", since="0.1", severities=("warning", "note"))
def geometry_unknown(evidence: RecordingEvidence) -> Observation | None:
    """Part of the kernel time has no grid.

    What it measures:
        The share of the kernel time whose launches carry no grid; a warning from 5 %.
    Why it matters:
        Those launches cannot be ranked: the top of the table may be among them.
    Formula:
        time of launches without a grid / time of all launches.

    Example:
        Kernels that a HIP graph launched, recorded by name and time only: 8 of 10.
    What to do:
        Record with an instrument that reports geometry (`geoaudit scan -- COMMAND`), or record
        CUDA graphs node by node.
    Limits:
        It is never filled in: an unknown grid is not one block.
    """
    unknown = evidence.geometry_unknown_fraction
    if unknown <= 0:
        return None
    severity: Severity = "warning" if unknown >= NOTABLE_UNKNOWN_GEOMETRY else "note"
    return severity, f"{percent(unknown)} of the kernel time has no grid and cannot be ranked"


@rule("GA903", "incomplete-coverage", since="0.1", severities=("error", "warning"))
def incomplete_coverage(evidence: RecordingEvidence) -> Observation | None:
    """The driver saw more launches than there are records.

    What it measures:
        Kernel records against launches counted apart from them; below 80 % it is an error.
    Why it matters:
        A recorder can lose its subscription to another one without any error.
    Formula:
        coverage = records / launches seen.

    Example:
        Another profiler took the subscription: 100,928 launches, 0 records.
    What to do:
        One profiler at a time; end the recording after the device is synchronised.
    Limits:
        Only where the source counts launches. Launches inside a CUDA graph are seen as one.
    """
    seen = evidence.launches_seen
    if seen is None or evidence.launches >= seen:
        return None
    severity: Severity = "warning" if evidence.launches / seen >= MINIMUM_COVERAGE else "error"
    return severity, (
        f"{count(evidence.launches)} records of {plural(seen, 'launch', 'launches')} the driver "
        f"saw: {percent(evidence.launches / seen)} covered"
    )


@rule("GA904", "untimed-launches", since="0.1", severities=("warning", "note"))
def untimed_launches(evidence: RecordingEvidence) -> Observation | None:
    """Launches have no usable time.

    What it measures:
        Launches whose start or end is missing or contradicts itself; a warning from 1 %.
    Why it matters:
        They count as launches and add no time, so that their kernels rank too low.
    Formula:
        untimed / launches.

    Example:
        CUPTI 12.6 to 13.0 can report zero timestamps.
    What to do:
        Record again with another version of the instrument.
    Limits:
        A duration of 0 on a coarse clock is below the resolution and not untimed.
    """
    if not evidence.untimed:
        return None
    share = evidence.untimed / max(evidence.launches, evidence.untimed)
    severity: Severity = "warning" if share >= NOTABLE_UNTIMED else "note"
    return severity, (
        f"{plural(evidence.untimed, 'launch', 'launches')} of {count(evidence.launches)} without "
        f"a time ({percent(share)})"
    )


@rule("GA905", "replayed-recording", since="0.1", severities=("note",))
def replayed_recording(evidence: RecordingEvidence) -> Observation | None:
    """The recording ships with geoaudit and was not made on this machine.

    What it measures:
        The mark that a replayed scan carries.
    Why it matters:
        It shows what an audit looks like and says nothing of this machine: a runner that lost its
        GPU must not pass a gate with it.

    Example:
        `geoaudit scan` on a machine without a CUDA device.
    What to do:
        Record on a machine with a GPU, or give a profile.
    Limits:
        `--fail-on` accepts no replayed scan: exit code 3.
    """
    if not evidence.replayed:
        return None
    made = f" of {evidence.recorded_on}" if evidence.recorded_on else ""
    return "note", f"a shipped recording{made} is replayed; nothing was measured on this machine"


@rule("GA906", "partial-recording", since="0.1", severities=("warning",))
def partial_recording(evidence: RecordingEvidence) -> Observation | None:
    """The recording is of a part: its source was cut, or ranks of the run have none.

    What it measures:
        The mark that `--allow-partial` leaves, and the ranks that a data set lacks of those that
        the launcher said the run has.
    Why it matters:
        Counts per token and the last tokens may be incomplete. Without a rank, how long the others
        wait for it cannot be told.

    Example:
        A trace whose writer was killed; a run of 2 ranks of which one failed before it launched.
    What to do:
        Record again, or export the profile again.
    Limits:
        How much is missing cannot be told from what is left.
    """
    if not evidence.partial:
        return None
    if evidence.missing_ranks and evidence.ranks is not None:
        missing = missing_ranks_sentence(evidence.missing_ranks, evidence.ranks)
        return "warning", f"PARTIAL: {missing}; the figures are of the others"
    return "warning", (
        f"PARTIAL: the source is cut; {count(evidence.launches)} complete launches were read"
    )


@rule("GA907", "ranks-differ", since="0.1", severities=("warning", "note"))
def ranks_differ(evidence: RecordingEvidence) -> Observation | None:
    """The ranks of a run do not launch the same geometry.

    What it measures:
        Positions of the token at which a rank launches another kernel, grid, block, cluster or
        dynamic shared memory than another: a warning; a note where a rank launches nothing.
    Why it matters:
        Ranks of tensor parallelism do the same work on equal shards. Where one launches
        otherwise, its share is another, and the others wait for the slowest at each collective.
    Formula:
        positions that differ / positions that a rank launches at, in the tokens all ranks have.

    Example:
        96 heads over 5 ranks: 4 ranks launch 20 blocks and the last one 16.
    What to do:
        `geoaudit rank --by rank` lists the positions. Pad the dimension, or split it evenly.
    Limits:
        Only the class of steps that is audited, and only where positions are known. Work that one
        rank does alone, such as sampling, is a note and may be meant; ranks of pipeline
        parallelism differ by design.
    """
    differing, lacking = evidence.differing_positions, evidence.lacking_positions
    if not differing and not lacking:
        return None
    first = "" if evidence.first_difference is None else f", first {evidence.first_difference}"
    of = f"of {plural(evidence.positions, 'position')}{first}"
    if not differing:
        return "note", f"a rank launches nothing at {count(lacking)} {of}"
    more = f", and one launches nothing at {count(lacking)} more" if lacking else ""
    return "warning", f"ranks launch differently at {count(differing)} {of}{more}"
