"""What a machine's checks found, for `geoaudit doctor`."""

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from geoaudit.render.markdown_table import markdown_table
from geoaudit.render.names import markdown_text, sentence, spreadsheet_cell
from geoaudit.render.text_columns import wrapped

DOCTOR_SCHEMA_VERSION = "1.0"
_HEADER = ("check", "status", "found", "remedy")
_LONGEST = 2000


@dataclass(frozen=True, kw_only=True)
class DoctorRow:
    """A check as it is shown.

    Attributes:
        check: what was looked at.
        status: ``ok``, ``warning``, ``problem`` or ``not here``.
        found: a sentence.
        remedy: what to do; empty for nothing.
    """

    check: str
    status: str
    found: str
    remedy: str


@dataclass(frozen=True, kw_only=True)
class DoctorPage:
    """All checks of a machine.

    Attributes:
        verdict: a sentence on whether a recording can be made.
        can_record: the same as a value.
        works: commands that work whatever was found.
        rows: the checks in their order.
    """

    verdict: str
    can_record: bool
    works: tuple[str, ...]
    rows: Sequence[DoctorRow]


def doctor_table(page: DoctorPage, width: int) -> str:
    """The checks for a terminal; a remedy stands under what it mends.

    Args:
        page: the checks.
        width: cells of a line.
    """
    names = max(len(row.check) for row in page.rows)
    statuses = max(len(row.status) for row in page.rows)
    indent = " " * (names + statuses + 4)
    lines = [*wrapped(page.verdict, width), ""]
    for row in page.rows:
        first = f"{row.status.ljust(statuses)}  {row.check.ljust(names)}  "
        lines += wrapped(sentence(row.found, _LONGEST), width, first=first, rest=indent)
        if row.remedy:
            remedy = sentence(row.remedy, _LONGEST)
            lines += wrapped(remedy, width, first=f"{indent}do: ", rest=f"{indent}    ")
    return "\n".join(lines) + "\n"


def doctor_json(page: DoctorPage) -> str:
    """The checks with all their fields; an empty remedy is null."""
    document = {
        "schema_version": DOCTOR_SCHEMA_VERSION,
        "can_record": page.can_record,
        "verdict": page.verdict,
        "works_without_gpu": list(page.works),
        "checks": [{**asdict(row), "remedy": row.remedy or None} for row in page.rows],
    }
    return json.dumps(document, indent=2) + "\n"


def doctor_csv(page: DoctorPage) -> str:
    """One check a line."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_HEADER)
    writer.writerows(map(spreadsheet_cell, asdict(row).values()) for row in page.rows)
    return text.getvalue()


def doctor_markdown(page: DoctorPage) -> str:
    """The verdict and a table in Markdown."""
    cells = [
        [row.check, row.status, *(_markdown(text) for text in (row.found, row.remedy))]
        for row in page.rows
    ]
    lines = [_markdown(page.verdict), "", *markdown_table(_HEADER, cells)]
    return "\n".join(lines) + "\n"


def _markdown(text: str) -> str:
    return markdown_text(text, _LONGEST) if text else ""
