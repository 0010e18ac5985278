"""A shard check as one self-contained HTML file: pictures of the fill, launches, derivations."""

from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache

from jinja2 import Environment, PackageLoader, StrictUndefined

from geoaudit.quantities import duration
from geoaudit.render.names import elide, sentence
from geoaudit.render.shard_agreement import (
    LEGEND,
    agreement_headings,
    agreement_rows,
    agreement_sentences,
    is_disagreeing,
)
from geoaudit.render.shard_json import SHARD_SCHEMA_VERSION
from geoaudit.render.shard_plot import BOTTOM, HEIGHT, LEFT, RIGHT, TOP, WIDTH, fill_plot, kind_of
from geoaudit.render.shard_rows import SiteRow, rows_of
from geoaudit.render.shard_summary import header_lines, left_out_sentence
from geoaudit.render.shard_words import (
    SHARDED_BEHAVIOURS,
    SiteGroup,
    dimension_sentences,
    fill_cell,
    grouped,
    note_place,
    rank_headings,
    reason_sentences,
    shown_sites,
    verdict_text,
)
from geoaudit.shardcheck.behaviours import Behaviour
from geoaudit.shardcheck.listing import Listing

MOST_UNANALYSED = 200
_PLOT = {"left": LEFT, "top": TOP, "width": WIDTH, "height": HEIGHT}


@dataclass(frozen=True, kw_only=True)
class SiteView:
    """A row of launches as the page shows it: cells of text, fills as (text, per cent or None)."""

    kernel: str
    launch: str
    grid: str
    fills: tuple[tuple[str, str, float | None], ...]
    verdict: str
    kind: str
    conditions: tuple[str, ...]
    reasons: tuple[str, ...]
    chain: tuple[tuple[str, str], ...]


def render_shard_html(
    listing: Listing, *, behaviours: Collection[Behaviour] = SHARDED_BEHAVIOURS
) -> str:
    """The check as HTML that loads nothing and runs nothing; every name is escaped.

    Args:
        listing: of the check.
        behaviours: launches to list, besides those with a finding.
    """
    shown = shown_sites(listing, behaviours)
    groups = grouped(shown, listing.ranks)
    return (
        _environment()
        .get_template("shard.html.j2")
        .render(
            schema_version=SHARD_SCHEMA_VERSION,
            header=header_lines(listing),
            headings=rank_headings(listing),
            sms=listing.sms,
            groups=[
                (
                    elide(group.title, 80),
                    [sentence(one) for one in dimension_sentences(group.dimensions)],
                    fill_plot(group, listing),
                    _views(group, listing),
                )
                for group in groups
            ],
            plot=_PLOT | {"right": WIDTH - RIGHT, "bottom": HEIGHT - BOTTOM},
            agreement=agreement_sentences(listing),
            agreement_headings=agreement_headings(listing),
            agreement_rows=[(is_disagreeing(row), row) for row in agreement_rows(listing)],
            agreement_legend=LEGEND,
            left_out=left_out_sentence(listing, shown),
            unanalysed=listing.unanalysed[:MOST_UNANALYSED],
            more_unanalysed=max(len(listing.unanalysed) - MOST_UNANALYSED, 0),
            notes=[(one.severity, note_place(one), one.text) for one in listing.notes],
            unmatched=[(elide(name, 80), duration(ns)) for name, ns in listing.unmatched_kernels],
        )
    )


def _views(group: SiteGroup, listing: Listing) -> list[SiteView]:
    return [_view(row, listing) for row in rows_of(group.sites)]


def _view(row: SiteRow, listing: Listing) -> SiteView:
    site = row.first
    fills = []
    for ranks in listing.ranks:
        blocks, _, fill = fill_cell(site, ranks)
        known = site.sm_fill.get(ranks)
        fills.append((blocks, fill, None if known is None else round(100 * known, 1)))
    return SiteView(
        kernel=elide(site.kernel, 80) + row.times,
        launch=elide(row.launches, 160),
        grid=sentence(row.grids),
        fills=tuple(fills),
        verdict=verdict_text(site),
        kind=kind_of(site),
        conditions=tuple(sentence(text) for text in row.conditions),
        reasons=tuple(sentence(text) for text in reason_sentences(site)),
        chain=tuple((f"{hop.path}:{hop.line}", sentence(hop.text)) for hop in site.chain),
    )


@lru_cache(maxsize=1)
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("geoaudit.render", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["sentence"] = sentence
    return environment
