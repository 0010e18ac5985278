"""Resident blocks against what the CUDA driver answered on an H200.

``tests/gpu/occupancy_sweep.py`` made both files on that card.
"""

import csv
import json
from dataclasses import fields
from pathlib import Path

from geoaudit.devices.spec import DeviceSpec
from geoaudit.devices.table import find_device
from geoaudit.geometry.occupancy import BlockResources, residency

FIXTURES = Path(__file__).parents[2] / "fixtures"
ANSWERS = FIXTURES / "occupancy_h200.csv"
DEVICE = FIXTURES / "occupancy_h200.json"
LEAST_TUPLES = 3000


def answers() -> list[dict[str, int]]:
    with ANSWERS.open(encoding="utf-8", newline="") as handle:
        return [{name: int(text) for name, text in row.items()} for row in csv.DictReader(handle)]


def recorded_device() -> DeviceSpec:
    facts = json.loads(DEVICE.read_text(encoding="utf-8"))
    return DeviceSpec(**{field.name: facts[field.name] for field in fields(DeviceSpec)})


def test_every_tuple_equals_the_driver() -> None:
    rows = answers()
    device = find_device("H200")
    differing = [
        (row, ours)
        for row in rows
        for ours in [
            residency(
                BlockResources(
                    threads=row["block_threads"],
                    registers_per_thread=row["registers_per_thread"],
                    shared_bytes=row["static_shared_bytes"] + row["dynamic_shared_bytes"],
                    barriers=row["barriers_per_block"],
                ),
                device,
            ).blocks
        ]
        if ours != row["driver_blocks_per_sm"]
    ]
    assert len(rows) >= LEAST_TUPLES
    assert not differing, f"{len(differing)} of {len(rows)} differ, first {differing[0]}"


def test_the_tuples_cover_what_launches_look_like() -> None:
    rows = answers()
    registers = {row["registers_per_thread"] for row in rows}
    assert min(registers) < 16
    assert max(registers) >= 250
    assert len(registers) >= 30
    assert max(row["static_shared_bytes"] for row in rows) == 48 * 1024
    assert max(row["dynamic_shared_bytes"] for row in rows) > 200 * 1024
    assert any(row["block_threads"] % 2 for row in rows)
    assert {0, 1, 2, 32} <= {row["driver_blocks_per_sm"] for row in rows}


def test_the_device_table_has_the_limits_the_card_reported() -> None:
    recorded, table = recorded_device(), find_device("H200")
    of_the_table = {"sm_count_source", "memory_bytes_per_second", "l2_bytes", "usable_sm_count"}
    differing = {
        field.name
        for field in fields(DeviceSpec)
        if getattr(recorded, field.name) != getattr(table, field.name)
    }
    assert differing <= of_the_table
