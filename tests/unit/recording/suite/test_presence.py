"""Whether there is a device, as cuInit tells it."""

import ctypes
from types import SimpleNamespace
from typing import Any

import pytest

from geoaudit.errors import NotMeasuredError
from geoaudit.recording.suite import presence
from geoaudit.recording.suite.presence import cuda_major

# What the suite's own tests replace for all others.
has_device = presence.has_device


def driver(*, status: int = 0, count: int = 1, version: int = 13000) -> SimpleNamespace:
    def counted(value: Any) -> int:  # noqa: ANN401 - a ctypes reference
        value._obj.value = count
        return 0

    def versioned(value: Any) -> int:  # noqa: ANN401 - a ctypes reference
        assert isinstance(value._obj, ctypes.c_int)
        value._obj.value = version
        return 0

    return SimpleNamespace(
        cuInit=lambda flags: status, cuDeviceGetCount=counted, cuDriverGetVersion=versioned
    )


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (None, False),
        (driver(), True),
        (driver(count=0), False),
        (driver(status=100), False),
        (driver(status=34), False),
    ],
)
def test_a_device_is_one_that_the_driver_counts(
    monkeypatch: pytest.MonkeyPatch, found: object, expected: bool
) -> None:
    monkeypatch.setattr(presence, "cuda_driver", lambda: found)
    assert has_device() is expected


@pytest.mark.parametrize("status", [3, 803, 999])
def test_a_driver_that_does_not_start_is_no_machine_without_a_gpu(
    monkeypatch: pytest.MonkeyPatch, status: int
) -> None:
    monkeypatch.setattr(presence, "cuda_driver", lambda: driver(status=status))
    with pytest.raises(NotMeasuredError, match=rf"cuInit returns {status}\). `geoaudit doctor`"):
        has_device()


def test_the_major_version_chooses_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(presence, "cuda_driver", lambda: driver(version=12080))
    assert cuda_major() == 12
    monkeypatch.setattr(presence, "cuda_driver", lambda: None)
    assert cuda_major() is None
