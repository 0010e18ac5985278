"""Rows of a shard check's tables: launches of one kernel that say the same are one row."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from geoaudit.render.shard_words import grid_text
from geoaudit.shardcheck.listing import ListedSite

MOST_PLACES = 6
MOST_GRIDS = 3


@dataclass(frozen=True)
class SiteRow:
    """Launches of a kernel in one file with the same verdict and blocks, in the order of lines."""

    sites: tuple[ListedSite, ...]

    @property
    def first(self) -> ListedSite:
        """What speaks for all of them."""
        return self.sites[0]

    @property
    def times(self) -> str:
        """How many they are: `` × 20``; empty of one."""
        return f" × {len(self.sites)}" if len(self.sites) > 1 else ""

    @property
    def places(self) -> str:
        """Where they stand: ``csrc/k.cu:12, 15, 20 and 3 more``."""
        lines = [str(site.line) for site in self.sites]
        shown = ", ".join(lines[:MOST_PLACES])
        more = len(lines) - MOST_PLACES
        return f"{self.first.path}:{shown}" + (f" and {more} more" if more > 0 else "")

    @cached_property
    def launches(self) -> str:
        """Where they stand, in which functions, and by which launchers.

        ``csrc/k.cu:12, 15 in f, g by k3_pdl_launch``
        """
        functions = _few(site.function for site in self.sites)
        launchers = _few(site.launcher or "" for site in self.sites)
        return (
            self.places
            + (f" in {functions}" * bool(functions))
            + (f" by {launchers}" * bool(launchers))
        )

    @cached_property
    def grids(self) -> str:
        """Their grids, each once: ``(n_head) or (n_head, 3)``."""
        return _few((grid_text(site.grid) for site in self.sites), " or ")

    @property
    def conditions(self) -> tuple[str, ...]:
        """Their conditions, each once, a few of them."""
        return tuple(dict.fromkeys(site.condition for site in self.sites if site.condition))


def rows_of(sites: Sequence[ListedSite]) -> tuple[SiteRow, ...]:
    """Sites as rows, in the order of the first of each."""
    rows: dict[tuple[object, ...], list[ListedSite]] = defaultdict(list)
    for site in sites:
        rows[_key(site)].append(site)
    return tuple(
        SiteRow(tuple(sorted(several, key=lambda site: site.line))) for several in rows.values()
    )


def _key(site: ListedSite) -> tuple[object, ...]:
    told = tuple((one.rule_id, one.message) for one in (*site.findings, *site.known))
    blocks = tuple(sorted(site.blocks.items()))
    return site.path, site.kernel, site.behaviour, blocks, told, site.suppressed


def _few(texts: Iterable[str], joiner: str = ", ") -> str:
    found = [text for text in dict.fromkeys(texts) if text]
    more = len(found) - MOST_GRIDS
    return joiner.join([*found[:MOST_GRIDS], *([f"{more} more"] if more > 0 else [])])
