"""One launch of a kernel worked out: geometry, module, and arguments but for their copies."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import prod

from geoaudit.manifest.arguments import Argument, BufferArgument, ScalarArgument
from geoaudit.manifest.arithmetic import LARGEST_INTEGER
from geoaudit.manifest.environment import SymbolValue, resolve, whole_number
from geoaudit.manifest.formula import Formula
from geoaudit.manifest.location import Location
from geoaudit.manifest.model import TOKEN, EntryName, Kernel, LaunchRecipe
from geoaudit.manifest.planned import Dimensions, LaunchShape, ModuleKey, Scalar, fitting

# CUDA C++ Programming Guide, "Technical Specifications per Compute Capability".
_LARGEST_GRID = (2**31 - 1, 65535, 65535)
_LARGEST_BLOCK = (1024, 1024, 64)
_MOST_THREADS_PER_BLOCK = 1024
_MOST_BLOCKS_PER_CLUSTER = 16  # with the non-portable size of compute capability 9.0 and later
MOST_SHARED_BYTES = 232_448
"""Most shared memory that a block can have on any device of the device table: 227 KiB."""

Values = Mapping[str, SymbolValue]


@dataclass(frozen=True, kw_only=True)
class ResolvedLaunch:
    """A launch without the copies of its buffers.

    Attributes:
        shape: kernel and geometry.
        arguments: the name of a buffer, or a scalar.
        arguments_location: where they are listed.
    """

    shape: LaunchShape
    arguments: tuple[str | Scalar, ...]
    arguments_location: Location


def recipe_under(kernel: Kernel, arms: Mapping[str, int]) -> LaunchRecipe:
    """How a kernel is launched.

    Args:
        kernel: the kernel.
        arms: every arm -> its value; 0: off.

    Raises:
        ManifestError: one arm no longer passes what another reads or writes.
    """
    recipe = kernel.recipe
    on = [name for name in kernel.arms if arms[name]]
    for name in on:
        arm = kernel.arms[name]
        recipe = replace(recipe, **{key: getattr(arm.recipe, key) for key in arm.changed})
    lost = {*recipe.inputs, *recipe.outputs} - recipe.buffers
    if lost:
        raise kernel.location.error(
            f"with {' and '.join(on)} on, {min(lost)} is read or written but not passed; let one "
            "arm exclude the other"
        )
    return recipe


def is_enabled(recipe: LaunchRecipe, values: Values) -> bool:
    """Whether the kernel is launched at all.

    Raises:
        ManifestError: the condition cannot be worked out, or varies with the token.
    """
    return recipe.enabled is None or bool(_count(recipe.enabled, values))


def resolve_launch(
    kernel: Kernel, recipe: LaunchRecipe, values: Values, binds: Mapping[str, str]
) -> ResolvedLaunch:
    """A launch of a kernel that is enabled.

    Args:
        kernel: the kernel.
        recipe: how it is launched.
        values: of all symbols.
        binds: buffer of its arguments -> the buffer to pass instead.

    Raises:
        ManifestError: a formula cannot be worked out, or has a value no launch can have.
    """
    block = _block(recipe.block, values)
    grid = _dimensions(recipe.grid, values, _LARGEST_GRID)
    shape = LaunchShape(
        kernel=kernel.name,
        entry=_entry(recipe.entry, values),
        module=_module(kernel, values),
        grid=grid,
        block=block,
        cluster=_cluster(recipe.cluster, values, grid),
        shared_bytes=_optional(recipe.shared_bytes, values, MOST_SHARED_BYTES) or 0,
        programmatic_launch=bool(_optional(recipe.programmatic_launch, values)),
        bytes_read=_optional(recipe.bytes_read, values),
        bytes_written=_optional(recipe.bytes_written, values),
        working_threads=_optional(recipe.working_threads, values, prod(block)),
        bytes_in_flight_per_thread=_optional(recipe.bytes_in_flight_per_thread, values),
    )
    return ResolvedLaunch(
        shape=shape,
        arguments=tuple(_argument(one, values, binds) for one in recipe.arguments.entries),
        arguments_location=recipe.arguments.location,
    )


def _count(formula: Formula, values: Values, maximum: int = LARGEST_INTEGER) -> int:
    return whole_number(formula, values, minimum=0, maximum=maximum)


def _optional(
    formula: Formula | None, values: Values, maximum: int = LARGEST_INTEGER
) -> int | None:
    return None if formula is None else _count(formula, values, maximum)


def _dimensions(formulas: tuple[Formula, ...], values: Values, largest: Dimensions) -> Dimensions:
    sizes = [
        whole_number(formula, values, minimum=1, maximum=maximum)
        for formula, maximum in zip(formulas, largest, strict=False)
    ]
    x, y, z = (*sizes, 1, 1)[:3]
    return x, y, z


def _block(formulas: tuple[Formula, ...], values: Values) -> Dimensions:
    block = _dimensions(formulas, values, _LARGEST_BLOCK)
    if prod(block) > _MOST_THREADS_PER_BLOCK:
        raise formulas[0].location.error(
            f"a block of {prod(block)} threads ({' x '.join(map(str, block))}); CUDA allows "
            f"{_MOST_THREADS_PER_BLOCK}"
        )
    return block


def _cluster(formulas: tuple[Formula, ...], values: Values, grid: Dimensions) -> Dimensions:
    if not formulas:
        return 1, 1, 1
    cluster = _dimensions(formulas, values, grid)
    if prod(cluster) > _MOST_BLOCKS_PER_CLUSTER:
        raise formulas[0].location.error(
            f"a cluster of {prod(cluster)} blocks; CUDA allows {_MOST_BLOCKS_PER_CLUSTER}"
        )
    if any(blocks % size for blocks, size in zip(grid, cluster, strict=True)):
        raise formulas[0].location.error(
            f"clusters of {' x '.join(map(str, cluster))} blocks do not divide the grid of "
            f"{' x '.join(map(str, grid))}; make each dimension a multiple"
        )
    return cluster


def _entry(entry: EntryName, values: Values) -> str:
    numbers = [str(_count(formula, values)) for formula in entry.formulas]
    pairs = zip(entry.texts, (*numbers, ""), strict=True)
    return "".join(text + number for text, number in pairs)


def _module(kernel: Kernel, values: Values) -> ModuleKey:
    code = kernel.code
    defines = {
        name: whole_number(formula, values, minimum=-LARGEST_INTEGER, maximum=LARGEST_INTEGER)
        for name, formula in code.defines.items()
    }
    return ModuleKey(
        kind=code.kind,
        file=code.file,
        options=code.options,
        defines=tuple(sorted(defines.items())),
    )


def _argument(argument: Argument, values: Values, binds: Mapping[str, str]) -> str | Scalar:
    if isinstance(argument, BufferArgument):
        return binds.get(argument.buffer, argument.buffer)
    return _scalar(argument, values)


def _scalar(argument: ScalarArgument, values: Values) -> Scalar:
    location = argument.formula.location
    resolved = resolve(argument.formula, values)
    varying = resolved if isinstance(resolved, Formula) else None
    number = resolved.value({TOKEN: 0}) if isinstance(resolved, Formula) else resolved
    return Scalar(
        dtype=argument.dtype,
        value=fitting(number, argument.dtype, location),
        formula=varying,
        location=location,
    )
