"""The kept recordings of several ranks, and the tables made of them."""

import runpy
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest

from geoaudit.launches import schema as s
from geoaudit.launches.recording import Recording
from geoaudit.launches.store import read_recording

REPORTS = Path(__file__).parents[2] / "reports"
FOLDER = REPORTS / "h200-tensor-parallel"
SCRIPT = runpy.run_path(str(REPORTS / "tensor_parallel.py"))
ALONE = ("tp1-alone", "tp2-alone", "tp4-alone", "tp8-alone")


def recording(name: str) -> Recording:
    return read_recording(FOLDER / f"{name}.parquet")


def kernels(name: str) -> pd.DataFrame:
    launches = recording(name).launches
    return launches[launches[s.KIND] == s.KIND_KERNEL]


def by_rank(name: str) -> Iterator[tuple[int, pd.DataFrame]]:
    for rank, own in kernels(name).groupby(s.RANK):
        yield int(str(rank)), own


def test_the_tables_are_made_again_byte_for_byte() -> None:
    made = SCRIPT["tables"](FOLDER)
    kept = {path.name for path in FOLDER.glob("*.txt")} | {
        path.name for path in FOLDER.glob("*.md")
    }
    assert set(made) == kept
    for name, text in made.items():
        assert text == (FOLDER / name).read_text(encoding="utf-8"), name


@pytest.mark.parametrize("name", ALONE)
def test_one_rank_alone_launches_what_is_planned(name: str) -> None:
    assert kernels(name).groupby(s.TOKEN).size().tolist() == [1655] * 12
    assert recording(name).metadata.ranks is None


def test_every_predicted_grid_was_recorded() -> None:
    said = (FOLDER / "agreement.txt").read_text(encoding="utf-8")
    table = said.partition("predicted and recorded\n")[2]
    assert "103 of 103 launch signatures agree at tp 1, tp 2, tp 4, tp 8" in table
    rows = [line for line in table.splitlines() if " = " in line and "recorded" not in line]
    assert len(rows) == 38
    assert all("≠" not in row and "?" not in row for row in rows)


@pytest.mark.parametrize("kernel", ["kda_decode_step", "rms_norm", "expert_gate_up", "lm_head"])
def test_the_readme_tells_what_a_call_takes(kernel: str) -> None:
    told = (REPORTS / "README.md").read_text(encoding="utf-8")
    means = []
    for name in ALONE:
        own = kernels(name)
        times = own.loc[own[s.KERNEL_SHORT] == kernel, s.DURATION_NS]
        means.append(f"{float(times.mean()) / 1e3:#.3g}".rstrip("."))
    assert f"| `{kernel}` | {' | '.join(means)} |" in told


def test_the_readme_tells_what_the_kernels_of_a_token_take() -> None:
    told = (REPORTS / "README.md").read_text(encoding="utf-8")
    sums = [float(kernels(name)[s.DURATION_NS].sum()) / 12 / 1e6 for name in ALONE]
    assert f"| kernels of a token, ms | {' | '.join(f'{one:#.3g}' for one in sums)} |" in told
    assert f"{sums[0] / sums[-1]:.1f} times as fast, not 8" in told


def test_two_processes_on_one_gpu_are_recorded_whole() -> None:
    told = recording("one-device").metadata
    assert (told.ranks, told.partial, told.missing_ranks) == (2, False, ())
    counts = {rank: len(own) for rank, own in by_rank("one-device")}
    assert counts == {0: 700, 1: 700}
    assert {rank: set(own[s.GRID_X]) for rank, own in by_rank("one-device")} == {0: {1}, 1: {2}}


def test_two_ranks_of_the_suite_are_recorded_whole() -> None:
    for _, own in by_rank("suite-one-device"):
        assert own.groupby(s.TOKEN).size().tolist() == [1655] * 12
    assert not recording("suite-one-device").metadata.partial


def test_torchrun_tells_its_ranks() -> None:
    told = recording("torchrun").metadata
    assert (told.ranks, told.partial) == (2, False)
    for _, own in by_rank("torchrun"):
        assert own[own[s.TOKEN].notna()].groupby(s.TOKEN).size().tolist() == [48] * 20


def test_a_rank_that_was_killed_leaves_both_readable_and_the_data_set_marked() -> None:
    metadata = recording("killed").metadata
    assert metadata.partial
    assert "rank 1: cut; only its complete part was read" in metadata.warnings
    tokens = {rank: int(own[s.TOKEN].nunique()) for rank, own in by_rank("killed")}
    assert tokens[0] > tokens[1] > 10
    for _, own in by_rank("killed"):
        assert set(own[own[s.TOKEN].notna()].groupby(s.TOKEN).size()) == {93}
