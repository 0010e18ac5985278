"""Evidence as the ranking would build it: real devices, real geometry."""

from dataclasses import replace

from geoaudit.devices.spec import DeviceSpec
from geoaudit.devices.table import find_device
from geoaudit.diagnosis.evidence import Counters, Floor, SignatureEvidence, Timing
from geoaudit.geometry.launch import launch_geometry
from geoaudit.geometry.shape import LaunchShape

H200 = find_device("H200")
B200 = find_device("B200")
GB10 = find_device("GB10")

TIGHT = Timing(
    launches=69,
    median_ns=87_000.0,
    mean_ns=87_000.0,
    std_ns=982.0,
    relative_mad=0.011,
    site_spread=0.002,
    sites=12,
    repetitions=5,
    spread="tight",
)
WIDE = replace(TIGHT, std_ns=26_000.0, relative_mad=0.246, spread="wide")


def evidence(
    blocks: int | None,
    threads: int = 128,
    *,
    device: DeviceSpec | None = H200,
    timing: Timing | None = TIGHT,
    registers: int | None = 32,
    shared_bytes: int = 0,
) -> SignatureEvidence:
    """One launch of an own kernel with ``blocks`` x ``threads``."""
    shape = LaunchShape(
        grid=None if blocks is None else (blocks, 1, 1),
        block=(threads, 1, 1),
        registers_per_thread=registers,
        static_shared_bytes=0,
        dynamic_shared_bytes=shared_bytes,
    )
    return SignatureEvidence(
        kernel="kda_decode_step(float*)",
        owner="own",
        shape=shape,
        geometry=launch_geometry(shape, device),
        device=device,
        timing=timing,
    )


def clustered(
    blocks: int, threads: int, *, active: int | None, registers: int | None = 32
) -> SignatureEvidence:
    """The same in clusters of four blocks, of which the H200 holds ``active`` at once."""
    plain = evidence(blocks, threads, registers=registers)
    shape = replace(plain.shape, cluster=(4, 1, 1), max_active_clusters=active)
    return replace(plain, shape=shape, geometry=launch_geometry(shape, H200))


COPY = 4.17e12


def with_floor(
    case: SignatureEvidence, floor_ns: float, *, touched_bytes: float | None = None
) -> SignatureEvidence:
    """The same with compulsory bytes that a copy moves in ``floor_ns``."""
    floor = Floor(
        floor_ns=floor_ns,
        launch_floor_ns=704.0,
        floor_ratio=None if case.timing is None else case.timing.median_ns / floor_ns,
        bytes=floor_ns * 1e-9 * COPY,
        bytes_source="compulsory",
        bandwidth_bytes_per_second=COPY,
        is_measured=True,
        launch_floor_is_measured=True,
        touched_bytes=touched_bytes,
    )
    return replace(case, floor=floor)


def with_counters(
    case: SignatureEvidence,
    *,
    sm_active: float | None = None,
    compute: float | None = None,
    dram_bytes: float | None = None,
) -> SignatureEvidence:
    """The same, counted, with a floor far below its time."""
    counters = Counters(
        dram_bytes=dram_bytes, sm_active_fraction=sm_active, sm_throughput_fraction=compute
    )
    return replace(with_floor(case, 1_000.0), counters=counters)
