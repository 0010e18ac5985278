"""The launches of all ranks side by side: the same token, the same position."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np
import numpy.typing as npt

from geoaudit.launches import schema as s
from geoaudit.ranking.annotation import AnnotatedKernels

Integers = npt.NDArray[np.int64]
Reals = npt.NDArray[np.float64]
NONE = -1


@dataclass(frozen=True, kw_only=True)
class AlignedLaunches:
    """Audited launches by rank, common token and position.

    Attributes:
        places: ranks x tokens x positions: number of the audited launch, `NONE` where the rank
            launches nothing there.
        positions: number of each position in the token's template, ascending; a rank launches at
            each of them.
        token: of every audited launch the number of its common token; `NONE`: in none.
    """

    places: Integers
    positions: Integers
    token: Integers

    @property
    def tokens(self) -> int:
        """How many tokens all ranks have."""
        return int(self.places.shape[1])

    def of(self, values: Reals) -> Reals:
        """A value per audited launch as ranks x tokens x positions, NaN where there is none."""
        return np.where(self.places == NONE, np.nan, values[self.places])


def align_ranks(kernels: AnnotatedKernels, devices: Sequence[int]) -> AlignedLaunches | None:
    """The launches of the ranks' common tokens, aligned by token and position.

    Where all ranks have as many steps, the segmentation gives the steps of one place in the order
    one number, and tokens are common by that number: a token that is cut on one rank is left out
    on all. Where they have different numbers of steps, tokens are common by their index, as many
    as the rank with the fewest has: the ranks are assumed to begin with the same token, as they do
    where one of them ended early. Clocks are never compared. Positions are slots of the template
    that all ranks' steps of the class were aligned with by their kernels' names.

    Args:
        kernels: the audited launches.
        devices: the device of each rank.

    Returns:
        None where there are no tokens, no positions, or no token that all ranks have.
    """
    device = kernels.launches[s.DEVICE].to_numpy(dtype=np.int64)
    of_rank = [device == one for one in devices]
    token = _common_tokens(kernels, of_rank)
    usable = (token != NONE) & (kernels.position >= 0)
    if not usable.any():
        return None
    tokens, positions = int(token.max()) + 1, int(kernels.position.max()) + 1
    places = np.full((len(devices), tokens, positions), NONE, dtype=np.int64)
    for rank, mine in enumerate(of_rank):
        chosen = np.flatnonzero(mine & usable)
        places[rank, token[chosen], kernels.position[chosen]] = chosen
    launched = np.flatnonzero((places != NONE).any(axis=(0, 1))).astype(np.int64)
    return AlignedLaunches(places=places[:, :, launched], positions=launched, token=token)


def _common_tokens(kernels: AnnotatedKernels, of_rank: list[npt.NDArray[np.bool_]]) -> Integers:
    """For every launch the number of its common token, `NONE` where it is in none."""
    step, token = (
        kernels.launches[name].to_numpy(dtype=np.int64, na_value=NONE) for name in (s.STEP, s.TOKEN)
    )
    for numbers in (step, token):
        common = reduce(np.intersect1d, [np.unique(numbers[mine]) for mine in of_rank])
        common = common[common != NONE]
        if common.size:
            found = np.searchsorted(common, numbers).clip(max=common.size - 1)
            in_rank = np.logical_or.reduce(of_rank)
            return np.where(in_rank & (common[found] == numbers), found, NONE).astype(np.int64)
    return np.full(len(step), NONE, dtype=np.int64)
