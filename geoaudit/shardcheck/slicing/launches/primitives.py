"""Interfaces that launch kernels, and where in a call of them the grid stands."""

from dataclasses import dataclass

from geoaudit.shardcheck.program import expressions as e
from geoaudit.shardcheck.program.walking import last_name


@dataclass(frozen=True, kw_only=True)
class LaunchParts:
    """What a launch is given.

    Attributes:
        idiom: of `LaunchSite`.
        kernel: what is launched.
        grid, block: one expression each, or three for x, y and z; block None: not told.
        arguments, keywords: of the kernel, where the grid may ask for them.
        line, offset: of the launch.
    """

    idiom: str
    kernel: e.Expression
    grid: tuple[e.Expression, ...]
    block: tuple[e.Expression, ...] | None
    keywords: tuple[tuple[str, e.Expression], ...]
    line: int
    offset: int
    arguments: tuple[e.Expression, ...] = ()


TEMPLATE = -1
"""Slot of a kernel that is the first template argument."""


@dataclass(frozen=True, kw_only=True)
class _Slots:
    """Arguments of an interface; `fields` of a structure where grid and block stand in one."""

    kernel: int
    grid: tuple[int, ...] = ()
    block: tuple[int, ...] = ()
    config: int | None = None
    fields: tuple[tuple[str, ...], tuple[str, ...]] = (("gridDim",), ("blockDim",))


_RUNTIME = _Slots(kernel=0, grid=(1,), block=(2,))
_DRIVER = _Slots(kernel=0, grid=(1, 2, 3), block=(4, 5, 6))
_EXTENSIBLE = _Slots(kernel=1, config=0)
_CUTLASS = _Slots(kernel=TEMPLATE, grid=(0,), block=(1,))
_CUTLASS_CONFIGURED = _Slots(kernel=1, config=0, fields=(("grid_dims",), ("block_dims",)))
_DRIVER_EXTENSIBLE = _Slots(
    kernel=1,
    config=0,
    fields=(("gridDimX", "gridDimY", "gridDimZ"), ("blockDimX", "blockDimY", "blockDimZ")),
)
PRIMITIVES: dict[str, _Slots] = {
    "cudaLaunchKernel": _RUNTIME,
    "cudaLaunchKernel_ptsz": _RUNTIME,
    "cudaLaunchCooperativeKernel": _RUNTIME,
    "hipLaunchKernel": _RUNTIME,
    "hipLaunchCooperativeKernel": _RUNTIME,
    "hipLaunchKernelGGL": _RUNTIME,
    "hipExtLaunchKernelGGL": _RUNTIME,
    "hipExtLaunchKernel": _RUNTIME,
    "musaLaunchKernel": _RUNTIME,
    "cudaLaunchKernelEx": _EXTENSIBLE,
    "cudaLaunchKernelExC": _EXTENSIBLE,
    "hipLaunchKernelExC": _EXTENSIBLE,
    "cuLaunchKernel": _DRIVER,
    "cuLaunchCooperativeKernel": _DRIVER,
    "hipModuleLaunchKernel": _DRIVER,
    "hipModuleLaunchCooperativeKernel": _DRIVER,
    "cuLaunchKernelEx": _DRIVER_EXTENSIBLE,
    "hipDrvLaunchKernelEx": _DRIVER_EXTENSIBLE,
    "hipLaunchKernelEx": _EXTENSIBLE,
    "hipExtModuleLaunchKernel": _DRIVER,
    "launch_kernel_on_cluster": _CUTLASS_CONFIGURED,
    "kernel_launch": _CUTLASS,
}
"""CUDA Runtime and Driver API, "Execution Control"; HIP Runtime API, "Execution Control"; and
CUTLASS, cute/cluster_sm90.hpp and cutlass/cluster_launch.hpp, which engines do not carry."""


REST_OF_MACRO = e.Name("__VA_ARGS__")


def is_interface(name: str) -> bool:
    """Whether a function of that name launches, also through ``lazy_`` and other such prefixes."""
    return _interface(name) in PRIMITIVES


def parts_of_call(call: e.Call, offset: int = 0) -> LaunchParts | None:
    """The parts of a call of a launching interface; None: it is none, or it lacks arguments."""
    name = _interface(last_name(call.function))
    slots = PRIMITIVES.get(name)
    if slots is None:
        return None
    given = call.arguments
    needed = 1 + max(slots.kernel, *slots.grid, *slots.block, slots.config or 0)
    if len(given) < needed or any(isinstance(one, e.Starred) for one in given[:needed]):
        return None
    if slots.config is not None:
        config = given[slots.config]
        grid, block = (_members(config, fields) for fields in slots.fields)
    else:
        grid = tuple(given[place] for place in slots.grid)
        block = tuple(given[place] for place in slots.block)
    kernel = given[slots.kernel]
    if slots.kernel == TEMPLATE:
        if not call.template_arguments:
            return None
        kernel = call.template_arguments[0]
    return LaunchParts(
        idiom=name,
        kernel=_unwrapped(kernel),
        grid=grid,
        block=block,
        keywords=(),
        line=call.line,
        offset=offset,
    )


def _interface(name: str) -> str:
    """The interface that a name stands for, also where it is loaded as ``lazy_cuLaunchKernel``."""
    start = name.find("_cu") if "_cu" in name else name.find("_hip")
    return name[start + 1 :] if start >= 0 and name[start + 1 :] in PRIMITIVES else name


def _unwrapped(kernel: e.Expression) -> e.Expression:
    """What HIP's macro for names with commas holds."""
    if isinstance(kernel, e.Call) and last_name(kernel.function) == "HIP_KERNEL_NAME":
        return kernel.arguments[0] if len(kernel.arguments) == 1 else kernel
    return kernel


def _members(config: e.Expression, fields: tuple[str, ...]) -> tuple[e.Expression, ...]:
    return tuple(e.Member(config, field) for field in fields)


def parts_of_launch(launch: e.Launch) -> LaunchParts:
    """The parts of a launch that the language spells as such."""
    grid, block = launch.grid, launch.block
    if grid == e.Starred(REST_OF_MACRO) and block is None:
        grid, block = (e.Subscript(REST_OF_MACRO, (e.Number(place),)) for place in (0, 1))
    return LaunchParts(
        idiom=launch.idiom,
        kernel=_unwrapped(launch.kernel),
        grid=(grid,),
        block=None if block is None else (block,),
        keywords=launch.keywords,
        arguments=launch.arguments,
        line=launch.line,
        offset=launch.offset,
    )
