"""The outcome of a check in words and numbers: what is printed, kept, and held against a baseline.

Unlike the report it is made of it holds no expressions, so that a run on an unchanged tree needs
nothing of the analysis to read it back.
"""

from collections.abc import Iterable, Sequence

import msgspec

from geoaudit.diagnosis.finding import Finding, Severity
from geoaudit.shardcheck.report import (
    Behaviour,
    ShardedDimension,
    ShardReport,
    SiteReport,
    SourceNote,
)
from geoaudit.shardcheck.slicing.sites import Axis
from geoaudit.shardcheck.symbolic.wording import as_text

Texts = tuple[str, str, str]
Names = tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]


class Record(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Base of what a listing is made of."""


class ListedHop(Record, frozen=True, kw_only=True):
    """A line on the way from a launch to what its grid is made of."""

    path: str
    line: int
    text: str


class ListedFinding(Record, frozen=True, kw_only=True):
    """A rule that fired at a site."""

    rule_id: str
    rule_name: str
    severity: Severity
    message: str


class ListedDimension(Record, frozen=True, kw_only=True):
    """As `geoaudit.shardcheck.report.ShardedDimension`."""

    name: str
    rounding: str
    by: str
    total: int | None
    reason: str
    is_certain: bool


class ListedSite(Record, frozen=True, kw_only=True):
    """A launch site; fields as in `LaunchSite` and `SiteReport`, extents as text.

    Attributes:
        known: rules that fired and that the baseline holds; not among `findings`.
    """

    path: str
    line: int
    kernel: str
    launcher: str | None
    idiom: str
    function: str
    language: str
    grid: Texts
    block: Texts | None
    roots: Names
    symbols: Names
    sharded: tuple[ListedDimension, ...]
    blocks: dict[int, int | None]
    sm_fill: dict[int, float | None]
    behaviour: Behaviour
    condition: str
    reason: str
    findings: tuple[ListedFinding, ...]
    suppressed: tuple[tuple[str, str], ...]
    known: tuple[ListedFinding, ...] = ()
    chain: tuple[ListedHop, ...]
    is_launcher: bool
    callers_followed: int
    measured_ns_per_token: float | None = None


class ListedNote(Record, frozen=True, kw_only=True):
    """What is to be said of a line, or of the check (line 0)."""

    path: str
    line: int
    severity: Severity
    text: str


class Unanalysed(Record, frozen=True, kw_only=True):
    """What was seen and not understood; line 0: the whole file."""

    path: str
    line: int
    reason: str


class Listing(Record, frozen=True, kw_only=True):
    """All of a check; fields as in `ShardReport`.

    Attributes:
        read: files that were analysed.
        skipped: reason -> files that were left out.
        unanalysed: by path and line.
        textual, recognised: idiom -> launches.
        assumed: symbol -> value that was taken, and where it is from.
        notes: on suppressions and the baseline.
    """

    read: int
    skipped: dict[str, int]
    unanalysed: tuple[Unanalysed, ...]
    textual: dict[str, int]
    recognised: dict[str, int]
    sites: tuple[ListedSite, ...]
    device: str
    sms: int
    by: str
    ranks: tuple[int, ...]
    assumed: dict[str, tuple[int, str]]
    unmatched_kernels: tuple[tuple[str, float], ...] = ()
    notes: tuple[ListedNote, ...] = ()

    @property
    def files_not_analysed(self) -> tuple[str, ...]:
        """Paths of the files of which nothing was analysed."""
        return tuple(one.path for one in self.unanalysed if one.line == 0)


def listing_of(report: ShardReport) -> Listing:
    """The report in words: sites by path, line and offset."""
    files = report.files
    return Listing(
        read=files.read,
        skipped=dict(files.skipped),
        unanalysed=tuple(
            Unanalysed(path=path, line=one.line, reason=one.reason)
            for path, several in sorted(files.not_analysed.items())
            for one in several
        ),
        textual=dict(report.textual),
        recognised=dict(report.recognised),
        sites=tuple(_listed_site(one) for one in _ordered(report.sites)),
        device=report.device,
        sms=report.sms,
        by=report.by,
        ranks=report.ranks,
        assumed=dict(report.assumed),
        unmatched_kernels=report.unmatched_kernels,
        notes=tuple(_listed_note(note) for note in report.notes),
    )


def _ordered(sites: Iterable[SiteReport]) -> list[SiteReport]:
    return sorted(sites, key=lambda one: (one.site.path, one.site.line, one.site.offset))


def _listed_site(report: SiteReport) -> ListedSite:
    site = report.site
    return ListedSite(
        path=site.path,
        line=site.line,
        kernel=site.kernel,
        launcher=site.launcher,
        idiom=site.idiom,
        function=site.function,
        language=site.language,
        grid=_texts(site.grid),
        block=None if site.block is None else _texts(site.block),
        roots=(site.grid[0].roots, site.grid[1].roots, site.grid[2].roots),
        symbols=(site.grid[0].symbols, site.grid[1].symbols, site.grid[2].symbols),
        sharded=tuple(_listed_dimension(one) for one in report.sharded),
        blocks=dict(report.blocks),
        sm_fill=dict(report.sm_fill),
        behaviour=report.behaviour,
        condition=report.condition,
        reason=report.reason,
        findings=listed_findings(report.findings),
        suppressed=report.suppressed,
        chain=tuple(ListedHop(path=hop.path, line=hop.line, text=hop.text) for hop in site.chain),
        is_launcher=site.is_launcher,
        callers_followed=site.callers_followed,
        measured_ns_per_token=report.measured_ns_per_token,
    )


def listed_findings(findings: Sequence[Finding]) -> tuple[ListedFinding, ...]:
    """Findings without the kernel, which the site names."""
    return tuple(
        ListedFinding(
            rule_id=one.rule_id,
            rule_name=one.rule_name,
            severity=one.severity,
            message=one.message,
        )
        for one in findings
    )


def _texts(axes: tuple[Axis, Axis, Axis]) -> Texts:
    return as_text(axes[0].extent), as_text(axes[1].extent), as_text(axes[2].extent)


def _listed_dimension(dimension: ShardedDimension) -> ListedDimension:
    return ListedDimension(
        name=dimension.name,
        rounding=dimension.rounding,
        by=dimension.by,
        total=dimension.total,
        reason=dimension.reason,
        is_certain=dimension.is_certain,
    )


def _listed_note(note: SourceNote) -> ListedNote:
    return ListedNote(path=note.path, line=note.line, severity=note.severity, text=note.text)
