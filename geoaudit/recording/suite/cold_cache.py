"""The L2 as a launch finds it in its token: emptied, and filled with what was just touched."""

from pathlib import Path

from geoaudit.manifest.location import Location
from geoaudit.manifest.planned import Module, ModuleKey, Scalar
from geoaudit.recording.suite.arguments import PackedArguments
from geoaudit.recording.suite.driver_kernel import DriverKernel
from geoaudit.recording.suite.runtime import Runtime

ENTRY = "geoaudit_read"
SOURCE = Path(__file__).with_name("read.cu")
MODULE = Module(
    key=ModuleKey(kind="source", file=str(SOURCE), options=("-std=c++17",), defines=()),
    entries=(ENTRY,),
)
BLOCK = 256
MOST_BLOCKS = 4096
BYTES_PER_LOAD = 16

FLUSH_BYTES = 512 << 20
"""Four times the largest L2 there is (126 MB, Blackwell): no replacement policy keeps the rest."""

_SINK_BYTES = 256
_HERE = Location(file=str(SOURCE), line=0, key="")


class ColdCache:
    """Empties the L2, and reads memory into it.

    It is emptied by reading: what a flush writes would be written back while the next kernel runs.
    """

    def __init__(self, runtime: Runtime) -> None:
        """Allocate what is read.

        Raises:
            NotMeasuredError: the device has not so much memory.
        """
        handle = runtime.load(MODULE)[ENTRY]
        self._kernel = DriverKernel(runtime.driver, handle, ENTRY)
        self._stream = runtime.stream
        self._read = runtime.allocate(FLUSH_BYTES)
        self._sink = runtime.allocate(_SINK_BYTES)

    def flush(self) -> None:
        """Push all that the L2 holds out of it; waits for nothing."""
        self.touch(int(self._read.ptr), FLUSH_BYTES)

    def touch(self, address: int, size_bytes: int) -> None:
        """Read memory into the L2; waits for nothing.

        Args:
            address: on the device, of 16-byte alignment.
            size_bytes: how much.
        """
        blocks = -(-size_bytes // (BLOCK * BYTES_PER_LOAD))
        self._kernel(
            (max(1, min(MOST_BLOCKS, blocks)), 1, 1),
            (BLOCK, 1, 1),
            PackedArguments(
                tuple(_number(value) for value in (address, size_bytes, int(self._sink.ptr))),
                lambda use: 0,  # no buffers of a plan
            ),
            stream=self._stream,
        )


def _number(value: int) -> Scalar:
    return Scalar(dtype="u64", value=value, formula=None, location=_HERE)
