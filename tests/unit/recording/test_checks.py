from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geoaudit.errors import NotMeasuredError
from geoaudit.recording import runner
from geoaudit.recording.checks import sentences
from geoaudit.recording.checks.check import Check
from geoaudit.recording.checks.cupti_versions import cuda_of_cupti
from geoaudit.recording.checks.judge import WITHOUT_GPU, judge, verdict
from geoaudit.recording.checks.machine import (
    Cupti,
    Device,
    Disk,
    Driver,
    Machine,
    Recorder,
    Sharing,
    Tool,
)
from geoaudit.recording.checks.variables import is_watched, tool_of_library
from tests.unit.recording.machines import DRIVER, H200, NO_GPU, NO_LIBRARY, cupti, machine


def named(name: str, **changes: object) -> list[Check]:
    return [check for check in judge(machine(**changes)) if check.name == name]


def only(name: str, **changes: object) -> Check:
    (check,) = named(name, **changes)
    return check


def stopping(**changes: object) -> list[str]:
    return [check.name for check in judge(machine(**changes)) if check.stops_recording]


def test_nothing_stops_a_sound_machine() -> None:
    checks = judge(machine())
    assert {check.status for check in checks} == {"ok", "not here"}
    assert verdict(checks) == "Nothing stops a recording: geoaudit scan -- COMMAND."
    assert only("devices").found == "NVIDIA H200 (compute capability 9.0, 132 SMs)"
    assert only("CUDA driver").found == "it runs CUDA up to 13.0."


def test_devices_of_a_kind_are_counted() -> None:
    driver = Driver(init_result=0, cuda=(13, 0), devices=(H200,) * 8)
    assert only("devices", driver=driver).found.startswith("8 × NVIDIA H200 (")


def test_without_a_gpu_the_devices_stop_it_and_the_verdict_says_what_works() -> None:
    checks = judge(machine(driver=NO_GPU))
    assert [check.name for check in checks if check.stops_recording] == ["devices"]
    assert only("CUDA driver", driver=NO_GPU).status == "not here"
    assert all(command in verdict(checks) for command in WITHOUT_GPU)


def test_a_driver_missing_beside_its_device_files_is_the_problem() -> None:
    driver = Driver(error=NO_LIBRARY, nodes=("/dev/nvidia0",))
    assert stopping(driver=driver) == ["CUDA driver"]
    assert "ldconfig" in only("CUDA driver", driver=driver).remedy
    environment = {"NVIDIA_DRIVER_CAPABILITIES": "utility"}
    assert "compute,utility" in only("CUDA driver", driver=driver, environment=environment).remedy


@pytest.mark.parametrize(
    ("result", "name", "remedy"),
    [
        (802, "CUDA_ERROR_SYSTEM_NOT_READY", "fabricmanager"),
        (803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH", "Restart"),
        (34, "CUDA_ERROR_STUB_LIBRARY", "stubs"),
        (805, "CUDA_ERROR_MPS_CONNECTION_FAILED", "CUDA_MPS_PIPE_DIRECTORY"),
        (4711, None, "dmesg"),
    ],
)
def test_a_driver_that_does_not_start_says_why(result: int, name: str | None, remedy: str) -> None:
    driver = Driver(init_result=result, init_name=name, cuda=(13, 0), nodes=("/dev/nvidia0",))
    check = only("CUDA driver", driver=driver)
    assert (check.status, remedy in check.remedy) == ("problem", True)
    assert f"({result})" in check.found
    assert only("devices", driver=driver).status == "not here"


@pytest.mark.parametrize(
    ("changes", "found", "remedy"),
    [
        ({"environment": {"CUDA_VISIBLE_DEVICES": ""}}, "CUDA_VISIBLE_DEVICES is ''", "Unset"),
        ({"container": "Docker"}, "in this container (Docker)", "--gpus all"),
        ({}, "no CUDA device.", "with an NVIDIA GPU"),
    ],
)
def test_no_device_says_what_hides_it(changes: dict[str, object], found: str, remedy: str) -> None:
    driver = Driver(init_result=100, cuda=(13, 0), nodes=("/dev/nvidia0",))
    check = only("devices", driver=driver, **changes)
    assert check.stops_recording
    assert found in check.found
    assert remedy in check.remedy


def test_device_files_that_may_not_be_opened_are_named() -> None:
    nodes = ("/dev/nvidia0",)
    driver = Driver(init_result=100, nodes=nodes, closed_nodes=nodes)
    assert "may not open /dev/nvidia0" in only("devices", driver=driver).found


def test_the_recorder_is_built_and_loads() -> None:
    unbuilt = Recorder(path="/x.so", is_built=False)
    assert only("recorder", recorder=unbuilt).found == sentences.NO_RECORDER
    broken = Recorder(path="/x.so", is_built=True, error="wrong ELF class")
    assert "wrong ELF class" in only("recorder", recorder=broken).found
    assert stopping(recorder=broken) == ["recorder"]
    assert "Linux only" in only("recorder", platform="darwin").found


def test_the_first_cupti_that_loads_is_used() -> None:
    broken, sound = cupti(None, "no such file", "/a/libcupti.so.13"), cupti(28)
    checks = named("CUPTI", cupti=(broken, sound))
    assert checks[0].found == ("would be used: CUDA 12.9, /venv/nvidia/lib/libcupti.so.28 (wheel).")
    assert only("CUPTI, another", cupti=(broken, sound)).found.startswith("not used: /a/libcupti")


def test_no_cupti_stops_it() -> None:
    assert only("CUPTI", cupti=()).found == sentences.NO_CUPTI
    broken = cupti(None, "undefined symbol")
    assert "undefined symbol" in only("CUPTI", cupti=(broken,)).found
    assert stopping(cupti=(broken,)) == stopping(cupti=()) == ["CUPTI"]


@pytest.mark.parametrize(
    ("api_version", "driver", "status"),
    [
        (18, (13, 0), "problem"),  # CUDA 11.8
        (19, (13, 0), "ok"),
        (28, (12, 9), "ok"),
        (28, (12, 4), "warning"),
        (130001, (13, 0), "ok"),
        (130100, (13, 0), "warning"),
        (130001, (12, 9), "problem"),
        (130001, None, "ok"),
        (7, (13, 0), "problem"),
    ],
)
def test_cupti_against_the_driver(
    api_version: int, driver: tuple[int, int] | None, status: str
) -> None:
    known = Driver(init_result=0, cuda=driver, devices=(H200,))
    assert only("CUPTI", driver=known, cupti=(cupti(api_version),)).status == status


def test_an_older_cupti_is_named_for_an_older_driver() -> None:
    driver = Driver(init_result=0, cuda=(12, 4), devices=(H200,))
    assert "(nvidia-cuda-cupti-cu12==12.4.*)" in only("CUPTI", driver=driver).remedy
    too_old = Driver(init_result=0, cuda=(11, 8), devices=(H200,))
    assert only("CUPTI", driver=too_old).remedy.startswith("Update the driver")


@given(st.integers(13, 28), st.integers(13, 28))
def test_cuda_grows_with_the_api_version(one: int, other: int) -> None:
    low, high = cuda_of_cupti(min(one, other)), cuda_of_cupti(max(one, other))
    assert low is not None
    assert high is not None
    assert low <= high


@pytest.mark.parametrize(
    "environment",
    [
        {"CUDA_INJECTION64_PATH": "/opt/nvidia/nsight-systems/libToolsInjection64.so"},
        {"LD_PRELOAD": "/opt/x/libm.so:/opt/nsight-compute/libTreeLauncherTargetInjection.so"},
        {"LD_PRELOAD": "/cuda/compute-sanitizer/libsanitizer-collection.so"},
        {"NSYS_PROFILING_SESSION_ID": "17"},
    ],
)
def test_a_taken_slot_stops_it(environment: dict[str, str]) -> None:
    assert stopping(environment=environment) == ["injection slot"]


@pytest.mark.parametrize(
    "environment",
    [
        {"LD_PRELOAD": "/usr/lib/libncurses.so /usr/lib/libtcmalloc.so"},
        {"CUDA_INJECTION64_PATH": ""},
        {"NSYS_HOME": "/opt/nvidia/nsight-systems"},
    ],
)
def test_what_takes_no_slot_stops_nothing(environment: dict[str, str]) -> None:
    assert only("injection slot", environment=environment).found == "it is free."


def test_variables_of_a_profiler_are_a_warning() -> None:
    check = only("profiler variables", environment={"NV_SANITIZER_INJECTION_PORT_BASE": "1"})
    assert (check.status, "compute-sanitizer" in check.found) == ("warning", True)


@pytest.mark.parametrize(
    ("library", "status"), [("/x.so", "ok"), ("/a/libToolsInjection64.so", "warning")]
)
def test_a_preset_nvtx_library(library: str, status: str) -> None:
    recorder = Recorder(path="/x.so", is_built=True)
    environment = {"NVTX_INJECTION64_PATH": library}
    assert only("NVTX slot", environment=environment, recorder=recorder).status == status
    assert named("NVTX slot") == []


def test_counters_for_administrators_concern_ncu_alone() -> None:
    check = only("permissions", counters_need_admin=True)
    assert (check.status, "ncu" in check.remedy) == ("ok", True)
    assert only("permissions", counters_need_admin=None).remedy == ""


@pytest.mark.parametrize(
    ("sharing", "status", "found"),
    [
        (Sharing(), "not here", "not known"),
        (Sharing(mig_modes=("[N/A]",)), "ok", "off"),
        (Sharing(mig_modes=("Disabled", "Enabled"), mig_instances=7), "warning", "7 instances"),
        (Sharing(mig_modes=("Enabled",)), "warning", "no instance"),
    ],
)
def test_mig(sharing: Sharing, status: str, found: str) -> None:
    check = only("MIG", sharing=sharing)
    assert (check.status, found in check.found) == (status, True)


def test_mps_is_a_warning_and_names_the_percentage() -> None:
    assert only("MPS").status == "ok"
    environment = {"CUDA_MPS_ACTIVE_THREAD_PERCENTAGE": "30"}
    check = only("MPS", environment=environment, sharing=Sharing(mps_pipe="/tmp/nvidia-mps"))
    assert check.status == "warning"
    assert "/tmp/nvidia-mps" in check.found
    assert "PERCENTAGE is 30" in check.found


def test_a_container_that_leaves_cuda_out_is_a_warning() -> None:
    environment = {"NVIDIA_DRIVER_CAPABILITIES": "utility,video"}
    assert only("container", container="Docker", environment=environment).status == "warning"
    assert only("container", container="Docker").status == "ok"


@pytest.mark.parametrize(
    ("free_bytes", "is_writable", "status"),
    [(1 << 40, True, "ok"), (5 << 20, True, "warning"), (None, True, "warning")]
    + [(1 << 40, False, "problem")],
)
def test_disk(free_bytes: int | None, is_writable: bool, status: str) -> None:
    disk = Disk(folder="/data", free_bytes=free_bytes, is_writable=is_writable)
    assert only("disk", disk=disk).status == status


def test_packages_and_tools_are_named_with_their_version() -> None:
    assert only("PyTorch", packages={"PyTorch": "2.9.0"}).found == "2.9.0"
    assert only("CuPy").status == "not here"
    assert only("ncu").found == "2025.3.1, /usr/bin/ncu"
    assert only("nsys").status == "not here"


@pytest.mark.parametrize(
    "environment",
    [
        {"CUDA_INJECTION64_PATH": "/x.so"},
        {"LD_PRELOAD": "/lib/libm.so:/opt/nsight-systems/libToolsInjection64.so"},
        {"NSYS_PROFILING_SESSION_ID": "1"},
    ],
    ids=lambda environment: next(iter(environment)),
)
def test_the_runner_refuses_what_the_doctor_calls_a_taken_slot(environment: dict[str, str]) -> None:
    assert only("injection slot", environment=environment).status == "problem"
    with pytest.raises(NotMeasuredError, match="has the place of the recorder"):
        runner.refuse_taken_slot(environment)
    runner.refuse_taken_slot({"LD_PRELOAD": "/usr/lib/libjemalloc.so", "HOME": "/root"})


def test_the_runner_refuses_with_the_same_words(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with pytest.raises(NotMeasuredError) as refused:
        runner.refuse_taken_slot({"CUDA_INJECTION64_PATH": "/x.so"})
    check = only("injection slot", environment={"CUDA_INJECTION64_PATH": "/x.so"})
    assert str(refused.value) == f"{check.found} {check.remedy}"
    (tmp_path / "there.so").touch()
    monkeypatch.setattr(runner, "LIBRARY", tmp_path / "there.so")
    with pytest.raises(NotMeasuredError) as refused:
        runner.require_recorder(())
    assert str(refused.value) == f"{sentences.NO_CUPTI} {sentences.NO_CUPTI_REMEDY}"
    monkeypatch.setattr(runner, "LIBRARY", tmp_path / "missing.so")
    with pytest.raises(NotMeasuredError) as refused:
        runner.require_recorder(())
    assert str(refused.value) == f"{sentences.NO_RECORDER} {sentences.NO_RECORDER_REMEDY}"


def test_only_variables_that_matter_are_kept() -> None:
    kept = [name for name in ("LD_PRELOAD", "HOME", "AWS_SECRET_ACCESS_KEY") if is_watched(name)]
    assert kept == ["LD_PRELOAD"]
    assert tool_of_library("/home/me/geoaudit/libmine.so") is None


_TEXT = st.text(max_size=30)
_VARIABLES = st.sampled_from(
    ["CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH", "LD_PRELOAD", "NSYS_PROFILING_SESSION_ID"]
    + ["CUDA_VISIBLE_DEVICES", "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE", "NVIDIA_DRIVER_CAPABILITIES"]
)
_VERSIONS = st.none() | st.tuples(st.integers(9, 14), st.integers(0, 9))
_DRIVERS = st.builds(
    Driver,
    error=st.none() | _TEXT,
    init_result=st.none() | st.integers(0, 999),
    init_name=st.none() | _TEXT,
    cuda=_VERSIONS,
    devices=st.lists(st.just(H200) | st.builds(Device), max_size=2).map(tuple),
    nodes=st.lists(_TEXT, max_size=2).map(tuple),
    closed_nodes=st.lists(_TEXT, max_size=2).map(tuple),
)
MACHINES = st.builds(
    Machine,
    platform=st.sampled_from(["linux", "win32"]),
    driver=_DRIVERS,
    recorder=st.builds(Recorder),
    cupti=st.lists(
        st.builds(Cupti, api_version=st.none() | st.integers(0, 140000)), max_size=3
    ).map(tuple),
    sharing=st.builds(Sharing),
    disk=st.builds(Disk, free_bytes=st.none() | st.integers(0, 1 << 50)),
    environment=st.dictionaries(_VARIABLES, _TEXT, max_size=4),
    tools=st.lists(st.builds(Tool), max_size=2).map(tuple),
)


@given(MACHINES)
def test_every_machine_is_judged_and_every_trouble_has_a_remedy(any_machine: Machine) -> None:
    checks = judge(any_machine)
    stops = any(check.stops_recording for check in checks)
    assert verdict(checks).startswith("Nothing stops") != stops
    for check in checks:
        assert check.found
        assert check.remedy or check.status in ("ok", "not here")
    if not (any_machine.driver.devices or stops):
        pytest.fail("a machine without a device can record")


def test_builder_driver_is_sound() -> None:
    assert stopping(driver=DRIVER) == []
