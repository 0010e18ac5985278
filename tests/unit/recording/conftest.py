"""The recorder's programs, compiled once."""

import sys

import pytest

from tests.recorder.programs import Programs, compile_programs


@pytest.fixture(scope="session")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Programs:
    if sys.platform != "linux":
        pytest.skip("processes are recorded on Linux only")
    return compile_programs(tmp_path_factory.mktemp("recorder"))


@pytest.fixture(scope="session", params=["address,undefined", "thread"])
def sanitized(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Programs:
    if sys.platform != "linux":
        pytest.skip("processes are recorded on Linux only")
    return compile_programs(tmp_path_factory.mktemp("sanitized"), request.param)
