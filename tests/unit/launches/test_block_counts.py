"""How many blocks kernels were launched with."""

import pandas as pd

from geoaudit.launches.block_counts import block_counts
from geoaudit.launches.names import owner_of, shorten
from geoaudit.launches.table import build_launches


def _table(*rows: tuple[str, str, int | None]) -> pd.DataFrame:
    return build_launches(
        {
            "kind": [kind for kind, _, _ in rows],
            "kernel": [kernel for _, kernel, _ in rows],
            "kernel_short": [shorten(kernel) for _, kernel, _ in rows],
            "owner": [owner_of(kernel) for _, kernel, _ in rows],
            "device": 0,
            "start_ns": list(range(0, 1000 * len(rows), 1000)),
            "duration_ns": [500] * len(rows),
            "grid_x": [grid for _, _, grid in rows],
            "grid_y": [None if grid is None else 3 for _, _, grid in rows],
            "grid_z": [None if grid is None else 1 for _, _, grid in rows],
        }
    )


def test_own_kernels_by_name_and_blocks_and_the_others_counted() -> None:
    found = block_counts(
        _table(
            ("kernel", "void ns::decode<64>(int)", 4),
            ("kernel", "void ns::decode<64>(int)", 4),
            ("kernel", "void ns::decode<64>(int)", 5),
            ("kernel", "ncclDevKernel_AllReduce_Sum_f32_RING_LL", 8),
            ("kernel", "nvjet_tst_128x64", 9),
            ("kernel", "norm", None),
            ("copy", "[CUDA memcpy DtoD]", None),
        )
    )
    assert found.own == {("decode", 12): 2, ("decode", 15): 1}
    assert (found.communication, found.libraries, found.without_grid) == (1, 1, 1)


def test_nothing_recorded() -> None:
    assert block_counts(_table(("copy", "[CUDA memcpy DtoD]", None))).own == {}
