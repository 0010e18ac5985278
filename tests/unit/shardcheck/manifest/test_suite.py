"""What the check predicts of the decode suite, held against what the suite's own plan says."""

from collections import Counter
from pathlib import Path

import pytest

from geoaudit.manifest.plan import plan
from geoaudit.manifest.reading import read_manifest
from geoaudit.manifest.settings import resolve_settings
from geoaudit.shardcheck.check import ReadSources, check
from geoaudit.shardcheck.manifest.file_program import read_manifest_file
from geoaudit.shardcheck.report import ShardReport
from geoaudit.shardcheck.sharding.options import ShardOptions

SUITE = Path(__file__).parents[4] / "kernels" / "manifest.toml"
RANKS = (1, 2, 4, 8)


@pytest.fixture(scope="module")
def report() -> ShardReport:
    program = read_manifest_file("kernels/manifest.toml", SUITE.read_text())
    sources = ReadSources(programs=(program,), skipped={}, refused={})
    return check(sources, ShardOptions(sms=132, ranks=RANKS), "NVIDIA H200")


@pytest.mark.parametrize("ranks", RANKS)
def test_every_launch_has_the_blocks_that_are_planned(report: ShardReport, ranks: int) -> None:
    manifest = read_manifest(SUITE)
    settings = resolve_settings(manifest, assignments=[f"tp={ranks}"])
    planned = Counter[tuple[str, tuple[int, int, int]]]()
    for step in manifest.steps:
        for launch in plan(manifest, settings, step).launches:
            planned[launch.shape.entry, launch.shape.grid] += 1
    sites = [(one.site.kernel, one.blocks[ranks]) for one in report.sites]
    expected = {(entry, x * y * z) for entry, (x, y, z) in planned}
    assert set(sites) == expected
    assert len(sites) >= len(expected) >= 25


def test_launches_stand_where_the_manifest_lists_them(report: ShardReport) -> None:
    lines = SUITE.read_text().splitlines()
    for one in report.sites:
        assert f'"{one.site.kernel}"' in lines[one.site.line - 1]
        grid = next(hop for hop in one.site.chain if hop.text.startswith("grid = "))
        assert lines[grid.line - 1].startswith("grid = ")


def test_what_the_suite_is_about_is_found(report: ShardReport) -> None:
    behaviours = {(one.site.kernel, one.site.function): one.behaviour for one in report.sites}
    for kernel in ("short_conv", "kda_gates", "kda_decode_step", "gate_and_norm"):
        assert behaviours[kernel, "kda_attention"] == "collapses"
    assert behaviours["mla_decode_split", "mla_attention"] == "shrinks"
    assert behaviours["silu_multiply", "dense_feed_forward"] == "collapses"
    assert behaviours["rms_norm", "head"] == "constant"
    # Off arms launch nothing.
    assert not {"argmax_partial", "gqa_attn_split_hybrid"} & {one for one, _ in behaviours}
