"""The manifest: a TOML file that says which kernels a step launches, how, and what its arms change.

``geoaudit scan`` runs the manifest of the decode suite, ``geoaudit scan my.toml`` any other. Read
it with ``reading.read_manifest``, resolve arms and ``--set`` with ``settings.resolve_settings``,
and work out the launches of a token with ``plan.plan``. Nothing here needs a GPU. A fault is told
as ``file:line: key.path: what; what to do``.

A complete example, two kernels and two arms::

    schema_version = 1
    name = "a small decode step"

    [symbols]                         # integers, or expressions of each other
    tp = 8
    hidden = 7168
    rows = "hidden / tp"              # must divide exactly; // rounds down, cdiv(a, b) up
    context = 4096
    position = "context + token"      # may change between tokens: scalars only

    [arms.WIDE_NORM]                  # GEOAUDIT_WIDE_NORM=1, --arm WIDE_NORM
    class = "bit-identical"
    reason = "the elementwise half of the norm runs on up to 1024 threads, its sum on 128 as before"

    [arms.ROWS_PER_BLOCK]             # GEOAUDIT_ROWS_PER_BLOCK=8: the symbol is then 8, else 0
    class = "bit-identical"
    reason = "several warps of a block compute a row each, so that more warps are resident"
    values = [4, 8]                   # --arm ROWS_PER_BLOCK is the first
    inert = "where 32 one-warp blocks fill an SM already"

    [buffers.residual]
    dtype = "f32"
    elements = "hidden"
    init = "normal"
    scale = 0.5
    kind = "state"

    [buffers.normed]
    dtype = "f32"
    elements = "hidden"
    init = "zeros"
    kind = "scratch"

    [buffers.weight]
    dtype = "bf16"
    elements = "rows * hidden"
    copies = 4                        # layer k reads copy k % 4
    init = "normal"
    scale = "hidden ** -0.5"
    kind = "weight"

    [buffers.projected]
    dtype = "f32"
    elements = "rows"
    init = "zeros"
    kind = "output"

    [kernels.rms_norm]
    source = "kernels.cu"
    options = ["-std=c++17"]
    entry = "rms_norm"
    parameters = ["width"]            # every launch sets it
    grid = [1]
    block = [128]
    arguments = ["@residual", "@normed", { i32 = "width" }, { f32 = 1e-6 }]
    inputs = ["residual"]
    outputs = ["normed"]
    bytes_read = "4 * width"
    bytes_written = "4 * width"
    working_threads = 128
    bytes_in_flight_per_thread = 4
    reference = "rms_norm"
    tolerance = 1e-5
    split = { cross_block_reduction = true, duplicated_reads = false, layout_change = false }

    [kernels.rms_norm.arms.WIDE_NORM] # what the arm changes; all else stays
    block = ["1024 if width > 1024 else 128"]
    working_threads = "1024 if width > 1024 else 128"

    [kernels.projection]
    source = "kernels.cu"
    options = ["-std=c++17"]
    entry = "projection<{warps}>"     # a template instance
    symbols = { warps = "ROWS_PER_BLOCK or 1" }
    grid = ["cdiv(rows, warps)"]
    block = ["32 * warps"]
    arguments = [
      "@weight", "@normed", "@projected",
      { i32 = "rows" }, { i32 = "hidden" }, { i64 = "position" },
    ]
    inputs = ["weight", "normed"]
    outputs = ["projected"]
    bytes_read = "2 * rows * hidden + 4 * hidden"
    bytes_written = "4 * rows"

    [segments.layer]
    range = "layer"
    launches = [
      { kernel = "rms_norm", set = { width = "hidden" } },
      "projection",
    ]

    [steps.decode]                    # a token; its NVTX range is named decode too
    segments = [
      { segment = "layer", repeat = 6 },
      { launches = [
        { kernel = "rms_norm", set = { width = "rows" }, bind = { residual = "projected" } },
      ] },
    ]

Formulas
    Wherever the example has an expression, a number does too. Operators are ``+ - * / // % **``,
    comparisons (1 or 0), ``and``, ``or``, ``not`` and ``a if condition else b``, as in Python;
    functions are ``cdiv(a, b)``, ``min`` and ``max``. Integers are exact: ``/`` must divide
    evenly, and nothing may exceed 64 bits. Scalars ``f32`` and ``f64`` and the figures of ``init``
    are real and take floats too (``hidden ** -0.5``, ``1.0 / hidden``).

Symbols
    ``[symbols]`` may use each other in any order, and ``--set NAME=VALUE`` gives one another value.
    Every arm is a symbol: 0 while off. ``token`` is the token of the run, from 0, and the tokens of
    the warm-up count: the first that is recorded is 3. What depends on it may only be a scalar
    argument, so that one plan serves every token. Formulas of a kernel
    also know ``layer``, the number of launches of this kernel that the token lists before this
    one, and the kernel's own ``parameters`` (every launch must set them) and ``symbols`` (a launch
    may). ``require``, a list of expressions at the top of the file, says what must hold for sizes
    that are compiled in: ``require = ["head_dim == 128"]`` refuses other values.

Arms
    ``--arm NAME``, ``--arm NAME=VALUE`` or ``GEOAUDIT_NAME=VALUE`` in the environment switches one
    on, the value 0 off. ``class`` is ``bit-identical``, ``reassociates`` or ``approximate``;
    ``reason`` is one sentence. Optional: ``values`` (of the symbol while on, default ``[1]``),
    ``inert`` (where it changes nothing), ``excludes`` (arms it is never on with) and
    ``in_all = false`` (not one of ``--all-arms``).
    An arm acts through ``[kernels.K.arms.NAME]``, which may give anew any of the keys marked *
    below, through formulas that use its symbol, or both. Two arms that may be on together cannot
    change the same key of a kernel.

Buffers
    ``dtype`` (f64, f32, f16, bf16, i64, u64, i32, u32, i8, u8), ``elements``, ``init`` and ``kind``
    (``weight``, ``state``: restored before a comparison, ``scratch``, ``output``). ``init`` is
    ``zeros``, ``ones``, ``constant`` with ``value``, ``iota`` (0, 1, 2 and on), ``normal`` (of real
    types) with the standard deviation ``scale``, by default 1.0, about 0, or ``uniform`` from
    ``low``, by default 0, up to and without ``high``, by default 1. Uniform integers are rounded
    down, so a range of 0 to 1 is all zeros. A number that the type does not hold, 1.5 in an i32 or
    300 in a u8, is refused. With ``copies``, launches rotate: the k-th launch in a token of one
    kernel that is passed the buffer gets copy ``k % copies``, counted per kernel, whether it is
    enabled or not.

Kernels
    One of ``source`` (CUDA C++ for NVRTC), ``cubin``, ``fatbin`` and ``ptx``, relative to the
    manifest; ready binaries are launched unchanged. (From objects built with ``-rdc``, ``nvcc
    -dlink -cubin`` makes one.) For a source ``options`` and ``defines`` (macro -> formula): kernels
    that agree in all three share one module. A source is compiled for the device that it runs on,
    as C++17 unless ``options`` has a ``-std``, and its own folder is on the include path; more
    folders are ``options = ["-I/path"]``.
    ``entry``*: the name, where ``{formula}`` becomes a number; with ``<`` a template instance. A
    ready binary's kernels have theirs as demangled, ``scale<32>`` (mangled where the driver is
    older than CUDA 12.4).
    ``grid``*, ``block``* and optionally ``cluster``*: 1 to 3 formulas, in blocks, threads, blocks.
    ``arguments``*: ``"@buffer"`` or one typed scalar, ``{ i32 = formula }`` (f32, f64, i8, u8, i32,
    u32, i64, u64), in order; a bool is a ``u8``, a null pointer ``{ u64 = 0 }``. Number and sizes
    must be the kernel's parameters', which drivers from CUDA 12.4 on tell before it is launched.
    A struct by value and a tensor map (``CUtensorMap``) cannot be passed: let the kernel take the
    parts, or a pointer.
    Optional: ``shared_bytes``* (dynamic, default 0), ``enabled``* (default true; a kernel that only
    an arm launches says ``enabled = "ARM"``), ``programmatic_launch``* (programmatic dependent
    launch, default false: such a kernel begins before the launch ahead of it has ended, and must
    itself run ``griddepcontrol.wait``, or ``cudaGridDependencySynchronize()``, in every block
    before it touches what a predecessor writes), ``inputs``* and ``outputs``* (buffers of the
    arguments; one updated in place is in both), ``bytes_read``* and ``bytes_written``* (compulsory:
    each byte once), ``working_threads``* (of a block) and ``bytes_in_flight_per_thread``*,
    ``reference`` (a float64 function) with ``tolerance`` (relative), and ``split``: what more
    blocks would cost, along the axis that is best for it: ``cross_block_reduction``,
    ``duplicated_reads`` (of weights, state or cache, not of the vectors that every block reads
    anyway), ``layout_change``. Where it is left out, ``scan`` reads it from the source, as far as
    that can be told.
    Bytes, working threads, bytes in flight and ``split`` change no launch: they go into the
    recording, where floors and verdicts are made of them. Bytes in flight that are not declared are
    read from the machine code where nvdisasm is there (the toolkit's, or the wheel
    nvidia-cuda-nvdisasm), the loads that caches serve included; more than twice of what the code
    can have outstanding is a warning. ``inputs`` and ``outputs`` tell
    ``--confirm``, which launches a kernel alone, what to restore before and what the L2 holds.
    ``scan`` compares no result: a reference is a function of that name in ``references.py`` beside
    the suite's manifest, for the GPU tests of its kernels; in another manifest it is a note.
    ``scan MANIFEST.toml --plan`` prints what each launch comes to.

Steps
    A step is one token: ``launches``, ``segments`` or one ``segment`` by name, and ``range``, the
    name of its NVTX range (by default its own). A segment has the same keys, without a range by
    default, and ``repeat`` and ``set``. A launch is the name of a kernel, or a table of
    ``kernel``, ``set`` (symbols, worked out where the launch stands, so ``set = { width = "2 *
    width" }`` doubles it) and ``bind`` (argument buffer -> another of the same dtype). What follows
    from a symbol that is set follows from the new value. ``default_step`` is needed where there
    are several.

Ranks
    ``scan --ranks N`` runs the step in N processes, one on each of N devices. Among the launches
    ``{ all_reduce = "buffer" }`` sums a buffer of one copy over them, by NCCL, in place and on the
    launches' stream; a run of one rank leaves it out. All ranks have the same contents: what is
    summed is N times what each has. ``ranks = "tp"``, at the top of the file, names the symbol
    that is worth N then, unless ``--set`` gives it another value.
"""
