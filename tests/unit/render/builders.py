"""Audits made of plain values: a small decode token on an H200, and ways to change it."""

from dataclasses import replace

from geoaudit.devices.spec import DeviceSpec
from geoaudit.diagnosis.evidence import SignatureEvidence, Timing
from geoaudit.diagnosis.finding import Confidence, Finding, Verdict, VerdictName
from geoaudit.geometry.shape import Dim3, LaunchGeometry, LaunchShape, Limiter
from geoaudit.launches.interventions import BlockCount, Intervention
from geoaudit.ranking.audit import (
    Audit,
    AuditedDevice,
    AuditHeader,
    AuditRow,
    AuditTotals,
    DistanceAccount,
    DistanceStep,
    StepClassSummary,
    TimelineLaunch,
)

HOSTILE_NAMES = (
    "</td><script>alert(1)</script>",
    "red\x1b[31m\x1b]0;title\x07\x9b2J",
    "[red]x[/red] [link=https://example.org]y[/link] :smile:",
    '=HYPERLINK("https://example.org")',
    "k" * 5000,
    "a\u202eb\u2066c\u200bd\ufeff",
    "pipe|tick`back\\|slash\nsecond line\r\t*bold* <b> @someone",
    "{{ 7 * 7 }}{% raw %}",
    "lone\ud800surrogate",
    "核函数" * 40,
    "'quoted\" & <&amp;>",
    "]]></style><!--",
    "",
)

H200 = DeviceSpec(
    name="NVIDIA H200",
    vendor="nvidia",
    architecture="9.0",
    sm_count=132,
    sm_count_source="the profile: deviceProperties.numSms",
    threads_per_warp=32,
    max_threads_per_block=1024,
    max_threads_per_sm=2048,
    max_warps_per_sm=64,
    max_blocks_per_sm=32,
    registers_per_sm=65536,
    registers_per_block=65536,
    max_registers_per_thread=255,
    register_allocation_unit=256,
    warp_allocation_granularity=4,
    shared_bytes_per_sm=233472,
    shared_bytes_per_block=49152,
    shared_bytes_per_block_optin=232448,
    shared_bytes_reserved_per_block=1024,
    shared_allocation_unit_bytes=128,
)


def timing(median_ns: float, *, launches: int = 120, relative_mad: float = 0.011) -> Timing:
    return Timing(
        launches=launches,
        median_ns=median_ns,
        mean_ns=median_ns * 1.01,
        std_ns=median_ns * 0.0113,
        relative_mad=relative_mad,
        site_spread=0.02,
        sites=10,
        repetitions=12,
        overlapped_fraction=0.0,
    )


def geometry(
    blocks: int, *, resident: int = 4, limiter: Limiter = "registers", threads: int = 128
) -> LaunchGeometry:
    waves = blocks / (resident * 132)
    return LaunchGeometry(
        grid_blocks=blocks,
        block_threads=threads,
        sm_fill=min(1.0, blocks / 132),
        resident_blocks_per_sm=resident,
        limiter=limiter,
        limiters=(limiter,),
        theoretical_occupancy=resident * threads / 2048,
        waves=waves,
        full_waves=int(waves),
        tail_blocks=blocks % (resident * 132),
        wave_efficiency=waves / max(-(-blocks // (resident * 132)), 1),
        slot_fill=min(1.0, waves),
        thread_fill=min(1.0, waves) * resident * threads / 2048,
    )


def verdict(name: VerdictName = "starved", confidence: Confidence | None = "suspected") -> Verdict:
    return Verdict(
        name=name,
        confidence=None if name == "inconclusive" else confidence,
        reason="12 of 132 SMs hold a block (9.1 %), spread 1.1 %",
        ruled_out=("contention: a spread of 1.1 % is tight",),
        would_decide="the same launch with 4 times the blocks",
    )


def row(
    rank: int = 1,
    *,
    kernel: str = "void kda_decode_step<float, 128>(float const*, float*, int)",
    kernel_short: str = "kda_decode_step<float, 128>",
    grid: Dim3 = (12, 1, 1),
    median_ns: float = 86_600.0,
    calls: float = 4.0,
    verdict_name: VerdictName = "starved",
) -> AuditRow:
    blocks = grid[0] * grid[1] * grid[2]
    figures = geometry(blocks)
    time_ns = median_ns * calls
    wasted_ns = time_ns * (1 - (figures.sm_fill or 0.0))
    starved = blocks < 66
    shape = LaunchShape(
        grid=grid,
        block=(128, 1, 1),
        cluster=(1, 1, 1),
        registers_per_thread=96,
        static_shared_bytes=0,
        dynamic_shared_bytes=16384,
        shared_bytes=16384,
    )
    return AuditRow(
        rank=rank,
        kernel=kernel,
        kernel_short=kernel_short,
        owner="own",
        device=0,
        shape=shape,
        signatures=1,
        positions=(3, 17),
        calls_per_token=calls,
        time_per_token_ns=time_ns,
        time_fraction=time_ns / 2_000_000,
        timing=timing(median_ns),
        geometry=figures,
        wasted_sm_time_per_token_ns=wasted_ns,
        wasted_fraction=wasted_ns / 2_000_000,
        verdict=verdict(verdict_name),
        evidence=SignatureEvidence(
            kernel=kernel,
            owner="own",
            shape=shape,
            geometry=figures,
            device=None,
            timing=timing(median_ns),
        ),
        findings=(finding("GA101", kernel=kernel),) if starved else (),
    )


def bare_row(rank: int = 1) -> AuditRow:
    """A row of which nothing is known but its name and count."""
    return AuditRow(
        rank=rank,
        kernel="void opaque()",
        kernel_short="opaque",
        owner="own",
        device=0,
        shape=LaunchShape(grid=None, block=None),
        signatures=1,
        positions=(),
        calls_per_token=1.0,
        time_per_token_ns=None,
        time_fraction=None,
        timing=None,
        geometry=LaunchGeometry(),
        wasted_sm_time_per_token_ns=None,
        wasted_fraction=None,
        verdict=verdict("inconclusive"),
        evidence=SignatureEvidence(
            kernel="void opaque()",
            owner="own",
            shape=LaunchShape(grid=None, block=None),
            geometry=LaunchGeometry(),
            device=None,
            timing=None,
        ),
        findings=(),
    )


def finding(rule_id: str = "GA101", *, kernel: str | None = None) -> Finding:
    return Finding(
        rule_id=rule_id,
        rule_name="grid-smaller-than-device" if kernel else "dropped-records",
        severity="warning",
        message="12 blocks on 132 SMs leave 90.9 % of them empty",
        kernel=kernel,
    )


def rows() -> tuple[AuditRow, ...]:
    return (
        row(1),
        row(
            2,
            kernel="void rms_norm_kernel<__nv_bfloat16, 7168>(void*, void const*, float)",
            kernel_short="rms_norm_kernel<__nv_bfloat16, 7168>",
            grid=(1, 1, 1),
            median_ns=2_560.0,
            calls=65.0,
        ),
        row(
            3,
            kernel="void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_relu_64x64_64x6_tn>",
            kernel_short="Kernel2<cutlass_80_tensorop_bf16_s16816gemm_relu_64x64_64x6_tn_align8>",
            grid=(28, 2, 9),
            median_ns=14_300.0,
            calls=32.5,
            verdict_name="occupancy_limited",
        ),
        row(
            4,
            kernel="void attention_merge(float*)",
            kernel_short="attention_merge",
            grid=(32, 4, 5),
            median_ns=31_000.0,
            calls=2.0,
            verdict_name="tail",
        ),
    )


def communication_row() -> AuditRow:
    one = row(
        1,
        kernel="ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
        kernel_short="ncclDevKernel_AllReduce_Sum_bf16_RING_LL",
        grid=(8, 1, 1),
        median_ns=21_000.0,
        calls=16.0,
        verdict_name="communication",
    )
    return replace(one, owner="nccl", findings=())


def timeline(launches: int = 24) -> tuple[TimelineLaunch, ...]:
    names = [
        ("kda_decode_step<float, 128>", 86_600, 12 / 132, 1),
        ("rms_norm_kernel<__nv_bfloat16, 7168>", 2_560, 1 / 132, 2),
        ("Kernel2<cutlass_80_tensorop_bf16_s16816gemm_relu_64x64_64x6_tn_align8>", 14_300, 1.0, 3),
        ("attention_merge", 31_000, 1.0, 4),
        ("ncclDevKernel_AllReduce_Sum_bf16_RING_LL", 21_000, 8 / 132, 1),
        ("opaque", 9_000, None, None),
    ]
    result = []
    start_ns = 0
    for index in range(launches):
        name, duration_ns, fill, rank = names[index % len(names)]
        result.append(
            TimelineLaunch(
                kernel_short=name,
                start_ns=start_ns,
                duration_ns=duration_ns,
                sm_fill=fill,
                row_rank=rank,
            )
        )
        start_ns += duration_ns + 4_000
    return tuple(result)


def header() -> AuditHeader:
    return AuditHeader(
        source_format="kineto",
        source_name="decode.json.gz",
        instrument="kineto",
        devices=(
            AuditedDevice(
                index=0,
                name="NVIDIA H200",
                spec=H200,
                usable_sms=132,
                sm_count_source=H200.sm_count_source,
            ),
        ),
        tokens=12,
        token_rule="one token per range decode_token",
        step_class="decode",
        step_classes=(
            StepClassSummary(
                name="decode",
                steps=13,
                complete_steps=12,
                launches_per_step=120,
                wall_time_per_step_ns=4_180_000.0,
                chosen=True,
            ),
            StepClassSummary(
                name="prefill",
                steps=1,
                complete_steps=1,
                launches_per_step=131,
                wall_time_per_step_ns=12_300_000.0,
                chosen=False,
            ),
        ),
        launches=1691,
        audited_launches=1440,
        untimed=0,
        dropped=None,
        launches_seen=None,
        geometry_unknown_fraction=0.012,
        partial=False,
        replayed=False,
        recorded_on=None,
    )


def totals() -> AuditTotals:
    return AuditTotals(
        wall_time_per_token_ns=4_180_000.0,
        kernel_time_per_token_ns=2_000_000.0,
        copy_time_per_token_ns=50_000.0,
        gap_time_per_token_ns=2_130_000.0,
        wasted_sm_time_per_token_ns=792_000.0,
        wasted_without_communication_per_token_ns=480_000.0,
        kernel_time_without_communication_per_token_ns=1_664_000.0,
        wall_time_tokens=11,
        wall_time_min_ns=4_100_000.0,
        wall_time_median_ns=4_170_000.0,
        wall_time_max_ns=4_300_000.0,
    )


def audit() -> Audit:
    return Audit(
        header=header(),
        totals=totals(),
        rows=rows(),
        communication_rows=(communication_row(),),
        hidden_rows=12,
        filtered_rows=0,
        recording_findings=(),
        timeline=timeline(),
        pictured_token=4,
        pictured_wall_ns=900_000.0,
    )


def replayed_audit() -> Audit:
    base = audit()
    return replace(
        base,
        header=replace(base.header, replayed=True, recorded_on="2026-11-29"),
        recording_findings=(finding("GA905"),),
    )


def trace_audit() -> Audit:
    """No tokens, a cut source, dropped records, sources that disagree."""
    base = audit()
    device = replace(
        base.header.devices[0],
        disagreements=("the profile says 114 SMs, the device table 132 for NVIDIA H200",),
    )
    changed = replace(
        base.header,
        devices=(device,),
        tokens=None,
        token_rule="no period of the launch sequence is convincing",
        step_class=None,
        step_classes=(),
        partial=True,
        dropped=311,
        launches_seen=2002,
        untimed=5,
        geometry_unknown_fraction=0.31,
        warnings=("two processes share the device",),
    )
    return replace(
        base,
        header=changed,
        totals=replace(
            base.totals,
            wall_time_tokens=None,
            wall_time_min_ns=None,
            wall_time_median_ns=None,
            wall_time_max_ns=None,
        ),
        recording_findings=(finding("GA901"),),
        pictured_token=None,
        pictured_wall_ns=None,
    )


def uneven_audit() -> Audit:
    """Tokens that differ much, most of their time in gaps, and copies of few launches."""
    changed = replace(
        totals(),
        wall_time_per_token_ns=34_900_000.0,
        gap_time_per_token_ns=32_850_000.0,
        wall_time_tokens=11,
        wall_time_min_ns=6_660_000.0,
        wall_time_median_ns=41_400_000.0,
        wall_time_max_ns=55_000_000.0,
    )
    return replace(audit(), totals=changed, filtered_rows=41)


def untimed_starts_audit() -> Audit:
    """Durations without starts, as Nsight Compute records them, on a device of bare SM count."""
    bare = AuditTotals(
        wall_time_per_token_ns=None,
        kernel_time_per_token_ns=162_000.0,
        copy_time_per_token_ns=None,
        gap_time_per_token_ns=None,
        wasted_sm_time_per_token_ns=26_800.0,
        wasted_without_communication_per_token_ns=26_800.0,
        kernel_time_without_communication_per_token_ns=162_000.0,
    )
    devices = tuple(
        AuditedDevice(
            index=index, name="Mystery GPU", spec=None, usable_sms=132, sm_count_source="--sms"
        )
        for index in (0, 1)
    )
    return replace(
        audit(),
        header=replace(header(), devices=devices, tokens=7, step_class=None, step_classes=()),
        totals=bare,
        timeline=(),
        pictured_token=None,
        pictured_wall_ns=None,
    )


def joined_audit() -> Audit:
    """Rows that join signatures, and a limit that two resources share."""
    first, *others = rows()
    tied = replace(first.geometry, limiters=("registers", "shared_memory"))
    joined = replace(first, signatures=3, geometry=tied)
    return replace(audit(), rows=(joined, *others), group="kernel")


def unknown_audit() -> Audit:
    """A recording of which nothing that could be left out is known."""
    base = audit()
    return replace(
        base,
        header=replace(
            base.header,
            devices=(AuditedDevice(index=0, name="Mystery GPU", spec=None),),
        ),
        totals=AuditTotals(
            wall_time_per_token_ns=None,
            kernel_time_per_token_ns=None,
            copy_time_per_token_ns=None,
            gap_time_per_token_ns=None,
            wasted_sm_time_per_token_ns=None,
            wasted_without_communication_per_token_ns=None,
        ),
        rows=(bare_row(),),
        communication_rows=(),
        hidden_rows=0,
        filtered_rows=0,
        timeline=(),
    )


def empty_audit() -> Audit:
    return replace(unknown_audit(), rows=(), header=replace(header(), devices=()))


def distance_audit() -> Audit:
    account = DistanceAccount(
        measured_ns=4_180_000.0,
        target_ns=3_000_000.0,
        distance_ns=1_180_000.0,
        steps=(
            DistanceStep(
                kernel_short="kda_decode_step<float, 128>",
                ceiling_ns=314_909.0,
                cumulative_ns=314_909.0,
                cumulative_fraction=0.2669,
            ),
            DistanceStep(
                kernel_short="rms_norm_kernel<__nv_bfloat16, 7168>",
                ceiling_ns=165_139.0,
                cumulative_ns=480_048.0,
                cumulative_fraction=0.4068,
            ),
        ),
    )
    return replace(audit(), distance=account)


def tried_audit() -> Audit:
    """A kernel that was repeated alone and under two other launch shapes."""
    first, *others = rows()
    shape = replace(first.shape, dynamic_shared_bytes=0)
    assert shape.grid is not None
    assert shape.block is not None
    done = Intervention(
        kernel_short=first.kernel_short,
        grid=shape.grid,
        block=shape.block,
        dynamic_shared_bytes=0,
        position=1,
        alone_ns=(20_320,) * 10,
        in_situ_ns=(20_400,) * 10,
        sweep=(
            BlockCount(
                setting="TILE=8",
                grid_blocks=192,
                block_threads=256,
                durations_ns=(2_032,) * 10,
                kernel_short=first.kernel_short,
            ),
            BlockCount(
                setting="WIDE=1",
                grid_blocks=12,
                block_threads=1024,
                durations_ns=(25_400,) * 10,
                kernel_short="kda_wide",
            ),
        ),
        device=first.device,
    )
    evidence = replace(first.evidence, interventions=(done,))
    return replace(audit(), rows=(replace(first, shape=shape, evidence=evidence), *others))


def hostile_audit() -> Audit:
    """Every hostile name in every place that shows a foreign text."""
    base = trace_audit()
    hostile = tuple(
        replace(row(index), kernel=name, kernel_short=name, owner=name, findings=(_said(name),))
        for index, name in enumerate(HOSTILE_NAMES, start=1)
    )
    launches = tuple(
        replace(launch, kernel_short=name, row_rank=index)
        for index, (launch, name) in enumerate(
            zip(timeline(len(HOSTILE_NAMES)), HOSTILE_NAMES, strict=True), start=1
        )
    )
    text = " ".join(HOSTILE_NAMES)
    device = AuditedDevice(index=0, name=text, spec=H200, disagreements=(text,))
    changed = replace(
        base.header,
        devices=(device,),
        source_name=text,
        source_format=text,
        token_rule=text,
        warnings=HOSTILE_NAMES,
        recorded_on=text,
        replayed=True,
        step_classes=tuple(replace(one, name=text) for one in header().step_classes),
    )
    step = DistanceStep(
        kernel_short=text, ceiling_ns=1.0, cumulative_ns=1.0, cumulative_fraction=0.5
    )
    account = DistanceAccount(measured_ns=2.0, target_ns=1.0, distance_ns=1.0, steps=(step,))
    return replace(
        base,
        header=changed,
        rows=hostile,
        communication_rows=hostile,
        recording_findings=tuple(_said(name) for name in HOSTILE_NAMES),
        timeline=launches,
        distance=account,
    )


def _said(name: str) -> Finding:
    return replace(finding("GA902"), message=f"grid of {name} is unknown", kernel=name)
