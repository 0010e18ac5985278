"""The ranks side by side as CSV: a line for each launch signature or collective, and each rank."""

import csv
import io
from collections.abc import Iterator

from geoaudit.ranking.audit import Audit
from geoaudit.ranking.ranks.comparison import RankComparison
from geoaudit.render.csv_cells import AXES, DIMENSIONS, flat_cells
from geoaudit.render.rank_record import collective_record, signature_record
from geoaudit.render.row_record import Plain
from geoaudit.render.time_sentences import period

RANK_COLUMNS: tuple[str, ...] = (
    "group",
    "per",
    "place",
    "kernel",
    "kernel_short",
    "owner",
    "distributed_rank",
    "device_index",
    *(f"{dimension}_{axis}" for dimension in DIMENSIONS for axis in AXES),
    "registers_per_thread",
    "dynamic_shared_bytes",
    "shared_bytes",
    "calls_per_token",
    "time_per_token_ns",
    "time_difference_ns",
    "time_difference_fraction",
    "slowest_rank",
    "common_tokens",
    "own_time_per_token_ns",
    "waiting_per_token_ns",
    "skew_calls",
    "skew_median_ns",
    "skew_p95_ns",
    "skew_max_ns",
)


def render_rank_csv(audit: Audit) -> str:
    """Signatures in order, then collectives, each with a line per rank, as ``render_csv`` writes.

    ``rank`` is the place of a row in `rank.csv`; the rank of the run is ``distributed_rank``. What
    is of all ranks together (difference, own time, skew) stands on the line of each.
    """
    handle = io.StringIO()
    writer = csv.DictWriter(handle, RANK_COLUMNS, lineterminator="\n", restval="")
    writer.writeheader()
    if audit.ranks is not None:
        for line in _lines(audit.ranks):
            writer.writerow(flat_cells({"per": period(audit), **line}))
    return handle.getvalue()


def _lines(ranks: RankComparison) -> Iterator[dict[str, Plain]]:
    for signature in ranks.signatures:
        yield from _of_each_rank("kernel", signature_record(signature), ranks)
    for collective in ranks.collectives:
        yield from _of_each_rank("communication", collective_record(collective), ranks)


def _of_each_rank(
    group: str, record: dict[str, Plain], ranks: RankComparison
) -> Iterator[dict[str, Plain]]:
    per_rank = ("calls_per_token", "time_per_token_ns", "waiting_per_token_ns")
    for place, one in enumerate(ranks.ranks):
        own = {
            name: values[place] for name in per_rank if isinstance(values := record.get(name), list)
        }
        told = {"distributed_rank": one.rank, "device_index": one.device}
        yield {**record, **own, "group": group, **told}
