import os
import time
from pathlib import Path

import pytest

from geoaudit.errors import EXIT_USAGE, InputError
from geoaudit.manifest.arguments import BufferArgument, ScalarArgument
from geoaudit.manifest.location import ManifestError
from geoaudit.manifest.model import (
    KernelArm,
    LaunchRecipe,
    Segment,
    Split,
)
from geoaudit.manifest.reading import parse_manifest, read_manifest
from tests.unit.manifest.example_manifest import FILE, TEXT, changed, parsed

# Each case: text of the example, what stands there instead, and the error. The line that must be
# named is the one that ends in `#!`.
SYMBOLS = "context = 4096\n"
ARM = "inert = "
BUFFER = '[buffers.normed]\ndtype = "f32"\n'
NORM = "block = [128]\n"
PROJECTION = 'entry = "projection<{warps}>"     # a template instance\n'
NORM_ARM = 'block = ["1024 if width > 1024 else 128"]\n'
LAYER = '{ kernel = "rms_norm", set = { width = "hidden" } },\n'
LAST = '{ kernel = "rms_norm", set = { width = "rows" }, bind = { residual = "projected" } },\n'
REPEAT = '{ segment = "layer", repeat = 6 },\n'

DOCUMENT_ERRORS = [
    ("schema_version = 1\n", "#!\n", "the key schema_version is missing; add it"),
    (
        "schema_version = 1\n",
        "schema_version = 2 #!\n",
        "schema_version: version 2 is newer than this geoaudit reads (1); update it",
    ),
    (
        "schema_version = 1\n",
        "schema_version = true #!\n",
        "schema_version: is true or false; write an integer",
    ),
    (
        "schema_version = 1\n",
        "schema_version = 0 #!\n",
        "schema_version: is 0; write an integer from 1 up",
    ),
    (
        "schema_version = 1\n",
        "schema_version = 1\nnmae = 1 #!\n",
        "nmae: unknown key; did you mean name?",
    ),
    (
        "schema_version = 1\n",
        "schema_version = 1\nzzz = 1 #!\n",
        "zzz: unknown key; allowed are arms, buffers, default_step, kernels, name",
    ),
    ('name = "a small decode step"', "name = 5 #!", "name: is an integer; write text"),
    ('name = "a small decode step"', "name = 2020-01-01 #!", "name: is a date or time; write text"),
    ('name = "a small decode step"', 'name = "" #!', "name: is empty; write a text"),
    (
        'name = "a small decode step"',
        r'name = "a\u001bb" #!',
        r"name: 'a\x1bb' holds control characters; leave them out",
    ),
    (
        'name = "a small decode step"',
        'name = "a"\ndefault_step = "decoed" #!',
        "default_step: unknown step 'decoed'; did you mean decode?",
    ),
]

SYMBOL_ERRORS = [
    (
        SYMBOLS,
        'context = "4 * hiden" #!\n',
        "symbols.context: unknown symbol hiden; did you mean hidden?",
    ),
    (
        SYMBOLS,
        'context = "zzzz" #!\n',
        "symbols.context: unknown symbol zzzz; declare it under [symbols]",
    ),
    (SYMBOLS, "context = 4.5 #!\n", "symbols.context: 4.5 is not an integer; write a whole number"),
    (SYMBOLS, "context = true #!\n", "symbols.context: is true or false; write a number or an"),
    (SYMBOLS, "context = [1] #!\n", "symbols.context: is a list; write a number or an expression"),
    (SYMBOLS, 'context = "1 +" #!\n', "symbols.context: '1 +' is not an expression; allowed are"),
    (
        SYMBOLS,
        'context = "pages + 1" #!\npages = "context"\n',
        "symbols.context: context uses pages uses context: symbols that use each other have no "
        "value; give one of them a number",
    ),
    (
        SYMBOLS,
        SYMBOLS + 'own = "own" #!\n',
        "symbols.own: own uses own: symbols that use each other",
    ),
    (SYMBOLS, SYMBOLS + "token = 1 #!\n", "symbols.token: token is predefined for every launch"),
    (SYMBOLS, SYMBOLS + "layer = 1 #!\n", "symbols.layer: layer is predefined for every launch"),
    (
        SYMBOLS,
        SYMBOLS + "min = 1 #!\n",
        "symbols.min: min is a word of expressions; choose another",
    ),
    (SYMBOLS, SYMBOLS + "if = 1 #!\n", "symbols.if: if is a word of expressions; choose another"),
    (SYMBOLS, SYMBOLS + "WIDE_NORM = 1 #!\n", "symbols.WIDE_NORM: WIDE_NORM is already an arm"),
    (SYMBOLS, SYMBOLS + '"a b" = 1 #!\n', 'symbols."a b": is no name; use up to 100 letters'),
]

ARM_ERRORS = [
    (ARM, "inrt = 1 #!\ninert = ", "arms.ROWS_PER_BLOCK.inrt: unknown key; did you mean inert?"),
    ("values = [4, 8] ", "values = [4, 0] #! ", "arms.ROWS_PER_BLOCK.values[1]: is 0; write an"),
    (
        "values = [4, 8] ",
        "values = [4, 4] #! ",
        "arms.ROWS_PER_BLOCK.values: must list one or more",
    ),
    ("values = [4, 8] ", "values = [] #! ", "arms.ROWS_PER_BLOCK.values: must list one or more"),
    (
        ARM,
        'excludes = ["WIDE_NROM"] #!\ninert = ',
        "arms.ROWS_PER_BLOCK.excludes[0]: unknown arm 'WIDE_NROM'; did you mean WIDE_NORM?",
    ),
    (
        ARM,
        'excludes = ["ROWS_PER_BLOCK"] #!\ninert = ',
        "arms.ROWS_PER_BLOCK.excludes[0]: an arm cannot exclude itself; name another",
    ),
    (
        "[arms.ROWS_PER_BLOCK] ",
        '[arms.ROWS_PER_BLOCK] #!\nexcludes = ["WIDE_NORM"] #',
        "arms.ROWS_PER_BLOCK: WIDE_NORM and ROWS_PER_BLOCK exclude each other, but --all-arms "
        "switches both on; set in_all = false in one of them",
    ),
    (
        "[arms.WIDE_NORM] ",
        '[arms.wide] #!\nclass = "approximate"\nreason = "x"\n[arms.WIDE_NORM] ',
        "arms.wide: is no name of an arm; use capitals, digits and underscores",
    ),
    (
        "[arms.WIDE_NORM] ",
        '[arms.CUPTI] #!\nclass = "approximate"\nreason = "x"\n[arms.WIDE_NORM] ',
        "arms.CUPTI: GEOAUDIT_CUPTI is the recorder's own; choose another name",
    ),
    (
        "[arms.WIDE_NORM] ",
        '[arms.IDLE] #!\nclass = "approximate"\nreason = "x"\n[arms.WIDE_NORM] ',
        "arms.IDLE: changes no kernel; add [kernels.NAME.arms.IDLE], use it in a formula, or drop",
    ),
    (
        "[arms.WIDE_NORM] ",
        '[arms.NEW]\nclass = "exact" #!\nreason = "x"\n[arms.WIDE_NORM] ',
        "arms.NEW.class: 'exact' is not known; allowed are bit-identical, reassociates, appr",
    ),
    (
        "[arms.WIDE_NORM] ",
        '[arms.NEW] #!\nclass = "approximate"\n[arms.WIDE_NORM] ',
        "arms.NEW: the key reason is missing; add it",
    ),
]

BUFFER_ERRORS = [
    (
        BUFFER,
        '[buffers.normed]\ndtype = "f23" #!\n',
        "buffers.normed.dtype: 'f23' is not known; did",
    ),
    (BUFFER, "[buffers.normed] #!\n", "buffers.normed: the key dtype is missing; add it"),
    (
        BUFFER,
        BUFFER + "scale = 2 #!\n",
        "buffers.normed.scale: means nothing for init = 'zeros'; drop",
    ),
    (
        BUFFER,
        BUFFER + "size = 2 #!\n",
        "buffers.normed.size: unknown key; allowed are copies, dtype",
    ),
    (
        BUFFER,
        BUFFER + 'copies = "layer" #!\n',
        "buffers.normed.copies: unknown symbol layer; declare it under [symbols]",
    ),
    (
        '[buffers.residual]\ndtype = "f32"\nelements = "hidden"\ninit = "normal"\n',
        '[buffers.residual]\ndtype = "i32"\nelements = "hidden"\ninit = "normal" #!\n',
        "buffers.residual.init: normal needs a real data type, not i32; use uniform, constant or",
    ),
    (
        '[buffers.residual]\ndtype = "f32"\nelements = "hidden"\ninit = "normal"\nscale = 0.5\n',
        '[buffers.residual] #!\ndtype = "f32"\nelements = "hidden"\ninit = "constant"\n',
        "buffers.residual: the key value is missing; add it",
    ),
]

KERNEL_ERRORS = [
    (NORM, NORM + "gird = [1] #!\n", "kernels.rms_norm.gird: unknown key; did you mean grid?"),
    (NORM, "block = 128 #!\n", "kernels.rms_norm.block: is an integer; write a list"),
    (NORM, "block = [] #!\n", "kernels.rms_norm.block: has 0 entries; write 1 to 3 dimensions"),
    (NORM, "block = [1, 1, 1, 1] #!\n", "kernels.rms_norm.block: has 4 entries; write 1 to 3"),
    (
        NORM,
        'block = [\n  32,\n  "n_heads" #!\n]\n',
        "kernels.rms_norm.block[1]: unknown symbol n_heads",
    ),
    (
        NORM,
        NORM + 'cubin = "a.cubin" #!\n',
        "kernels.rms_norm.cubin: stands beside source; a kernel",
    ),
    (
        "tolerance = 1e-5\n",
        "tolerance = 0 #!\n",
        "kernels.rms_norm.tolerance: is 0; write a number above 0",
    ),
    (
        NORM,
        NORM + "symbols = { width = 1 } #!\n",
        "kernels.rms_norm.symbols.width: width is already a",
    ),
    (
        NORM,
        NORM + "symbols = { hidden = 1 } #!\n",
        "kernels.rms_norm.symbols.hidden: hidden is already",
    ),
    (
        NORM,
        NORM + "symbols = { tp = 1 } #!\n",
        "kernels.rms_norm.symbols.tp: tp is already a symbol",
    ),
    (
        NORM,
        NORM + 'symbols = { x = "y", y = "x" } #!\n',
        "kernels.rms_norm.symbols.x: x uses y uses x: symbols that use each other",
    ),
    (NORM, NORM + "enabled = 1.5 #!\n", "kernels.rms_norm.enabled: 1.5 is not an integer"),
    (
        NORM,
        NORM + 'cluster = ["x"] #!\n',
        "kernels.rms_norm.cluster[0]: unknown symbol x; declare it",
    ),
    (
        PROJECTION,
        'entry = "p<{warsp}>" #!\n',
        "kernels.projection.entry: unknown symbol warsp; did you",
    ),
    (PROJECTION, 'entry = "p<{warps>" #!\n', "kernels.projection.entry: 'p<{warps>' has a bracket"),
    (
        PROJECTION,
        'entry = "p<{}>" #!\n',
        "kernels.projection.entry: is empty; write a number or an",
    ),
    (
        '[kernels.projection]\nsource = "kernels.cu"\noptions = ["-std=c++17"]\n' + PROJECTION,
        '[kernels.projection] #!\nsource = "kernels.cu"\n',
        "kernels.projection: the key entry is missing; add it",
    ),
    (
        '"@residual", ',
        '"@residul", #!\n',
        "kernels.rms_norm.arguments[0]: unknown buffer 'residul'; did",
    ),
    (
        '"@residual", ',
        '"residual", #!\n',
        "kernels.rms_norm.arguments[0]: 'residual' is no argument",
    ),
    ('"@residual", ', "5, #!\n", "kernels.rms_norm.arguments[0]: is an integer; write text"),
    (
        '{ i32 = "width" }',
        '{ int = "width" } #!\n',
        "kernels.rms_norm.arguments[2].int: unknown key",
    ),
    (
        '{ i32 = "width" }',
        '{ i32 = "width", f32 = 1 } #!\n',
        'kernels.rms_norm.arguments[2]: has 2 types; write one: { i32 = "..." }',
    ),
    ('{ i32 = "width" }', "{ i32 = 1.5 } #!\n", "kernels.rms_norm.arguments[2].i32: 1.5 is not an"),
    (
        "{ f32 = 1e-6 }",
        "{ f32 = inf } #!\n",
        "kernels.rms_norm.arguments[3].f32: unknown symbol inf",
    ),
    (
        'inputs = ["residual"]\n',
        'inputs = ["residul"] #!\n',
        "kernels.rms_norm.inputs[0]: 'residul' is not among the kernel's arguments; did you mean",
    ),
    (
        'inputs = ["residual"]\n',
        'inputs = ["residual", "residual"] #!\n',
        "kernels.rms_norm.inputs[1]: 'residual' stands here twice; drop one",
    ),
    (
        'parameters = ["width"] ',
        'parameters = ["tp", "width"] #! ',
        "kernels.rms_norm.parameters[0]: tp",
    ),
    (
        'parameters = ["width"] ',
        'parameters = ["w x", "width"] #! ',
        "kernels.rms_norm.parameters[0]: 'w",
    ),
    (
        "split = { cross_block_reduction = true, duplicated_reads = false, layout_change = false }",
        "split = { cross_block_reduction = true, duplicated_reads = false } #!",
        "kernels.rms_norm.split: the key layout_change is missing; add it",
    ),
    (
        'reference = "rms_norm"\ntolerance = 1e-5\n',
        "tolerance = 1e-5 #!\n",
        "kernels.rms_norm.tolerance: stands without a reference; name one or drop it",
    ),
]

CODE_ERRORS = [
    (
        '[kernels.projection]\nsource = "kernels.cu"\n',
        "[kernels.projection] #!\n",
        "kernels.projection: has no code; add source (CUDA C++) or a ready cubin, fatbin or ptx",
    ),
    (
        '[kernels.projection]\nsource = "kernels.cu"\noptions = ["-std=c++17"]\n',
        '[kernels.projection]\nfatbin = "k.fatbin"\noptions = ["-std=c++17"] #!\n',
        "kernels.projection.options: means nothing for a ready fatbin, which is launched unchanged",
    ),
    (
        '[kernels.projection]\nsource = "kernels.cu"\noptions = ["-std=c++17"]\n',
        '[kernels.projection]\nptx = "k.ptx"\ndefines = { A = 1 } #!\n',
        "kernels.projection.defines: means nothing for a ready ptx, which is launched unchanged",
    ),
    (
        '[kernels.projection]\nsource = "kernels.cu"\n',
        '[kernels.projection]\nsource = "kernels.cu"\ndefines = { A = "zz" } #!\n',
        "kernels.projection.defines.A: unknown symbol zz",
    ),
]

KERNEL_ARM_ERRORS = [
    (
        "[kernels.rms_norm.arms.WIDE_NORM] ",
        "[kernels.rms_norm.arms.WIDE_NORN] #!",
        "kernels.rms_norm.arms.WIDE_NORN: unknown arm WIDE_NORN; did you mean WIDE_NORM?",
    ),
    (
        NORM_ARM,
        'source = "x.cu" #!\n',
        "kernels.rms_norm.arms.WIDE_NORM.source: unknown key; allowed are arguments, block",
    ),
    (
        NORM_ARM,
        'block = ["wide"] #!\n',
        "kernels.rms_norm.arms.WIDE_NORM.block[0]: unknown symbol wide",
    ),
    (
        "[segments.layer]\n",
        "[kernels.rms_norm.arms.ROWS_PER_BLOCK] #!\n[segments.layer]\n",
        "kernels.rms_norm.arms.ROWS_PER_BLOCK: changes nothing; give one of entry, enabled, grid",
    ),
    (
        "[segments.layer]\n",
        "[kernels.rms_norm.arms.ROWS_PER_BLOCK]\nblock = [64] #!\n[segments.layer]\n",
        "kernels.rms_norm.arms.ROWS_PER_BLOCK.block: WIDE_NORM changes block too, and both may be "
        "on; write one formula of both arms in the kernel itself, or let one arm exclude the other",
    ),
]

STEP_ERRORS = [
    (
        REPEAT,
        '{ segment = "lyer" }, #!\n',
        "steps.decode.segments[0].segment: unknown segment 'lyer'; did you mean layer?",
    ),
    (REPEAT, '{ segmnt = "layer" }, #!\n', "steps.decode.segments[0].segmnt: unknown key; did you"),
    (
        REPEAT,
        "{ repeat = 6 }, #!\n",
        "steps.decode.segments[0]: has nothing to launch; give one of",
    ),
    (
        REPEAT,
        '{ segment = "layer", launches = ["projection"] }, #!\n',
        "steps.decode.segments[0]: has launches and segment; give one of launches, segments and",
    ),
    (
        REPEAT,
        "{ launches = [] }, #!\n",
        "steps.decode.segments[0].launches: is empty; list what is",
    ),
    (
        REPEAT,
        '{ segment = "layer", range = "a/b" }, #!\n',
        "steps.decode.segments[0].range: 'a/b' holds a /, which parts ranges; use -",
    ),
    (
        REPEAT,
        '{ segment = "layer", set = { width = 1 } }, #!\n',
        "steps.decode.segments[0].set.width: width is no symbol that can be set here; declare it",
    ),
    (
        REPEAT,
        '{ segment = "layer", repeat = "leyer" }, #!\n',
        "steps.decode.segments[0].repeat: unknown symbol leyer",
    ),
    (
        LAYER,
        '"rms_nrom", #!\n',
        "segments.layer.launches[0]: unknown kernel 'rms_nrom'; did you mean",
    ),
    (LAYER, '{ kernel = "rms" }, #!\n', "segments.layer.launches[0].kernel: unknown kernel 'rms'"),
    (
        LAYER,
        '"rms_norm", #!\n',
        "segments.layer.launches[0]: rms_norm needs width; add set = { width",
    ),
    (
        LAYER,
        "{ set = { width = 1 } }, #!\n",
        "segments.layer.launches[0]: the key kernel is missing",
    ),
    (LAYER, "5, #!\n", "segments.layer.launches[0]: is an integer; write a table"),
    (
        LAYER,
        '{ kernel = "rms_norm", set = { widht = 1 } }, #!\n',
        "segments.layer.launches[0].set.widht: widht is no symbol that can be set here; did you",
    ),
    (
        LAYER,
        '{ kernel = "rms_norm", set = { WIDE_NORM = 0 } }, #!\n',
        "segments.layer.launches[0].set.WIDE_NORM: WIDE_NORM is no symbol that can be set here",
    ),
    (
        LAYER,
        '{ kernel = "rms_norm", set = { width = "2 * width" } }, #!\n',
        "segments.layer.launches[0].set.width: unknown symbol width",
    ),
    (
        LAST,
        '{ kernel = "rms_norm", set = { width = 1 }, bind = { weigth = "weight" } }, #!\n',
        "steps.decode.segments[1].launches[0].bind.weigth: rms_norm is passed no weigth; it is",
    ),
    (
        LAST,
        '{ kernel = "rms_norm", set = { width = 1 }, bind = { residual = "projectd" } }, #!\n',
        "steps.decode.segments[1].launches[0].bind.residual: unknown buffer 'projectd'; did",
    ),
    (
        LAST,
        '{ kernel = "rms_norm", set = { width = 1 }, bind = { residual = "weight" } }, #!\n',
        "steps.decode.segments[1].launches[0].bind.residual: weight is bf16, but residual is f32; "
        "bind a buffer of the same type",
    ),
    (
        '[segments.layer]\nrange = "layer"\n',
        '[segments.a]\nsegment = "b"\n[segments.b]\nsegment = "a" #!\n[segments.layer]\n',
        "segments.b.segment: a holds itself; break the circle",
    ),
    (
        REPEAT,
        "{ segments = [" * 20 + REPEAT.rstrip(",\n") + "] }" * 20 + ", #!\n",
        "steps.decode.segments[0].segments[0].segments[0]",
    ),
]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        *DOCUMENT_ERRORS,
        *SYMBOL_ERRORS,
        *ARM_ERRORS,
        *BUFFER_ERRORS,
        *KERNEL_ERRORS,
        *CODE_ERRORS,
        *KERNEL_ARM_ERRORS,
        *STEP_ERRORS,
    ],
)
def test_an_error_names_file_line_and_key(old: str, new: str, message: str) -> None:
    text = changed((old, new))
    marked = [number for number, line in enumerate(text.split("\n"), 1) if "#!" in line]
    with pytest.raises(ManifestError) as raised:
        parse_manifest(text, file="folder/m.toml")
    assert raised.value.exit_code == EXIT_USAGE
    place, _, said = str(raised.value).partition(": ")
    assert said.startswith(message)
    assert [place] == [f"folder/m.toml:{number}" for number in marked]


def test_a_manifest_without_steps_is_refused() -> None:
    text = changed()[: changed().index("[steps.decode]")] + "[steps]\n"
    with pytest.raises(ManifestError) as raised:
        parse_manifest(text, file="m.toml")
    line = text.count("\n")
    assert str(raised.value) == f"m.toml:{line}: steps: is empty; add a step: [steps.NAME]"


def test_several_steps_need_a_default() -> None:
    with pytest.raises(ManifestError) as raised:
        parsed(("[steps.decode] ", '[steps.other]\nlaunches = ["projection"]\n[steps.decode] '))
    assert str(raised.value) == "m.toml:1: several steps and no default_step; name one of them"


def test_an_arm_that_no_longer_passes_an_input_is_told_at_the_input() -> None:
    with pytest.raises(ManifestError) as raised:
        parsed((NORM_ARM, 'arguments = ["@normed"]\n' + NORM_ARM))
    line = TEXT.split("\n").index('inputs = ["residual"]') + 1
    assert str(raised.value) == (
        f"m.toml:{line}: kernels.rms_norm.inputs[0]: 'residual' is not among the kernel's "
        "arguments; add it there or drop it here"
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a = 1\nb =\n", "m.toml:2: Invalid value; mend the TOML here"),
        ("a = 1\na = 2\n", "m.toml:2: Cannot overwrite a value; mend the TOML here"),
        ("a = [1,\n", "m.toml:1: "),
        ("", "m.toml:1: the key schema_version is missing; add it"),
        ("a = " + "[" * 5000 + "]" * 5000, "m.toml:1: is nested too deeply; write tables under"),
        ("a" * 1_000_001, "m.toml:1: has 1000001 characters, a manifest at most 1000000; is this"),
        ("a = " + "1" * 5000, "m.toml:1: "),
    ],
    ids=["value", "twice", "end", "empty", "nested", "long", "digits"],
)
def test_what_is_no_manifest_is_refused(text: str, message: str) -> None:
    with pytest.raises(ManifestError) as raised:
        parse_manifest(text, file="m.toml")
    assert str(raised.value).startswith(message)


def test_the_example_is_read_whole() -> None:
    manifest = read_manifest(FILE)
    assert manifest.name == "a small decode step"
    assert manifest.default_step == "decode"
    assert set(manifest.symbols) == {"tp", "hidden", "rows", "context", "position"}
    assert list(manifest.symbols).index("hidden") < list(manifest.symbols).index("rows")
    assert list(manifest.buffers) == ["residual", "normed", "weight", "projected"]
    tile = manifest.arms["ROWS_PER_BLOCK"]
    assert (tile.values, tile.arm_class, tile.in_all) == ((4, 8), "bit-identical", True)
    assert tile.inert == "where 32 one-warp blocks fill an SM already"
    norm = manifest.kernels["rms_norm"]
    assert norm.code.file == str(FILE.parent / "kernels.cu")
    assert norm.code.options == ("-std=c++17",)
    assert (norm.reference, norm.tolerance, norm.parameters) == ("rms_norm", 1e-5, ("width",))
    assert norm.split == Split(
        cross_block_reduction=True, duplicated_reads=False, layout_change=False
    )
    assert [type(argument) for argument in norm.recipe.arguments.entries] == [
        BufferArgument,
        BufferArgument,
        ScalarArgument,
        ScalarArgument,
    ]


def test_an_arm_gives_its_keys_anew_and_leaves_the_rest() -> None:
    norm = parsed().kernels["rms_norm"]
    arm = norm.arms["WIDE_NORM"]
    assert arm.changed == {"block", "working_threads"}
    assert arm.recipe.block[0].expression.text == "1024 if width > 1024 else 128"
    assert arm.recipe.grid == norm.recipe.grid
    assert isinstance(arm, KernelArm)
    assert isinstance(arm.recipe, LaunchRecipe)


def test_exclusion_goes_both_ways() -> None:
    manifest = parsed((ARM, 'excludes = ["WIDE_NORM"]\nin_all = false\ninert = '))
    assert manifest.arms["WIDE_NORM"].excludes == {"ROWS_PER_BLOCK"}
    assert manifest.arms["ROWS_PER_BLOCK"].excludes == {"WIDE_NORM"}


def test_arms_that_exclude_each_other_may_change_the_same_key() -> None:
    manifest = parsed(
        (ARM, 'excludes = ["WIDE_NORM"]\nin_all = false\ninert = '),
        (
            "[segments.layer]\n",
            "[kernels.rms_norm.arms.ROWS_PER_BLOCK]\nblock=[64]\n[segments.layer]\n",
        ),
    )
    assert set(manifest.kernels["rms_norm"].arms) == {"WIDE_NORM", "ROWS_PER_BLOCK"}


def test_a_named_segment_is_one_object_wherever_it_is_used() -> None:
    manifest = parsed((REPEAT, REPEAT + REPEAT))
    first, second, _ = manifest.steps["decode"].members
    assert isinstance(first, Segment)
    assert isinstance(second, Segment)
    assert first.members[0] is second.members[0]


def test_a_byte_order_mark_and_windows_line_ends_are_no_fault(tmp_path: Path) -> None:
    (tmp_path / "kernels.cu").write_text("")
    path = tmp_path / "m.toml"
    path.write_bytes(b"\xef\xbb\xbf" + TEXT.replace("\n", "\r\n").encode())
    assert read_manifest(path).name == "a small decode step"


def test_a_source_that_is_not_there_is_named(tmp_path: Path) -> None:
    path = tmp_path / "m.toml"
    path.write_text(TEXT)
    line = TEXT.split("\n").index("[kernels.rms_norm]") + 2
    with pytest.raises(ManifestError) as raised:
        read_manifest(path)
    assert str(raised.value).startswith(
        f"{path}:{line}: kernels.rms_norm.source: there is no file '{tmp_path}"[:80]
    )


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "No such file or directory; name a manifest"),
        (b"\xff\xfe", "is no UTF-8 text; name a"),
    ],
)
def test_a_file_that_cannot_be_read_is_named(
    tmp_path: Path, content: bytes | None, message: str
) -> None:
    path = tmp_path / "m.toml"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InputError) as raised:
        read_manifest(path)
    assert str(raised.value).startswith(f"{path}: {message}")


def test_a_folder_is_no_manifest(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="Is a directory; name a manifest"):
        read_manifest(tmp_path)


def test_an_endless_file_is_refused() -> None:
    with pytest.raises(InputError):
        read_manifest(Path("/dev/zero"))


def test_a_key_of_thousands_of_parts_is_refused_at_once() -> None:
    with pytest.raises(ManifestError, match=":2: a key of more than 32 parts"):
        parse_manifest("schema_version = 1\n" + "a." * 50_000 + "b = 1\n", file="deep.toml")


def test_a_pipe_is_no_manifest(tmp_path: Path) -> None:
    pipe = tmp_path / "x.toml"
    os.mkfifo(pipe)
    with pytest.raises(InputError, match="is a pipe"):
        read_manifest(pipe)


def test_a_long_chain_of_symbols_is_put_in_order_at_once() -> None:
    chain = "\n".join(f's{n} = "s{n + 1}"' for n in range(20_000))
    started = time.perf_counter()
    parsed((SYMBOLS, f"{SYMBOLS}{chain}\ns20000 = 1\n"))
    assert time.perf_counter() - started < 10
