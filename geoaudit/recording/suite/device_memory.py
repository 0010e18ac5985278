"""The buffers of a plan on the device: allocated once, filled, and filled again."""

from collections.abc import Iterable, Mapping, Sequence

from geoaudit.errors import InputError, NotMeasuredError
from geoaudit.manifest.planned import BufferUse, PlannedBuffer
from geoaudit.quantities import byte_count, plural
from geoaudit.recording.suite import filling
from geoaudit.recording.suite.arguments import PackedArguments
from geoaudit.recording.suite.driver_kernel import DriverKernel
from geoaudit.recording.suite.runtime import Allocation, Runtime


class DeviceMemory:
    """Device memory of one or several plans.

    What is filled is a function of buffer, copy and place: so a state is restored by filling it
    anew, and no second copy of it is kept.
    """

    def __init__(self, runtime: Runtime, buffers: Sequence[PlannedBuffer]) -> None:
        """Allocate, and fill nothing yet.

        Args:
            runtime: of the device.
            buffers: as large as any plan wants them.

        Raises:
            NotMeasuredError: the device has not so much free memory.
        """
        _require_room(runtime, buffers)
        self._runtime = runtime
        self._room = {buffer.name: buffer for buffer in buffers}
        self._allocations: Mapping[str, Sequence[Allocation]] = {
            buffer.name: [runtime.allocate(buffer.bytes_per_copy) for _ in range(buffer.copies)]
            for buffer in buffers
        }
        handle = runtime.load(filling.MODULE)[filling.ENTRY]
        self._fill = DriverKernel(runtime.driver, handle, filling.ENTRY)
        # What weights hold: kernels do not change them.
        self._weights: dict[str, PlannedBuffer] = {}

    def address(self, use: BufferUse) -> int:
        """The address of a copy of a buffer."""
        return int(self.allocation(use).ptr)

    def allocation(self, use: BufferUse) -> Allocation:
        """The memory of a copy of a buffer."""
        return self._allocations[use.buffer][use.copy]

    def require(self, buffers: Iterable[PlannedBuffer]) -> None:
        """Refuse buffers that are larger than what was allocated, and would be written past.

        Raises:
            InputError: names the buffer.
        """
        for buffer in buffers:
            room = self._room.get(buffer.name)
            if (
                room is None
                or room.bytes_per_copy < buffer.bytes_per_copy
                or room.copies < buffer.copies
            ):
                raise InputError(
                    f"buffer {buffer.name} is larger in this plan than in those that the memory "
                    "was allocated for: allocate for the largest plan."
                )

    def restore(self, buffers: Iterable[PlannedBuffer]) -> None:
        """Give buffers the contents that the manifest says; weights only where they have others.

        Args:
            buffers: of the plan that runs next.
        """
        for buffer in buffers:
            if buffer.kind == "weight" and self._holds(buffer):
                continue
            for copy in range(buffer.copies):
                self._fill_copy(buffer, copy)
            if buffer.kind == "weight":
                self._weights[buffer.name] = buffer

    def _holds(self, buffer: PlannedBuffer) -> bool:
        held = self._weights.get(buffer.name)
        return (
            held is not None
            and held.elements >= buffer.elements
            and held.copies >= buffer.copies
            and filling.filling_of(held) == filling.filling_of(buffer)
        )

    def _fill_copy(self, buffer: PlannedBuffer, copy: int) -> None:
        blocks = min(filling.MOST_BLOCKS, -(-buffer.elements // filling.BLOCK))
        self._fill(
            (blocks, 1, 1),
            (filling.BLOCK, 1, 1),
            PackedArguments(filling.fill_arguments(buffer, copy), self.address),
            stream=self._runtime.stream,
        )


def _require_room(runtime: Runtime, buffers: Sequence[PlannedBuffer]) -> None:
    needed, free = sum(buffer.bytes for buffer in buffers), runtime.free_bytes()
    if needed <= free:
        return
    largest = max(buffers, key=lambda buffer: buffer.bytes)
    raise NotMeasuredError(
        f"the buffers take {byte_count(needed)}, and {byte_count(free)} of device memory are free. "
        f"The largest is {largest.name}: {plural(largest.copies, 'copy', 'copies')} of "
        f"{byte_count(largest.bytes_per_copy)}. Give smaller symbols with --set."
    )
