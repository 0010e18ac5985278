"""Launches with attributes, in CuPy's call shape."""

import ctypes
import gc
import time

import pytest

from geoaudit.errors import NotMeasuredError
from geoaudit.recording import wrap, wrappers
from geoaudit.recording.requests import RequestLog
from geoaudit.recording.suite.arguments import PackedArguments
from geoaudit.recording.suite.driver import CudaDriver, Dimensions
from geoaudit.recording.suite.driver_kernel import DriverKernel
from tests.unit.recording.suite.fake_device import STREAM, FakeLibrary, FakeStream

FUNCTION = 0x7F12_3456_7890
NOTHING = PackedArguments((), lambda use: 0)


def kernel(
    library: FakeLibrary, cluster: Dimensions = (1, 1, 1), *, is_programmatic: bool = False
) -> DriverKernel:
    return DriverKernel(
        CudaDriver(library),
        FUNCTION,
        "norm",
        cluster=cluster,
        is_programmatic=is_programmatic,
    )


def launch(one: DriverKernel, grid: Dimensions = (12, 3, 1), shared_mem: int = 0) -> None:
    one(grid, (128, 1, 1), NOTHING, shared_mem=shared_mem, stream=FakeStream())


def test_a_launch_reaches_the_driver_as_it_was_asked_for() -> None:
    library = FakeLibrary()
    launch(kernel(library), shared_mem=4096)
    (found,) = library.launches
    assert found.function == FUNCTION
    assert (found.grid, found.block) == ((12, 3, 1), (128, 1, 1))
    assert (found.shared_bytes, found.stream, found.attributes) == (4096, STREAM, {})


@pytest.mark.parametrize(
    ("cluster", "is_programmatic", "expected"),
    [
        ((2, 1, 1), False, {4: (2, 1, 1)}),
        ((1, 1, 1), True, {6: (1,)}),
        ((4, 2, 1), True, {4: (4, 2, 1), 6: (1,)}),
    ],
)
def test_attributes_are_those_of_the_shape(
    cluster: Dimensions, is_programmatic: bool, expected: dict[int, tuple[int, ...]]
) -> None:
    library = FakeLibrary()
    one = kernel(library, cluster, is_programmatic=is_programmatic)
    gc.collect()
    launch(one)
    assert library.launches[0].attributes == expected


def test_configurations_are_kept_apart_and_made_once() -> None:
    library = FakeLibrary()
    one = kernel(library)
    seen: list[int] = []
    original = one._driver.launch_kernel

    def noting(configuration: object, *rest: object) -> int:
        seen.append(ctypes.addressof(configuration.contents))  # type: ignore[attr-defined]
        return int(original(configuration, *rest))

    one._driver.launch_kernel = noting
    for grid in ((1, 1, 1), (2, 1, 1), (1, 1, 1)):
        launch(one, grid)
    launch(one, (1, 1, 1), shared_mem=64)
    assert [found.grid[0] for found in library.launches] == [1, 2, 1, 1]
    assert [found.shared_bytes for found in library.launches] == [0, 0, 0, 64]
    assert seen[0] == seen[2]
    assert len(set(seen)) == 3


def test_clusters_beyond_the_portable_size_are_allowed_first() -> None:
    library = FakeLibrary()
    kernel(library, (8, 1, 1))
    assert library.calls == []
    kernel(library, (16, 1, 1))
    assert library.calls == [("cuFuncSetAttribute", FUNCTION, 14, 1)]
    library.status = {"cuFuncSetAttribute": 1}
    with pytest.raises(NotMeasuredError, match="norm: allowing clusters of 16 blocks"):
        kernel(library, (4, 4, 1))


def test_a_refused_launch_names_kernel_and_geometry() -> None:
    library = FakeLibrary(status={"cuLaunchKernelEx": 1})
    with pytest.raises(NotMeasuredError) as refused:
        launch(kernel(library), grid=(0, 1, 1), shared_mem=99)
    for part in ("launching norm", "grid (0, 1, 1)", "block (128, 1, 1)", "INVALID_VALUE (1)"):
        assert part in str(refused.value)


def test_resources_are_the_drivers() -> None:
    library = FakeLibrary()
    one = kernel(library)
    assert (one.num_regs, one.shared_size_bytes) == (40, 10)
    assert one.max_dynamic_shared_size_bytes == 48 << 10
    one.max_dynamic_shared_size_bytes = 100_000
    assert one.max_dynamic_shared_size_bytes == 100_000
    library.status = {"cuFuncSetAttribute": 1}
    with pytest.raises(NotMeasuredError, match="norm: 300,000 bytes of dynamic shared memory"):
        one.max_dynamic_shared_size_bytes = 300_000


def test_a_wrapped_one_is_noted_as_asked_and_launched_as_before() -> None:
    library = FakeLibrary()
    wrapped = wrap(kernel(library), label="rms_norm")
    log = RequestLog(time.monotonic_ns)
    wrappers.start_log(log)
    try:
        wrapped((12, 3, 1), (128, 1, 1), NOTHING, shared_mem=64, stream=FakeStream())
    finally:
        wrappers.stop_log()
    (request,) = log.requests()
    assert (request.label, request.kernel) == ("rms_norm", "norm")
    assert (request.grid, request.block) == ((12, 3, 1), (128, 1, 1))
    assert (request.launched_grid, request.dynamic_shared_bytes) == ((12, 3, 1), 64)
    assert library.launches[0].grid == (12, 3, 1)
