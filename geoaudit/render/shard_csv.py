"""The launches of a shard check as CSV: the fields of the JSON document, flat."""

import csv
import io

from geoaudit.render.names import spreadsheet_cell
from geoaudit.render.row_record import Plain
from geoaudit.render.shard_record import AXES, site_record
from geoaudit.shardcheck.listing import Listing

_BY_AXIS = ("grid", "block", "roots", "symbols")
_BY_RANKS = ("blocks", "sm_fill")
_BY_RECORDED = ("recorded_blocks", "outcome")


def shard_columns(listing: Listing) -> tuple[str, ...]:
    """Headings; blocks and SM fill have one for each number of ranks.

    Where recordings were given, so have recorded blocks and how they agree with the blocks.
    """
    return (
        *("path", "line", "kernel", "launcher", "idiom", "function", "language"),
        *(f"{field}_{axis}" for field in _BY_AXIS for axis in AXES),
        "sharded",
        *(f"{field}_{ranks}" for field in _BY_RANKS for ranks in listing.ranks),
        *("verdict", "rule", "reason", "condition", "findings", "suppressed", "is_launcher"),
        *("callers_followed", "measured_ns_per_token", "chain"),
        *(f"{field}_{ranks}" for field in _BY_RECORDED for ranks in _recorded_ranks(listing)),
    )


def render_shard_csv(listing: Listing) -> str:
    """One line per launch; an empty cell: cannot tell, or none.

    Names in one cell are joined by blanks, sentences and hops by ``; ``. A text that a spreadsheet
    would run as a formula has an apostrophe in front.
    """
    handle = io.StringIO()
    writer = csv.DictWriter(handle, shard_columns(listing), lineterminator="\n")
    writer.writeheader()
    compared = _compared(listing)
    for site in listing.sites:
        recorded = compared.get((site.path, site.kernel, site.function, site.line), {})
        writer.writerow(_flat(site_record(site)) | recorded)
    return handle.getvalue()


def _recorded_ranks(listing: Listing) -> tuple[int, ...]:
    return () if listing.agreement is None else listing.agreement.ranks


def _compared(listing: Listing) -> dict[tuple[str, str, str, int], dict[str, str]]:
    """Path, kernel, function and line of a launch -> its cells on what was recorded."""
    launches = () if listing.agreement is None else listing.agreement.launches
    return {
        (one.path, one.kernel, one.function, line): {
            f"recorded_blocks_{ranks}": " ".join(map(str, one.recorded[ranks]))
            for ranks in one.recorded
        }
        | {f"outcome_{ranks}": outcome for ranks, outcome in one.outcomes.items()}
        for one in launches
        for line in one.lines
    }


def _flat(record: dict[str, Plain]) -> dict[str, str]:
    flat: dict[str, str] = {}
    for name, value in record.items():
        if isinstance(value, dict):
            flat |= {f"{name}_{key}": _cell(one) for key, one in value.items()}
        elif name == "block":
            flat |= {f"block_{axis}": "" for axis in AXES}
        else:
            flat[name] = _cell(value)
    return flat


def _cell(value: Plain) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return spreadsheet_cell(value)
    if isinstance(value, list):
        texts = [_entry(one) for one in value]
        separator = "; " if any(" " in text for text in texts) else " "
        return spreadsheet_cell(separator.join(texts))
    return str(value)


def _entry(value: Plain) -> str:
    """A name, or the fields of a finding or a hop."""
    if isinstance(value, dict):
        return " ".join(str(one) for one in value.values())
    return str(value)
