"""The files of a report: the audit in every format a CI run keeps."""

from geoaudit.ranking.audit import Audit
from geoaudit.render.csv_table import render_csv
from geoaudit.render.html_report import render_html
from geoaudit.render.json_document import render_json
from geoaudit.render.markdown import render_markdown


def report_files(audit: Audit) -> dict[str, str]:
    """File name -> text: rank.json, rank.csv, summary.md and report.html, in that order."""
    return {
        "rank.json": render_json(audit),
        "rank.csv": render_csv(audit),
        "summary.md": render_markdown(audit),
        "report.html": render_html(audit),
    }
