"""Pages of the columns that say which launch it is, what was decided, and how it was recorded."""

from geoaudit.diagnosis.finding import VERDICTS
from geoaudit.diagnosis.pages.page import Page, Sections, column

IDENTITY_PAGES: tuple[Page, ...] = (
    column(
        "rank",
        "Place in the order asked for",
        aliases=("#",),
        sections=Sections(
            measures="1 for the row to look at first.",
            formula="--sort wasted (default), time, calls or fill",
            example="A 3 us kernel called 327 times can rank above one of 600 us.",
            action="Start at 1.",
            limits="Rows of unknown geometry have no waste and stand last.",
        ),
    ),
    column(
        "kernel",
        "Kernel, whole demangled name",
        sections=Sections(
            measures="The name with return type, namespaces, template arguments and parameters.",
            example="void rms_norm_f32<1024>(float const*, float*, int)",
            action="--kernel REGEX picks rows by it.",
            limits="Two kernels of one name in different libraries are one.",
        ),
    ),
    column(
        "kernel_short",
        "Kernel, short name",
        sections=Sections(
            measures="The name without return type, namespaces and parameters.",
            example="rms_norm_f32",
            action="--wide shows the whole name.",
            limits="For reading; rows are grouped by the whole name.",
        ),
    ),
    column(
        "owner",
        "Who wrote the kernel, by its name",
        sections=Sections(
            measures="own, cublas, cudnn, cutlass, nccl, triton, torch, xla, ...",
            matters="You can reshape your own kernels, not cuBLAS'.",
            formula="a table of name patterns",
            example="nvjet_sm90_... is cublas; triton_poi_fused_... is triton.",
            action="--owner own leaves the libraries out.",
            limits="A guess by name: a vendored CUTLASS kernel counts as cutlass.",
        ),
    ),
    column(
        "grid",
        "Blocks of the launch in x, y, z",
        aliases=("grid_x", "grid_y", "grid_z"),
        sections=Sections(
            measures="What was launched, in blocks also where a cluster is set.",
            formula="as recorded; AMD grids in work-items are divided by the block",
            example="[12, 1, 1]",
            action="Against the SM count it is sm_fill.",
            limits="What was asked for may differ: wrappers clamp it. Where a row joins several "
            "signatures it is the grid of the worst, and +N counts the others.",
        ),
    ),
    column(
        "block",
        "Threads of a block in x, y, z",
        aliases=("block_x", "block_y", "block_z"),
        sections=Sections(
            measures="What was launched, in threads.",
            example="[128, 1, 1]",
            action="A multiple of the warp (GA103); wider where one block is right.",
            limits="How many of them work is not seen.",
        ),
    ),
    column(
        "cluster",
        "Blocks of a cluster in x, y, z",
        aliases=("cluster_x", "cluster_y", "cluster_z"),
        sections=Sections(
            measures="[1, 1, 1] without a cluster; empty where the source does not tell.",
            example="[4, 1, 1]",
            action="A grid must hold whole clusters; large ones leave SMs unused.",
            limits="PyTorch traces do not carry it: waves of such launches are those without a "
            "cluster.",
        ),
    ),
    column(
        "position",
        "Slot of the launch in its token",
        aliases=("positions",),
        sections=Sections(
            measures="Index in the launch sequence of the step class.",
            formula="alignment of the token with the template of its class",
            example="Position 0 is the first kernel of a token.",
            action="--by position ranks each slot by itself.",
            limits="Empty for launches that the template lacks.",
        ),
    ),
    column(
        "step_class",
        "Kind of step: prefill, decode, a graph bucket",
        aliases=("step", "step class"),
        sections=Sections(
            measures="Steps of one launch sequence.",
            formula="equal sequences of (kernel, geometry), up to a few launches",
            example="prefill: 1 step; decode: 12 steps.",
            action="--step CLASS picks one; the default is the class of the most steps.",
            limits="Names are by order and size; only the sequence is known.",
        ),
    ),
    column(
        "token",
        "Complete step of its class, in order",
        aliases=("tokens", "token_rule"),
        sections=Sections(
            measures="Index of the token; incomplete ones at the ends have none.",
            formula="a range by name (--token-range), a marker kernel (--token-kernel), a count "
            "(--tokens), else the period of the launch sequence",
            example="decode_token ranges: 12 tokens.",
            action="The header says which rule found them; set one where it is wrong.",
            limits="Speculative steps yield several tokens of text.",
        ),
    ),
    column(
        "verdict",
        "What holds the kernel back",
        aliases=("reason", "rests_on", "ruled_out", "would_decide"),
        sections=Sections(
            measures=f"{', '.join(VERDICTS[:-1])} or {VERDICTS[-1]}; each has a page. Beside it: "
            "the reason in one sentence, all the evidence it rests on, which alternatives are "
            "ruled out by which number, and what measurement would decide.",
            formula="the first case of a table that applies to shape, time, floor, what ran "
            "beside it and counters; what was tried on the kernel confirms or overturns it",
            example="12 of 132 SMs, 87 us, 1.1 % spread: starved.",
            action="explain VERDICT.",
            limits="What is unknown is left out of the evidence: the less there is, the more "
            "verdicts are inconclusive or healthy.",
        ),
    ),
    column(
        "confidence",
        "How far the verdict is proven",
        sections=Sections(
            measures="suspected from durations and shape; confirmed by hardware counters that "
            "show the limit itself (compute_bound, bandwidth_bound, imbalanced), or by what was "
            "tried on the kernel: repeated alone, and under other launch shapes.",
            example="starved (suspected); with a sweep in which the same kernel takes a tenth of "
            "its time on more blocks: starved (confirmed)",
            action="geoaudit scan --confirm for what geoaudit can launch, geoaudit scan --counters "
            "or --counters-from for counters; --min-confidence confirmed shows what is.",
            limits="Empty for inconclusive.",
        ),
    ),
    column(
        "findings",
        "Rules that fired on the row",
        sections=Sections(
            measures="Their ids.",
            example="GA101, GA201",
            action="explain GA101.",
            limits="Collectives and launches at the launch floor get no GA1xx.",
        ),
    ),
    column(
        "launches",
        "Kernel launches in the recording",
        aliases=("launches_seen", "dropped", "untimed"),
        sections=Sections(
            measures="Kernel records; beside them the launches there should be records of "
            "(launches_seen: records, and launch calls without one), records that the instrument "
            "says it dropped, and launches without a time.",
            example="10,717 recorded, every launch call has a record.",
            action="See GA901, GA903 and GA904.",
            limits="Not every instrument counts what it lost.",
        ),
    ),
    column(
        "geometry_unknown_fraction",
        "Share of the kernel time without a grid",
        aliases=("unknown",),
        sections=Sections(
            measures="Time of launches whose grid the source does not carry, 0 to 1.",
            formula="their time / all kernel time",
            example="Graph-launched AMD kernels carry none.",
            action="See GA902.",
            limits="They are never taken for one block.",
        ),
    ),
    column(
        "replayed",
        "Whether the recording ships with geoaudit",
        aliases=("partial", "recorded_on"),
        sections=Sections(
            measures="true where nothing was measured on this machine.",
            example="geoaudit scan without a GPU.",
            action="No gate accepts it: exit code 3.",
            limits="See GA905; a source that was cut is GA906.",
        ),
    ),
    column(
        "instrument",
        "What timed the launches",
        aliases=("source_format", "timed by"),
        sections=Sections(
            measures="cupti, kineto, nsys, ncu or cuda_events.",
            example="kineto",
            action="Compare times within one instrument only.",
            limits="ncu serialises launches and flushes caches: its times are not those of the "
            "token.",
        ),
    ),
    column(
        "signatures",
        "Launch signatures joined in the row",
        aliases=("signature", "+N"),
        sections=Sections(
            measures="1, or more with --by kernel: different launches of one kernel. Grid, verdict "
            "and geometry are then of the signature that wastes most, SM fill is the mean over "
            "the row's time, findings are those of all.",
            formula="a signature is kernel, grid, block, cluster, registers and shared memory on "
            "a device",
            example="12 +2 beside a grid: the worst of three signatures has 12 blocks.",
            action="--by signature gives each a row.",
            limits="The figures of a joined row are of no single launch.",
        ),
    ),
)
