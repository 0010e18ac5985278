"""Waves, limits and theoretical occupancy against what Nsight Compute printed on an H200.

``tests/gpu/ncu_geometry.py`` launched the kernels of the page and compares it.
"""

import csv
import io
from pathlib import Path

import pytest

from tests.gpu.ncu_geometry import LAUNCHES, compare, number, read_raw_page
from tests.shared_traces import FOLDER, needs_traces

RAW_PAGE = Path(__file__).parents[2] / "fixtures" / "ncu_h200_raw.csv"
FIGURES = 7


@pytest.fixture
def lines() -> list[str]:
    return RAW_PAGE.read_text(encoding="utf-8").splitlines(keepends=True)


def assert_agrees(lines: list[str], launches: int) -> None:
    rows = list(read_raw_page(lines))
    comparisons = [one for row in rows for one in compare(row)]
    assert len(rows) == launches
    assert len(comparisons) == launches * FIGURES
    assert [one for one in comparisons if not one.agrees] == []


def test_every_figure_agrees(lines: list[str]) -> None:
    assert_agrees(lines, len(LAUNCHES))


@needs_traces
def test_every_figure_of_another_page_agrees() -> None:
    assert_agrees(
        (FOLDER / "ncu-2025-h200-raw.csv").read_text(encoding="utf-8").splitlines(keepends=True), 12
    )


def test_a_figure_that_differs_is_found(lines: list[str]) -> None:
    row = next(read_raw_page(lines))
    row["launch__occupancy_limit_registers"] = "7"
    assert [one.figure for one in compare(row) if not one.agrees] == [
        "launch__occupancy_limit_registers"
    ]


def test_preamble_and_units_are_no_launches() -> None:
    page = io.StringIO()
    csv.writer(page, quoting=csv.QUOTE_ALL).writerows(
        [("ID", "launch__grid_size"), ("", "block"), ("0", "1,056")]
    )
    lines = ["==PROF== Connected, to process\n", *page.getvalue().splitlines(keepends=True)]
    rows = list(read_raw_page(lines))
    assert [number(row["launch__grid_size"]) for row in rows] == [1056.0]
