"""What becomes of a manifest's launches: symbols, sets, arms, segments, faults."""

import pytest

from geoaudit.shardcheck.manifest.document import UnreadableError
from geoaudit.shardcheck.manifest.file_program import read_manifest_file

from ..slices import read
from .manifests import HEAD, PATH, blocks, program, report, site

HEADS = """
[symbols]
tp = 8
heads = "total / tp"     # before what it follows from
total = 96
"""
KERNEL = """
[arms.WIDE]

[kernels.decode]
source = "k.cu"
entry = "decode_step<{warps}>"
symbols = { warps = "2 * WIDE or 1" }
grid = ["heads", "cdiv(6, warps)"]
block = [128]
"""
STEP = """
[steps.token]
launches = ["decode"]
"""


def test_a_symbol_of_ranks_is_the_division_and_not_the_number_that_it_is_given() -> None:
    found = site(HEADS + KERNEL + STEP)
    assert dict(found.blocks) == {1: 576, 2: 288, 4: 144, 8: 72}
    assert found.site.kernel == "decode_step"
    assert found.site.function == "token"
    (sharded,) = found.sharded
    assert (sharded.name, sharded.total, sharded.by) == ("total", 96, "tp")


def test_the_way_of_a_grid_is_told_by_lines() -> None:
    text = HEAD + HEADS + KERNEL + STEP
    lines = text.splitlines()
    found = site(HEADS + KERNEL + STEP).site
    assert lines[found.line - 1].startswith("launches")
    told = {lines[hop.line - 1].partition(" =")[0]: hop.text for hop in found.chain}
    assert told["launches"] == "decode_step with grid"
    assert told["grid"] == "grid = (heads, cdiv(6, warps))"
    assert told["heads"] == "heads = total / tp"
    assert told["total"] == "total = 96"


def test_a_symbol_that_only_the_key_ranks_names_is_divided_by_too() -> None:
    text = 'ranks = "group"\n[symbols]\ngroup = 8\ntotal = 96\nheads = "total / group"\n'
    assert blocks(text + KERNEL + STEP) == [(576, 288, 144, 72)]


def test_what_is_given_by_options_counts_before_what_the_manifest_gives() -> None:
    text = HEADS + KERNEL + STEP
    assert blocks(text, values={"total": 16}) == [(96, 48, 24, 12)]
    assert blocks(text, ranks=(3, 6)) == [(192, 96)]
    # A quotient that is not exact is refused in a run, and is no number here.
    assert blocks(text, ranks=(5, 6)) == [(None, None)]


def test_a_number_that_ranks_divide_is_a_dimension_by_the_name_of_its_share() -> None:
    text = '[symbols]\ntp = 8\nheads = "max(1, width)"\nwidth = "768 / tp"\n'
    (sharded,) = site(text + KERNEL + STEP).sharded
    told = (sharded.name, sharded.total, sharded.rounding)
    assert told == ("width", 768, "at_least_one")
    assert sharded.reason == f"768 / tp, {PATH}:7"


def test_a_size_that_the_manifest_makes_of_others_cannot_be_set_and_that_is_told() -> None:
    (note,) = report(HEADS + KERNEL + STEP, values={"heads": 6, "total": 48}).notes
    assert note.text.startswith("--set heads: the sources give it")


SETS = """
[symbols]
tp = 8
hidden = 64
width = "hidden / tp"
double = "2 * width"

[kernels.norm]
entry = "norm"
parameters = ["rows"]
symbols = { columns = "double" }
grid = ["rows", "columns"]
block = [32]

[segments.layer]
set = { hidden = "2 * hidden" }
launches = [
  { kernel = "norm", set = { rows = "width" } },
  { kernel = "norm", set = { rows = 3, columns = "width" } },
  { kernel = "norm", set = { rows = "double", width = 1 } },
]
"""


def test_what_follows_from_a_symbol_that_is_set_follows_from_the_new_value() -> None:
    once = blocks(SETS + '[steps.token]\nsegment = "layer"\n', ranks=(1, 2))
    # 128 columns of which a rank has its share; the last set is worked out where it stands.
    assert once == [(128 * 256, 64 * 128), (3 * 128, 3 * 64), (256 * 2, 128 * 2)]


def test_a_segment_used_under_other_values_is_another_launch() -> None:
    step = """
    [steps.token]
    segments = [
      { segment = "layer" },
      { range = "wide", set = { hidden = 256 }, segments = [{ segment = "layer" }] },
      { repeat = 0, launches = [{ kernel = "norm", set = { rows = 7 } }] },
    ]
    [steps.again]
    segment = "layer"
    """
    found = report(SETS + step, ranks=(1, 2)).sites
    assert {one.site.function for one in found} == {"layer"}
    of_first = {one.blocks[1] for one in found if one.site.line == found[0].site.line}
    assert of_first == {128 * 256, 512 * 1024}
    assert len(found) == 6


def test_symbols_that_are_set_at_once_do_not_see_each_other() -> None:
    text = """
    [symbols]
    a = 2
    b = 3
    [kernels.k]
    grid = ["a", "b + 10"]
    block = [1]
    [steps.token]
    launches = [{ kernel = "k", set = { a = "b", b = "a" } }]
    """
    assert blocks(text)[0][0] == 3 * 12


def test_segments_tell_launches_of_a_kernel_apart() -> None:
    step = """
    [segments.attention]
    launches = ["decode"]
    [steps.token]
    segments = [
      { segment = "attention" },
      { range = "head", launches = ["decode"] },
      { launches = ["decode"] },
    ]
    """
    found = report(HEADS + KERNEL + step).sites
    assert [one.site.function for one in found] == ["attention", "head", "token"]


def test_a_kernel_that_only_an_arm_launches_is_not_launched() -> None:
    arms = "[arms.OTHER]\n"
    for enabled, launched in [("WIDE", 0), ("not WIDE", 1), ("WIDE or OTHER", 0), ("heads", 1)]:
        text = HEADS + KERNEL + f'enabled = "{enabled}"\n' + STEP + arms
        assert len(report(text).sites) == launched, enabled
        assert program(text).recognised == (("manifest", 1),)


def test_names_of_other_sources_are_not_those_of_a_manifest() -> None:
    other = read("const int heads = 5;\n__global__ void decode() {}\n", "k.cu")
    text = KERNEL + STEP
    (found,) = report(text, other).sites
    assert found.blocks[1] is None


def test_a_remark_allows_a_finding() -> None:
    text = HEADS + KERNEL.replace("cdiv(6, warps)", "1")
    step = "[steps.token]\nlaunches = [\n  # geoaudit: allow GA401 one rank only\n  'decode',\n]\n"
    found = site(text + step)
    assert not found.findings
    assert [one.reason for one in found.suppressed] == ["one rank only"]


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("[symbols", 4, "TOML cannot be parsed"),
        ("[symbols]\na = 'b'\nb = 'a'\n", 5, "a follows from itself"),
        ("[symbols]\na = 'b +'\n", 5, "is no formula"),
        ("symbols = 3\n", 4, "symbols is no table"),
        ("kernels = 3\n", 4, "kernels is no table"),
        (KERNEL, 1, "no step of it launches a kernel"),
        ("[steps.t]\nsegment = 'lost'\n", 5, "lost is no segment"),
        ("[segments.a]\nsegment = 'a'\n[steps.t]\nsegment = 'a'\n", 4, ""),
        ("[steps.t]\nlaunches = [3]\n", 5, "names no kernel"),
    ],
)
def test_a_manifest_that_cannot_be_read_says_where(text: str, line: int, reason: str) -> None:
    with pytest.raises(UnreadableError) as raised:
        program(text)
    assert reason in raised.value.reason
    assert raised.value.line == line or not reason


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        (STEP, 6, "decode is no kernel"),
        (KERNEL.replace('["heads", "cdiv(6, warps)"]', "[]") + STEP, 11, "no list of 1 to 3"),
    ],
)
def test_a_launch_that_cannot_be_read_is_told_by_line(text: str, line: int, reason: str) -> None:
    found = program(text)
    assert len(found.functions) == 1
    (told,) = found.not_analysed
    assert (told.line, reason in told.reason) == (line, True), told


def test_lines_are_those_of_any_line_end() -> None:
    text = (HEAD + HEADS + KERNEL + STEP).replace("\n", "\r\n")
    function = read_manifest_file(PATH, "\ufeff" + text).functions[1]
    assert text.split("\r\n")[function.line - 1].startswith("launches")
