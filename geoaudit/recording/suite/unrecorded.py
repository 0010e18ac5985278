"""One token of a manifest without a recorder: what another profiler is given to run.

``python -m geoaudit.recording.suite.unrecorded RUN``, where RUN is the JSON of a `DescribedRun`.
The token is launched eagerly: a profiler that counts the nodes of a graph runs each as a kernel of
its own, and to capture a graph the token is launched before anyway.
"""

import sys
from collections.abc import Callable, Sequence

import msgspec

from geoaudit.errors import GeoauditError
from geoaudit.manifest.planned import StepPlan
from geoaudit.recording.suite.described_run import DescribedRun
from geoaudit.recording.suite.engine import Engine
from geoaudit.recording.suite.runtime import CupyRuntime, Runtime


def command_of(run: DescribedRun) -> list[str]:
    """What runs it in a process of its own; nothing is imported from the current folder."""
    return [sys.executable, "-P", "-m", __name__, msgspec.json.encode(run).decode()]


def run_one_token(step_plan: StepPlan, make_runtime: Callable[[], Runtime]) -> None:
    """Launch one token, and wait for its end.

    Raises:
        InputError: a source or binary cannot be used.
        NotMeasuredError: the device cannot run it.
    """
    engine = Engine(make_runtime(), [step_plan])
    token = engine.prepare(step_plan)
    engine.restore(step_plan)
    token.launch(0)
    engine.synchronize()


def main(arguments: Sequence[str]) -> None:
    """Run what the JSON says; what goes wrong is said on standard error, with exit code 1."""
    run = msgspec.json.decode(arguments[0], type=DescribedRun)
    try:
        run_one_token(run.planned(), CupyRuntime)
    except GeoauditError as error:
        raise SystemExit(f"geoaudit: error: {error}") from error


if __name__ == "__main__":
    main(sys.argv[1:])
