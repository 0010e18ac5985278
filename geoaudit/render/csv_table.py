"""The rows of the audit as CSV: the fields of the JSON document, flat."""

import csv
import io

from geoaudit.ranking.audit import Audit
from geoaudit.render.csv_cells import AXES, DIMENSIONS, flat_cells
from geoaudit.render.rank_csv import render_rank_csv
from geoaudit.render.row_record import row_record
from geoaudit.render.time_sentences import period

COLUMNS: tuple[str, ...] = (
    "group",
    "per",
    "rank",
    "kernel",
    "kernel_short",
    "owner",
    "device_index",
    *(f"{dimension}_{axis}" for dimension in DIMENSIONS for axis in AXES),
    "grid_blocks",
    "block_threads",
    "registers_per_thread",
    "static_shared_bytes",
    "dynamic_shared_bytes",
    "shared_bytes",
    "calls_per_token",
    "time_per_token_ns",
    "time_fraction",
    "duration_median_ns",
    "duration_mean_ns",
    "duration_std_ns",
    "relative_mad",
    "relative_mad_low",
    "relative_mad_high",
    "relative_iqr",
    "p99_to_median",
    "bimodal_fraction",
    "mode_distance",
    "drift_fraction",
    "drift",
    "outliers",
    "outlier_excess_ns",
    "outlier_max_excess_ns",
    "common_factor_range",
    "relative_mad_without_common_factor",
    "site_spread",
    "site_std_ns",
    "sites",
    "timed_launches",
    "repetitions",
    "overlapped_fraction",
    "sm_fill",
    "waves",
    "full_waves",
    "tail_blocks",
    "wave_efficiency",
    "resident_blocks_per_sm",
    "limiter",
    "limiters",
    "theoretical_occupancy",
    "slot_fill",
    "thread_fill",
    "wasted_sm_time_per_token_ns",
    "measured_wasted_sm_time_per_token_ns",
    "sm_active_fraction",
    "sm_throughput_fraction",
    "dram_bytes",
    "wasted_fraction",
    "verdict",
    "confidence",
    "findings",
    "signatures",
    "positions",
    "reason",
    "ruled_out",
    "would_decide",
    "finding_messages",
    "floor_ns",
    "floor_ratio",
    "floor_bytes",
    "floor_source",
    "floor_is_measured",
    "working_warps_per_sm",
    "bytes_in_flight_per_sm",
    "needed_bytes_in_flight_per_sm",
    "rests_on",
)
_NOT_FLAT = frozenset({"interventions"})


def render_csv(audit: Audit) -> str:
    """One line per row, ranked rows first, then communication; ``group`` tells them apart.

    Times are ns, sizes bytes, shares fractions from 0 to 1; an empty cell: cannot tell. Lists are
    joined by blanks, lists of sentences by ``; ``. A text that a spreadsheet would run as a
    formula has an apostrophe in front. Where ranks are asked for it is a line per rank, see
    `geoaudit.render.rank_csv`.
    """
    if audit.group == "rank":
        return render_rank_csv(audit)
    handle = io.StringIO()
    writer = csv.DictWriter(handle, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for group, rows in (("kernel", audit.rows), ("communication", audit.communication_rows)):
        for row in rows:
            record = {name: cell for name, cell in row_record(row).items() if name not in _NOT_FLAT}
            writer.writerow({"group": group, "per": period(audit), **flat_cells(record)})
    return handle.getvalue()
