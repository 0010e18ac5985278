"""The audit as one self-contained HTML file: headline, picture of the token, ranked table."""

import base64
import hashlib
from functools import lru_cache

from jinja2 import Environment, PackageLoader, StrictUndefined

from geoaudit.ranking.audit import AUDIT_SCHEMA_VERSION, Audit
from geoaudit.render.headline import (
    CEILING,
    header_lines,
    hidden_rows_sentence,
    no_rows_sentence,
    order_sentence,
    period,
    replay_sentence,
    time_splits,
)
from geoaudit.render.html_view import (
    CHART_ROWS,
    KIND_NAMES,
    cards,
    row_views,
    verdict_kind,
)
from geoaudit.render.names import elide, sentence
from geoaudit.render.numbers import duration, percent
from geoaudit.render.token_picture import MARGIN_LEFT, PLOT_WIDTH, token_pictures

_SCRIPT = "sort.js"


def render_html(audit: Audit) -> str:
    """The whole report as HTML that loads nothing and needs no script.

    Every name is escaped; the one script it carries, which sorts the table, is the only one its
    content security policy lets run.
    """
    environment = _environment()
    script = _script()
    rows = row_views(audit.rows)
    return environment.get_template("report.html.j2").render(
        schema_version=AUDIT_SCHEMA_VERSION,
        script=script,
        script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        unit=period(audit),
        source=elide(audit.header.source_name, 80),
        replay=replay_sentence(audit.header),
        partial=audit.header.partial,
        header=header_lines(audit),
        cards=cards(audit),
        splits=time_splits(audit),
        ceiling=CEILING,
        order=order_sentence(audit),
        rows=rows,
        chart=[row for row in rows if row.time_width is not None][:CHART_ROWS],
        communication=row_views(audit.communication_rows),
        no_rows=no_rows_sentence(audit),
        hidden_rows=hidden_rows_sentence(audit),
        findings=audit.recording_findings,
        distance=audit.distance,
        pictures=token_pictures(audit),
        margin_left=MARGIN_LEFT,
        plot_width=PLOT_WIDTH,
        kinds=KIND_NAMES,
    )


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
    environment.filters["duration"] = duration
    environment.filters["percent"] = percent
    environment.filters["sentence"] = sentence
    environment.filters["kind"] = verdict_kind
    return environment


def _script() -> str:
    return _loader().get_source(_environment(), _SCRIPT)[0]
