"""One rank of a group: it launches the tokens, and sums with the others.

``python -m geoaudit.recording.suite.ranks.rank RUN``, where RUN is the JSON of a `GroupRun`, and
RANK and LOCAL_RANK in the environment say which rank and device it is, as torchrun would.
"""

import ctypes
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from geoaudit.errors import GeoauditError, NotMeasuredError
from geoaudit.manifest.planned import StepPlan
from geoaudit.recording.suite.engine import Engine
from geoaudit.recording.suite.ranks.communicator import Communicator, NcclCommunicator
from geoaudit.recording.suite.ranks.group_run import GroupRun, group_run
from geoaudit.recording.suite.runtime import CupyRuntime, Runtime, import_cupy
from geoaudit.recording.suite.suite_run import RunOptions, run_tokens, warm_up

# Of linux/prctl.h.
PR_SET_PDEATHSIG = 1


def run_rank(
    run: GroupRun, plan: StepPlan, runtime: Runtime, communicator: Communicator | None
) -> None:
    """Launch the tokens of one rank, each to its end.

    Args:
        run: how many tokens, and how.
        plan: one of them.
        runtime: of the rank's device.
        communicator: sums over the group; None: the plan has nothing to sum.

    Raises:
        InputError: a source or binary cannot be used.
        NotMeasuredError: the device cannot run it, or NCCL refuses.
    """
    options = RunOptions(
        tokens=run.tokens, warm_up_tokens=run.warm_up_tokens, is_graph=run.is_graph
    )
    engine = Engine(runtime, [plan])
    token = engine.prepare(plan, communicator)
    engine.restore(plan)
    warm_up(engine, token, options.warm_up_tokens)
    run_tokens(engine, token, options, lambda _: None)


def main(arguments: Sequence[str]) -> None:
    """Run what the JSON says; what goes wrong is said on standard error, with exit code 1."""
    run = group_run(arguments[0])
    _end_with(run.launcher)
    # One that ends by exit leaves all it recorded.
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda received, _: sys.exit(128 + received))
    rank, device = int(os.environ["RANK"]), int(os.environ["LOCAL_RANK"])
    try:
        plan = run.run.planned()
        _use_device(device)
        sums = bool(plan.all_reduces)
        communicator = NcclCommunicator(rank, run.ranks, Path(run.meeting)) if sums else None
        run_rank(run, plan, CupyRuntime(), communicator)
    except GeoauditError as error:
        raise SystemExit(f"geoaudit: rank {rank}: error: {error}") from error


def _end_with(launcher: int) -> None:
    """Be killed where the launcher is: a rank that waits on the device would go on for ever."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != launcher:
        sys.exit(128 + signal.SIGKILL)


def _use_device(device: int) -> None:
    cuda = import_cupy().cuda
    try:
        # Ranks that sum nothing may be more than there are devices.
        cuda.Device(device % cuda.runtime.getDeviceCount()).use()
    except cuda.runtime.CUDARuntimeError as error:
        raise NotMeasuredError(f"CuPy cannot use device {device}: {error}.") from error


if __name__ == "__main__":
    main(sys.argv[1:])
