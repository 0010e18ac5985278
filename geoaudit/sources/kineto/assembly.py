"""From the columns of a trace to the launches table and its metadata."""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import pandas as pd

from geoaudit.errors import NotMeasuredError
from geoaudit.launches import schema as s
from geoaudit.launches.plausible import impossible_warnings, kernel_names
from geoaudit.launches.recording import Metadata, Recording
from geoaudit.launches.table import build_launches
from geoaudit.sources.kineto.activities import MISSING, Activities, Codes, Integers
from geoaudit.sources.kineto.devices import SmRatios, recorded_devices
from geoaudit.sources.kineto.document import Document
from geoaudit.sources.kineto.events import Malformed
from geoaudit.sources.kineto.geometry import Geometry, LaunchCalls, join_calls, resolve_geometry
from geoaudit.sources.kineto.ranges import RangePaths

_ROCM_WARP_THREADS = 64
_KERNEL = s.KINDS.index(s.KIND_KERNEL)


def assemble(document: Document, activities: Activities, malformed: Malformed) -> Recording:
    """The recording of a trace.

    Args:
        document: the trace's top level.
        activities: what its events hold.
        malformed: counts of events that could not be read, and the file's name.

    Raises:
        NotMeasuredError: no kernels.
    """
    columns = activities.activity_columns()
    calls = join_calls(columns, activities.call_columns(), activities.calls.values)
    is_kernel = columns["kind"] == _KERNEL
    if not is_kernel.any():
        raise _no_kernels(calls, malformed)
    is_rocm = _is_rocm(document, activities)
    geometry = resolve_geometry(columns, calls, is_rocm=is_rocm)
    ratios = _sm_ratios(columns, geometry, activities.sm_ratios())
    used = np.unique(columns["device"][is_kernel]).tolist()
    launches = build_launches(
        _measured_columns(columns, geometry)
        | _named_columns(columns, calls, activities)
        | {s.RANK: document.rank}
    )
    metadata = Metadata(
        instrument="kineto",
        source_format="kineto",
        source_name=malformed.source_name,
        devices=recorded_devices(document.devices, used, ratios, is_rocm=is_rocm),
        environment=document.versions,
        untimed=int(((columns["duration"] == MISSING) & is_kernel).sum()),
        launches_seen=_launches_seen(calls, int(is_kernel.sum())),
        partial=document.partial,
        warnings=(*document.warnings, *_warnings(activities, geometry, malformed)),
    )
    return Recording(launches=launches, metadata=metadata)


def _measured_columns(columns: dict[str, Integers], geometry: Geometry) -> dict[str, object]:
    plain = {
        s.START_NS: columns["start"],
        s.DURATION_NS: columns["duration"],
        s.CONTEXT: columns["context"],
        s.STREAM: columns["stream"],
        s.REGISTERS_PER_THREAD: _not_negative(columns["registers"]),
        s.SHARED_BYTES: geometry.shared_bytes,
        s.DYNAMIC_SHARED_BYTES: geometry.dynamic_shared_bytes,
        s.GRAPH_ID: columns["graph_id"],
        s.GRAPH_NODE_ID: columns["graph_node_id"],
        s.CORRELATION_ID: columns["correlation"],
        s.COPY_BYTES: _not_negative(columns["copy_bytes"]),
        **{name: geometry.grid[:, axis] for axis, name in enumerate(s.GRID)},
        **{name: geometry.block[:, axis] for axis, name in enumerate(s.BLOCK)},
    }
    nullable: dict[str, object] = {name: _nullable(values) for name, values in plain.items()}
    return nullable | {s.DEVICE: columns["device"]}


def _named_columns(
    columns: dict[str, Integers], calls: LaunchCalls, activities: Activities
) -> dict[str, object]:
    kinds = pd.Categorical.from_codes(columns["kind"], categories=pd.Index(s.KINDS, dtype="str"))
    unique = pd.DataFrame(activities.names.values, columns=["kind", "name"])
    unique_kinds = unique["kind"].map(dict(enumerate(s.KINDS)))
    names = kernel_names(unique["name"], unique_kinds)
    processes = [_process(pid) for pid, _ in activities.threads]
    thread = calls.of_records("thread")
    of_thread = np.array([*processes, MISSING], dtype=np.int64)
    process = of_thread[np.where(thread == MISSING, len(processes), thread)]
    return {
        s.KIND: kinds,
        s.PROCESS: _nullable(process),
        s.RANGES: _ranges(columns, calls, activities),
        **{name: values.take(columns["name"]) for name, values in names.items()},
    }


def _ranges(
    columns: dict[str, Integers], calls: LaunchCalls, activities: Activities
) -> pd.Categorical:
    """Path of ranges around each record's launch, or around the record on its stream.

    The second, from the projection that Kineto draws, is for records whose launch is missing.
    """
    paths: Codes[str] = Codes()
    host = RangePaths(activities.ranges, paths)
    codes = host.look_up(
        calls.of_records("thread"),
        calls.of_records("start"),
        dict(enumerate(activities.threads)),
    )
    without_launch = (calls.of_record < 0) | (not activities.ranges)
    if activities.gpu_ranges and without_launch.any():
        pairs = np.stack([columns["device"], columns["stream"]], axis=1)
        streams, keys = np.unique(pairs, axis=0, return_inverse=True)
        threads = {key: (int(pair[0]), int(pair[1])) for key, pair in enumerate(streams)}
        on_stream = RangePaths(activities.gpu_ranges, paths).look_up(
            keys.reshape(-1), columns["start"], threads
        )
        codes = np.where(without_launch, on_stream, codes)
    return pd.Categorical.from_codes(codes, categories=pd.Index(paths.values, dtype="str"))


def _sm_ratios(
    columns: dict[str, Integers], geometry: Geometry, ratios: npt.NDArray[np.float64]
) -> SmRatios:
    return SmRatios(
        device=columns["device"],
        blocks=_product(geometry.grid),
        threads=_product(geometry.block),
        blocks_per_sm=ratios[:, 0],
        warps_per_sm=ratios[:, 1],
    )


def _product(axes: Integers) -> npt.NDArray[np.float64]:
    known = (axes != MISSING).all(axis=1)
    product: npt.NDArray[np.float64] = np.where(known[:, None], axes, 0).astype(float).prod(axis=1)
    return np.where(known, product, np.nan)


def _is_rocm(document: Document, activities: Activities) -> bool:
    return (
        any(name.startswith(("hip", "roc")) for name in document.versions)
        or any(device.warp_size == _ROCM_WARP_THREADS for device in document.devices)
        or any(name.startswith("hip") for name in activities.calls.values)
        or activities.rocm_dispatches > 0
    )


def _launches_seen(calls: LaunchCalls, kernels: int) -> int | None:
    """Kernels, and launches of which the GPU's record is missing.

    A graph launch stands for many kernels, so that launch calls alone do not compare with them.
    """
    if not calls.launch_count:
        return None
    recorded = np.zeros(len(calls.columns["name"]), dtype=bool)
    recorded[calls.of_record[calls.of_record >= 0]] = True
    return kernels + int((calls.launches & ~recorded).sum())


def _no_kernels(calls: LaunchCalls, malformed: Malformed) -> NotMeasuredError:
    name = malformed.source_name
    if calls.launch_count:
        return NotMeasuredError(
            f"{name}: {calls.launch_count} launches, 0 kernel records: the profiler lost the GPU "
            "records. Another tool may have held CUPTI, or the process ended before the profiler "
            "did; record again with one profiler, and synchronise the device before it stops."
        )
    unread = (
        f" ({malformed.skipped} malformed events; {malformed.first})" if malformed.first else ""
    )
    return NotMeasuredError(
        f"{name}: no kernel records{unread}. Record with torch.profiler.ProfilerActivity.CUDA "
        "among the activities, on a machine with a GPU."
    )


def _warnings(activities: Activities, geometry: Geometry, malformed: Malformed) -> Iterator[str]:
    counted = (
        (malformed.skipped, f"events could not be read and were skipped ({malformed.first})."),
        (
            malformed.without_arguments,
            f"events have arguments of a wrong type, which were left out ({malformed.first}).",
        ),
        (activities.bad.negative_durations, "records end before they start: counted as untimed."),
        (
            geometry.ambiguous,
            "kernels have a grid whose unit is ambiguous (blocks or work-items: the launch call is "
            "not in the trace): their grid is unknown.",
        ),
        (
            geometry.uneven,
            "kernels have a grid in work-items that is no multiple of the block: rounded up.",
        ),
        (activities.bad.devices, "records do not say on which device they ran: counted as 0."),
    )
    yield from impossible_warnings(activities.bad.geometries + geometry.impossible)
    yield from (f"{count:,} {text}" for count, text in counted if count)


def _nullable(values: Integers) -> pd.arrays.IntegerArray:
    missing = values == MISSING
    return pd.arrays.IntegerArray(np.where(missing, 0, values), missing)


def _not_negative(values: Integers) -> Integers:
    return np.where(values < 0, MISSING, values)


def _process(pid: int | str | None) -> int:
    return pid if isinstance(pid, int) else MISSING
