"""A token as one CUDA graph."""

from contextlib import suppress
from typing import Self

from geoaudit.errors import GeoauditError, NotMeasuredError
from geoaudit.manifest.planned import Scalar, StepPlan
from geoaudit.recording.suite.driver import CudaDriver
from geoaudit.recording.suite.prepared_token import PreparedToken


class CapturedToken:
    """A token captured once and replayed; its resources end with the ``with`` block."""

    def __init__(self, driver: CudaDriver, token: PreparedToken) -> None:
        """Capture. The token must have been launched before: loading cannot be captured.

        Raises:
            InputError: a scalar of it depends on the token, and a replay cannot change it.
            NotMeasuredError: the driver refuses the capture.
        """
        refuse_changing_scalars(token.plan)
        self._driver = driver
        self._stream = token.stream.ptr
        driver.begin_capture(self._stream)
        try:
            token.launch(0)
        except (GeoauditError, SystemExit, KeyboardInterrupt):
            # The stream would stay in capture; what the driver says of that explains nothing.
            with suppress(NotMeasuredError):
                driver.end_capture(self._stream)
            raise
        self._executable = driver.instantiate(driver.end_capture(self._stream))

    def replay(self) -> None:
        """Launch the token once more, and wait for nothing."""
        self._driver.launch_graph(self._executable, self._stream)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._driver.destroy_graph(self._executable)


def refuse_changing_scalars(plan: StepPlan) -> None:
    """Refuse a plan that a graph cannot repeat.

    Raises:
        InputError: a scalar argument depends on the token; names where it is written.
    """
    for launch in plan.launches:
        for argument in launch.arguments:
            if isinstance(argument, Scalar) and argument.depends_on_token:
                raise argument.location.error(
                    "depends on the token, and every replay of a CUDA graph passes the same "
                    "scalars; keep the position in a state buffer that the kernels read and "
                    "advance, or leave --graph out"
                )
