"""The launch sequence of one device, and steps cut from it."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from geoaudit.launches import schema as s

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
OUTSIDE = -1
MISSING = -1


@dataclass(frozen=True, kw_only=True)
class LaunchSequence:
    """The kernel launches of one device, in order of start.

    Attributes:
        device: device index.
        rows: row of each launch in the launches table.
        names: code of its kernel name; codes are shared by all devices.
        shapes: code of kernel name, grid and block together.
        streams: code of the stream it ran on.
        starts_ns, ends_ns: since ``origin_ns``, NaN where untimed.
        origin_ns: first start of the recording; what a float holds exactly is counted from it.
    """

    device: int
    rows: Ints
    names: Ints
    shapes: Ints
    streams: Ints
    starts_ns: Floats
    ends_ns: Floats
    origin_ns: int = 0

    def __len__(self) -> int:
        return len(self.rows)

    def idle_before_ns(self) -> Floats:
        """Idle time of the device before each launch, 0 where unknown or overlapped."""
        if len(self) == 0:
            return np.empty(0)
        busy_until = np.fmax.accumulate(self.ends_ns)
        idle = np.zeros(len(self))
        idle[1:] = self.starts_ns[1:] - busy_until[:-1]
        return np.nan_to_num(np.maximum(idle, 0.0), nan=0.0)


@dataclass(frozen=True, kw_only=True)
class Steps:
    """Steps of one device's launch sequence.

    Attributes:
        step_of: for each launch of the sequence the index of its step in order of time, or
            OUTSIDE.
        labels: for each step the name of the range that marks it, or None.
        possibly_cut: steps that the recording's ends may have cut.
    """

    step_of: Ints
    labels: tuple[str | None, ...]
    possibly_cut: frozenset[int] = frozenset()

    @property
    def count(self) -> int:
        """How many steps there are."""
        return len(self.labels)


def steps_from_bounds(
    length: int, bounds: list[tuple[int, int]], possibly_cut: frozenset[int] = frozenset()
) -> Steps:
    """Steps of half-open intervals of the sequence, given in order and not overlapping."""
    step_of = np.full(length, OUTSIDE, dtype=np.int64)
    for index, (first, end) in enumerate(bounds):
        step_of[first:end] = index
    return Steps(step_of=step_of, labels=(None,) * len(bounds), possibly_cut=possibly_cut)


def launch_sequences(launches: pd.DataFrame) -> tuple[LaunchSequence, ...]:
    """The kernel launches of each device, in the order of the table, by device index."""
    kernels = (launches[s.KIND] == s.KIND_KERNEL).to_numpy()
    names = launches[s.KERNEL].cat.codes.to_numpy().astype(np.int64)
    shapes = _combined_codes(launches, names)
    origin = launches[s.START_NS].min()
    origin_ns = 0 if pd.isna(origin) else int(origin)
    starts = (launches[s.START_NS] - origin_ns).to_numpy(dtype=np.float64, na_value=np.nan)
    streams, _ = pd.factorize(launches[s.STREAM], sort=True, use_na_sentinel=False)
    ends = starts + launches[s.DURATION_NS].to_numpy(dtype=np.float64, na_value=np.nan)
    devices = launches[s.DEVICE].to_numpy(dtype=np.int64)
    return tuple(
        LaunchSequence(
            device=int(device),
            rows=rows,
            names=names[rows],
            shapes=shapes[rows],
            streams=streams[rows].astype(np.int64),
            starts_ns=starts[rows],
            ends_ns=ends[rows],
            origin_ns=origin_ns,
        )
        for device in np.unique(devices[kernels])
        if len(rows := np.flatnonzero(kernels & (devices == device)))
    )


def pair_codes(first: Ints, second: Ints) -> Ints:
    """One dense code for each pair of codes; both at least -1."""
    return dense_codes((first + 1) * (int(second.max(initial=0)) + 2) + second + 1)


def dense_codes(values: Ints) -> Ints:
    """Values renumbered 0, 1, 2 ... in order of first occurrence."""
    codes, _ = pd.factorize(values)
    return np.asarray(codes, dtype=np.int64)


def _combined_codes(launches: pd.DataFrame, names: Ints) -> Ints:
    codes = dense_codes(names)
    for column in (*s.GRID, *s.BLOCK):
        axis = launches[column].to_numpy(dtype=np.float64, na_value=np.nan)
        codes = pair_codes(codes, dense_codes(np.nan_to_num(axis, nan=MISSING).astype(np.int64)))
    return codes
