"""Measuring a device: its probes under a session of their own."""

import datetime
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path

from geoaudit.devices.calibration import Calibration
from geoaudit.devices.live import live_devices
from geoaudit.errors import NotMeasuredError
from geoaudit.recording.calibration.figures import calibration_of
from geoaudit.recording.calibration.probes import launch_probes
from geoaudit.recording.instruments import CuptiInstrument
from geoaudit.recording.session import IncompleteRecordingWarning, record
from geoaudit.recording.suite.runtime import Runtime


def measure(make_runtime: Callable[[], Runtime]) -> Calibration:
    """What the device of a runtime does at best, by the durations that are recorded of it.

    All times are those that a recording would have: an empty kernel takes what a recorded kernel
    is held against, and not what the host sees.

    Args:
        make_runtime: brings the device up, where it is not; called inside the session.

    Raises:
        NotMeasuredError: CUPTI cannot be had, or the device fails.
    """
    l2_bytes = max((device.l2_bytes or 0 for device in live_devices()), default=0) or None
    with tempfile.TemporaryDirectory(prefix="geoaudit-calibration-") as folder:
        session = record(Path(folder) / "probes.parquet")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", IncompleteRecordingWarning)
            with session:
                if session.instrument != CuptiInstrument.name:
                    raise NotMeasuredError(
                        "the device cannot be measured: CUPTI records nothing here, and nothing "
                        "else times copies and graphs. `geoaudit doctor` says why."
                    )
                probes = launch_probes(make_runtime(), l2_bytes)
    assert session.recording is not None, "a session that was left without an error has one"
    today = datetime.datetime.now(tz=datetime.UTC).date().isoformat()
    return calibration_of(session.recording, probes, today)
