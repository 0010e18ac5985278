"""What the rules on sharding look at: one launch site, evaluated."""

from collections.abc import Mapping
from dataclasses import dataclass

from geoaudit.shardcheck.report import Behaviour
from geoaudit.shardcheck.sharding.dimensions import ShardedDimension
from geoaudit.shardcheck.sharding.options import ShardOptions
from geoaudit.shardcheck.slicing.sites import LaunchSite
from geoaudit.shardcheck.verdicts.constants import StaleConstant


@dataclass(frozen=True, kw_only=True)
class SiteEvidence:
    """A launch site and what is known of its grid.

    Attributes:
        site: the launch.
        sharded: dimensions in its grid.
        options: what it is evaluated at.
        blocks: ranks -> fewest blocks; None: not known.
        most_blocks: ranks -> most blocks, where something is undecided; None: not known.
        behaviour: what the grid does.
        stale: constants that it has outgrown.
        limits: sentences on limits of the device that it provably breaks.
        taken: values that were taken where nothing gives them: ``num_seqs = 1``.
    """

    site: LaunchSite
    sharded: tuple[ShardedDimension, ...]
    options: ShardOptions
    blocks: Mapping[int, int | None]
    most_blocks: Mapping[int, int | None]
    behaviour: Behaviour
    stale: tuple[StaleConstant, ...]
    limits: tuple[str, ...]
    taken: tuple[str, ...] = ()

    @property
    def kernel(self) -> str | None:
        """The kernel that is launched."""
        return self.site.kernel
