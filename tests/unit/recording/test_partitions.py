"""SMs that MIG, MPS and green contexts take away, from recorded streams."""

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from geoaudit.devices.resolve import DeviceOverride, resolve_device
from geoaudit.launches.recording import Recording
from geoaudit.recording import stream as layout
from geoaudit.recording.convert import recording_of
from tests.recorder.programs import Programs
from tests.recorder.writer import device, file_header, kernels, records, records_block

GREEN = {"context": 2, "sm_count": 16, "is_green": 1}
PLAIN = {"context": 1, "sm_count": 0}


def _recording(
    tmp_path: Path,
    launched_in: tuple[int, ...] = (1,),
    contexts: tuple[dict[str, int], ...] = (PLAIN,),
    devices: npt.NDArray[np.void] | None = None,
    **header: object,
) -> Recording:
    file = tmp_path / "7.geoaudit"
    file.write_bytes(
        file_header(**header)
        + records_block("kernels", kernels(*({"context": context} for context in launched_in)))
        + records_block("contexts", records(layout.CONTEXT, list(contexts)))
        + records_block("devices", device() if devices is None else devices)
    )
    return recording_of(layout.read_stream(file), "engine")


def test_all_in_one_green_context_had_its_sms(tmp_path: Path) -> None:
    recording = _recording(tmp_path, (2, 2), (PLAIN, GREEN, GREEN))
    (found,) = recording.metadata.devices
    assert (found.sm_count, found.sm_count_source) == (16, "CUPTI's record of the green context")
    resolved = resolve_device(found, DeviceOverride())
    assert resolved.usable_sms == 16
    assert resolved.spec is not None
    assert resolved.spec.sm_count == 132
    assert not any("green" in warning for warning in recording.metadata.warnings)


def test_a_green_context_among_others_is_told(tmp_path: Path) -> None:
    recording = _recording(tmp_path, (1, 2), (PLAIN, GREEN))
    assert recording.metadata.devices[0].sm_count == 132
    (told,) = (warning for warning in recording.metadata.warnings if "green" in warning)
    assert "context 2 is a green context of 16 SMs" in told
    assert told.endswith("give --sms 16")


def test_green_contexts_of_other_sizes_are_told_each(tmp_path: Path) -> None:
    other = {"context": 3, "sm_count": 64, "is_green": 1}
    recording = _recording(tmp_path, (2, 3), (GREEN, other))
    assert recording.metadata.devices[0].sm_count == 132
    told = [warning for warning in recording.metadata.warnings if "green" in warning]
    assert [text.split("give ")[1] for text in told] == ["--sms 16", "--sms 64"]


def test_a_green_context_of_untold_size_is_told(tmp_path: Path) -> None:
    recording = _recording(tmp_path, (2,), ({**GREEN, "sm_count": 0},))
    assert recording.metadata.devices[0].sm_count == 132
    (told,) = (warning for warning in recording.metadata.warnings if "green" in warning)
    assert "an unknown number of SMs" in told


def test_a_share_under_mps_does_not_speak_of_green_contexts(tmp_path: Path) -> None:
    recording = _recording(tmp_path, (2,), (GREEN,), mps_percentage=50)
    assert not any("MPS" in warning for warning in recording.metadata.warnings)


def test_a_green_context_that_launched_nothing_changes_nothing(tmp_path: Path) -> None:
    recording = _recording(tmp_path, (1,), (PLAIN, GREEN))
    assert recording.metadata.devices[0].sm_count == 132
    assert recording.metadata.warnings == _recording(tmp_path).metadata.warnings


def test_a_mig_instance_has_its_own_count(tmp_path: Path) -> None:
    instance = device(name=b"NVIDIA H200 MIG 1g.18gb", sm_count=16, is_mig=1)
    (found,) = _recording(tmp_path, devices=instance).metadata.devices
    resolved = resolve_device(found, DeviceOverride())
    assert resolved.usable_sms == 16
    assert resolved.sm_count_source == "CUPTI's device record of a MIG instance"


def test_a_share_under_mps_is_told_and_not_taken_for_certain(tmp_path: Path) -> None:
    recording = _recording(tmp_path, mps_percentage=25)
    assert recording.metadata.devices[0].sm_count == 132
    told = recording.metadata.warnings[-1]
    assert told.startswith("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE was 25: ")
    assert "about 33 of 132 SMs" in told
    whole = _recording(tmp_path, mps_percentage=100).metadata.warnings
    assert not any("MPS" in warning for warning in whole)


@pytest.mark.parametrize(
    ("variable", "percentage"), [("12.5", 12.5), ("0", None), ("x", None), ("101", None)]
)
def test_the_recorder_notes_the_share(
    programs: Programs, tmp_path: Path, variable: str, percentage: float | None
) -> None:
    ran = programs.run(tmp_path / "r", "launch 1", CUDA_MPS_ACTIVE_THREAD_PERCENTAGE=variable)
    assert ran.stream().mps_percentage == percentage
