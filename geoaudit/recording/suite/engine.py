"""Plans on a device: their code loaded once, their memory shared."""

from collections.abc import Callable, Sequence
from functools import partial

from geoaudit.manifest.plan import shared_buffers
from geoaudit.manifest.planned import (
    Argument,
    BufferUse,
    LaunchShape,
    Module,
    ModuleKey,
    StepPlan,
)
from geoaudit.recording.suite.arguments import PackedArguments
from geoaudit.recording.suite.captured_token import CapturedToken
from geoaudit.recording.suite.device_memory import DeviceMemory
from geoaudit.recording.suite.driver_kernel import DriverKernel
from geoaudit.recording.suite.parameters import check_parameters
from geoaudit.recording.suite.prepared_token import PreparedToken, prepare
from geoaudit.recording.suite.ranks.communicator import Communicator
from geoaudit.recording.suite.runtime import Runtime

DEFAULT_SHARED_BYTES = 48 << 10
"""Dynamic shared memory that a block may have without the kernel's being told."""


class Engine:
    """Launches the plans of one manifest on one device.

    Arms that are compared find their data at the same addresses: the memory serves all plans.

    Attributes:
        runtime: of the device.
        memory: of all plans.
    """

    def __init__(self, runtime: Runtime, plans: Sequence[StepPlan]) -> None:
        """Allocate the memory that serves all plans.

        Args:
            runtime: of the device.
            plans: of one manifest.

        Raises:
            NotMeasuredError: the device has not so much memory.
        """
        self.runtime = runtime
        self.memory = DeviceMemory(runtime, shared_buffers(plans))
        self._handles: dict[tuple[ModuleKey, str], int] = {}

    def prepare(self, plan: StepPlan, communicator: Communicator | None = None) -> PreparedToken:
        """A plan, ready to be launched; its buffers hold what they held.

        Args:
            plan: no larger than those that the memory was made for.
            communicator: sums over the other ranks; None: there are none, and nothing is summed.

        Raises:
            InputError: a source or binary cannot be used, or the plan is larger.
            ManifestError: a kernel takes other arguments than the manifest gives it.
            NotMeasuredError: a launch asks for more than the device has.
        """
        self.memory.require(plan.buffers)
        for module in plan.modules:
            self._load(module)
        # Launches of one shape have the same types of arguments.
        for launch in {one.shape: one for one in plan.launches}.values():
            check_parameters(self.runtime.driver, self._handle(launch.shape), launch)
        sums = {} if communicator is None else self._sums(plan, communicator)
        return prepare(plan, self._kernel, self._pack, self.runtime.stream, sums)

    def restore(self, plan: StepPlan) -> None:
        """Give the plan's buffers the contents it begins with, and wait for that.

        A launch that begins before the one ahead of it has ended must not meet a filling.

        Raises:
            InputError: the plan is larger than those that the memory was made for.
            NotMeasuredError: the driver refuses.
        """
        self.memory.require(plan.buffers)
        self.memory.restore(plan.buffers)
        self.synchronize()

    def capture(self, token: PreparedToken) -> CapturedToken:
        """A token, launched before, as one CUDA graph.

        Raises:
            InputError, NotMeasuredError: it cannot be captured.
        """
        return CapturedToken(self.runtime.driver, token)

    def synchronize(self) -> None:
        """Wait for all that was launched.

        Raises:
            NotMeasuredError: a kernel failed.
        """
        self.runtime.driver.synchronize(self.runtime.stream.ptr)

    def _sums(
        self, plan: StepPlan, communicator: Communicator
    ) -> dict[int, list[Callable[[], None]]]:
        """What is summed after each launch."""
        buffers = {buffer.name: buffer for buffer in plan.buffers}
        sums: dict[int, list[Callable[[], None]]] = {}
        for one in plan.all_reduces:
            buffer = buffers[one.buffer]
            address = self.memory.address(BufferUse(buffer=buffer.name, copy=0))
            stream = self.runtime.stream.ptr
            sums.setdefault(one.after, []).append(
                partial(communicator.all_reduce, address, buffer.elements, buffer.dtype, stream)
            )
        return sums

    def _load(self, module: Module) -> None:
        missing = [entry for entry in module.entries if (module.key, entry) not in self._handles]
        if not missing:
            return
        handles = self.runtime.load(Module(key=module.key, entries=tuple(missing)))
        self._handles |= {(module.key, entry): handle for entry, handle in handles.items()}

    def _handle(self, shape: LaunchShape) -> int:
        return self._handles[shape.module, shape.entry]

    def _kernel(self, shape: LaunchShape) -> DriverKernel:
        kernel = DriverKernel(
            self.runtime.driver,
            self._handle(shape),
            shape.entry,
            cluster=shape.cluster,
            is_programmatic=shape.programmatic_launch,
        )
        # Shapes of one kernel share its attributes: what one was allowed is not taken back.
        needed = shape.shared_bytes
        if needed > DEFAULT_SHARED_BYTES and needed > kernel.max_dynamic_shared_size_bytes:
            kernel.max_dynamic_shared_size_bytes = needed
        return kernel

    def _pack(self, arguments: Sequence[Argument]) -> PackedArguments:
        return PackedArguments(arguments, self.memory.address)
