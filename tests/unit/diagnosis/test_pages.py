import re
from dataclasses import fields

import pytest

from geoaudit.diagnosis.finding import VERDICTS, VerdictName
from geoaudit.diagnosis.pages import Page, all_pages, page, page_names, pages_named
from geoaudit.diagnosis.thresholds import BOUND_MEMORY, BUSY_COMPUTE
from geoaudit.errors import InputError
from geoaudit.geometry.shape import LaunchGeometry
from geoaudit.ranking.audit import AuditTotals

ROW_FIELDS = [
    "rank",
    "kernel",
    "kernel_short",
    "grid",
    "block",
    "cluster",
    "calls_per_token",
    "time_per_token_ns",
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
    "owner",
    "sm_fill",
    "waves",
    "wave_efficiency",
    "resident_blocks_per_sm",
    "limiter",
    "theoretical_occupancy",
    "slot_fill",
    "thread_fill",
    "wasted_sm_time_per_token_ns",
    "wasted_fraction",
    "measured_wasted_sm_time_per_token_ns",
    "sm_active_fraction",
    "sm_throughput_fraction",
    "dram_bytes",
    "verdict",
    "confidence",
    "findings",
    "position",
    "floor_ns",
    "floor_ratio",
    "floor_bytes",
    "floor_source",
    "floor_is_measured",
    "working_warps_per_sm",
    "bytes_in_flight_per_sm",
    "needed_bytes_in_flight_per_sm",
]
RANK_FIELDS = [
    "distributed_rank",
    "run_ranks",
    "missing",
    "geometry",
    "time_difference_ns",
    "time_difference_fraction",
    "slowest_rank",
    "communication_time_per_token_ns",
    "common_tokens",
    "own_time_per_token_ns",
    "waiting_per_token_ns",
    "waiting_fraction",
    "skew_calls",
    "skew_median_ns",
    "skew_p95_ns",
    "skew_max_ns",
]
HEADER_FIELDS = [
    "instrument",
    "source_format",
    "tokens",
    "token_rule",
    "step_class",
    "launches",
    "untimed",
    "dropped",
    "geometry_unknown_fraction",
    "replayed",
    "sm_count",
    "sm_count_source",
]
TABLE_HEADINGS = ["calls/token", "time/token", "SM fill", "tail", "median", "spread", "resident"]
GEOMETRY_FIELDS = [
    field.name
    for field in fields(LaunchGeometry)
    if field.name not in ("grid_blocks", "block_threads", "limiters")
]


@pytest.mark.parametrize(
    "name",
    [
        *ROW_FIELDS,
        *RANK_FIELDS,
        *HEADER_FIELDS,
        *TABLE_HEADINGS,
        *GEOMETRY_FIELDS,
        *(field.name for field in fields(AuditTotals)),
    ],
)
def test_every_column_has_a_page(name: str) -> None:
    assert any(found.kind == "column" for found in pages_named(name))


@pytest.mark.parametrize("name", VERDICTS)
def test_every_verdict_has_a_page(name: VerdictName) -> None:
    assert any(found.kind == "verdict" for found in pages_named(name))
    (told,) = (found for found in pages_named("verdict") if found.name == "verdict")
    assert re.search(rf"\b{name}\b", told.text)


def test_pages_give_the_bounds_that_are_used() -> None:
    bandwidth, serial = page("bandwidth_bound"), page("serial")
    assert f"at least {BOUND_MEMORY:.0%}".replace("%", " %") in " ".join(bandwidth.split())
    assert f"below {BUSY_COMPUTE / 2:.0%}".replace("%", " %") in " ".join(serial.split())
    assert "--counters" in page("confidence")
    assert "--confirm" in page("confidence")


@pytest.mark.parametrize("known", all_pages(), ids=lambda known: known.name)
def test_every_page_says_what_why_and_how_far(known: Page) -> None:
    for heading in ("What it measures:", "Example:", "What to do:", "Limits:"):
        assert f"{heading}\n    " in known.text
    assert all(len(line) <= 100 for line in known.text.splitlines())
    assert known.summary
    assert known.text.isascii()


def test_names_are_unique() -> None:
    assert len(set(page_names())) == len(page_names())


@pytest.mark.parametrize(
    "name", ["GA101", "ga101", "grid-smaller-than-device", "GRID_SMALLER_THAN_DEVICE"]
)
def test_a_rule_is_found_by_id_and_name_in_any_spelling(name: str) -> None:
    assert page(name).startswith("GA101 grid-smaller-than-device: ")


def test_a_word_that_is_verdict_and_column_shows_both() -> None:
    assert [found.kind for found in pages_named("tail")] == ["verdict", "column"]


@pytest.mark.parametrize(
    ("name", "nearest"), [("GA11O", "GA1"), ("starving", "starved"), ("sm_full", "sm_fill")]
)
def test_an_unknown_name_names_the_nearest(name: str, nearest: str) -> None:
    with pytest.raises(InputError, match=f"Nearest: .*{nearest}"):
        page(name)


@pytest.mark.parametrize("name", ["", "\x1b[31mred", "x" * 5_000])
def test_a_hostile_name_is_refused_shortly(name: str) -> None:
    with pytest.raises(InputError) as refused:
        page(name)
    assert len(str(refused.value)) < 300
    assert "\x1b" not in str(refused.value)
