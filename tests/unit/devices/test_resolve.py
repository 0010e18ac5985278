import pytest
from hypothesis import given
from hypothesis import strategies as st

from geoaudit.devices.recorded import RecordedDevice
from geoaudit.devices.resolve import DeviceOverride, resolve_device
from geoaudit.devices.table import all_devices
from geoaudit.errors import InputError, UnknownDeviceError

NUM_SMS = "deviceProperties.numSms"
NOTHING = DeviceOverride()


def clues(
    name: str | None = None,
    architecture: str | None = None,
    sm_count: int | None = None,
    threads_per_warp: int | None = None,
    max_threads_per_sm: int | None = None,
) -> RecordedDevice:
    return RecordedDevice(
        name=name,
        architecture=architecture,
        sm_count=sm_count,
        sm_count_source=None if sm_count is None else NUM_SMS,
        threads_per_warp=threads_per_warp,
        max_threads_per_sm=max_threads_per_sm,
    )


def test_a_profile_that_agrees_with_the_table_is_the_source_of_the_count() -> None:
    found = resolve_device(clues("NVIDIA H200", "9.0", 132), NOTHING)
    assert found.spec is not None
    assert found.spec.sm_count_source == NUM_SMS
    assert found.spec.usable_sm_count is None
    assert found.disagreements == ()


def test_the_table_counts_where_the_profile_only_names_the_device() -> None:
    found = resolve_device(clues("NVIDIA H100 80GB HBM3"), NOTHING)
    assert found.spec is not None
    assert found.spec.sm_count == 132
    assert found.spec.sm_count_source.startswith("device table: ")


def test_mps_leaves_four_sms_of_a_t4() -> None:
    found = resolve_device(clues("Tesla T4", "7.5", 4), NOTHING)
    assert found.spec is not None
    assert (found.spec.sm_count, found.spec.usable_sm_count, found.spec.usable_sms) == (40, 4, 4)
    assert found.spec.sm_count_source == NUM_SMS
    assert found.disagreements == (
        "deviceProperties.numSms says 4 SMs, the table says 40 for Tesla T4: 4 used",
    )


def test_a_mig_slice_keeps_the_devices_count() -> None:
    found = resolve_device(clues("NVIDIA A100 80GB PCIe MIG 1g.10gb", "8.0", 14), NOTHING)
    assert found.spec is not None
    assert (found.spec.sm_count, found.spec.usable_sms) == (108, 14)
    assert found.name == "NVIDIA A100 80GB PCIe MIG 1g.10gb"


def test_a_profile_with_more_sms_than_the_table_wins() -> None:
    found = resolve_device(clues("NVIDIA GeForce RTX 3080", "8.6", 70), NOTHING)
    assert found.spec is not None
    assert (found.spec.sm_count, found.spec.usable_sm_count) == (70, None)
    assert "70 used" in found.disagreements[0]


def test_a_nameless_device_is_known_by_its_architecture() -> None:
    found = resolve_device(clues("", "9.4", 304, threads_per_warp=64), NOTHING)
    assert found.spec is not None
    assert (found.spec.architecture, found.spec.sm_count) == ("gfx942", 304)
    assert found.name == "gfx942 device"
    assert found.disagreements == ()


def test_an_mi250_that_calls_itself_radeon() -> None:
    found = resolve_device(clues("AMD Radeon Graphics", "9.0", 104, threads_per_warp=64), NOTHING)
    assert found.spec is not None
    assert (found.spec.architecture, found.spec.threads_per_warp) == ("gfx90a", 64)
    assert found.name == "AMD Radeon Graphics"


def test_limits_the_profile_states_win_and_are_shown() -> None:
    found = resolve_device(
        clues("NVIDIA H200", "9.0", 132, threads_per_warp=32, max_threads_per_sm=1536), NOTHING
    )
    assert found.spec is not None
    assert (found.spec.max_threads_per_sm, found.spec.max_warps_per_sm) == (1536, 48)
    assert found.disagreements == (
        "the profile says 1536 threads per SM, the table says 2048 for 9.0: 1536 used",
    )


def test_a_name_with_another_architecture_goes_by_the_architecture() -> None:
    found = resolve_device(clues("NVIDIA H200", "10.0", 148), NOTHING)
    assert found.spec is not None
    assert found.spec.architecture == "10.0"
    assert "says 9.0" in found.disagreements[0]


def test_nothing_known_is_no_error_and_says_what_would_help() -> None:
    found = resolve_device(RecordedDevice(), NOTHING)
    assert found.spec is None
    assert "--device" in found.disagreements[-1]


def test_an_architecture_without_a_count_asks_for_it() -> None:
    found = resolve_device(clues("NVIDIA Something", "9.0"), NOTHING)
    assert found.spec is None
    assert "--sms" in found.disagreements[-1]
    given_count = resolve_device(clues("NVIDIA Something", "9.0"), DeviceOverride(sms=60))
    assert given_count.spec is not None
    assert (given_count.spec.usable_sms, given_count.spec.sm_count_source) == (60, "--sms")


def test_the_sm_count_alone_makes_no_device() -> None:
    assert resolve_device(RecordedDevice(), DeviceOverride(sms=132)).spec is None


def test_device_option_names_what_the_profile_does_not() -> None:
    found = resolve_device(RecordedDevice(), DeviceOverride(name="h200"))
    assert found.spec is not None
    assert (found.name, found.spec.sm_count) == ("NVIDIA H200", 132)
    assert found.disagreements == ()


def test_device_option_wins_over_a_profile_that_differs_and_says_so() -> None:
    found = resolve_device(clues("NVIDIA H200", "9.0", 132), DeviceOverride(name="B200"))
    assert found.spec is not None
    assert (found.name, found.spec.sm_count, found.spec.architecture) == (
        "NVIDIA B200",
        148,
        "10.0",
    )
    assert found.disagreements == (
        "--device says NVIDIA B200, the profile says NVIDIA H200 (9.0): NVIDIA B200 used",
        "--device has 148 SMs, deviceProperties.numSms says 132: 148 used",
    )


def test_device_option_that_fits_a_nameless_profile_keeps_its_count() -> None:
    found = resolve_device(clues(None, "7.5", 4), DeviceOverride(name="T4"))
    assert found.spec is not None
    assert (found.spec.sm_count, found.spec.usable_sms) == (40, 4)


def test_sms_option_wins_over_every_count() -> None:
    found = resolve_device(clues("NVIDIA H200", "9.0", 132), DeviceOverride(sms=66))
    assert found.spec is not None
    assert (found.spec.sm_count, found.spec.usable_sms) == (132, 66)
    assert found.spec.sm_count_source == "--sms"
    assert found.disagreements == ("--sms says 66, deviceProperties.numSms says 132: 66 used",)


def test_sms_option_above_the_devices_count() -> None:
    found = resolve_device(clues("NVIDIA H200"), DeviceOverride(sms=144))
    assert found.spec is not None
    assert (found.spec.sm_count, found.spec.usable_sm_count) == (144, None)


def test_bad_options_are_errors() -> None:
    with pytest.raises(UnknownDeviceError):
        resolve_device(RecordedDevice(), DeviceOverride(name="H1000"))
    with pytest.raises(InputError, match="at least 1"):
        resolve_device(RecordedDevice(), DeviceOverride(sms=0))


@given(
    spec=st.sampled_from(all_devices()),
    count=st.integers(1, 400),
    sms=st.none() | st.integers(1, 400),
)
def test_usable_sms_are_what_was_asked_for_and_never_exceed_the_device(
    spec: object, count: int, sms: int | None
) -> None:
    device = next(one for one in all_devices() if one == spec)
    found = resolve_device(
        clues(device.name, device.architecture, count), DeviceOverride(sms=sms)
    ).spec
    assert found is not None
    assert found.usable_sms == (count if sms is None else sms)
    assert found.usable_sms <= found.sm_count
    assert found.usable_sm_count is None or found.usable_sm_count < found.sm_count


def test_a_recorded_device_is_taken_as_it_is() -> None:
    recorded = RecordedDevice(index=0, name="Tesla T4", sm_count=4, sm_count_source=NUM_SMS)
    found = resolve_device(recorded, NOTHING)
    assert found.spec is not None
    assert (found.spec.sm_count, found.spec.usable_sms) == (40, 4)


@pytest.mark.parametrize("sm_count", [0, -1])
@pytest.mark.parametrize("name", ["NVIDIA H200", "unheard of", None])
def test_a_count_that_no_device_has_is_not_used(sm_count: int, name: str | None) -> None:
    recorded = RecordedDevice(name=name, sm_count=sm_count, sm_count_source="smCount")
    resolved = resolve_device(recorded, DeviceOverride())
    assert resolved.usable_sms == (132 if name == "NVIDIA H200" else None)
    assert f"smCount says {sm_count} SMs, which no device has: not used" in resolved.disagreements
    assert resolve_device(recorded, DeviceOverride(sms=5)).usable_sms == 5


def test_limits_that_no_device_has_are_not_used() -> None:
    recorded = RecordedDevice(name="NVIDIA H200", threads_per_warp=0, max_threads_per_sm=0)
    spec = resolve_device(recorded, DeviceOverride()).spec
    assert spec is not None
    assert (spec.threads_per_warp, spec.max_threads_per_sm) == (32, 2048)
