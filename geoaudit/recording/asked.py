"""What one launch asks for, read from the arguments of each launcher's call."""

# ruff: noqa: ANN401 - arguments and results are the launchers' own

import importlib
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from geoaudit.recording.requests import Dimensions, KernelResources

AXES = 3
# NVIDIA's warp, where Triton's compiled kernel does not say.
THREADS_PER_WARP = 32


class AskedLaunch(ABC):
    """What one launch asks for, read from the call's own arguments."""

    @abstractmethod
    def stream(self) -> int:
        """The driver's handle of the stream that is launched on."""

    @abstractmethod
    def grid(self) -> Any:
        """As the caller gave it."""

    @abstractmethod
    def block(self, result: Any) -> Any:
        """As the caller gave it, or as the launcher's result tells it."""

    @abstractmethod
    def dynamic_shared_bytes(self, result: Any) -> int | None:
        """As asked for."""

    def launched_grid(self) -> Dimensions | None:
        """What the launcher makes of the grid; None where it decides by itself."""
        return dimensions(self.grid())

    def resources(self, result: Any) -> KernelResources:
        """What the launcher tells of the kernel."""
        return KernelResources()


class CupyLaunch(AskedLaunch):
    """``kernel(grid, block, arguments, shared_mem=0)``."""

    def __init__(self, kernel: Any, grid: Any, block: Any, options: dict[str, Any]) -> None:
        self._kernel, self._grid, self._block, self._options = kernel, grid, block, options

    def stream(self) -> int:
        """The driver's handle of the stream."""
        stream = self._options.get("stream")
        return int((stream or importlib.import_module("cupy").cuda.get_current_stream()).ptr)

    def grid(self) -> Any:
        """As given."""
        return self._grid

    def block(self, result: Any) -> Any:
        """As given."""
        return self._block

    def dynamic_shared_bytes(self, result: Any) -> int | None:
        """As asked for."""
        return int(self._options.get("shared_mem", 0))

    def launched_grid(self) -> Dimensions | None:
        """Every dimension at least 1; unknown for a cooperative launch."""
        # CuPy makes every dimension at least 1, and a cooperative grid as small as fits.
        asked = dimensions(self._grid)
        if asked is None or self._kernel.enable_cooperative_groups:
            return None
        return max(1, asked[0]), max(1, asked[1]), max(1, asked[2])

    def resources(self, result: Any) -> KernelResources:
        """What the launcher tells of the kernel."""
        return KernelResources(
            registers_per_thread=self._kernel.num_regs,
            static_shared_bytes=self._kernel.shared_size_bytes,
        )


class TritonLaunch(AskedLaunch):
    """A grid may be a function of the meta-parameters: the last value is what was launched."""

    def __init__(self, grid: Any) -> None:
        self._evaluated = None if callable(grid) else grid

    def passed(self, grid: Any) -> Any:
        """What is given to Triton: the grid, or a function that keeps the value of the grid's."""
        if not callable(grid):
            return grid

        def evaluated(meta: Any) -> Any:
            self._evaluated = grid(meta)
            return self._evaluated

        return evaluated

    def stream(self) -> int:
        """The driver's handle of the stream."""
        active = importlib.import_module("triton.runtime.driver").driver.active
        return int(active.get_current_stream(active.get_current_device()))

    def grid(self) -> Any:
        """As given."""
        return self._evaluated

    def block(self, result: Any) -> Any:
        """As the compiled kernel was made, in threads."""
        metadata = getattr(result, "metadata", None)
        warps = getattr(metadata, "num_warps", None)
        if warps is None:
            return None
        threads = getattr(getattr(metadata, "target", None), "warp_size", THREADS_PER_WARP)
        return (warps * threads,)

    def dynamic_shared_bytes(self, result: Any) -> int | None:
        """As the compiled kernel was made."""
        return getattr(getattr(result, "metadata", None), "shared", None)

    def resources(self, result: Any) -> KernelResources:
        """What the launcher tells of the kernel."""
        return KernelResources(registers_per_thread=getattr(result, "n_regs", None))


class NumbaLaunch(AskedLaunch):
    """Numba's launch configuration keeps what it was given, in three dimensions."""

    def __init__(self, configured: Any) -> None:
        self._configured = configured

    def stream(self) -> int:
        """The driver's handle of the stream."""
        handle = getattr(self._configured.stream, "handle", self._configured.stream)
        return int(getattr(handle, "value", handle) or 0)

    def grid(self) -> Any:
        """As given."""
        return self._configured.griddim

    def block(self, result: Any) -> Any:
        """As given."""
        return self._configured.blockdim

    def dynamic_shared_bytes(self, result: Any) -> int | None:
        """As asked for."""
        return int(self._configured.sharedmem)


def dimensions(given: Any) -> Dimensions | None:
    """Three dimensions of a grid or block as launchers take them; None where it is neither."""
    values = tuple(given) if isinstance(given, Sequence) else (given,)
    if not 1 <= len(values) <= AXES or not all(hasattr(value, "__index__") for value in values):
        return None
    x, y, z = (*(int(value) for value in values), 1, 1)[:AXES]
    return x, y, z
