"""What `shard-check` does with its options: read, join, explain."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from geoaudit.cli.output import write_text
from geoaudit.cli.progress import progress_bar
from geoaudit.cli.shard_options import evaluation_of, read_file
from geoaudit.cli.shard_scans import ranks_of_scans, read_scans, with_scans
from geoaudit.cli.terminal_width import has_colors, terminal_width
from geoaudit.errors import InputError
from geoaudit.quantities import plural

if TYPE_CHECKING:
    from geoaudit.diagnosis.fail_on import FailOn
    from geoaudit.shardcheck.listing import Listing

MOST_REFUSED = 10


def listing_of_choices(paths: Sequence[Path], choices: dict[str, Any]) -> "tuple[Listing, Path]":
    """The check of sources, held against the recordings that are given; and its root.

    Raises:
        InputError: an option cannot be used, or there is no source.
    """
    from geoaudit.diagnosis.finding_gate import require_of_source
    from geoaudit.shardcheck.discovery.cache import Cache, cache_folder
    from geoaudit.shardcheck.discovery.checking import check_survey
    from geoaudit.shardcheck.discovery.survey import survey_tree
    from geoaudit.shardcheck.discovery.walking import SOURCES_TOLD, WalkOptions, find_sources

    require_of_source(choices["fail_on"])
    _require_source_rules(choices["fail_on"])
    options, device = evaluation_of(choices)
    scans = read_scans(choices["scans"], options)
    options = replace(options, ranks=tuple(sorted({*options.ranks, *ranks_of_scans(scans)})))
    include_vendored = choices["include_vendored"]
    walk = WalkOptions(exclude=choices["exclude"], include_vendored=include_vendored)
    tree = find_sources(paths, walk)
    survey = survey_tree(tree, include_generated=include_vendored)
    if not survey.digests and not survey.refused:
        told = ", ".join(f"{number} {reason}" for reason, number in survey.skipped.items())
        raise InputError(
            f"{', '.join(map(str, paths))}: no source to read. {SOURCES_TOLD}; left out: "
            f"{told or 'none'}. Give another path, or --include-vendored."
        )
    with progress_bar("reading sources") as advance:
        listing = check_survey(
            survey,
            options,
            device,
            cache=Cache(None if choices["no_cache"] else cache_folder()),
            jobs=choices["jobs"],
            advance=advance,
        )
    _require_analysed(listing)
    return with_scans(listing, scans), tree.root


def _require_source_rules(fail_on: "FailOn") -> None:
    """Refuse rules that no source can break: the gate could never close.

    Raises:
        InputError: one is named; says which there are.
    """
    from geoaudit.shardcheck.source_rules import source_rules

    rules = source_rules()
    others = sorted(fail_on.rules - {rule.id for rule in rules})
    if others:
        own = ", ".join(f"{rule.id} {rule.name}" for rule in rules)
        raise InputError(
            f"--fail-on {', '.join(others)}: shard-check has no such finding. Its rules are {own}."
        )


def _require_analysed(listing: "Listing") -> None:
    """A check of nothing finds nothing, and must not pass for one that found nothing.

    Raises:
        InputError: no file was analysed; says why each.
    """
    if listing.read:
        return
    shown = listing.unanalysed[:MOST_REFUSED]
    more = len(listing.unanalysed) - len(shown)
    details = [f"{one.path}: {one.reason}" for one in shown]
    raise InputError(
        f"none of {plural(len(listing.unanalysed), 'source file')} could be analysed, so nothing "
        "was checked. Mend them, or give another path.",
        [*details, *[f"and {more} more"] * (more > 0)],
    )


def known_in_baseline(listing: "Listing", choices: dict[str, Any]) -> "Listing":
    """The listing without what a baseline holds; with ``--write-baseline`` that is all.

    Raises:
        InputError: a file cannot be read or written, or is no baseline.
    """
    from geoaudit.shardcheck.baseline import baseline_text, read_baseline, without_known

    written = choices["write_baseline"]
    if written is not None:
        text = baseline_text(listing)
        write_text(written, text)
        number = sum(len(site.findings) for site in listing.sites)
        click.echo(f"geoaudit: wrote {written}: findings known from now on: {number}", err=True)
        return without_known(listing, read_baseline(text.encode(), str(written)), str(written))
    file = choices["baseline"]
    if file is None:
        return listing
    return without_known(
        listing, read_baseline(read_file(file, "--baseline"), str(file)), str(file)
    )


def explained(listing: "Listing", root: Path, place: str) -> str:
    """How the grids of the launches on a line are derived.

    Raises:
        InputError: no launch is there; names the nearest.
    """
    from geoaudit.render.shard_chain import render_shard_chain

    file, _, line = place.rpartition(":")
    if not file or not line.isdigit():
        raise InputError(f"--explain {place}: write FILE:LINE, as in --explain csrc/k.cu:120.")
    names = {file, _relative(Path(file), root)}
    there = [site for site in listing.sites if site.path in names]
    found = [site for site in there if site.line == int(line)]
    if not found:
        near = sorted({site.line for site in there}, key=lambda one: abs(one - int(line)))[:5]
        told = (
            f"its nearest launches are on lines {', '.join(map(str, near))}"
            if near
            else ("no launch is in this file")
        )
        raise InputError(f"--explain {place}: no launch is there; {told}.")
    return render_shard_chain(found, listing, width=terminal_width(), color=has_colors())


def _relative(file: Path, root: Path) -> str:
    """The path from the root of a file that is named from the current folder."""
    try:
        return file.resolve().relative_to(root).as_posix()
    except ValueError:
        return file.as_posix()
