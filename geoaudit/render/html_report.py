"""The audit as one self-contained HTML file: headline, picture of the token, ranked table."""

import base64
import hashlib
from functools import lru_cache

from jinja2 import Environment, PackageLoader, StrictUndefined

from geoaudit.ranking.arm_gains import gains_of_audit
from geoaudit.ranking.audit import AUDIT_SCHEMA_VERSION, Audit
from geoaudit.render.advice import legend
from geoaudit.render.distance import HEADINGS, NOT_A_SAVING, distance_sentence, distance_table
from geoaudit.render.headline import (
    header_lines,
    left_out_sentences,
    no_rows_sentence,
    order_sentence,
    partial_sentence,
    replay_sentence,
)
from geoaudit.render.html_view import (
    CHART_ROWS,
    cards,
    pictured_kinds,
    row_views,
    verdict_kind,
)
from geoaudit.render.interventions import GainTable, gain_table
from geoaudit.render.names import elide, sentence
from geoaudit.render.rank_tables import (
    RANKS_LEGEND,
    collectives_table,
    communication_sentence,
    difference_sentences,
    geometry_sentence,
    ranks_table,
    signatures_table,
)
from geoaudit.render.time_sentences import (
    CEILING,
    blame_sentence,
    gap_sentence,
    period,
    wall_parts,
)
from geoaudit.render.token_picture import (
    MARGIN_LEFT,
    PLOT_WIDTH,
    picture_title,
    token_pictures,
)

_SCRIPT = "sort.js"


def render_html(audit: Audit) -> str:
    """The whole report as HTML that loads nothing and needs no script.

    Every name is escaped; the one script it carries, which sorts the table, is the only one its
    content security policy lets run.
    """
    environment = _environment()
    script = _script()
    rows = row_views(audit.rows)
    pictures = token_pictures(audit)
    return environment.get_template("report.html.j2").render(
        schema_version=AUDIT_SCHEMA_VERSION,
        script=script,
        script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        unit=period(audit),
        source=elide(audit.header.source_name, 80),
        replay=replay_sentence(audit.header),
        partial=partial_sentence(audit.header) if audit.header.partial else None,
        header=header_lines(audit),
        cards=cards(audit),
        parts=wall_parts(audit),
        gap_sentence=gap_sentence(audit),
        blame=blame_sentence(audit),
        ceiling=CEILING,
        order=order_sentence(audit),
        rows=rows,
        chart=[row for row in rows if row.time_width is not None][:CHART_ROWS],
        communication=row_views(audit.communication_rows),
        no_rows=no_rows_sentence(audit),
        left_out=left_out_sentences(audit),
        findings=audit.recording_findings,
        **_distance(audit),
        **_comparisons(audit),
        pictures=pictures,
        picture_title=picture_title(audit),
        margin_left=MARGIN_LEFT,
        plot_width=PLOT_WIDTH,
        kinds=pictured_kinds(pictures),
        legend=legend(audit),
    )


def _distance(audit: Audit) -> dict[str, object]:
    account = audit.distance
    if account is None:
        return {"distance": None}
    return {
        "distance": distance_sentence(account, audit),
        "levers": distance_table(account, lambda name: elide(name, 80)),
        "lever_headings": HEADINGS,
        "not_a_saving": NOT_A_SAVING,
    }


def _comparisons(audit: Audit) -> dict[str, object]:
    return {"gains": _gains(audit), "ranks": _ranks(audit)}


def _gains(audit: Audit) -> GainTable | None:
    gains = gains_of_audit(audit)
    return gain_table(gains, lambda name: elide(name, 80)) if gains else None


def _ranks(audit: Audit) -> dict[str, object] | None:
    ranks = audit.ranks
    if ranks is None:
        return None
    tables = [ranks_table(ranks, _short)]
    if audit.group == "rank":
        tables.append(signatures_table(ranks, _short))
    if ranks.collectives:
        tables.append(collectives_table(ranks, _short))
    return {
        "tables": tables,
        "sentences": (geometry_sentence(ranks), *difference_sentences(ranks)),
        "communication": communication_sentence(audit),
        "legend": RANKS_LEGEND,
    }


def _short(name: str) -> str:
    return elide(name, 80)


@lru_cache(maxsize=1)
def _loader() -> PackageLoader:
    return PackageLoader("geoaudit.render", "templates")


@lru_cache(maxsize=1)
def _environment() -> Environment:
    environment = Environment(
        loader=_loader(),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["sentence"] = sentence
    environment.filters["kind"] = verdict_kind
    return environment


def _script() -> str:
    return _loader().get_source(_environment(), _SCRIPT)[0]
