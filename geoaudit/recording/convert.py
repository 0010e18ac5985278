"""From the recorder's stream to a recording: joins and checks, all in numpy."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pandas as pd

from geoaudit.launches import schema as s
from geoaudit.launches.plausible import at_least, checked_geometry, checked_times, kernel_names
from geoaudit.launches.ranges import SEPARATOR, SEPARATOR_IN_NAME, range_paths
from geoaudit.launches.recording import Metadata, Recording
from geoaudit.launches.table import build_launches
from geoaudit.recording.partitions import partition_warnings, recorded_devices
from geoaudit.recording.stream import Records, Stream

# CUPTI: CUpti_ActivityFlag of a marker record.
MARKER_START, MARKER_END = 1 << 1, 1 << 2
_NEVER = np.iinfo(np.int64).max
# CUPTI: CUpti_ActivityMemcpyKind; a set has none.
SET_KIND = -1
COPY_NAMES = {
    SET_KIND: "Memset",
    1: "Memcpy HtoD", 2: "Memcpy DtoH", 3: "Memcpy HtoA", 4: "Memcpy AtoH", 5: "Memcpy AtoA",
    6: "Memcpy AtoD", 7: "Memcpy DtoA", 8: "Memcpy DtoD", 9: "Memcpy HtoH", 10: "Memcpy PtoP",
}  # fmt: skip


def recording_of(stream: Stream, source_name: str) -> Recording:
    """The recording of one process.

    Args:
        stream: what the recorder left.
        source_name: what the recording is called in reports: the program.
    """
    kernels, copies = stream.kernels, stream.copies
    kinds = np.concatenate(
        [
            np.full(len(kernels), s.KIND_KERNEL, dtype=object),
            np.where(copies["is_set"] != 0, s.KIND_SET, s.KIND_COPY).astype(object),
        ]
    )
    times, warnings = checked_times(_both(stream, "start_ns"), _both(stream, "end_ns"))
    geometry, more = checked_geometry(_geometry(stream))
    graphs = at_least(_both(stream, "graph_id"), 1)
    table = build_launches(
        {
            s.KIND: pd.Categorical(kinds),
            **kernel_names(_names(stream), pd.Series(kinds)),
            **times,
            **geometry,
            s.DEVICE: _both(stream, "device"),
            s.RANK: pd.array([stream.rank], dtype="Int64").repeat(len(kinds)),
            s.PROCESS: np.full(len(kinds), stream.process),
            s.CONTEXT: _both(stream, "context"),
            s.STREAM: _both(stream, "stream"),
            **_resources(stream),
            s.GRAPH_ID: graphs,
            s.GRAPH_NODE_ID: _both(stream, "graph_node_id").mask(graphs.isna()),
            s.CORRELATION_ID: _both(stream, "correlation_id"),
            s.RANGES: pd.Categorical(_ranges(stream)),
            s.COPY_BYTES: _of_copies(stream, "bytes"),
        }
    )
    return Recording(launches=table, metadata=_metadata(stream, source_name, (*warnings, *more)))


def _both(stream: Stream, field: str) -> pd.Series:
    """A field of kernels and then copies, Int64."""
    joined = np.concatenate([stream.kernels[field], stream.copies[field]])
    return pd.Series(joined.astype(np.int64)).astype("Int64")


def _of_kernels(stream: Stream, values: npt.NDArray[np.generic]) -> pd.Series:
    """A field that only kernels have, Int64."""
    column = pd.Series(pd.NA, index=range(len(values) + len(stream.copies)), dtype="Int64")
    column.iloc[: len(values)] = values.astype(np.int64)
    return column


def _of_copies(stream: Stream, field: str) -> pd.Series:
    """A field that only copies have, Int64."""
    column = pd.Series(pd.NA, index=range(len(stream.kernels) + len(stream.copies)), dtype="Int64")
    column.iloc[len(stream.kernels) :] = stream.copies[field].astype(np.int64)
    return column


def _geometry(stream: Stream) -> dict[str, pd.Series]:
    columns = {}
    for names, field in ((s.GRID, "grid"), (s.BLOCK, "block"), (s.CLUSTER, "cluster")):
        for axis, name in enumerate(names):
            columns[name] = _of_kernels(stream, stream.kernels[field][:, axis])
    return columns


def _resources(stream: Stream) -> dict[str, pd.Series]:
    kernels = stream.kernels
    static, dynamic = (
        _of_kernels(stream, kernels[field])
        for field in ("static_shared_bytes", "dynamic_shared_bytes")
    )
    return {
        s.REGISTERS_PER_THREAD: _of_kernels(stream, kernels["registers_per_thread"]),
        s.STATIC_SHARED_BYTES: static,
        s.DYNAMIC_SHARED_BYTES: dynamic,
        s.SHARED_BYTES: static + dynamic,
        s.SHARED_CONFIG_BYTES: at_least(_of_kernels(stream, kernels["shared_config_bytes"]), 1),
        s.MAX_ACTIVE_CLUSTERS: at_least(_of_kernels(stream, kernels["max_active_clusters"]), 1),
    }


def _names(stream: Stream) -> pd.Series:
    copies = stream.copies
    copy_kinds = np.where(copies["is_set"] != 0, SET_KIND, copies["copy_kind"].astype(np.int64))
    return pd.Series(
        np.concatenate(
            [
                _spelled(stream.kernels["name_id"], lambda name: stream.names.get(name, "")),
                _spelled(copy_kinds, lambda kind: COPY_NAMES.get(kind, "Memcpy")),
            ]
        ),
        dtype=object,
    )


def _spelled(
    numbers: npt.NDArray[np.generic], spell: Callable[[int], str]
) -> npt.NDArray[np.object_]:
    """The word of each number; each word is made once, however many records have it."""
    distinct, of_record = np.unique(numbers, return_inverse=True)
    words = np.array([spell(int(number)) for number in distinct], dtype=object)
    spelled: npt.NDArray[np.object_] = words[of_record]
    return spelled


def _ranges(stream: Stream) -> npt.NDArray[np.object_]:
    """The path of ranges open on the thread when each record's launch was called."""
    correlation = np.concatenate(
        [stream.kernels["correlation_id"], stream.copies["correlation_id"]]
    )
    paths = np.full(len(correlation), None, dtype=object)
    ranges = _range_table(stream)
    if ranges.empty or not len(stream.launches):
        return paths
    launches = stream.launches[np.argsort(stream.launches["correlation_id"], kind="stable")]
    place = np.searchsorted(launches["correlation_id"], correlation)
    place = np.minimum(place, len(launches) - 1)
    found = launches["correlation_id"][place] == correlation
    calls = range_paths(
        ranges,
        launches["thread"].astype(np.int64),
        launches["timestamp_ns"].astype(np.int64),
    )
    paths[found] = calls[place[found]]
    return paths


def _range_table(stream: Stream) -> pd.DataFrame:
    """NVTX ranges: thread, start, end and label; one without an end was open to the last."""
    # Int64: a missing end would turn the others into floats, which are off by 128 ns.
    markers = pd.DataFrame(
        {name: stream.markers[name].astype(np.int64) for name in ("timestamp_ns", "marker_id")}
    ).astype("Int64")
    flags = stream.markers["flags"]
    starts = markers[(flags & MARKER_START) != 0].assign(
        thread=stream.markers["thread"][(flags & MARKER_START) != 0].astype(np.int64),
        label=_labels(stream, stream.markers[(flags & MARKER_START) != 0]),
    )
    ends = markers[(flags & MARKER_END) != 0].drop_duplicates("marker_id", keep="last")
    joined = starts.merge(ends, on="marker_id", how="left", suffixes=("", "_end"))
    return pd.DataFrame(
        {
            "thread": joined["thread"],
            "start": joined["timestamp_ns"].astype("int64"),
            "end": joined["timestamp_ns_end"].fillna(_NEVER).astype("int64"),
            "label": joined["label"],
        }
    )


def _labels(stream: Stream, markers: Records) -> list[str]:
    labels = []
    for name_id, domain_id in zip(markers["name_id"], markers["domain_id"], strict=True):
        name = stream.names.get(int(name_id)) or "(unnamed range)"
        domain = stream.names.get(int(domain_id))
        label = f"{domain}:{name}" if domain else name
        labels.append(label.replace(SEPARATOR, SEPARATOR_IN_NAME))
    return labels


def _metadata(stream: Stream, source_name: str, warnings: tuple[str, ...]) -> Metadata:
    status = stream.status
    cut = () if stream.cut is None else (f"the recorder's stream is cut: {stream.cut}",)
    if status is None:
        cut = (*cut, "the process ended before the recorder's first half second: what is missing "
               "cannot be told")  # fmt: skip
    elif not status["finished"]:
        cut = (*cut, "the process did not end by exit (a signal, _exit, exec, or it runs on): "
               "launches of its last second may be missing")  # fmt: skip
    seen = None
    if status is not None and status["launches_seen"]:
        # What a graph launches is no launch call: its nodes are counted by their records.
        graph_kernels = int((stream.kernels["graph_id"] > 0).sum())
        seen = int(status["launches_seen"]) + graph_kernels
    return Metadata(
        instrument="cupti",
        source_format="geoaudit",
        source_name=source_name,
        devices=recorded_devices(stream),
        environment={
            "cupti": str(stream.cupti_version),
            "cuda_driver": _version(stream.driver_version),
        },
        dropped=None if status is None else int(status["dropped_records"]),
        untimed=int(((stream.kernels["start_ns"] == 0) & (stream.kernels["end_ns"] == 0)).sum()),
        launches_seen=seen,
        partial=bool(cut),
        warnings=(*warnings, *cut, *partition_warnings(stream)),
        ranks=stream.ranks,
    )


def _version(version: int) -> str:
    return f"{version // 1000}.{version % 1000 // 10}"
