import json
import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from geoaudit.ranking.audit import Audit
from geoaudit.render.json_document import render_json
from tests.unit.render import builders
from tests.unit.render.test_terminal import AUDITS

DOCUMENT = [
    *("schema_version", "per", "order", "group", "scan", "device", "devices", "totals", "rows"),
    *("communication_rows", "hidden_rows", "filtered_rows", "recording_findings", "distance"),
    *("gains", "ranks"),
]
SCAN = [
    *("instrument", "source_format", "source_name", "tokens", "token_rule", "step_class"),
    *("step_classes", "launches", "audited_launches", "launches_seen", "untimed", "dropped"),
    *("geometry_unknown_fraction", "partial", "replayed", "recorded_on", "warnings"),
]
STEP_CLASS = [
    *("name", "steps", "complete_steps", "launches_per_step", "wall_time_per_step_ns", "chosen"),
]
DEVICE = [
    *("index", "name", "vendor", "architecture", "compute_capability", "sm_count"),
    *("usable_sm_count", "sm_count_source", "disagreements"),
]
TOTALS = [
    *("wall_time_per_token_ns", "kernel_time_per_token_ns", "copy_time_per_token_ns"),
    *("gap_time_per_token_ns", "wasted_sm_time_per_token_ns"),
    "wasted_without_communication_per_token_ns",
    "kernel_time_without_communication_per_token_ns",
    "dud_time_per_token_ns",
    *("wall_time_tokens", "wall_time_min_ns", "wall_time_median_ns", "wall_time_max_ns"),
]
ROW = [
    *("rank", "kernel", "kernel_short", "grid", "block", "cluster", "registers_per_thread"),
    *("static_shared_bytes", "dynamic_shared_bytes", "shared_bytes", "calls_per_token"),
    *("time_per_token_ns", "duration_median_ns", "duration_mean_ns", "duration_std_ns"),
    *("relative_mad", "relative_mad_low", "relative_mad_high", "relative_iqr", "p99_to_median"),
    *("bimodal_fraction", "mode_distance", "drift_fraction", "drift", "outliers"),
    *("outlier_excess_ns", "outlier_max_excess_ns", "common_factor_range"),
    *("relative_mad_without_common_factor", "site_spread", "site_std_ns", "sites"),
    *("timed_launches", "repetitions"),
    *("overlapped_fraction", "owner", "grid_blocks", "block_threads", "sm_fill", "waves"),
    *("full_waves", "tail_blocks", "wave_efficiency", "resident_blocks_per_sm", "limiter"),
    *("limiters", "theoretical_occupancy", "slot_fill", "thread_fill"),
    *("wasted_sm_time_per_token_ns", "measured_wasted_sm_time_per_token_ns"),
    *("sm_active_fraction", "sm_throughput_fraction", "dram_bytes"),
    *("verdict", "confidence", "findings", "time_fraction"),
    *("wasted_fraction", "device_index", "signatures", "positions", "reason", "rests_on"),
    *("ruled_out", "would_decide", "finding_messages", "floor_ns", "floor_ratio", "floor_bytes"),
    *("floor_source", "floor_is_measured", "working_warps_per_sm", "bytes_in_flight_per_sm"),
    *("needed_bytes_in_flight_per_sm", "interventions"),
]
FINDING = ["rule_id", "rule_name", "severity", "message", "kernel"]
DISTANCE = ["measured_ns", "target_ns", "distance_ns", "steps"]
DISTANCE_STEP = ["kernel_short", "ceiling_ns", "cumulative_ns", "cumulative_fraction"]
PROMISED_ROW_FIELDS = {
    *("rank", "kernel", "kernel_short", "grid", "block", "cluster", "calls_per_token"),
    *("time_per_token_ns", "duration_median_ns", "duration_mean_ns", "duration_std_ns"),
    *("relative_mad", "site_spread", "sites", "owner", "sm_fill", "waves", "wave_efficiency"),
    *("resident_blocks_per_sm", "limiter", "theoretical_occupancy", "slot_fill", "thread_fill"),
    *("wasted_sm_time_per_token_ns", "verdict", "confidence", "findings"),
}


def document(audit: Audit) -> dict[str, Any]:
    loaded = json.loads(render_json(audit))
    assert isinstance(loaded, dict)
    return loaded


@pytest.mark.parametrize("build", AUDITS.values(), ids=AUDITS)
def test_the_fields_are_exactly_these_in_this_order(build: Callable[[], Audit]) -> None:
    found = document(build())
    assert list(found) == DOCUMENT
    assert list(found["scan"]) == SCAN
    assert list(found["device"]) == DEVICE
    assert list(found["totals"]) == TOTALS
    for one in found["scan"]["step_classes"]:
        assert list(one) == STEP_CLASS
    for one in found["devices"]:
        assert list(one) == DEVICE
    for one in found["rows"] + found["communication_rows"]:
        assert list(one) == ROW
    for one in found["recording_findings"]:
        assert list(one) == FINDING


def test_every_promised_field_of_a_row_is_there() -> None:
    assert set(ROW) >= PROMISED_ROW_FIELDS


def test_the_distance_account_has_its_fields() -> None:
    distance = document(builders.distance_audit())["distance"]
    assert list(distance) == DISTANCE
    assert [list(step) for step in distance["steps"]] == [DISTANCE_STEP] * 2


def test_values_are_base_units_and_dimensions_three_numbers() -> None:
    row = document(builders.audit())["rows"][0]
    assert row["grid"] == [12, 1, 1]
    assert row["block"] == [128, 1, 1]
    assert row["cluster"] == [1, 1, 1]
    assert row["sm_fill"] == 12 / 132
    assert row["duration_median_ns"] == 86_600.0
    assert row["findings"] == ["GA101"]
    assert document(builders.audit())["device"]["compute_capability"] == "9.0"


def test_what_is_unknown_is_null() -> None:
    found = document(builders.unknown_audit())
    known = {"rank", "kernel", "kernel_short", "owner", "calls_per_token", "device_index"}
    known |= {"signatures", "verdict", "reason", "would_decide"}
    for name, value in found["rows"][0].items():
        if name not in known and not isinstance(value, list):
            assert value is None, name
    assert set(found["totals"].values()) == {None}
    assert found["device"]["sm_count"] is None
    assert found["scan"]["dropped"] is None


def test_an_amd_device_has_an_architecture_and_no_compute_capability() -> None:
    base = builders.audit()
    spec = replace(builders.H200, vendor="amd", architecture="gfx942")
    device = replace(base.header.devices[0], spec=spec)
    found = document(replace(base, header=replace(base.header, devices=(device,))))
    assert found["device"]["architecture"] == "gfx942"
    assert found["device"]["compute_capability"] is None


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_no_number_that_json_lacks(value: float) -> None:
    base = builders.audit()
    row = replace(base.rows[0], time_per_token_ns=value, wasted_fraction=value)
    text = render_json(replace(base, rows=(row,)))
    assert json.loads(text, parse_constant=pytest.fail)["rows"][0]["time_per_token_ns"] is None


def test_names_read_back_whole_and_the_text_is_ascii() -> None:
    text = render_json(builders.hostile_audit())
    assert text.isascii()
    names = [row["kernel"] for row in json.loads(text)["rows"]]
    assert names == list(builders.HOSTILE_NAMES)


def test_the_same_audit_gives_the_same_bytes() -> None:
    assert render_json(builders.audit()) == render_json(builders.audit())
    assert render_json(builders.audit()).endswith("}\n")


def test_without_tokens_the_document_says_per_trace() -> None:
    assert document(builders.trace_audit())["per"] == "trace"
    assert document(builders.trace_audit())["scan"]["tokens"] is None
    assert document(builders.audit())["per"] == "token"
