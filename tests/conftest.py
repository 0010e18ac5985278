"""Options and fixtures of the whole test suite."""

import ctypes
import signal
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

import pytest
from hypothesis import settings

GOLDEN = Path(__file__).parent / "golden"
# How long an example takes says more about the machine than about the code.
settings.register_profile("geoaudit", deadline=None)
settings.load_profile("geoaudit")

NO_DEVICE = "no CUDA device: {reason}"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden",
        action="store_true",
        help="write the golden outputs anew in place of comparing with them; read the difference "
        "before it is committed",
    )
    parser.addoption(
        "--require-gpu",
        action="store_true",
        help="a test marked gpu that finds no CUDA device fails in place of being skipped",
    )


@lru_cache(maxsize=1)
def cuda_device_missing() -> str | None:
    """Why there is no CUDA device, or None where the driver finds one."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError as error:
        return str(error)
    status = int(driver.cuInit(0))
    if status != 0:
        return f"cuInit returns {status}"
    count = ctypes.c_int(0)
    status = int(driver.cuDeviceGetCount(ctypes.byref(count)))
    if status != 0:
        return f"cuDeviceGetCount returns {status}"
    return None if count.value > 0 else "the driver counts 0 devices"


def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.get_closest_marker("gpu") is None:
        return
    reason = cuda_device_missing()
    if reason is None:
        return
    message = NO_DEVICE.format(reason=reason)
    if item.config.getoption("--require-gpu"):
        pytest.fail(message, pytrace=False)
    pytest.skip(message)


@pytest.fixture(autouse=True)
def _terminal_of_100_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    monkeypatch.delenv("NO_COLOR", raising=False)


@pytest.fixture(autouse=True)
def _no_device_for_the_suite(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`geoaudit scan` replays, on a machine with a GPU too, unless a test is marked gpu."""
    if request.node.get_closest_marker("gpu") is None:
        monkeypatch.setattr("geoaudit.recording.suite.presence.has_device", lambda: False)


@pytest.fixture(autouse=True)
def _no_figures_of_the_users(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the user has in his cache is neither read nor replaced."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.getbasetemp() / "cache"))


@pytest.fixture(autouse=True)
def _no_calibrations_of_the_users(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the user has stored of his devices is neither read nor replaced."""
    folder = tmp_path_factory.getbasetemp() / "no-calibrations"
    monkeypatch.setenv("GEOAUDIT_CALIBRATIONS", str(folder / "calibrations.json"))


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """A function that compares a text with a file of ``tests/golden``, byte for byte."""
    update = bool(request.config.getoption("--update-golden"))

    def compare(name: str, text: str) -> None:
        file = GOLDEN / name
        if update:
            file.write_bytes(text.encode())
            return
        if not file.exists():
            pytest.fail(f"{file} is missing: run pytest --update-golden and read what it wrote")
        assert text.encode().decode() == file.read_bytes().decode()

    return compare


@pytest.fixture(autouse=True, scope="session")
def signals_as_in_a_terminal() -> None:
    """No signal ignored, as it is in a shell's background (SIGINT) and under nohup (SIGHUP).

    What a process ignores its children ignore too, and tests of signals would test nothing.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
        signal.signal(signal.SIGHUP, lambda _number, _frame: None)
