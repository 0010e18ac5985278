"""The exact launches of one token, worked out of a manifest and the settings of a run."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import PurePath

from geoaudit.errors import InputError
from geoaudit.manifest.arithmetic import LARGEST_INTEGER
from geoaudit.manifest.assembly import Assembly
from geoaudit.manifest.buffer_plan import plan_buffers
from geoaudit.manifest.environment import Environment, settle, whole_number
from geoaudit.manifest.expansion import expand
from geoaudit.manifest.location import did_you_mean, shown
from geoaudit.manifest.model import Code, Manifest, Segment
from geoaudit.manifest.planned import (
    Module,
    ModuleKey,
    PlannedBuffer,
    PlannedKernel,
    PlannedLaunch,
    StepPlan,
)
from geoaudit.manifest.settings import Settings


def plan(manifest: Manifest, settings: Settings, step: str | None = None) -> StepPlan:
    """The exact launches of one token.

    Args:
        manifest: what to launch.
        settings: arms and symbols, resolved for this manifest.
        step: name of a step; None: the manifest's default.

    Returns:
        The plan. It holds for every token: only scalars may depend on which token it is.

    Raises:
        InputError: no such step.
        ManifestError: a formula cannot be worked out with these settings or has a value that no
            launch can have, a requirement does not hold, or nothing is launched.
    """
    name = manifest.default_step if step is None else step
    segment = _step(manifest, name)
    symbols = settle(manifest.symbols, {**settings.arms, **settings.symbols})
    _check_requirements(manifest, symbols)
    buffers = plan_buffers(manifest, segment, symbols)
    copies = {buffer.name: buffer.copies for buffer in buffers}
    assembly = Assembly(kernels=manifest.kernels, arms=settings.arms, copies=copies)
    for event in expand(manifest.symbols, segment, symbols):
        assembly.take(event)
    if not assembly.launches:
        raise segment.location.error("launches nothing with these settings; see enabled and repeat")
    return StepPlan(
        step=name,
        arms=dict(settings.arms),
        symbols=_fixed_symbols(manifest, symbols),
        launches=tuple(assembly.launches),
        ranges=assembly.ranges,
        all_reduces=tuple(assembly.all_reduces),
        modules=_modules(assembly.launches),
        buffers=buffers,
        kernels=_kernels(manifest, assembly.launches),
    )


def shared_buffers(plans: Sequence[StepPlan]) -> tuple[PlannedBuffer, ...]:
    """The memory that serves several plans of one manifest, in the order of their buffers.

    Arms that are compared must find their data at the same addresses: each buffer is as large as
    the plan that wants most of it.
    """
    merged: dict[str, PlannedBuffer] = {}
    for buffer in (buffer for one in plans for buffer in one.buffers):
        known = merged.get(buffer.name, buffer)
        merged[buffer.name] = replace(
            known,
            elements=max(known.elements, buffer.elements),
            copies=max(known.copies, buffer.copies),
        )
    return tuple(merged.values())


def _check_requirements(manifest: Manifest, symbols: Environment) -> None:
    """Kernels that were compiled for a size read and write beside their buffers at another."""
    for requirement in manifest.requirements:
        if not whole_number(requirement, symbols.values, minimum=-1, maximum=LARGEST_INTEGER):
            names = sorted(requirement.names & symbols.values.keys())
            values = ", ".join(f"{name} is {symbols.values[name]}" for name in names)
            raise requirement.location.error(
                f"{requirement.expression.text[:200]} does not hold: {values}; choose other "
                "settings"
            )


def _step(manifest: Manifest, name: str) -> Segment:
    if name not in manifest.steps:
        hint = did_you_mean(name, manifest.steps) or f"; the steps are {', '.join(manifest.steps)}"
        raise InputError(f"{manifest.file}: unknown step {shown(name)}{hint}")
    return manifest.steps[name]


def _fixed_symbols(manifest: Manifest, symbols: Environment) -> dict[str, int]:
    values = {name: symbols.values[name] for name in manifest.symbols}
    return {name: value for name, value in values.items() if isinstance(value, int)}


def _modules(launches: Iterable[PlannedLaunch]) -> tuple[Module, ...]:
    entries: dict[ModuleKey, set[str]] = {}
    for launch in launches:
        entries.setdefault(launch.shape.module, set()).add(launch.shape.entry)
    return tuple(Module(key=key, entries=tuple(sorted(names))) for key, names in entries.items())


def _kernels(manifest: Manifest, launches: Iterable[PlannedLaunch]) -> dict[str, PlannedKernel]:
    names = dict.fromkeys(launch.shape.kernel for launch in launches)
    return {
        name: PlannedKernel(split=kernel.split, source=_source(manifest, kernel.code))
        for name, kernel in ((name, manifest.kernels[name]) for name in names)
    }


def _source(manifest: Manifest, code: Code) -> str | None:
    """The source's path from the manifest's folder; of one that lies elsewhere its name alone."""
    if code.kind != "source":
        return None
    file, folder = PurePath(code.file), PurePath(manifest.file).parent
    return file.relative_to(folder).as_posix() if file.is_relative_to(folder) else file.name
