"""A shard check made by hand, for renderers, baselines and recordings."""

from typing import Any

from geoaudit.shardcheck.listing import (
    Agreement,
    ComparedLaunch,
    ListedAllowance,
    ListedDimension,
    ListedFinding,
    ListedHop,
    ListedNote,
    ListedSite,
    Listing,
    Outcome,
    Unanalysed,
    UnpredictedBlocks,
)

HEADS = ListedDimension(
    name="n_head",
    rounding="exact",
    by="tp",
    total=96,
    reason="num_heads // tp_size (engine/config.py:12)",
    is_certain=True,
)
KV_HEADS = ListedDimension(
    name="num_kv_heads",
    rounding="at_least_one",
    by="tp",
    total=None,
    reason="its name",
    is_certain=False,
)
COLLAPSE = ListedFinding(
    rule_id="GA401",
    rule_name="sharded-grid-collapses",
    severity="warning",
    message="96 blocks (72.7 % of 132 SMs) at 1 and 12 blocks (9.1 %) at 8 ranks",
)
ALLOWED = ListedAllowance(finding=COLLAPSE, reason="one rank only")
STALE = ListedFinding(
    rule_id="GA404",
    rule_name="stale-launch-constant",
    severity="warning",
    message="FLOOR = 1,024 (csrc/split.cuh:4) binds at 8 ranks",
)
RANKS = (1, 8)


def site(**changes: Any) -> ListedSite:  # noqa: ANN401
    """A decode kernel that collapses, changed."""
    values: dict[str, Any] = {
        "path": "csrc/decode.cu",
        "line": 40,
        "kernel": "decode_step",
        "launcher": None,
        "idiom": "chevron",
        "function": "run_decode",
        "language": "c",
        "grid": ("n_head", "1", "1"),
        "block": ("128", "1", "1"),
        "roots": (("n_head",), (), ()),
        "symbols": (("grid", "n_head"), (), ()),
        "sharded": (HEADS,),
        "blocks": {1: 96, 8: 12},
        "sm_fill": {1: 96 / 132, 8: 12 / 132},
        "behaviour": "collapses",
        "condition": "",
        "reason": "96 blocks become 12",
        "findings": (COLLAPSE,),
        "suppressed": (),
        "chain": (
            ListedHop(path="csrc/decode.cu", line=40, text="decode_step<<<grid, 128>>>"),
            ListedHop(path="csrc/decode.cu", line=38, text="grid = dim3(n_head)"),
            ListedHop(path="engine/config.py", line=12, text="n_head = num_heads // tp_size"),
        ),
        "is_launcher": False,
        "callers_followed": 1,
    }
    return ListedSite(**(values | changes))


def listing(*sites: ListedSite, **changes: Any) -> Listing:  # noqa: ANN401
    """A check of these launches, changed."""
    values: dict[str, Any] = {
        "read": 3,
        "skipped": {"generated": 1, "vendored": 12},
        "unanalysed": (
            Unanalysed(path="csrc/broken.cu", line=0, reason="nested too deeply"),
            Unanalysed(path="csrc/decode.cu", line=90, reason="a macro that is not followed"),
        ),
        "textual": {"chevron": 4, "triton": 1},
        "recognised": {"chevron": 3, "triton": 1},
        "sites": sites,
        "device": "NVIDIA H200",
        "sms": 132,
        "by": "tp",
        "ranks": RANKS,
        "assumed": {"batch": (1, "--batch"), "head_dim": (128, "--set")},
        "notes": (
            ListedNote(
                path="csrc/decode.cu",
                line=7,
                severity="error",
                text="allows GA999, which is no rule; `geoaudit explain` lists them",
            ),
        ),
        "unmatched_kernels": (("lost_kernel", 12_500.0),),
    }
    return Listing(**(values | changes))


def whole() -> Listing:
    """Launches of every behaviour."""
    hostile = site(
        path="csrc/=x|y.cu",
        kernel="k<script>\x1b[31m",
        function="",
        launcher="LAUNCH",
        grid=("n_head", "num_kv_heads", "1"),
        sharded=(HEADS, KV_HEADS),
        blocks={1: None, 8: None},
        sm_fill={1: None, 8: None},
        behaviour="shrinks",
        condition="below 66 blocks when num_kv_heads < 6",
        reason="@everyone",
        findings=(),
        chain=(),
        block=None,
    )
    return listing(
        site(),
        site(
            line=60,
            kernel="split_kv",
            behaviour="capped_by_constant",
            findings=(STALE,),
            blocks={1: 132, 8: 32},
            sm_fill={1: 1.0, 8: 32 / 132},
        ),
        site(
            line=70,
            kernel="allowed_step",
            findings=(),
            suppressed=(ALLOWED,),
            measured_ns_per_token=86_600.0,
        ),
        site(line=75, kernel="known_step", findings=(), known=(COLLAPSE,)),
        site(
            line=80,
            kernel="split_budget",
            behaviour="compensated",
            findings=(),
            blocks={1: 132, 8: 132},
            sm_fill={1: 1.0, 8: 1.0},
            reason="kSplits grows as n_head shrinks",
        ),
        hostile,
        site(line=100, kernel="rms_norm", sharded=(), behaviour="independent", findings=()),
        site(line=110, kernel="argmax", sharded=(), behaviour="constant", findings=()),
        site(line=120, kernel="lost", sharded=(), behaviour="unknown", findings=()),
    )


def compared() -> Listing:
    """Launches held against recordings at 1 and 8 ranks, with every outcome."""
    ranks = (1, 8)
    agreement = Agreement(
        ranks=ranks,
        recordings=((1, "one.parquet"), (8, "eight.parquet")),
        launches=(
            _held("decode_step", "run_decode", (40,), [(96, (96,)), (12, (12,))]),
            _held("rms_norm", "run_norm", (50, 60), [(1, (1,)), (1, (1,))]),
            _held("split|kv", "run_split", (70,), [(132, (128,)), (32, (30, 31, 33, 34))]),
            _held("lost", "", (80,), [(None, ()), (None, (7,))]),
            _held("route<b>", "run_route", (90,), [(5, ()), (5, ())]),
        ),
        unpredicted=(
            UnpredictedBlocks(kernel="split_kv", ranks=1, blocks=128, launches=10),
            UnpredictedBlocks(kernel="split_kv", ranks=8, blocks=30, launches=4),
            UnpredictedBlocks(kernel="split_kv", ranks=8, blocks=31, launches=6),
        ),
        agreeing=4,
        signatures=7,
        communication=186,
        libraries=2,
    )
    return listing(site(), agreement=agreement)


def _held(
    kernel: str,
    function: str,
    lines: tuple[int, ...],
    blocks: list[tuple[int | None, tuple[int, ...]]],
) -> ComparedLaunch:
    outcomes: dict[int, Outcome] = {}
    for ranks, (predicted, recorded) in zip(RANKS, blocks, strict=True):
        if predicted is None:
            outcomes[ranks] = "unknown"
        elif predicted in recorded:
            outcomes[ranks] = "agrees"
        else:
            outcomes[ranks] = "differs" if recorded else "not_recorded"
    return ComparedLaunch(
        kernel=kernel,
        function=function,
        path="csrc/decode.cu",
        lines=lines,
        predicted=dict(zip(RANKS, (one for one, _ in blocks), strict=True)),
        recorded=dict(zip(RANKS, (several for _, several in blocks), strict=True)),
        outcomes=outcomes,
    )
