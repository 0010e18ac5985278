"""The check itself: programs in, report out."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from geoaudit.shardcheck.allowances import allowances_of, apply_allowances
from geoaudit.shardcheck.program.file_program import FileProgram, NotAnalysed
from geoaudit.shardcheck.report import FileCount, ShardReport, SiteReport, SourceNote
from geoaudit.shardcheck.sharding.naming import means
from geoaudit.shardcheck.sharding.options import DEFAULT_BATCH, DEFAULT_CONTEXT, ShardOptions
from geoaudit.shardcheck.slicing.launches.launch_sites import launch_sites
from geoaudit.shardcheck.source_rules import source_rule_ids
from geoaudit.shardcheck.symbolic.walking import symbols
from geoaudit.shardcheck.verdicts.judge import assumed_values, judge

WHOLE_FILE = 0


@dataclass(frozen=True, kw_only=True)
class ReadSources:
    """What was read of a tree.

    Attributes:
        programs: of the files that were analysed, by path.
        skipped: reason -> files that were left out.
        refused: path -> why a file was not analysed.
    """

    programs: tuple[FileProgram, ...]
    skipped: Mapping[str, int]
    refused: Mapping[str, str]


def check(sources: ReadSources, options: ShardOptions, device: str) -> ShardReport:
    """What sharding does to the grids of a source tree.

    Args:
        sources: what was read.
        options: what grids are evaluated at.
        device: name of the device whose SMs the options give.
    """
    found = launch_sites(sources.programs)
    judged = tuple(judge(site, options) for site in found)
    sites, notes = apply_allowances(judged, allowances_of(sources.programs), source_rule_ids())
    parts = [part for program in sources.programs for part in (program, *program.embedded)]
    return ShardReport(
        files=FileCount(
            read=len(sources.programs),
            skipped=sources.skipped,
            not_analysed=_not_analysed(sources),
        ),
        textual=_counted(part.textual for part in parts),
        recognised=_counted(part.recognised for part in parts),
        sites=sites,
        device=device,
        sms=options.sms,
        by=options.by,
        ranks=options.ranks,
        assumed=_told(options) | assumed_values(found, options) | _told(options),
        notes=(*notes, *_unused(options, sites)),
    )


def _unused(options: ShardOptions, sites: Sequence[SiteReport]) -> Iterable[SourceNote]:
    """A note for each size that is given and that no grid has, as where a name is misspelled."""
    axes = [axis for report in sites for axis in report.site.grid]
    names = {name.rpartition(".")[2].strip("_") for axis in axes for name in axis.symbols}
    reasons = " ".join({one.reason for report in sites for one in report.sharded})
    free = _names_of_symbols(sites)
    given = [("--dim", one.name) for one in options.dimensions]
    given += [("--set", name) for name in options.values]
    for option, name in given:
        if name.rpartition(".")[2].strip("_") not in names and f"--dim {name}" not in reasons:
            text = f"{option} {name}: no grid of these sources is made of it"
        elif option == "--set" and not means(name, free):
            text = f"--set {name}: the sources give it; set what it is made of (--explain tells)"
        else:
            continue
        yield SourceNote(path="", line=WHOLE_FILE, severity="note", text=text)


def _names_of_symbols(sites: Iterable[SiteReport]) -> set[str]:
    """What the symbols are called that grids are made of, here and beyond a site's file."""
    found: set[str] = set()
    for site in (report.site for report in sites):
        extents = [*(axis.extent for axis in site.grid), *(extent for _, extent in site.bindings)]
        found |= {one.name for extent in extents for one in symbols(extent)}
        found.update(*(aliases for _, aliases in site.aliases))
    return found


def _not_analysed(sources: ReadSources) -> Mapping[str, tuple[NotAnalysed, ...]]:
    said: dict[str, tuple[NotAnalysed, ...]] = {
        path: (NotAnalysed(WHOLE_FILE, reason),) for path, reason in sources.refused.items()
    }
    for program in sources.programs:
        parts = (program, *program.embedded)
        found = [one for part in parts for one in part.not_analysed]
        if found:
            said[program.path] = tuple(sorted(found, key=lambda one: (one.line, one.reason)))
    return said


def _counted(counts: Iterable[Sequence[tuple[str, int]]]) -> Mapping[str, int]:
    total: Counter[str] = Counter()
    for pairs in counts:
        for idiom, count in pairs:
            total[idiom] += count
    return dict(sorted(total.items()))


def _told(options: ShardOptions) -> dict[str, tuple[int, str]]:
    told = {
        "batch": (options.batch, _source("--batch", options.batch == DEFAULT_BATCH)),
        "context": (options.context, _source("--context", options.context == DEFAULT_CONTEXT)),
    }
    told |= {name: (size, "--model") for name, size in sorted(options.model.items())}
    told |= {name: (value, "--set") for name, value in sorted(options.values.items())}
    return told


def _source(option: str, is_default: bool) -> str:
    return f"{option}, default" if is_default else option
