"""Counters in the audit: medians, and measured waste beside the geometry's."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from geoaudit.diagnosis.evidence import Counters
from geoaudit.launches import schema as s
from geoaudit.launches.recording import Recording
from geoaudit.ranking.audit import AuditRow
from geoaudit.ranking.options import Group, RankOptions
from geoaudit.ranking.rank import rank
from geoaudit.render.row_record import row_record
from tests.unit.ranking.builders import Launch, recording


def counted(
    launches: Sequence[Launch], active: Sequence[float | None], dram: float | None = None
) -> Recording:
    made = recording(launches)
    table = made.launches.copy()
    table[s.SM_ACTIVE_FRACTION] = [float("nan") if one is None else one for one in active]
    table[s.DRAM_BYTES] = float("nan") if dram is None else dram
    return replace(made, launches=table)


def only_row(made: Recording, group: Group = "signature") -> AuditRow:
    (row,) = rank(made, RankOptions(group=group)).rows
    return row


def test_a_full_grid_of_which_one_block_works_wastes_97_percent() -> None:
    launches = [Launch(start=0, duration=20_000, blocks=264)]
    row = only_row(counted(launches, [0.03]))
    assert row.geometry.sm_fill == 1.0
    assert row.wasted_sm_time_per_token_ns == 0.0
    assert row.time_per_token_ns == 20_000
    assert row.measured_wasted_sm_time_per_token_ns == pytest.approx(0.97 * 20_000)


def test_counters_are_medians_over_the_signatures_launches() -> None:
    launches = [Launch(start=100 * place) for place in range(3)]
    row = only_row(counted(launches, [0.1, 0.2, 0.9], dram=4e6))
    assert row.evidence.counters == Counters(dram_bytes=4e6, sm_active_fraction=0.2)


def test_a_row_of_several_shapes_adds_up_their_measured_waste() -> None:
    launches = [Launch(start=0, blocks=12), Launch(start=100, blocks=132, duration=30)]
    row = only_row(counted(launches, [0.1, 0.5]), "kernel")
    assert row.measured_wasted_sm_time_per_token_ns == pytest.approx(10 * 0.9 + 30 * 0.5)


def test_of_a_part_no_measured_waste_is_told() -> None:
    launches = [Launch(start=0, blocks=12), Launch(start=100, blocks=132)]
    row = only_row(counted(launches, [0.1, None]), "kernel")
    assert row.measured_wasted_sm_time_per_token_ns is None


def test_without_counters_nothing_is_told() -> None:
    row = only_row(recording([Launch()]))
    assert (row.evidence.counters, row.measured_wasted_sm_time_per_token_ns) == (None, None)
    record = row_record(row)
    for name in ("measured_wasted_sm_time_per_token_ns", *s.COUNTERS):
        assert record[name] is None


def test_the_fields_of_a_row_are_the_counters() -> None:
    row = only_row(counted([Launch(blocks=264)], [0.25], dram=3.1e6))
    record = row_record(row)
    assert record["dram_bytes"] == 3.1e6
    assert record["sm_active_fraction"] == 0.25
    assert record["measured_wasted_sm_time_per_token_ns"] == pytest.approx(7.5)
    assert record["sm_throughput_fraction"] is None
