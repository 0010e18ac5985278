"""One token of a manifest without a recorder: what another profiler is given to run.

``python -m geoaudit.recording.suite.unrecorded RUN``, where RUN is the JSON of an `UnrecordedRun`.
The token is launched eagerly: a profiler that counts the nodes of a graph runs each as a kernel of
its own, and to capture a graph the token is launched before anyway.
"""

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from geoaudit.errors import GeoauditError
from geoaudit.manifest.plan import plan
from geoaudit.manifest.planned import StepPlan
from geoaudit.manifest.reading import read_manifest
from geoaudit.manifest.settings import resolve_settings
from geoaudit.recording.suite.engine import Engine
from geoaudit.recording.suite.runtime import CupyRuntime, Runtime


@dataclass(frozen=True, kw_only=True)
class UnrecordedRun:
    """What is run; arms of the environment count as they do in a recorded run.

    Attributes:
        manifest: path.
        step: its name.
        arms, assignments: ``NAME=VALUE``, as on the command line.
        all_arms: every arm that is meant to stay on.
    """

    manifest: str
    step: str
    arms: tuple[str, ...] = ()
    assignments: tuple[str, ...] = ()
    all_arms: bool = False

    @property
    def command(self) -> list[str]:
        """What runs it in a process of its own; nothing is imported from the current folder."""
        text = msgspec.json.encode(self).decode()
        return [sys.executable, "-P", "-m", __name__, text]


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
    run = msgspec.json.decode(arguments[0], type=UnrecordedRun)
    try:
        manifest = read_manifest(Path(run.manifest))
        settings = resolve_settings(
            manifest,
            assignments=run.assignments,
            arms=run.arms,
            all_arms=run.all_arms,
            environment=os.environ,
        )
        run_one_token(plan(manifest, settings, run.step), CupyRuntime)
    except GeoauditError as error:
        raise SystemExit(f"geoaudit: error: {error}") from error


if __name__ == "__main__":
    main(sys.argv[1:])
