"""Sums over the ranks, and the symbol that is worth their number."""

from pathlib import Path

import pytest

from geoaudit.manifest.location import ManifestError
from geoaudit.manifest.plan import plan
from geoaudit.manifest.planned import PlannedAllReduce
from geoaudit.manifest.reading import read_manifest
from geoaudit.manifest.settings import resolve_settings
from tests.unit.manifest.example_manifest import parsed, planned

SUITE = Path(__file__).parents[3] / "kernels" / "manifest.toml"
IN_LAYER = ('  "projection",\n]', '  "projection",\n  { all_reduce = "projected" },\n]')


def test_a_sum_stands_behind_the_launch_ahead_of_it_at_every_repetition() -> None:
    found = planned(IN_LAYER)
    # Six layers of a norm and a projection, and a norm.
    assert [one.after for one in found.all_reduces] == [1, 3, 5, 7, 9, 11]
    assert found.all_reduces[0] == PlannedAllReduce(buffer="projected", after=1)
    assert len(found.launches) == 13
    assert planned().all_reduces == ()


def test_each_layer_of_the_suite_sums_twice() -> None:
    manifest = read_manifest(SUITE)
    found = plan(manifest, resolve_settings(manifest))
    summed = [one.buffer for one in found.all_reduces]
    assert (summed.count("update"), summed.count("expert_sum")) == (93 + 1, 92)
    kernels = {found.launches[one.after].shape.kernel for one in found.all_reduces}
    assert kernels == {"projection", "expert_down"}
    gqa = plan(manifest, resolve_settings(manifest), "gqa")
    assert gqa.all_reduces == ()


def test_the_symbol_of_the_ranks_is_one_of_the_manifest() -> None:
    named = ('name = "a small decode step"', 'name = "a small decode step"\nranks = "tp"')
    assert parsed(named).ranks_symbol == "tp"
    assert parsed().ranks_symbol is None
    assert read_manifest(SUITE).ranks_symbol == "tp"
    wrong = (named[0], named[1].replace('"tp"', '"tpp"'))
    with pytest.raises(ManifestError, match=r"unknown symbol 'tpp'; did you mean tp\?"):
        parsed(wrong)


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ('{ all_reduce = "projectd" }', "unknown buffer 'projectd'; did you mean projected?"),
        ('{ all_reduce = "weight" }', "sums weight, which has 4 copies"),
        ('{ all_reduce = "projected", set = {} }', "set"),
        ("{ all_reduce = 3 }", "all_reduce"),
    ],
)
def test_a_sum_that_cannot_be_is_refused_where_it_stands(written: str, said: str) -> None:
    with pytest.raises(ManifestError) as raised:
        planned((IN_LAYER[0], f'  "projection",\n  {written},\n]'))
    assert said in str(raised.value)
    assert "m.toml" in str(raised.value)


def test_a_sum_ahead_of_all_launches_or_of_an_idle_buffer_is_refused() -> None:
    first = ('launches = [\n  { kernel = "rms_norm", set = { width = "hidden" } },',
             'launches = [\n  { all_reduce = "residual" },\n'
             '  { kernel = "rms_norm", set = { width = "hidden" } },')  # fmt: skip
    with pytest.raises(ManifestError, match="is ahead of all launches"):
        planned(first)
    idle = (
        "[kernels.rms_norm]",
        '[buffers.idle]\ndtype = "f32"\nelements = 4\ninit = "zeros"\nkind = "scratch"\n\n'
        "[kernels.rms_norm]",
    )
    with pytest.raises(ManifestError, match="sums idle, which is passed to no launch of the step"):
        planned(idle, (IN_LAYER[0], IN_LAYER[1].replace("projected", "idle")))


def test_a_sum_outside_the_ranges_of_its_launch_is_refused() -> None:
    behind = (
        '  { segment = "layer", repeat = 6 },\n',
        '  { segment = "layer", repeat = 6 },\n  { launches = [{ all_reduce = "projected" }] },\n',
    )
    with pytest.raises(ManifestError, match="is not in the ranges of the launch ahead of it"):
        planned(behind)
