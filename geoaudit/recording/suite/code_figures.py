"""Bytes in flight of a plan's kernels from their machine code, beside what the manifest declares.

Figures are kept between runs in ``geoaudit/machine-code`` of the user's cache folder
(``XDG_CACHE_HOME``, by default ``~/.cache``), a small file for each module, by all that its code
depends on: nothing is compiled or disassembled twice.
"""

import hashlib
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from geoaudit.errors import GeoauditError
from geoaudit.manifest.planned import LaunchShape, Module, ModuleKey, StepPlan
from geoaudit.recording.machine_code.instructions import kernels_of
from geoaudit.recording.machine_code.loads_in_flight import LoadsInFlight, loads_in_flight
from geoaudit.recording.machine_code.nvdisasm import disassembled, find_nvdisasm
from geoaudit.recording.suite.entries import named
from geoaudit.recording.suite.runtime import Runtime, compile_options

# Part of each kept file's name: a change of what is counted reads all code anew.
_COUNTING = "1"
# Beyond this factor a declaration and the machine code contradict each other.
_FACTOR = 2


@dataclass(frozen=True, kw_only=True)
class ModuleFigures:
    """What a module's machine code says.

    Attributes:
        kernels: name of each kernel in the module -> its figures; None: cannot tell.
        names: entry -> name, of template instances.
    """

    kernels: dict[str, LoadsInFlight | None]
    names: dict[str, str]

    def of(self, entry: str) -> LoadsInFlight | None:
        """Figures of a kernel by its entry in the manifest; None: cannot tell."""
        name = self.names.get(entry, entry)
        if name in self.kernels:
            return self.kernels[name]
        found = named(self.kernels, entry)
        return self.kernels[found[0]] if len(found) == 1 else None


@dataclass(frozen=True, kw_only=True)
class PlanFigures:
    """A plan beside its machine code.

    Attributes:
        plan: the plan, with bytes in flight of the machine code where its manifest declares none.
        warnings: sentences on declarations that the machine code contradicts.
    """

    plan: StepPlan
    warnings: tuple[str, ...] = ()


def with_code_figures(
    plan: StepPlan,
    runtime: Runtime,
    find_tool: Callable[[], Path | None] = find_nvdisasm,
) -> PlanFigures:
    """A plan with the bytes in flight per thread that its machine code says.

    What is declared is never replaced. A module that cannot be compiled or disassembled, or whose
    figures are not kept where there is no nvdisasm, is left as it is: that is no error.
    """
    tool = find_tool()
    found = {}
    for module in plan.modules:
        with suppress(GeoauditError, OSError):
            figures = _figures(module, runtime, tool)
            if figures is not None:
                found[module.key] = figures
    shapes = {launch.shape: _filled(launch.shape, found) for launch in plan.launches}
    launches = tuple(replace(launch, shape=shapes[launch.shape]) for launch in plan.launches)
    return PlanFigures(
        plan=replace(plan, launches=launches),
        warnings=tuple(dict.fromkeys(_contradictions(shapes, found))),
    )


def _filled(shape: LaunchShape, found: Mapping[ModuleKey, ModuleFigures]) -> LaunchShape:
    figures = _of_shape(shape, found)
    if figures is None or shape.bytes_in_flight_per_thread is not None:
        return shape
    return replace(shape, bytes_in_flight_per_thread=figures.bytes_per_thread)


def _contradictions(
    shapes: Mapping[LaunchShape, LaunchShape], found: Mapping[ModuleKey, ModuleFigures]
) -> Iterator[str]:
    """Where more is declared than any way through the code has outstanding.

    Less is no contradiction: the code does not tell what comes from the caches, which a manifest
    leaves out, nor which of its loops takes the time.
    """
    for shape in shapes:
        figures, declared = _of_shape(shape, found), shape.bytes_in_flight_per_thread
        if figures is None or declared is None or figures.counts_copies_once:
            continue
        if declared > _FACTOR * figures.peak_bytes:
            yield (
                f"{shape.kernel}: the manifest declares {declared:,} bytes in flight per thread, "
                f"and the machine code of {shape.entry} has at most {figures.peak_bytes:,} "
                "outstanding before it waits. Declare bytes_in_flight_per_thread anew, or see why "
                "the compiler orders its loads otherwise."
            )


def _of_shape(shape: LaunchShape, found: Mapping[ModuleKey, ModuleFigures]) -> LoadsInFlight | None:
    return found[shape.module].of(shape.entry) if shape.module in found else None


def _figures(module: Module, runtime: Runtime, tool: Path | None) -> ModuleFigures | None:
    """Figures that are kept, or read now; None: neither."""
    kept = _kept_file(module, runtime)
    if kept is not None:
        with suppress(OSError, msgspec.DecodeError):
            return msgspec.json.decode(kept.read_bytes(), type=ModuleFigures)
    compiled = None if tool is None else runtime.compiled(module)
    if tool is None or compiled is None:
        return None
    text = disassembled(compiled.code, tool)
    figures = ModuleFigures(
        kernels={name: loads_in_flight(code) for name, code in kernels_of(text).items()},
        names=dict(compiled.names),
    )
    if kept is not None:
        with suppress(OSError):
            _keep(kept, msgspec.json.encode(figures))
    return figures


def _kept_file(module: Module, runtime: Runtime) -> Path | None:
    cache = os.environ.get("XDG_CACHE_HOME", "")
    try:
        folder = Path(cache) if Path(cache).is_absolute() else Path.home() / ".cache"
    except RuntimeError:
        return None
    key = module.key
    told = [_COUNTING, key.kind]
    if key.kind == "source":
        templates = [entry for entry in module.entries if "<" in entry]
        told += [runtime.compiler(), *compile_options(key), *templates]
    content = "\n".join(told).encode() + b"\0" + Path(key.file).read_bytes()
    digest = hashlib.blake2b(content, digest_size=16).hexdigest()
    return folder / "geoaudit" / "machine-code" / f"{digest}.json"


def _keep(file: Path, content: bytes) -> None:
    """Write the file in one step: it is whole or not there."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=file.parent) as folder:
        written = Path(folder) / file.name
        written.write_bytes(content)
        written.replace(file)
