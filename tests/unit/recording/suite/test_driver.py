"""The driver's structures as cuda.h has them, and what is said of its refusals."""

import ctypes
import subprocess
from pathlib import Path

import pytest

from geoaudit.errors import NotMeasuredError
from geoaudit.recording.suite import driver
from geoaudit.recording.suite.driver import Attribute, CudaDriver, LaunchConfiguration
from hatch_build import c_compiler, header_folders
from tests.unit.recording.suite.fake_device import EXECUTABLE, GRAPH, STREAM, FakeLibrary

# What cuda.h is asked for, and what ours is.
ASKED = {
    "sizeof(CUlaunchConfig)": ctypes.sizeof(LaunchConfiguration),
    "offsetof(CUlaunchConfig, blockDimX)": LaunchConfiguration.block.offset,
    "offsetof(CUlaunchConfig, sharedMemBytes)": LaunchConfiguration.shared_bytes.offset,
    "offsetof(CUlaunchConfig, hStream)": LaunchConfiguration.stream.offset,
    "offsetof(CUlaunchConfig, attrs)": LaunchConfiguration.attributes.offset,
    "offsetof(CUlaunchConfig, numAttrs)": LaunchConfiguration.attribute_count.offset,
    "sizeof(CUlaunchAttribute)": ctypes.sizeof(Attribute),
    "offsetof(CUlaunchAttribute, value)": Attribute.value.offset,
    "CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION": driver.CLUSTER_DIMENSION,
    "CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION": (
        driver.PROGRAMMATIC_STREAM_SERIALIZATION
    ),
    "CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES": driver.SHARED_SIZE_BYTES,
    "CU_FUNC_ATTRIBUTE_NUM_REGS": driver.REGISTERS,
    "CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES": driver.MAX_DYNAMIC_SHARED_SIZE_BYTES,
    "CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED": (
        driver.NON_PORTABLE_CLUSTER_SIZE_ALLOWED
    ),
    "CU_STREAM_CAPTURE_MODE_THREAD_LOCAL": driver.CAPTURE_THREAD_LOCAL,
    "CUDA_ERROR_INVALID_VALUE": driver.INVALID_VALUE,
}


def test_structures_and_numbers_are_those_of_the_header(tmp_path: Path) -> None:
    compiler, folders = c_compiler(), header_folders()
    if compiler is None or folders is None:
        pytest.skip("no C compiler, or the wheels with CUDA's headers are not installed")
    lines = "".join(f'printf("%zu\\n", (size_t)({asked}));\n' for asked in ASKED)
    source = tmp_path / "ask.c"
    source.write_text(
        "#include <cuda.h>\n#include <stddef.h>\n#include <stdio.h>\n"
        f"int main(void) {{ {lines} return 0; }}\n"
    )
    includes = [f"-I{folder}" for folder in folders]
    program = tmp_path / "ask"
    subprocess.run([*compiler, *includes, "-o", program, source], check=True)
    answer = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    assert dict(zip(ASKED, map(int, answer.split()), strict=True)) == ASKED


def test_a_refusal_names_the_drivers_error() -> None:
    library = FakeLibrary(status={"cuStreamSynchronize": 700})
    with pytest.raises(NotMeasuredError, match=r"compute-sanitizer.*ILLEGAL_ADDRESS \(700\)"):
        CudaDriver(library).synchronize(STREAM)
    library.status = {"cuStreamSynchronize": 12345}
    with pytest.raises(NotMeasuredError, match="error 12345"):
        CudaDriver(library).synchronize(STREAM)


def test_an_old_driver_and_a_missing_one_say_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(NotMeasuredError, match="older than CUDA 12"):
        CudaDriver(object())
    monkeypatch.setattr(driver, "LIBRARY", "libcuda-that-is-not-there.so.1")
    with pytest.raises(NotMeasuredError, match=r"no CUDA driver here: .*not-there"):
        CudaDriver()


def test_parameters_are_told_where_the_driver_can() -> None:
    class OfCuda120:
        cuLaunchKernelEx = None

    library = FakeLibrary(parameters={5: (8, 4, 1), 6: ()})
    assert CudaDriver(library).parameter_sizes(5) == (8, 4, 1)
    assert CudaDriver(library).parameter_sizes(6) == ()
    # An error of an earlier launch says nothing about parameters.
    assert CudaDriver(library).parameter_sizes(7) is None
    assert CudaDriver(OfCuda120()).parameter_sizes(5) is None


def test_a_graph_that_cannot_be_made_is_destroyed_all_the_same() -> None:
    library = FakeLibrary(status={"cuGraphInstantiate": 1})
    with pytest.raises(NotMeasuredError, match="making a CUDA graph"):
        CudaDriver(library).instantiate(GRAPH)
    assert library.calls[-1] == ("cuGraphDestroy", GRAPH)


def test_a_graph_is_captured_launched_and_destroyed() -> None:
    library = FakeLibrary()
    cuda = CudaDriver(library)
    cuda.begin_capture(STREAM)
    executable = cuda.instantiate(cuda.end_capture(STREAM))
    cuda.launch_graph(executable, STREAM)
    cuda.destroy_graph(executable)
    assert library.calls == [
        ("cuStreamBeginCapture", STREAM, driver.CAPTURE_THREAD_LOCAL),
        ("cuStreamEndCapture", STREAM),
        ("cuGraphInstantiate", GRAPH, 0),
        ("cuGraphDestroy", GRAPH),
        ("cuGraphLaunch", EXECUTABLE, STREAM),
        ("cuGraphExecDestroy", EXECUTABLE),
    ]
