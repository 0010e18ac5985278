"""What is launched to see what a device does at best."""

from dataclasses import dataclass
from pathlib import Path

from geoaudit.manifest.location import Location
from geoaudit.manifest.planned import Module, ModuleKey, Scalar
from geoaudit.recording.suite.arguments import PackedArguments
from geoaudit.recording.suite.driver_kernel import DriverKernel
from geoaudit.recording.suite.runtime import Runtime

EMPTY, LINK, WALK = "geoaudit_empty", "geoaudit_link", "geoaudit_walk"
SOURCE = Path(__file__).with_name("probes.cu")
MODULE = Module(
    key=ModuleKey(kind="source", file=str(SOURCE), options=("-std=c++17",), defines=()),
    entries=(EMPTY, LINK, WALK),
)

MOST_COPY_BYTES = 1 << 30
LEAST_COPY_BYTES = 64 << 20
COPIES = 40
"""Enough for the clocks to rise: 20 ms on an H200."""

EMPTY_LAUNCHES = 200
REPLAYS = 2
LINE_BYTES = 128
WALK_STEPS = 4096

_HERE = Location(file=str(SOURCE), line=0, key="")


@dataclass(frozen=True, kw_only=True)
class Probes:
    """What was launched. None: the device has not so much free memory, or its L2 is unknown.

    Attributes:
        copy_bytes: of each copy on the device.
        walk_steps: dependent loads of one thread, none of which a cache holds.
    """

    copy_bytes: int | None
    walk_steps: int | None


def launch_probes(runtime: Runtime, l2_bytes: int | None) -> Probes:
    """Launch all of them, and wait.

    The lines that are walked along are written first, at the beginning of what the copies read:
    whole copies lie between, so that no cache holds them any more.

    Args:
        runtime: of the device.
        l2_bytes: the device's L2 cache; None: unknown.

    Raises:
        NotMeasuredError: the driver refuses.
    """
    handles = runtime.load(MODULE)
    kernels = {entry: DriverKernel(runtime.driver, handles[entry], entry) for entry in handles}
    copy_bytes = _copy_bytes(runtime)
    walked = None if copy_bytes is None else _walked_bytes(l2_bytes, copy_bytes)
    if copy_bytes is not None:
        source, target = runtime.allocate(copy_bytes), runtime.allocate(copy_bytes)
        if walked is not None:
            lines = _numbers(source.ptr, walked // LINE_BYTES)
            kernels[LINK]((1024, 1, 1), (256, 1, 1), lines, stream=runtime.stream)
        for _ in range(COPIES):
            runtime.driver.copy(target.ptr, source.ptr, copy_bytes, runtime.stream.ptr)
        if walked is not None:
            walk = _numbers(source.ptr, target.ptr, WALK_STEPS)
            kernels[WALK]((1, 1, 1), (1, 1, 1), walk, stream=runtime.stream)
        # Before the memory goes.
        runtime.driver.synchronize(runtime.stream.ptr)
    _launch_empty(runtime, kernels[EMPTY])
    return Probes(copy_bytes=copy_bytes, walk_steps=None if walked is None else WALK_STEPS)


def _launch_empty(runtime: Runtime, kernel: DriverKernel) -> None:
    driver, stream, nothing = runtime.driver, runtime.stream, _numbers()

    def launch_all() -> None:
        for _ in range(EMPTY_LAUNCHES):
            kernel((1, 1, 1), (32, 1, 1), nothing, stream=stream)

    launch_all()
    driver.synchronize(stream.ptr)
    driver.begin_capture(stream.ptr)
    launch_all()
    executable = driver.instantiate(driver.end_capture(stream.ptr))
    for _ in range(REPLAYS):
        driver.launch_graph(executable, stream.ptr)
    driver.synchronize(stream.ptr)
    driver.destroy_graph(executable)


def _copy_bytes(runtime: Runtime) -> int | None:
    """Bytes of a copy: far more than any cache, and at most half of what is free for both ends."""
    size = min(MOST_COPY_BYTES, runtime.free_bytes() // 4) // LINE_BYTES * LINE_BYTES
    return size if size >= LEAST_COPY_BYTES else None


def _walked_bytes(l2_bytes: int | None, copy_bytes: int) -> int | None:
    """A power of two above four times the L2; None where less than as much is copied after it."""
    if not l2_bytes:
        return None
    size = 1 << (4 * l2_bytes).bit_length()
    return size if 2 * size <= copy_bytes else None


def _numbers(*values: int) -> PackedArguments:
    scalars = [Scalar(dtype="u64", value=value, formula=None, location=_HERE) for value in values]
    return PackedArguments(scalars, lambda use: 0)
