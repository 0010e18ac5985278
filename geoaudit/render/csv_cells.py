"""Records as cells of a CSV file: flat, and nothing in them a formula."""

from collections.abc import Mapping

from geoaudit.render.names import spreadsheet_cell
from geoaudit.render.row_record import Plain

AXES = ("x", "y", "z")
DIMENSIONS = ("grid", "block", "cluster")


def flat_cells(record: Mapping[str, Plain]) -> dict[str, str]:
    """The fields of a record as text, a grid, block or cluster as three; empty: cannot tell."""
    flat: dict[str, str] = {}
    for name, value in record.items():
        if name in DIMENSIONS:
            axes = value if isinstance(value, list) else [None, None, None]
            flat |= {f"{name}_{axis}": _cell(one) for axis, one in zip(AXES, axes, strict=True)}
        else:
            flat[name] = _cell(value)
    return flat


def _cell(value: Plain) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return spreadsheet_cell(value)
    if isinstance(value, list):
        separator = "; " if any(" " in str(one) for one in value) else " "
        return spreadsheet_cell(separator.join(str(one) for one in value))
    return str(value)
