"""Which ranks of a distributed run a launches table holds, and which it lacks."""

import pandas as pd

from geoaudit.launches import schema as s


def ranks_held(launches: pd.DataFrame) -> tuple[int, ...]:
    """The ranks that have kernel launches, ascending; empty where no launch tells its rank."""
    ranks = launches.loc[launches[s.KIND] == s.KIND_KERNEL, s.RANK].dropna().unique()
    return tuple(sorted(int(rank) for rank in ranks))


def ranks_missing(launches: pd.DataFrame, ranks: int | None) -> tuple[int, ...]:
    """The ranks of a run of ``ranks`` that have no kernel launch, ascending.

    Returns:
        Empty also where that cannot be told: the number of ranks is not known, or a kernel launch
        does not tell its rank and may be of any of them.
    """
    held = ranks_held(launches)
    untold = launches.loc[launches[s.KIND] == s.KIND_KERNEL, s.RANK].isna().any()
    if ranks is None or untold or not held:
        return ()
    return tuple(rank for rank in range(ranks) if rank not in held)


def ranks_of_devices(launches: pd.DataFrame) -> dict[int, int]:
    """Device -> the rank that launches on it; without devices of no told rank, or of several."""
    kernels = launches[launches[s.KIND] == s.KIND_KERNEL]
    found = {}
    for device, ranks in kernels.groupby(s.DEVICE)[s.RANK]:
        if ranks.notna().all() and ranks.nunique() == 1:
            found[int(device)] = int(ranks.iloc[0])
    return found
