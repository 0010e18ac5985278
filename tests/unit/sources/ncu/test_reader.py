import gzip
from collections.abc import Callable, Sequence
from pathlib import Path

import pandas as pd
import pytest

from geoaudit.errors import InputError, NotMeasuredError
from geoaudit.launches import schema as s
from geoaudit.launches.recording import Recording
from geoaudit.sources.registry import ReadOptions
from geoaudit.sources.sniff import read_profile
from tests.shared_traces import FOLDER, needs_traces
from tests.unit.sources.ncu.ncu_page import (
    COLUMNS_2020,
    COLUMNS_2023,
    COLUMNS_2025,
    IDENTITY,
    NEW_METRICS,
    OLD_METRICS,
    RAW_METRICS,
    Metric,
    detail_rows,
    details,
    line,
    raw,
)

SIZE = (*s.GRID, *s.BLOCK)
PREAMBLE = (
    "==PROF== Connected to process 510 (/usr/bin/python3.12)\n"
    "==WARNING== Note: Running with unmodified GPU clocks.\n"
    '2208,2048,5608, a "stray quotation mark\n'
    "==PROF== Disconnected from process 510\n"
)


def read(tmp_path: Path, text: str | bytes, *, allow_partial: bool = False) -> Recording:
    path = tmp_path / "profile.txt"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_profile(path, ReadOptions(allow_partial=allow_partial))


def changed(metrics: Sequence[Metric], **values: str) -> list[Metric]:
    return [(name, unit, values.get(name, value)) for name, unit, value in metrics]


def test_the_raw_page(tmp_path: Path) -> None:
    recording = read(tmp_path, PREAMBLE + raw(RAW_METRICS, launches=2))
    assert recording.metadata.source_format == "ncu-raw"
    assert recording.metadata.instrument == "ncu"
    assert len(recording.launches) == 2
    row = recording.launches.iloc[0]
    assert row[[*SIZE]].tolist() == [6, 4, 2, 1024, 1, 1]
    assert row[[*s.CLUSTER]].tolist() == [2, 1, 1]
    assert row[s.MAX_ACTIVE_CLUSTERS] == 66
    assert row[s.BARRIERS_PER_BLOCK] == 3
    assert row[s.REGISTERS_PER_THREAD] == 64
    assert (row[s.STATIC_SHARED_BYTES], row[s.DYNAMIC_SHARED_BYTES]) == (1024, 163_840)
    assert (row[s.SHARED_BYTES], row[s.SHARED_CONFIG_BYTES]) == (164_864, 167_936)
    assert row[s.DURATION_NS] == 131_040
    assert row[s.DRAM_BYTES] == 515_012_864
    assert row[s.SM_ACTIVE_FRACTION] == 0.25
    assert row[s.SM_THROUGHPUT_FRACTION] == 0.618
    assert pd.isna(row[s.START_NS])
    device = recording.metadata.devices[0]
    assert (device.name, device.sm_count, device.architecture) == ("NVIDIA H200", 132, "7.0")
    assert device.sm_count_source == "launch__sm_count"
    assert recording.metadata.untimed == 0
    assert "gaps and overlap cannot be told" in recording.metadata.warnings[0]


def test_the_units_row_is_no_launch_and_may_be_missing(tmp_path: Path) -> None:
    assert len(read(tmp_path, raw(RAW_METRICS, units=False)).launches) == 1


def test_empty_unit_and_value_cells_are_null(tmp_path: Path) -> None:
    metrics = [("dram__bytes.sum", "", ""), ("launch__grid_dim_x", "", ""), *RAW_METRICS[:6]]
    row = read(tmp_path, raw([*metrics[2:], metrics[0]])).launches.iloc[0]
    assert pd.isna(row[s.DRAM_BYTES])
    assert row[s.GRID_X] == 6


@pytest.mark.parametrize("columns", [COLUMNS_2023, COLUMNS_2025], ids=["2023", "2025"])
def test_the_details_page(tmp_path: Path, columns: Sequence[str]) -> None:
    recording = read(tmp_path, PREAMBLE + details(NEW_METRICS, columns=columns))
    assert recording.metadata.source_format == "ncu-details"
    row = recording.launches.iloc[0]
    assert row[[*SIZE]].tolist() == [506, 1, 1, 192, 1, 1]
    assert row[[*s.CLUSTER]].tolist() == [1, 1, 1]
    assert row[s.DURATION_NS] == 12_510
    assert row[s.STATIC_SHARED_BYTES] == 17_408
    assert row[s.SHARED_BYTES] == 17_408
    assert row[s.SHARED_CONFIG_BYTES] == 65_536
    assert row[s.SM_THROUGHPUT_FRACTION] == 0.0619
    assert recording.metadata.devices[0].sm_count == 80
    assert any("rounded units" in w for w in recording.metadata.warnings)


def test_the_details_page_of_2020_has_totals_only(tmp_path: Path) -> None:
    recording = read(tmp_path, details(OLD_METRICS, columns=COLUMNS_2020))
    row = recording.launches.iloc[0]
    assert row[[*SIZE]].tolist() == [506, 1, 1, 192, 1, 1]
    assert row[[*s.CLUSTER]].isna().all()
    assert row[s.DURATION_NS] == 12_510
    assert any("as a total only" in w for w in recording.metadata.warnings)


def test_a_cluster_size_on_a_flat_grid_is_its_shape(tmp_path: Path) -> None:
    metrics = [*NEW_METRICS[:-1], ("Cluster Size", "", "2")]
    flat = read(tmp_path, details(metrics))
    assert flat.launches.loc[0, [*s.CLUSTER]].tolist() == [2, 1, 1]
    assert not any("total only" in w for w in flat.metadata.warnings)
    cubic = read(tmp_path, details(metrics, identity={**IDENTITY, "Grid Size": "(8, 4, 1)"}))
    assert any("total only" in w for w in cubic.metadata.warnings)


def test_lines_of_the_program_between_rows_are_left_out(tmp_path: Path) -> None:
    first = details(NEW_METRICS)
    second = detail_rows(NEW_METRICS, identity={**IDENTITY, "ID": "1"})
    recording = read(tmp_path, first + 'loss "0.5, step\n==PROF== Profiling\n' + second)
    assert len(recording.launches) == 2
    assert any("1 lines between the rows" in w for w in recording.metadata.warnings)


def test_rule_rows_and_rows_of_other_lengths(tmp_path: Path) -> None:
    rule = line(
        *(IDENTITY.get(name, "") for name in COLUMNS_2025[:15]), "SOL", "OPT", "a\nb", "", ""
    )
    short = line("0", "685", "python")
    recording = read(tmp_path, details(NEW_METRICS) + rule + short)
    assert len(recording.launches) == 1


def test_a_decimal_comma(tmp_path: Path) -> None:
    german = changed(
        RAW_METRICS,
        **{
            "gpu__time_duration.sum": "131.040",
            "sm__cycles_active.avg": "1.000,50",
            "sm__cycles_elapsed.max": "4.002",
            "dram__bytes.sum": "515.012.864",
            "sm__throughput.avg.pct_of_peak_sustained_elapsed": "61,80",
        },
    )
    row = read(tmp_path, raw(german)).launches.iloc[0]
    assert row[s.DURATION_NS] == 131_040
    assert row[s.SM_ACTIVE_FRACTION] == 0.25
    assert row[s.DRAM_BYTES] == 515_012_864


@pytest.mark.parametrize(
    ("unit", "cell", "nanoseconds"),
    [("nsecond", "5", 5), ("us", "2.50", 2500), ("msecond", "1.5", 1_500_000), ("ns", "-4", None)],
)
def test_durations(tmp_path: Path, unit: str, cell: str, nanoseconds: int | None) -> None:
    metrics = [*RAW_METRICS[:6], ("gpu__time_duration.sum", unit, cell)]
    recording = read(tmp_path, raw(metrics))
    value = recording.launches[s.DURATION_NS].tolist()[0]
    assert (None if pd.isna(value) else value) == nanoseconds
    assert recording.metadata.untimed == (nanoseconds is None)


@pytest.mark.parametrize("cell", ["nan", "inf", "-inf", "n/a", "9" * 60, "-5", ""])
def test_values_that_are_no_numbers_are_null(tmp_path: Path, cell: str) -> None:
    row = read(tmp_path, raw(changed(RAW_METRICS, **{"dram__bytes.sum": cell}))).launches.iloc[0]
    assert pd.isna(row[s.DRAM_BYTES])


@pytest.mark.parametrize("cell", ["0", "9" * 12, "-1"])
def test_an_impossible_grid_is_unknown(tmp_path: Path, cell: str) -> None:
    good = raw(RAW_METRICS)
    bad = raw(changed(RAW_METRICS, launch__grid_dim_x=cell)).splitlines(keepends=True)[-1]
    recording = read(tmp_path, good + bad.replace('"0"', '"1"', 1))
    assert recording.launches[s.GRID_X].isna().tolist() == [False, True]
    assert any(w.startswith("1 launches have a grid") for w in recording.metadata.warnings)


def test_fewer_sms_for_the_launch_than_the_device_has(tmp_path: Path) -> None:
    metadata = read(tmp_path, raw(changed(RAW_METRICS, launch__sm_count="18"))).metadata
    assert metadata.devices[0].sm_count == 18
    assert any("132 SMs" in w and "18" in w for w in metadata.warnings)


def test_launches_of_the_same_id_in_two_runs_are_two_launches(tmp_path: Path) -> None:
    text = details(NEW_METRICS)
    assert len(read(tmp_path, text + PREAMBLE + text).launches) == 2


def test_a_summary_per_kernel_is_refused(tmp_path: Path) -> None:
    header = line("ID", "Kernel Name", "Invocations", "Metric Name", "Minimum", "Average")
    with pytest.raises(InputError, match="--print-summary"):
        read(tmp_path, header + line("0", "k", "3", "Duration", "1", "2"))


def test_a_page_without_launches_could_not_be_measured(tmp_path: Path) -> None:
    with pytest.raises(NotMeasuredError, match="without a single launch"):
        read(tmp_path, line(*COLUMNS_2025))


def test_launches_without_geometry_could_not_be_measured(tmp_path: Path) -> None:
    with pytest.raises(NotMeasuredError, match="--section LaunchStats"):
        read(tmp_path, raw([("gpu__time_duration.sum", "ns", "5")]))


def test_a_cut_row_needs_allow_partial(tmp_path: Path) -> None:
    text = raw(RAW_METRICS, launches=3)
    with pytest.raises(InputError, match="--allow-partial"):
        read(tmp_path, text[:-40])
    partial = read(tmp_path, text[:-40], allow_partial=True)
    assert len(partial.launches) == 2
    assert partial.metadata.partial


def test_a_missing_last_line_feed_is_no_cut(tmp_path: Path) -> None:
    recording = read(tmp_path, raw(RAW_METRICS, launches=2).rstrip("\n"))
    assert len(recording.launches) == 2
    assert not recording.metadata.partial


@pytest.mark.parametrize(
    "encode",
    [
        lambda text: text.encode("utf-8-sig"),
        lambda text: text.encode("utf-16"),
        lambda text: text.replace("\n", "\r\n").encode(),
        lambda text: gzip.compress(text.encode()),
    ],
    ids=["byte order mark", "utf-16", "carriage returns", "gzip"],
)
def test_encodings(tmp_path: Path, encode: Callable[[str], bytes]) -> None:
    assert len(read(tmp_path, encode(PREAMBLE + raw(RAW_METRICS, launches=2))).launches) == 2


def test_unquoted_cells(tmp_path: Path) -> None:
    text = raw([(n, u, v.replace(",", "")) for n, u, v in RAW_METRICS]).replace('"', "")
    assert read(tmp_path, text).launches.loc[0, s.GRID_X] == 6


def test_a_header_after_much_output_of_the_program(tmp_path: Path) -> None:
    noise = "step 1, loss 0.5\n" * 20_000
    assert len(noise) > 2 * 64 * 1024
    assert len(read(tmp_path, noise + raw(RAW_METRICS)).launches) == 1


def test_host_and_program_names_are_not_kept(tmp_path: Path) -> None:
    identity = {**IDENTITY, "Host Name": "workstation-of-ann", "Process Name": "secret-engine"}
    recording = read(tmp_path, details(NEW_METRICS, identity=identity))
    shown = recording.launches.to_csv() + repr(recording.metadata)
    assert "workstation-of-ann" not in shown
    assert "secret-engine" not in shown


@needs_traces
def test_both_pages_of_the_same_launches_give_the_same_table() -> None:
    pages = [
        read_profile(FOLDER / f"ncu-2025-h200-{page}.csv", ReadOptions())
        for page in ("raw", "details")
    ]
    # Two runs of one program: what was launched is equal, what was measured is not.
    # The details page does not print the barriers.
    assert pages[0].launches[s.BARRIERS_PER_BLOCK].notna().all()
    measured = [s.DURATION_NS, s.DRAM_BYTES, s.SM_ACTIVE_FRACTION, s.PROCESS, s.BARRIERS_PER_BLOCK]
    raw_page, details_page = (page.launches.drop(columns=measured) for page in pages)
    pd.testing.assert_frame_equal(raw_page, details_page)
    for page in pages:
        assert len(page.launches) == 12
        assert page.metadata.devices[0].sm_count == 132
        assert page.launches[s.DURATION_NS].between(2_000, 132_000).all()
        assert page.launches[s.SM_ACTIVE_FRACTION].between(0, 1).all()
    clustered = raw_page[raw_page[s.KERNEL] == "clustered"]
    assert clustered[[*s.CLUSTER]].iloc[0].tolist() == [4, 1, 1]
    assert clustered[s.MAX_ACTIVE_CLUSTERS].tolist() == [248] * 3
    wide = raw_page[raw_page[s.KERNEL] == "wide_shared"]
    assert wide[s.DYNAMIC_SHARED_BYTES].tolist() == [163_840] * 3
    assert pages[0].metadata.devices[0].name == "NVIDIA H200"


@needs_traces
def test_a_page_between_the_output_of_its_program() -> None:
    recording = read_profile(FOLDER / "ncu-2025-gb200-details.csv", ReadOptions())
    row = recording.launches.iloc[0]
    assert len(recording.launches) == 1
    assert row[[*SIZE]].tolist() == [9, 32, 1, 384, 1, 1]
    assert (row[s.DURATION_NS], row[s.DYNAMIC_SHARED_BYTES]) == (406_240, 205_696)
    assert row[s.REGISTERS_PER_THREAD] == 168
    assert recording.metadata.devices[0].sm_count == 152
    assert recording.metadata.devices[0].architecture == "10.0"
