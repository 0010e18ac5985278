"""Differences between ranks in words."""

from collections.abc import Sequence

from geoaudit.geometry.shape import LaunchShape
from geoaudit.quantities import byte_count, dimensions
from geoaudit.ranking.ranks.comparison import PositionDifference, RankComparison, RankLaunch


def first_difference(comparison: RankComparison) -> str | None:
    """The first position at which ranks differ, in words; None: none is known to."""
    geometry = comparison.geometry
    if geometry is None or not geometry.differences:
        return None
    return difference_sentence(geometry.differences[0], [one.rank for one in comparison.ranks])


def difference_sentence(difference: PositionDifference, ranks: Sequence[int]) -> str:
    """What each rank launches at a position, ranks that launch the same together.

    Cluster and shared memory are named only where they differ; the names of kernels are foreign.

    Args:
        difference: the position.
        ranks: number of each rank.
    """
    of_launch: dict[RankLaunch | None, list[int]] = {}
    for rank, launch in zip(ranks, difference.launches, strict=True):
        of_launch.setdefault(_compared(launch), []).append(rank)
    launched = [one.shape for one in of_launch if one is not None]
    clusters = len({shape.cluster for shape in launched}) > 1
    shared = len({shape.dynamic_shared_bytes for shape in launched}) > 1
    parts = [
        f"{_ranks(numbers)} {_launch(launch, clusters=clusters, shared=shared)}"
        for launch, numbers in of_launch.items()
    ]
    return f"at position {difference.position}: {'; '.join(parts)}"


def _compared(launch: RankLaunch | None) -> RankLaunch | None:
    """The launch with nothing but what ranks are compared by."""
    if launch is None:
        return None
    shape = launch.shape
    return RankLaunch(
        kernel_short=launch.kernel_short,
        shape=LaunchShape(
            grid=shape.grid,
            block=shape.block,
            cluster=shape.cluster,
            dynamic_shared_bytes=shape.dynamic_shared_bytes,
        ),
    )


def _ranks(numbers: Sequence[int]) -> str:
    return f"rank{'s' if len(numbers) > 1 else ''} {', '.join(map(str, numbers))}"


def _launch(launch: RankLaunch | None, *, clusters: bool, shared: bool) -> str:
    if launch is None:
        return "nothing"
    shape = launch.shape
    words = [launch.kernel_short, f"grid {dimensions(shape.grid)}"]
    words.append(f"block {dimensions(shape.block)}")
    if clusters:
        words.append(f"cluster {dimensions(shape.cluster)}")
    if shared:
        words.append(f"dynamic shared memory {byte_count(shape.dynamic_shared_bytes)}")
    return " ".join(words)
