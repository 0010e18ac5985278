"""What the ranks of a group are told to run."""

import os
import sys
from dataclasses import dataclass, replace

import msgspec

from geoaudit.recording.suite.described_run import DescribedRun

LAUNCHER = "geoaudit.recording.suite.ranks.launcher"
RANK = "geoaudit.recording.suite.ranks.rank"


@dataclass(frozen=True, kw_only=True)
class GroupRun:
    """A run of a group.

    Attributes:
        run: of each rank.
        ranks: how many.
        tokens: how many each launches.
        warm_up_tokens: how many it launches before.
        is_graph: the token is captured as one CUDA graph, and replayed.
        meeting: path at which rank 0 says how the others find it; of a file that is not there.
        launcher: the process that started the ranks; without it they end.
    """

    run: DescribedRun
    ranks: int
    tokens: int
    warm_up_tokens: int
    is_graph: bool = False
    meeting: str = ""
    launcher: int = 0

    @property
    def command(self) -> list[str]:
        """What launches the group."""
        return _command(LAUNCHER, self)

    def rank_command(self, meeting: str) -> list[str]:
        """What runs one rank, which the environment numbers as torchrun does.

        Args:
            meeting: path of a file that is not there, in a folder of the group's own.
        """
        return _command(RANK, replace(self, meeting=meeting, launcher=os.getpid()))


def group_run(text: str) -> GroupRun:
    """The run that a process was told."""
    return msgspec.json.decode(text, type=GroupRun)


def _command(module: str, run: GroupRun) -> list[str]:
    # -P: nothing is imported from the current folder.
    return [sys.executable, "-P", "-m", module, msgspec.json.encode(run).decode()]
