"""The audit: what ``rank`` computes and every renderer shows. Values only, base units."""

from dataclasses import dataclass, replace
from typing import Literal

from geoaudit.devices.spec import DeviceSpec
from geoaudit.diagnosis.evidence import SignatureEvidence, Timing
from geoaudit.diagnosis.finding import Finding, Verdict
from geoaudit.geometry.shape import LaunchGeometry, LaunchShape
from geoaudit.ranking.ranks.comparison import RankComparison

AUDIT_SCHEMA_VERSION = "1.3"


@dataclass(frozen=True, kw_only=True)
class StepClassSummary:
    """One kind of step: prefill, decode, another graph bucket.

    Attributes:
        name: its name.
        steps: steps of the class, incomplete ones included.
        complete_steps: steps whose figures are counted.
        launches_per_step: kernels in the class' template.
        wall_time_per_step_ns: mean wall time of a complete step.
        chosen: the audit is about this class.
    """

    name: str
    steps: int
    complete_steps: int
    launches_per_step: int
    wall_time_per_step_ns: float | None
    chosen: bool


@dataclass(frozen=True, kw_only=True)
class AuditedDevice:
    """The device the audit is computed for.

    Attributes:
        index: device index in the recording.
        spec: the limits used, or None: unknown device.
        name: its name, as well as it is known.
        usable_sms: SMs launches can use; None: unknown.
        sm_count_source: where that count is from, or None.
        disagreements: sentences on sources that disagree, both figures in each.
    """

    index: int
    name: str
    spec: DeviceSpec | None
    usable_sms: int | None = None
    sm_count_source: str | None = None
    disagreements: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class AuditHeader:
    """What was audited and how the tokens were found.

    Attributes:
        source_format, source_name, instrument: of the recording.
        devices: audited devices; the first is the one most time was spent on.
        tokens: complete tokens the figures are means over; None: figures are per trace.
        token_rule: sentence naming the rule that found them, or why none did.
        step_class: name of the class audited, or None.
        step_classes: all classes.
        launches: kernel launches in the recording.
        audited_launches: kernel launches the figures are computed from.
        untimed, dropped, launches_seen: of the recording.
        geometry_unknown_fraction: share of the kernel time whose grid is unknown, 0 to 1.
        partial, replayed, recorded_on: of the recording.
        warnings: sentences to show.
        ranks: how many ranks the run has; None: not known.
        missing_ranks: those of them that a data set lacks, why it is partial.
    """

    source_format: str
    source_name: str
    instrument: str
    devices: tuple[AuditedDevice, ...]
    tokens: int | None
    token_rule: str
    step_class: str | None
    step_classes: tuple[StepClassSummary, ...]
    launches: int
    audited_launches: int
    untimed: int
    dropped: int | None
    launches_seen: int | None
    geometry_unknown_fraction: float
    partial: bool
    replayed: bool
    recorded_on: str | None
    warnings: tuple[str, ...] = ()
    ranks: int | None = None
    missing_ranks: tuple[int, ...] = ()


@dataclass(frozen=True, kw_only=True)
class AuditTotals:
    """Where a token's wall time goes; per trace where no tokens were found.

    Attributes:
        wall_time_per_token_ns: kernels + copies + gaps.
        kernel_time_per_token_ns: time at least one kernel runs (union over streams).
        copy_time_per_token_ns: time only copies or sets run.
        gap_time_per_token_ns: time nothing runs.
        wasted_sm_time_per_token_ns: integral of 1 - min(1, sum of sm_fill of what runs) over
            kernel time; concurrent streams are not blamed twice.
        wasted_without_communication_per_token_ns: the same as if there were no collectives.
        kernel_time_without_communication_per_token_ns: time at least one kernel runs that is no
            collective; what the waste without communication is a share of.
        dud_time_per_token_ns: of launches that exit at once beside a twin that does the work.
        wall_time_tokens: tokens these figures are means over: those that another follows at
            once, so that the pause after them is known; None without tokens.
        wall_time_min_ns, wall_time_median_ns, wall_time_max_ns: over those tokens. Where they lie
            apart, no token took the mean.
    """

    wall_time_per_token_ns: float | None
    kernel_time_per_token_ns: float | None
    copy_time_per_token_ns: float | None
    gap_time_per_token_ns: float | None
    wasted_sm_time_per_token_ns: float | None
    wasted_without_communication_per_token_ns: float | None
    kernel_time_without_communication_per_token_ns: float | None = None
    dud_time_per_token_ns: float | None = None
    wall_time_tokens: int | None = None
    wall_time_min_ns: float | None = None
    wall_time_median_ns: float | None = None
    wall_time_max_ns: float | None = None


@dataclass(frozen=True, kw_only=True)
class AuditRow:
    """One launch signature (or kernel, or position, by ``--by``).

    Attributes:
        rank: place in the order asked for, from 1.
        kernel, kernel_short, owner: names.
        device: device index.
        shape: launch configuration; where the row joins several signatures, the one of the
            signature that wastes most, as are the verdict and the geometry but for ``sm_fill``,
            which is then the mean over the row's time.
        signatures: launch signatures joined in the row.
        positions: positions in the token's template, ascending; empty without tokens.
        calls_per_token, time_per_token_ns: per trace where no tokens were found.
        time_fraction: share of the kernel time of the token on this device; shares of
            concurrent launches add up to more than 1.
        timing: durations; None: untimed.
        geometry: figures of ``shape``.
        wasted_sm_time_per_token_ns: time_per_token x (1 - sm_fill), a ceiling; None: unknown.
        wasted_fraction: share of the kernel time of the token.
        verdict: what holds it back.
        evidence: what the verdict is from, of the signature that wastes most.
        findings: rules that fired.
        measured_wasted_sm_time_per_token_ns: time_per_token x (1 - measured active fraction);
            None: not counted for all of the row's launches.
    """

    rank: int
    kernel: str
    kernel_short: str
    owner: str
    device: int
    shape: LaunchShape
    signatures: int
    positions: tuple[int, ...]
    calls_per_token: float
    time_per_token_ns: float | None
    time_fraction: float | None
    timing: Timing | None
    geometry: LaunchGeometry
    wasted_sm_time_per_token_ns: float | None
    wasted_fraction: float | None
    verdict: Verdict
    evidence: SignatureEvidence
    findings: tuple[Finding, ...]
    measured_wasted_sm_time_per_token_ns: float | None = None


@dataclass(frozen=True, kw_only=True)
class DistanceStep:
    """One lever of the distance account.

    Attributes:
        kernel_short: whose ceiling it is; None: the gaps, in which nothing runs.
        ceiling_ns: its wasted SM-time per token.
        cumulative_ns: with all levers before it.
        cumulative_fraction: share of the distance closed if all of them were won, may exceed 1.
    """

    kernel_short: str | None
    ceiling_ns: float
    cumulative_ns: float
    cumulative_fraction: float


@dataclass(frozen=True, kw_only=True)
class DistanceAccount:
    """Measured against a target: how far the ceilings reach.

    Attributes:
        measured_ns: wall time per token.
        target_ns: what is aimed at.
        distance_ns: measured minus target; 0 or less: reached.
        steps: levers in order of their ceiling; rows that another shape does not help (at the
            launch floor, collectives) are none.
    """

    measured_ns: float
    target_ns: float
    distance_ns: float
    steps: tuple[DistanceStep, ...]


@dataclass(frozen=True, kw_only=True)
class TimelineLaunch:
    """One launch of the pictured token.

    Attributes:
        kernel_short: name.
        start_ns: since the start of the token.
        duration_ns: its duration.
        sm_fill: height; None: unknown.
        row_rank: rank of the row it belongs to, or None.
    """

    kernel_short: str
    start_ns: int
    duration_ns: int
    sm_fill: float | None
    row_rank: int | None


@dataclass(frozen=True, kw_only=True)
class Audit:
    """The whole audit.

    Attributes:
        header: what was audited.
        totals: where the wall time goes.
        rows: ranked table, collectives and copies left out.
        communication_rows: collectives, in a group of their own.
        hidden_rows: rows that ``--top`` left out.
        filtered_rows: rows that filters left out.
        recording_findings: GA9xx findings about the recording.
        timeline: launches of one typical token (the median one), or of the trace's start.
        pictured_token: its number, or None for the trace's start.
        pictured_wall_ns: its wall time, the pause after it included; None: unknown.
        distance: the distance account where a target was given.
        order: what rows are sorted by.
        group: what a row is; ``rank``: a launch signature, shown on all ranks side by side.
        ranks: the ranks held against each other; None: fewer than two have launches.
    """

    header: AuditHeader
    totals: AuditTotals
    rows: tuple[AuditRow, ...]
    communication_rows: tuple[AuditRow, ...]
    hidden_rows: int
    filtered_rows: int
    recording_findings: tuple[Finding, ...]
    timeline: tuple[TimelineLaunch, ...]
    pictured_token: int | None = None
    pictured_wall_ns: float | None = None
    distance: DistanceAccount | None = None
    order: Literal["wasted", "time", "calls", "fill"] = "wasted"
    group: Literal["kernel", "signature", "position", "rank"] = "signature"
    ranks: RankComparison | None = None


def top_rows(audit: Audit, count: int) -> Audit:
    """The audit with the first ``count`` rows of each group, the others hidden; 0: all."""
    if not count:
        return audit
    rows, communication = audit.rows[:count], audit.communication_rows[:count]
    left_out = len(audit.rows) + len(audit.communication_rows) - len(rows) - len(communication)
    return replace(
        audit,
        rows=rows,
        communication_rows=communication,
        hidden_rows=audit.hidden_rows + left_out,
        ranks=None if audit.ranks is None else _top_of_ranks(audit.ranks, count),
    )


def _top_of_ranks(ranks: RankComparison, count: int) -> RankComparison:
    return replace(
        ranks,
        signatures=ranks.signatures[:count],
        collectives=ranks.collectives[:count],
        hidden_signatures=ranks.hidden_signatures + len(ranks.signatures[count:]),
        hidden_collectives=ranks.hidden_collectives + len(ranks.collectives[count:]),
    )
