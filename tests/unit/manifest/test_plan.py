import time
from collections import Counter

import pytest

from geoaudit.errors import InputError
from geoaudit.manifest.location import ManifestError
from geoaudit.manifest.plan import plan, shared_buffers
from geoaudit.manifest.planned import BufferUse, Module, ModuleKey, PlannedLaunch, Scalar
from geoaudit.manifest.settings import resolve_settings
from tests.unit.manifest.example_manifest import changed, parsed, planned

NORM = "block = [128]\n"
GRID = 'grid = ["cdiv(rows, warps)"]\n'
REPEAT = '{ segment = "layer", repeat = 6 },\n'
LAUNCHES = '  { kernel = "rms_norm", set = { width = "hidden" } },\n  "projection",\n'
SYMBOL = "context = 4096\n"


def _scalars(launch: PlannedLaunch) -> list[int | float]:
    return [argument.value for argument in launch.arguments if isinstance(argument, Scalar)]


def test_the_launches_of_the_example_in_order() -> None:
    step = planned()
    assert [launch.shape.kernel for launch in step.launches] == [
        *["rms_norm", "projection"] * 6,
        "rms_norm",
    ]
    norm, projection, last = step.launches[0], step.launches[1], step.launches[-1]
    assert (norm.shape.entry, norm.shape.grid, norm.shape.block) == (
        "rms_norm",
        (1, 1, 1),
        (128, 1, 1),
    )
    assert (projection.shape.entry, projection.shape.grid, projection.shape.block) == (
        "projection<1>",
        (896, 1, 1),
        (32, 1, 1),
    )
    assert projection.shape.cluster == (1, 1, 1)
    assert projection.shape.shared_bytes == 0
    assert projection.shape.programmatic_launch is False
    assert norm.shape.bytes_read == norm.shape.bytes_written == 4 * 7168
    assert norm.shape.working_threads == 128
    assert norm.shape.bytes_in_flight_per_thread == 4
    assert projection.shape.working_threads is None
    assert projection.shape.bytes_in_flight_per_thread is None
    assert projection.shape.bytes_read == 2 * 896 * 7168 + 4 * 7168
    assert _scalars(norm) == [7168, 1e-6]
    assert _scalars(last) == [896, 1e-6]
    assert _scalars(projection) == [896, 7168, 4096]


def test_buffers_are_bound_and_copies_rotate_within_the_token() -> None:
    step = planned()
    projections = step.launches[1:-1:2]
    assert [one.arguments[0] for one in projections] == [
        BufferUse(buffer="weight", copy=copy) for copy in (0, 1, 2, 3, 0, 1)
    ]
    assert projections[5].inputs == (
        BufferUse(buffer="weight", copy=1),
        BufferUse(buffer="normed", copy=0),
    )
    assert projections[5].outputs == (BufferUse(buffer="projected", copy=0),)
    last = step.launches[-1]
    assert last.arguments[0] == BufferUse(buffer="projected", copy=0)
    assert last.inputs == (BufferUse(buffer="projected", copy=0),)
    assert [one.layer for one in projections] == [0, 1, 2, 3, 4, 5]
    assert last.layer == 6


def test_a_buffer_passed_twice_rotates_once_a_launch() -> None:
    step = planned(
        ('"@weight", "@normed", "@projected",', '"@weight", "@normed", "@projected", "@weight",')
    )
    second = step.launches[3]
    assert second.arguments[0] == second.arguments[3] == BufferUse(buffer="weight", copy=1)


def test_a_kernel_that_is_off_keeps_its_turn_in_copies_and_layers() -> None:
    step = planned((GRID, GRID + 'enabled = "layer % 2"\n'))
    projections = [one for one in step.launches if one.shape.kernel == "projection"]
    assert [one.layer for one in projections] == [1, 3, 5]
    assert [one.arguments[0] for one in projections] == [
        BufferUse(buffer="weight", copy=copy) for copy in (1, 3, 1)
    ]


def test_ranges_are_paths_and_spans() -> None:
    step = planned()
    assert step.launches[0].ranges == ("decode", "layer")
    assert step.launches[-1].ranges == ("decode",)
    spans = [(one.name, one.first, one.stop, one.depth) for one in step.ranges]
    assert spans == [
        ("decode", 0, 13, 0),
        *(("layer", first, first + 2, 1) for first in range(0, 12, 2)),
    ]


def test_a_range_without_launches_is_left_out() -> None:
    step = planned(
        (GRID, GRID + "enabled = false\n"),
        (REPEAT, '{ launches = ["projection"], range = "idle" },\n' + REPEAT),
    )
    assert {one.name for one in step.ranges} == {"decode", "layer"}
    assert {one.shape.kernel for one in step.launches} == {"rms_norm"}


def test_the_step_may_name_its_range_or_have_none() -> None:
    head = "[steps.decode]                    # a token; its NVTX range is named decode too\n"
    assert planned((head, head + 'range = "token"\n')).launches[-1].ranges == ("token",)
    assert planned((head, head + 'range = ""\n')).launches[-1].ranges == ()


def test_an_arm_changes_the_launches_it_reaches() -> None:
    step = planned(arms=("WIDE_NORM",))
    assert step.arms == {"WIDE_NORM": 1, "ROWS_PER_BLOCK": 0}
    assert step.launches[0].shape.block == (1024, 1, 1)
    assert step.launches[0].shape.working_threads == 1024
    assert step.launches[-1].shape.block == (128, 1, 1)
    assert step.launches[1] == planned().launches[1]


def test_arms_that_contradict_each_other_together_are_told() -> None:
    first = 'arguments = ["@residual"]\ninputs = ["residual"]\nblock = ["1024'
    second = (
        '[kernels.rms_norm.arms.ROWS_PER_BLOCK]\noutputs = ["normed"]\n\n[kernels.projection]\n'
    )
    changes = (
        ('outputs = ["normed"]\n', ""),
        ('block = ["1024', first),
        ("[kernels.projection]\n", second),
    )
    assert planned(*changes, arms=("WIDE_NORM",)).launches[0].outputs == ()
    assert planned(*changes, arms=("ROWS_PER_BLOCK",)).launches[0].outputs != ()
    with pytest.raises(ManifestError) as raised:
        planned(*changes, arms=("WIDE_NORM", "ROWS_PER_BLOCK"))
    line = changed(*changes).split("\n").index("[kernels.rms_norm]") + 1
    assert str(raised.value) == (
        f"m.toml:{line}: kernels.rms_norm: with WIDE_NORM and ROWS_PER_BLOCK on, normed is read or "
        "written but not passed; let one arm exclude the other"
    )


def test_the_value_of_an_arm_is_a_symbol() -> None:
    shape = planned(arms=("ROWS_PER_BLOCK=8",)).launches[1].shape
    assert (shape.entry, shape.grid, shape.block) == ("projection<8>", (112, 1, 1), (256, 1, 1))


def test_all_arms_off_is_the_baseline() -> None:
    manifest = parsed()
    off = resolve_settings(manifest, all_arms=True, arms=["WIDE_NORM=0", "ROWS_PER_BLOCK=0"])
    assert plan(manifest, off) == planned()


def test_setting_a_symbol_rescales_all_that_follows() -> None:
    step = planned(assignments=("tp=1",))
    assert step.symbols == {"tp": 1, "hidden": 7168, "rows": 7168, "context": 4096}
    assert step.launches[1].shape.grid == (7168, 1, 1)
    assert _scalars(step.launches[-1]) == [7168, 1e-6]


def test_a_symbol_that_is_set_in_a_segment_holds_within_it() -> None:
    step = planned((REPEAT, '{ segment = "layer", set = { tp = "tp / 2" } },\n' + REPEAT))
    assert [one.shape.grid[0] for one in step.launches[1:-1:2]] == [1792, *[896] * 6]


def test_a_launch_may_set_a_symbol_of_the_kernel() -> None:
    step = planned((LAUNCHES, LAUNCHES + '  { kernel = "projection", set = { warps = 2 } },\n'))
    assert step.launches[2].shape.entry == "projection<2>"


def test_a_setting_is_worked_out_before_it_holds() -> None:
    step = planned((REPEAT, '{ segment = "layer", set = { hidden = "2 * hidden" } },\n'))
    assert _scalars(step.launches[0])[0] == 2 * 7168


def test_scalars_may_follow_the_token() -> None:
    step = planned(assignments=("context=100",))
    position = step.launches[1].arguments[5]
    assert isinstance(position, Scalar)
    assert position.depends_on_token
    assert position.value == 100
    assert [position.value_at(token) for token in (0, 1, 50)] == [100, 101, 150]
    rows = step.launches[1].arguments[3]
    assert isinstance(rows, Scalar)
    assert not rows.depends_on_token
    assert rows.value_at(7) == rows.value
    assert step.depends_on_token
    assert not planned(("context + token", "context")).depends_on_token


def test_a_symbol_set_from_the_token_is_followed_through() -> None:
    step = planned(
        (REPEAT, '{ segment = "layer", set = { context = "3 * position" } },\n'),
        assignments=("context=10",),
    )
    position = step.launches[1].arguments[5]
    assert isinstance(position, Scalar)
    assert [position.value_at(token) for token in (0, 1, 5)] == [30, 34, 50]


def test_a_value_that_no_longer_fits_is_told_at_that_token() -> None:
    step = planned(('{ i64 = "position" }', '{ u8 = "position" }'), assignments=("context=250",))
    position = step.launches[1].arguments[5]
    assert isinstance(position, Scalar)
    assert position.value_at(5) == 255
    with pytest.raises(
        ManifestError, match=r"arguments\[5\].u8: is 256, beyond u8; choose a large"
    ):
        position.value_at(6)


def test_symbols_of_the_token_cannot_grow_without_end() -> None:
    eightfold = " + ".join(["{0}"] * 8)
    chain = "".join(
        f'x{n} = "{eightfold.format(f"x{n - 1}" if n else "token")}"\n' for n in range(4)
    )
    line = (
        changed((SYMBOL, SYMBOL + chain)).split("\n").index('x2 = "' + eightfold.format("x1") + '"')
    )
    with pytest.raises(ManifestError) as raised:
        planned((SYMBOL, SYMBOL + chain))
    assert str(raised.value).startswith(f"m.toml:{line + 1}: symbols.x2: has ")


def test_the_largest_launches_are_planned() -> None:
    grid, block = 'grid = ["2 ** 31 - 1", 65535, 65535]\n', "block = [1, 16, 64]\n"
    step = planned((GRID, grid), (NORM, block))
    assert step.launches[1].shape.grid == (2**31 - 1, 65535, 65535)
    assert step.launches[0].shape.block == (1, 16, 64)


def test_a_cluster_divides_the_grid() -> None:
    assert planned((GRID, GRID + "cluster = [8]\n")).launches[1].shape.cluster == (8, 1, 1)


def test_a_programmatic_launch_follows_its_condition() -> None:
    changes = (GRID, GRID + 'programmatic_launch = "WIDE_NORM"\n')
    assert planned(changes).launches[1].shape.programmatic_launch is False
    assert planned(changes, arms=("WIDE_NORM",)).launches[1].shape.programmatic_launch is True


def test_layers_may_differ() -> None:
    step = planned((GRID, 'grid = ["cdiv(rows, warps) + layer"]\n'))
    assert [one.shape.grid[0] for one in step.launches[1:-1:2]] == list(range(896, 902))


def test_modules_are_what_must_be_compiled() -> None:
    step = planned(arms=("ROWS_PER_BLOCK",))
    key = ModuleKey(kind="source", file="kernels.cu", options=("-std=c++17",), defines=())
    assert step.modules == (Module(key=key, entries=("projection<4>", "rms_norm")),)
    assert step.launches[0].shape.module == key


def test_other_defines_are_another_module() -> None:
    step = planned((NORM, NORM + 'defines = { WIDTH = "width", A = 1 }\n'))
    assert [(module.key.defines, module.entries) for module in step.modules] == [
        ((("A", 1), ("WIDTH", 7168)), ("rms_norm",)),
        ((), ("projection<1>",)),
        ((("A", 1), ("WIDTH", 896)), ("rms_norm",)),
    ]


def test_a_ready_binary_is_a_module_too() -> None:
    step = planned(
        (
            '[kernels.projection]\nsource = "kernels.cu"\noptions = ["-std=c++17"]\n',
            '[kernels.projection]\ncubin = "/engine/decode.cubin"\n',
        )
    )
    assert step.modules[1].key == ModuleKey(
        kind="cubin", file="/engine/decode.cubin", options=(), defines=()
    )


def test_buffers_are_sized() -> None:
    step = planned()
    sizes = {one.name: (one.elements, one.copies, one.bytes) for one in step.buffers}
    assert sizes == {
        "residual": (7168, 1, 28672),
        "normed": (7168, 1, 28672),
        "weight": (896 * 7168, 4, 4 * 2 * 896 * 7168),
        "projected": (896, 1, 3584),
    }
    assert step.device_bytes == sum(size for _, _, size in sizes.values())
    weight = step.buffers[2]
    assert weight.init_figures == {"scale": 7168**-0.5}
    assert (weight.dtype, weight.kind, weight.init) == ("bf16", "weight", "normal")


def test_buffers_are_those_of_the_step_whatever_the_arms() -> None:
    changes = (
        (
            "[buffers.normed]\n",
            '[buffers.spare]\ndtype = "f32"\nelements = 5\ninit = "ones"\n'
            'kind = "scratch"\n\n[buffers.normed]\n',
        ),
        ('block = ["1024', 'arguments = ["@residual", "@normed", "@spare"]\nblock = ["1024'),
        (
            "[steps.decode]  ",
            '[steps.norm]\nlaunches = [{ kernel = "rms_norm", set = { width = 1 } }]'
            "\n\n[steps.decode]  ",
        ),
        ('name = "a', 'default_step = "decode"\nname = "a'),
    )
    off, on = planned(*changes), planned(*changes, arms=("WIDE_NORM",))
    assert [one.name for one in off.buffers] == [one.name for one in on.buffers]
    assert [one.name for one in off.buffers][1] == "spare"
    norm = planned(*changes, step="norm")
    assert [one.name for one in norm.buffers] == ["residual", "spare", "normed"]


def test_shared_buffers_are_the_largest_of_each() -> None:
    copies = ("copies = 4 ", 'copies = "4 - 2 * WIDE_NORM" ')
    small = planned(copies, assignments=("tp=4",), arms=("WIDE_NORM",))
    large = planned(copies)
    shared = {one.name: (one.elements, one.copies) for one in shared_buffers([small, large])}
    assert shared["weight"] == (1792 * 7168, 4)
    assert list(shared) == ["residual", "normed", "weight", "projected"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            GRID,
            'grid = ["rows - 896"] #!\n',
            "kernels.projection.grid[0]: is 0, not within 1 to 214",
        ),
        (
            GRID,
            "grid = [1, 65536] #!\n",
            "kernels.projection.grid[1]: is 65536, not within 1 to 65535",
        ),
        (
            GRID,
            'grid = ["2 ** 31"] #!\n',
            "kernels.projection.grid[0]: is 2147483648, not within 1",
        ),
        (GRID, "grid = [1, 1, 65536] #!\n", "kernels.projection.grid[2]: is 65536, not within"),
        (
            NORM,
            "block = [32, 33] #!\n",
            "kernels.rms_norm.block[0]: a block of 1056 threads (32 x 33 x",
        ),
        (NORM, "block = [2048] #!\n", "kernels.rms_norm.block[0]: is 2048, not within 1 to 1024"),
        (NORM, "block = [1, 1, 65] #!\n", "kernels.rms_norm.block[2]: is 65, not within 1 to 64"),
        (
            NORM,
            NORM + "shared_bytes = -1 #!\n",
            "kernels.rms_norm.shared_bytes: is -1, not within 0",
        ),
        (
            "working_threads = 128\n",
            "working_threads = 129 #!\n",
            "kernels.rms_norm.working_threads: is 129, not within 0 to 128",
        ),
        (
            GRID,
            GRID + "cluster = [3] #!\n",
            "kernels.projection.cluster[0]: clusters of 3 x 1 x 1 blocks",
        ),
        (
            GRID,
            GRID + "cluster = [32] #!\n",
            "kernels.projection.cluster[0]: a cluster of 32 blocks;",
        ),
        (
            GRID,
            GRID + "cluster = [1, 2] #!\n",
            "kernels.projection.cluster[1]: is 2, not within 1 to 1",
        ),
        (
            GRID,
            'grid = ["position"] #!\n',
            "kernels.projection.grid[0]: depends on the token (4096 + token); only a scalar",
        ),
        (
            GRID,
            GRID + 'enabled = "token < 5" #!\n',
            "kernels.projection.enabled: depends on the token (token < 5); only a scalar",
        ),
        (
            GRID,
            'grid = ["rows / 5"] #!\n',
            "kernels.projection.grid[0]: 896 / 5 is not exact; use // to round down or cdiv(a, b) "
            "to round up (in 'rows / 5' with rows = 896)",
        ),
        (
            '{ i32 = "width" }',
            '{ u8 = "width" } #!\n',
            "kernels.rms_norm.arguments[2].u8: is 7168, beyond",
        ),
        (
            "{ f32 = 1e-6 }",
            "{ f32 = 1e39 } #!\n",
            "kernels.rms_norm.arguments[3].f32: is 1e+39, beyond",
        ),
    ],
)
def test_a_launch_that_cannot_be_is_told_with_its_formula_and_its_line(
    old: str, new: str, message: str
) -> None:
    lines = changed((old, new)).split("\n")
    marked = next(number for number, line in enumerate(lines, 1) if line.endswith("#!"))
    launch = next(
        number
        for number, line in enumerate(lines, 1)
        if line.strip().startswith(
            '{ kernel = "rms_norm"' if "rms_norm" in message else '"projection",'
        )
    )
    with pytest.raises(ManifestError) as raised:
        planned((old, new))
    assert str(raised.value).startswith(f"m.toml:{marked}: {message}")
    assert str(raised.value).endswith(f" (for the launch of line {launch})")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("repeat = 6", "repeat = -1", "steps.decode.segments[0].repeat: is -1, not within 0 to"),
        ("repeat = 6", 'repeat = "token"', "steps.decode.segments[0].repeat: depends on the token"),
        (
            "repeat = 6",
            "repeat = 10000000000",
            "steps.decode.segments[0]: more than 200000 launches",
        ),
        ("copies = 4 ", "copies = 0 ", "buffers.weight.copies: is 0, not within 1 to"),
        (
            "copies = 4 ",
            'copies = "token" ',
            "buffers.weight.copies: depends on the token (token);",
        ),
        (
            '"hidden ** -0.5"',
            '"1.0 / token"',
            "buffers.weight.scale: depends on the token, but buff",
        ),
        ('"rows * hidden"', '"rows - rows"', "buffers.weight.elements: is 0, not within 1 to"),
        (
            'rows = "hidden / tp" ',
            'rows = "hidden / 5" ',
            "symbols.rows: 7168 / 5 is not exact; use",
        ),
    ],
)
def test_a_step_that_cannot_be_is_told(old: str, new: str, message: str) -> None:
    lines = changed((old, new)).split("\n")
    line = next(number for number, line in enumerate(lines, 1) if new.strip() in line)
    with pytest.raises(ManifestError) as raised:
        planned((old, new))
    assert str(raised.value).startswith(f"m.toml:{line}: {message}")


def test_a_value_given_on_the_command_line_is_told_where_it_fails() -> None:
    with pytest.raises(
        ManifestError, match=r"^m.toml:7: symbols.rows: 7168 / 3 is not exact; .*tp = 3"
    ):
        planned(assignments=("tp=3",))


def test_a_step_that_launches_nothing_is_refused() -> None:
    with pytest.raises(ManifestError, match=r"steps.decode: launches nothing with these settings"):
        planned((GRID, GRID + "enabled = false\n"), (NORM, NORM + 'enabled = "hidden < 0"\n'))


def test_an_unknown_step_is_refused() -> None:
    with pytest.raises(InputError, match="^m.toml: unknown step 'decoed'; did you mean decode?"):
        planned(step="decoed")


def test_segments_that_multiply_without_end_are_refused() -> None:
    doubled = "".join(
        f"[segments.s{n}]\nsegments = [{{ segment = 's{n + 1}' }}, {{ segment = 's{n + 1}' }}]\n"
        for n in range(18)
    )
    last = "[segments.s18]\nrepeat = {}\nlaunches = ['projection']\n[segments.layer]\n"
    for repeat in (0, 1):
        layer = doubled + last.format(repeat)
        with pytest.raises(ManifestError, match="more than 200000 launches, ranges or segments"):
            planned(("[segments.layer]\n", layer), (REPEAT, "{ segment = 's0' },\n"))


def test_a_long_step_does_not_hang() -> None:
    manifest = parsed(("repeat = 6", "repeat = 4000"), (GRID, 'grid = ["rows + layer"]\n'))
    started = time.perf_counter()
    step = plan(manifest, resolve_settings(manifest))
    assert time.perf_counter() - started < 20
    assert Counter(one.shape.kernel for one in step.launches) == {
        "rms_norm": 4_001,
        "projection": 4_000,
    }


REQUIRE = (
    'name = "a small decode step"\n',
    'name = "x"\nrequire = ["hidden % 8 == 0", "tp <= 8"]\n',
)


def test_a_requirement_that_holds_is_not_heard_of() -> None:
    shapes = [launch.shape for launch in planned().launches]
    assert [launch.shape for launch in planned(REQUIRE).launches] == shapes


def test_a_requirement_that_does_not_hold_names_its_values_and_its_line() -> None:
    manifest = parsed(REQUIRE)
    settings = resolve_settings(manifest, assignments=["hidden=7169", "tp=1"])
    with pytest.raises(
        ManifestError, match=r":3: require\[0\]: hidden % 8 == 0 does not hold: "
    ) as told:
        plan(manifest, settings)
    assert "hidden is 7169" in str(told.value)


def test_a_requirement_of_an_unknown_symbol_is_told() -> None:
    with pytest.raises(ManifestError, match="unknown symbol hiden"):
        parsed((REQUIRE[0], REQUIRE[1].replace("hidden", "hiden")))


def test_a_step_without_a_name_is_no_step() -> None:
    manifest = parsed()
    with pytest.raises(InputError, match="unknown step ''"):
        plan(manifest, resolve_settings(manifest), "")
