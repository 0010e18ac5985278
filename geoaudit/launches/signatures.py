"""Launch signatures: launches that ask for the same thing share one."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd

from geoaudit.launches import schema as s

SIGNATURE = (
    s.DEVICE,
    s.KERNEL,
    *s.GRID,
    *s.BLOCK,
    *s.CLUSTER,
    s.REGISTERS_PER_THREAD,
    s.SHARED_BYTES,
    s.DYNAMIC_SHARED_BYTES,
)


def group_ids(launches: pd.DataFrame, columns: Sequence[str]) -> npt.NDArray[np.int64]:
    """For every launch the number of its group of equal values in these columns.

    Returns:
        int64 array of the table's length, groups numbered 0..k-1 in order of first appearance;
        null equals null.
    """
    ids = np.zeros(len(launches), dtype=np.int64)
    for column in columns:
        codes, values = pd.factorize(launches[column], use_na_sentinel=False)
        # Two factors at a time keep every product below rows x rows, far from int64's end.
        ids, _ = pd.factorize(ids * max(len(values), 1) + codes)
    return ids.astype(np.int64)


def signature_ids(launches: pd.DataFrame) -> npt.NDArray[np.int64]:
    """For every launch the number of its launch signature, see `group_ids`."""
    return group_ids(launches, SIGNATURE)
