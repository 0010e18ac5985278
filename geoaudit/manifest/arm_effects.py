"""Which kernels each arm reaches: by what it changes of them, or by a formula that asks for it."""

from collections.abc import Iterable, Iterator, Mapping

from geoaudit.manifest.arguments import ScalarArgument
from geoaudit.manifest.formula import Formula
from geoaudit.manifest.model import Kernel, Launch, LaunchRecipe, Manifest, Segment
from geoaudit.manifest.segments import distinct_launches, distinct_segments


def kernels_reached(manifest: Manifest) -> dict[str, tuple[str, ...]]:
    """Arm -> the kernels whose launches it may change, all in the manifest's order."""
    reached: dict[str, set[str]] = {name: set() for name in manifest.arms}
    for kernel in manifest.kernels.values():
        symbols = {**manifest.symbols, **kernel.symbols}
        for arm in {*kernel.arms, *_used_names(formulas_of(kernel), symbols)} & reached.keys():
            reached[arm].add(kernel.name)
    for step in manifest.steps.values():
        for formulas, kernels in _step_formulas(step):
            for arm in _used_names(formulas, manifest.symbols) & reached.keys():
                reached[arm] |= kernels
    return {
        arm: tuple(name for name in manifest.kernels if name in kernels)
        for arm, kernels in reached.items()
    }


def arms_of_buffers(manifest: Manifest) -> frozenset[str]:
    """The arms that the size of a buffer, or how it is filled, depends on."""
    formulas = [
        formula
        for buffer in manifest.buffers.values()
        for formula in (buffer.elements, buffer.copies, *buffer.init_figures.values())
    ]
    return _used_names(formulas, manifest.symbols) & manifest.arms.keys()


def formulas_of(kernel: Kernel) -> Iterator[Formula]:
    """Every formula of a kernel, those of its arms included."""
    yield from kernel.symbols.values()
    yield from kernel.code.defines.values()
    for recipe in kernel.recipes:
        yield from _recipe_formulas(recipe)


def _recipe_formulas(recipe: LaunchRecipe) -> Iterator[Formula]:
    yield from recipe.entry.formulas
    yield from (*recipe.grid, *recipe.block, *recipe.cluster)
    yield from (one.formula for one in recipe.arguments.entries if isinstance(one, ScalarArgument))
    optional = (
        recipe.enabled,
        recipe.shared_bytes,
        recipe.programmatic_launch,
        recipe.bytes_read,
        recipe.bytes_written,
        recipe.working_threads,
        recipe.bytes_in_flight_per_thread,
    )
    yield from (formula for formula in optional if formula is not None)


def _step_formulas(step: Segment) -> Iterator[tuple[list[Formula], set[str]]]:
    """Formulas of the step, each with the kernels whose launches depend on it."""
    for segment in distinct_segments(step):
        repeat = [segment.repeat] if segment.repeat else []
        kernels = {launch.kernel for launch in distinct_launches(segment)}
        yield [*repeat, *segment.sets.values()], kernels
        for member in segment.members:
            if isinstance(member, Launch):
                yield [*member.sets.values()], {member.kernel}


def _used_names(formulas: Iterable[Formula], symbols: Mapping[str, Formula]) -> frozenset[str]:
    """The names that formulas use, and those that these are made of."""
    found: set[str] = set()
    waiting = [name for formula in formulas for name in formula.names]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting.extend(symbols[name].names if name in symbols else ())
    return frozenset(found)
