"""What a check predicts held against what was recorded, at each number of ranks."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import msgspec

from geoaudit.shardcheck.listing import (
    Agreement,
    ComparedLaunch,
    ListedSite,
    Listing,
    Outcome,
    UnpredictedBlocks,
)
from geoaudit.shardcheck.measured import plain_name

Blocks = frozenset[int]


@dataclass(frozen=True, kw_only=True)
class RecordedRun:
    """The kernels of a recording, at one number of ranks.

    Attributes:
        ranks: that its shapes are of.
        source: what the recording is called.
        launches: (name, blocks of the grid) -> launches, of the source's own kernels.
        communication, libraries, without_grid: launches that are left out: of collectives, of
            libraries, and those whose grid is not known.
    """

    ranks: int
    source: str
    launches: Mapping[tuple[str, int], int]
    communication: int = 0
    libraries: int = 0
    without_grid: int = 0


def with_recorded(listing: Listing, runs: Sequence[RecordedRun]) -> Listing:
    """The listing with its predictions held against runs; without any it is as it was.

    A signature is a kernel with a number of blocks, at a number of ranks. A recorded one agrees
    where a site of that kernel has exactly so many blocks there.

    Args:
        listing: of a check that was evaluated at the runs' numbers of ranks.
        runs: several of one number of ranks are taken together.
    """
    if not runs:
        return listing
    launches = _by_ranks(runs)
    recorded = {ranks: _by_kernel(found) for ranks, found in launches.items()}
    predicted = {ranks: _predicted(listing.sites, ranks) for ranks in recorded}
    lost = tuple(_unpredicted(launches, predicted))
    signatures = sum(map(len, launches.values()))
    agreement = Agreement(
        ranks=tuple(recorded),
        recordings=tuple((one.ranks, one.source) for one in runs),
        launches=tuple(_compared(listing, recorded, predicted)),
        unpredicted=lost,
        agreeing=signatures - len(lost),
        signatures=signatures,
        communication=sum(one.communication for one in runs),
        libraries=sum(one.libraries for one in runs),
        without_grid=sum(one.without_grid for one in runs),
    )
    return msgspec.structs.replace(listing, agreement=agreement)


def _by_ranks(runs: Iterable[RecordedRun]) -> dict[int, dict[tuple[str, int], int]]:
    """Ranks, ascending -> signature -> launches."""
    found: dict[int, dict[tuple[str, int], int]] = {}
    for run in sorted(runs, key=lambda one: one.ranks):
        of_ranks = found.setdefault(run.ranks, {})
        for (name, blocks), number in run.launches.items():
            key = plain_name(name), blocks
            of_ranks[key] = of_ranks.get(key, 0) + number
    return found


def _by_kernel(launches: Iterable[tuple[str, int]]) -> dict[str, Blocks]:
    found: dict[str, set[int]] = defaultdict(set)
    for name, blocks in launches:
        found[name].add(blocks)
    return {name: frozenset(several) for name, several in found.items()}


def _predicted(sites: Iterable[ListedSite], ranks: int) -> dict[str, Blocks]:
    """Kernel -> the numbers of blocks that its sites have at a number of ranks."""
    return _by_kernel(
        (name, blocks)
        for site in _launching(sites)
        for name in _names(site)
        if (blocks := site.blocks.get(ranks)) is not None
    )


def _launching(sites: Iterable[ListedSite]) -> Iterable[ListedSite]:
    """The sites that launch themselves, and not for whoever calls them."""
    return (site for site in sites if not site.is_launcher)


def _names(site: ListedSite) -> tuple[str, ...]:
    """The kernels that a site launches, one of several."""
    return tuple(plain_name(one) for one in site.kernel.split(" | "))


def _unpredicted(
    launches: Mapping[int, Mapping[tuple[str, int], int]],
    predicted: Mapping[int, Mapping[str, Blocks]],
) -> Iterable[UnpredictedBlocks]:
    for ranks, found in launches.items():
        for (name, blocks), number in sorted(found.items()):
            if blocks not in predicted[ranks].get(name, frozenset()):
                yield UnpredictedBlocks(kernel=name, ranks=ranks, blocks=blocks, launches=number)


def _compared(
    listing: Listing,
    recorded: Mapping[int, Mapping[str, Blocks]],
    predicted: Mapping[int, Mapping[str, Blocks]],
) -> Iterable[ComparedLaunch]:
    """A line for the sites of a kernel in a function that are predicted the same."""
    alike: dict[tuple[object, ...], list[ListedSite]] = defaultdict(list)
    for site in _launching(listing.sites):
        blocks = tuple(site.blocks.get(ranks) for ranks in recorded)
        alike[site.path, site.kernel, site.function, blocks].append(site)
    for several in alike.values():
        first = several[0]
        outcomes = {
            ranks: _outcome(first, ranks, found, predicted[ranks])
            for ranks, found in recorded.items()
        }
        yield ComparedLaunch(
            kernel=first.kernel,
            function=first.function,
            path=first.path,
            lines=tuple(site.line for site in several),
            predicted={ranks: first.blocks.get(ranks) for ranks in recorded},
            recorded={ranks: found for ranks, (_, found) in outcomes.items()},
            outcomes={ranks: outcome for ranks, (outcome, _) in outcomes.items()},
        )


def _outcome(
    site: ListedSite,
    ranks: int,
    recorded: Mapping[str, Blocks],
    predicted: Mapping[str, Blocks],
) -> tuple[Outcome, tuple[int, ...]]:
    """How a site's blocks agree, and which recorded ones they are held against."""
    blocks, names = site.blocks.get(ranks), _names(site)
    of_kernel = frozenset[int]().union(*(recorded.get(name, frozenset()) for name in names))
    if blocks is not None and blocks in of_kernel:
        return "agrees", (blocks,)
    others = frozenset[int]().union(*(predicted.get(name, frozenset()) for name in names))
    rest = tuple(sorted(of_kernel - others))
    if blocks is None:
        return "unknown", rest
    return ("differs" if rest else "not_recorded"), rest
