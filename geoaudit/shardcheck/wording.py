"""A report put into words: the listing that is printed and kept."""

from collections.abc import Iterable, Sequence

from geoaudit.diagnosis.finding import Finding
from geoaudit.shardcheck.listing import (
    ListedAllowance,
    ListedDimension,
    ListedFinding,
    ListedHop,
    ListedNote,
    ListedSite,
    Listing,
    Texts,
    Unanalysed,
)
from geoaudit.shardcheck.report import AllowedFinding, ShardReport, SiteReport, SourceNote
from geoaudit.shardcheck.sharding.dimensions import ShardedDimension
from geoaudit.shardcheck.slicing.sites import Axis
from geoaudit.shardcheck.symbolic.wording import as_text


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
        blocks={
            ranks: None if number is None else max(0, number)
            for ranks, number in report.blocks.items()
        },
        sm_fill=dict(report.sm_fill),
        behaviour=report.behaviour,
        condition=report.condition,
        reason=report.reason,
        findings=listed_findings(report.findings),
        suppressed=tuple(map(_listed_allowance, report.suppressed)),
        chain=tuple(ListedHop(path=hop.path, line=hop.line, text=hop.text) for hop in site.chain),
        is_launcher=site.is_launcher,
        callers_followed=site.callers_followed,
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


def _listed_allowance(allowed: AllowedFinding) -> ListedAllowance:
    (finding,) = listed_findings([allowed.finding])
    return ListedAllowance(finding=finding, reason=allowed.reason)


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
