"""The launches table: every column declared once, with type, unit, nullability and meaning.

One row is one kernel launch, or one memory copy or set. Other modules import the column names
from here and never spell them. Missing is null, never 0 or -1; units are in the names; fractions
run from 0 to 1.
"""

from dataclasses import dataclass
from typing import Literal

SCHEMA_VERSION = "1.3"

ColumnType = Literal["text", "integer", "real"]
KIND_KERNEL, KIND_COPY, KIND_SET = "kernel", "copy", "set"
KINDS = (KIND_KERNEL, KIND_COPY, KIND_SET)


@dataclass(frozen=True, kw_only=True)
class Column:
    """One column of the launches table.

    Attributes:
        name: the column's name, with its unit where it has one.
        type: ``text`` (pandas category of str), ``integer`` (int64, or Int64 where nullable) or
            ``real`` (float64, NaN where missing).
        unit: unit of the values; empty for names, indices and identifiers.
        nullable: whether a value may be missing.
        minimum: smallest allowed value, or None.
        meaning: one sentence.
        since: first version of the schema that has it; null in recordings of older ones.
        maximum: largest allowed value, or None.
    """

    name: str
    type: ColumnType
    unit: str
    nullable: bool
    minimum: int | None
    meaning: str
    since: str = "1.0"
    maximum: int | None = None

    @property
    def pandas_dtype(self) -> str:
        """The dtype of this column in a pandas frame."""
        if self.type == "text":
            return "category"
        if self.type == "real":
            return "float64"
        return "Int64" if self.nullable else "int64"


_declared: dict[str, Column] = {}


def _column(
    name: str,
    type: ColumnType,
    meaning: str,
    *,
    unit: str = "",
    nullable: bool = True,
    minimum: int | None = None,
    since: str = "1.0",
    maximum: int | None = None,
) -> str:
    _declared[name] = Column(
        name=name,
        type=type,
        unit=unit,
        nullable=nullable,
        minimum=minimum,
        meaning=meaning,
        since=since,
        maximum=maximum,
    )
    return name


KIND = _column("kind", "text", "kernel, copy or set", nullable=False)
KERNEL = _column("kernel", "text", "demangled name, whole", nullable=False)
KERNEL_SHORT = _column(
    "kernel_short", "text", "name without return type, arguments and namespaces", nullable=False
)
OWNER = _column("owner", "text", "own, cublas, cudnn, cutlass, nccl, triton, torch, xla, ...")
START_NS = _column("start_ns", "integer", "start on the device's clock; null: untimed", unit="ns")
DURATION_NS = _column(
    "duration_ns", "integer", "end minus start; null: untimed", unit="ns", minimum=0
)
DEVICE = _column("device", "integer", "device index within the recording", nullable=False)
RANK = _column("rank", "integer", "rank of a distributed run", minimum=0)
PROCESS = _column("process", "integer", "process identifier")
CONTEXT = _column("context", "integer", "CUDA context identifier")
STREAM = _column("stream", "integer", "stream identifier")
GRID_X = _column("grid_x", "integer", "grid, x, in blocks", unit="blocks", minimum=0)
GRID_Y = _column("grid_y", "integer", "grid, y, in blocks", unit="blocks", minimum=0)
GRID_Z = _column("grid_z", "integer", "grid, z, in blocks", unit="blocks", minimum=0)
BLOCK_X = _column("block_x", "integer", "block, x, in threads", unit="threads", minimum=0)
BLOCK_Y = _column("block_y", "integer", "block, y, in threads", unit="threads", minimum=0)
BLOCK_Z = _column("block_z", "integer", "block, z, in threads", unit="threads", minimum=0)
CLUSTER_X = _column(
    "cluster_x", "integer", "cluster, x; 1, 1, 1: none; null: unknown", unit="blocks", minimum=1
)
CLUSTER_Y = _column("cluster_y", "integer", "cluster, y", unit="blocks", minimum=1)
CLUSTER_Z = _column("cluster_z", "integer", "cluster, z", unit="blocks", minimum=1)
REGISTERS_PER_THREAD = _column(
    "registers_per_thread", "integer", "as compiled", unit="registers", minimum=0
)
SHARED_BYTES = _column(
    "shared_bytes",
    "integer",
    "static and dynamic shared memory of a block together, where the source has only the sum "
    "or both",
    unit="bytes",
    minimum=0,
)
STATIC_SHARED_BYTES = _column(
    "static_shared_bytes", "integer", "static shared memory of a block", unit="bytes", minimum=0
)
DYNAMIC_SHARED_BYTES = _column(
    "dynamic_shared_bytes", "integer", "dynamic shared memory of a block", unit="bytes", minimum=0
)
SHARED_CONFIG_BYTES = _column(
    "shared_config_bytes",
    "integer",
    "shared-memory carve-out of the SM used",
    unit="bytes",
    minimum=0,
)
MAX_ACTIVE_CLUSTERS = _column(
    "max_active_clusters",
    "integer",
    "clusters the device holds at once",
    unit="clusters",
    minimum=0,
)
BARRIERS_PER_BLOCK = _column(
    "barriers_per_block",
    "integer",
    "block barriers the kernel was compiled with",
    unit="barriers",
    minimum=0,
    since="1.1",
)
GRAPH_ID = _column("graph_id", "integer", "CUDA graph; null: not launched by a graph")
GRAPH_NODE_ID = _column("graph_node_id", "integer", "node in the CUDA graph")
CORRELATION_ID = _column("correlation_id", "integer", "joins the launch to its API call")
RANGES = _column("ranges", "text", "NVTX path, outermost first, joined by /, domain before a colon")
STEP = _column("step", "integer", "step of the recording, all classes, in order of time", minimum=0)
STEP_CLASS = _column("step_class", "text", "steps of one launch sequence: prefill, decode, ...")
TOKEN = _column("token", "integer", "complete step within its step class, in order", minimum=0)
POSITION = _column(
    "position", "integer", "slot in the template of the step class; null: not in it", minimum=0
)
DRAM_BYTES = _column("dram_bytes", "real", "measured DRAM traffic", unit="bytes", minimum=0)
SM_ACTIVE_FRACTION = _column(
    "sm_active_fraction",
    "real",
    "measured share of SM-time with a resident warp",
    unit="fraction",
    minimum=0,
    maximum=1,
)
SM_THROUGHPUT_FRACTION = _column(
    "sm_throughput_fraction",
    "real",
    "measured throughput of the SM's busiest unit as a share of its peak",
    unit="fraction",
    minimum=0,
    maximum=1,
    since="1.2",
)
COMPULSORY_BYTES = _column(
    "compulsory_bytes",
    "integer",
    "bytes the launch cannot do without, each input and each output once, as declared",
    unit="bytes",
    minimum=0,
    since="1.2",
)
WORKING_THREADS = _column(
    "working_threads",
    "integer",
    "threads of a block that do work, as declared",
    unit="threads",
    minimum=0,
    since="1.2",
)
BYTES_IN_FLIGHT_PER_THREAD = _column(
    "bytes_in_flight_per_thread",
    "integer",
    "bytes of loads that a thread has outstanding, as declared or else by its machine code",
    unit="bytes per thread",
    minimum=0,
    since="1.2",
)
COPY_BYTES = _column("copy_bytes", "integer", "bytes of a copy or set", unit="bytes", minimum=0)
REQUESTED_GRID_X = _column("requested_grid_x", "integer", "grid asked for, x", unit="blocks")
REQUESTED_GRID_Y = _column("requested_grid_y", "integer", "grid asked for, y", unit="blocks")
REQUESTED_GRID_Z = _column("requested_grid_z", "integer", "grid asked for, z", unit="blocks")
REQUESTED_BLOCK_X = _column("requested_block_x", "integer", "block asked for, x", unit="threads")
REQUESTED_BLOCK_Y = _column("requested_block_y", "integer", "block asked for, y", unit="threads")
REQUESTED_BLOCK_Z = _column("requested_block_z", "integer", "block asked for, z", unit="threads")

COLUMNS: tuple[Column, ...] = tuple(_declared.values())
BY_NAME: dict[str, Column] = dict(_declared)

GRID = (GRID_X, GRID_Y, GRID_Z)
COUNTERS = (DRAM_BYTES, SM_ACTIVE_FRACTION, SM_THROUGHPUT_FRACTION)
BLOCK = (BLOCK_X, BLOCK_Y, BLOCK_Z)
CLUSTER = (CLUSTER_X, CLUSTER_Y, CLUSTER_Z)
REQUESTED_GRID = (REQUESTED_GRID_X, REQUESTED_GRID_Y, REQUESTED_GRID_Z)
REQUESTED_BLOCK = (REQUESTED_BLOCK_X, REQUESTED_BLOCK_Y, REQUESTED_BLOCK_Z)
