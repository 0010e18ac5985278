"""Stored calibrations beside a recording of the same device."""

from dataclasses import replace

from geoaudit.devices.calibration_store import read_calibrations
from geoaudit.launches.recording import Recording


def with_stored_calibrations(recording: Recording) -> Recording:
    """The recording with what is stored of devices of the same name, where nothing was measured.

    A file that cannot be used becomes a warning of the recording.
    """
    metadata = recording.metadata
    names = {device.name for device in metadata.devices if device.name}
    if metadata.calibrations or not names:
        return recording
    stored = read_calibrations()
    told = () if stored.warning is None else (stored.warning,)
    found = tuple(one for one in stored.calibrations if one.device_name in names)
    if not (found or told):
        return recording
    return replace(
        recording,
        metadata=replace(metadata, calibrations=found, warnings=(*metadata.warnings, *told)),
    )
