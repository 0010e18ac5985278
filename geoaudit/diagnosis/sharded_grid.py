"""What the rules on sharding look at: the grid of a launch in a source, at each number of ranks."""

from collections.abc import Mapping, Sequence
from typing import Protocol


class Dimension(Protocol):
    """A dimension that parallelism divides."""

    @property
    def name(self) -> str:
        """As the source writes it."""

    @property
    def rounding(self) -> str:
        """How a rank's share is rounded: ``exact``, ``floor``, ``ceil``, ``at_least_one``."""

    @property
    def by(self) -> str:
        """The parallelism that divides it: ``tp``."""

    @property
    def total(self) -> int | None:
        """Its size before the division; None: not known."""


class OutgrownConstant(Protocol):
    """A constant that a grid has outgrown."""

    @property
    def label(self) -> str:
        """Its name, value and place, or the number as written."""

    @property
    def why(self) -> str:
        """``binds``, ``sm_count``, ``dimension``, ``measured``."""

    @property
    def told(self) -> str:
        """What it equals, what it binds against, or its remark."""

    @property
    def ranks(self) -> int | None:
        """Where it binds; None: it does not."""

    @property
    def blocks(self) -> int:
        """Blocks where it binds."""

    @property
    def blocks_without(self) -> int:
        """Blocks there without it."""


class EvaluatedAt(Protocol):
    """What grids are evaluated at."""

    @property
    def sms(self) -> int:
        """SMs that a launch can use."""

    @property
    def ranks(self) -> Sequence[int]:
        """Numbers of ranks, ascending; the first is the reference."""

    def ranks_of(self, kind: str, ranks: int) -> int:
        """Ranks that a kind of parallelism has where the varied one has `ranks`."""


class ShardedGrid(Protocol):
    """A grid, evaluated."""

    @property
    def kernel(self) -> str | None:
        """The kernel that is launched."""

    @property
    def behaviour(self) -> str:
        """What the grid does as ranks grow: ``collapses``, ``small``, ``compensated``, ..."""

    @property
    def sharded(self) -> Sequence[Dimension]:
        """Dimensions in it."""

    @property
    def options(self) -> EvaluatedAt:
        """What it is evaluated at."""

    @property
    def blocks(self) -> Mapping[int, int | None]:
        """Ranks -> fewest blocks; None: not known."""

    @property
    def most_blocks(self) -> Mapping[int, int | None]:
        """Ranks -> most blocks, where something is undecided; None: not known."""

    @property
    def stale(self) -> Sequence[OutgrownConstant]:
        """Constants that it has outgrown."""

    @property
    def limits(self) -> Sequence[str]:
        """Sentences on limits of the device that it provably breaks."""

    @property
    def taken(self) -> Sequence[str]:
        """Values that were taken where nothing gives them: ``num_seqs = 1``."""
