"""Putting a token together: launches with their copies, and the spans of its ranges."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from geoaudit.manifest.arm_effects import formulas_of
from geoaudit.manifest.environment import SymbolValue, resolve_symbol
from geoaudit.manifest.expansion import Closing, Event, Opening, Site
from geoaudit.manifest.launch_shapes import (
    ResolvedLaunch,
    is_enabled,
    recipe_under,
    resolve_launch,
)
from geoaudit.manifest.location import ManifestError
from geoaudit.manifest.model import LAYER, AllReduce, Kernel, LaunchRecipe
from geoaudit.manifest.planned import BufferUse, PlannedAllReduce, PlannedLaunch, PlannedRange


@dataclass(frozen=True, kw_only=True)
class _KernelInStep:
    """A kernel under the arms of a run.

    Attributes:
        kernel: the kernel.
        recipe: how it is launched under these arms.
        uses_layer: whether its launches differ by their index in the token.
    """

    kernel: Kernel
    recipe: LaunchRecipe
    uses_layer: bool


@dataclass(kw_only=True)
class Assembly:
    """Takes the events of a token one after another.

    Attributes:
        kernels: of the manifest, by name.
        arms: every arm -> its value; 0: off.
        copies: buffer -> how many copies it has.
        launches: those so far.
        all_reduces: those so far.
    """

    kernels: Mapping[str, Kernel]
    arms: Mapping[str, int]
    copies: Mapping[str, int]
    launches: list[PlannedLaunch] = field(default_factory=list)
    all_reduces: list[PlannedAllReduce] = field(default_factory=list)
    _ranges: list[PlannedRange | None] = field(default_factory=list)
    _open: list[tuple[int, Opening, int]] = field(default_factory=list)
    _path: tuple[str, ...] = ()
    _layers: Counter[str] = field(default_factory=Counter)
    _uses: Counter[tuple[str, str]] = field(default_factory=Counter)
    _in_step: dict[str, _KernelInStep] = field(default_factory=dict)
    _resolved: dict[tuple[Site, int], ResolvedLaunch | None] = field(default_factory=dict)

    def take(self, event: Event) -> None:
        """Add what comes next.

        Raises:
            ManifestError: a launch cannot be worked out; names the launch besides the formula.
        """
        if isinstance(event, Site):
            self._launch(event)
        elif isinstance(event, AllReduce):
            self._all_reduce(event)
        elif isinstance(event, Opening):
            self._open.append((len(self._ranges), event, len(self.launches)))
            self._ranges.append(None)
        else:
            self._close()
        if isinstance(event, Opening | Closing):
            self._path = tuple(opening.name for _, opening, _ in self._open)

    @property
    def ranges(self) -> tuple[PlannedRange, ...]:
        """The ranges that have closed and hold a launch, in the order they opened."""
        return tuple(one for one in self._ranges if one is not None and one.stop > one.first)

    def _close(self) -> None:
        index, opening, first = self._open.pop()
        self._ranges[index] = PlannedRange(
            name=opening.name, first=first, stop=len(self.launches), depth=len(self._open)
        )

    def _launch(self, site: Site) -> None:
        one = self._kernel(site.launch.kernel)
        name = one.kernel.name
        # Counted for kernels that are off too, so that switching one on moves no other's copies.
        layer = self._layers[name]
        self._layers[name] += 1
        binds = site.launch.binds
        uses = {
            buffer: self._next_copy(name, buffer)
            for buffer in sorted({binds.get(passed, passed) for passed in one.recipe.buffers})
        }
        resolved = self._resolve(site, one, layer)
        if resolved is None:
            return
        self.launches.append(
            PlannedLaunch(
                shape=resolved.shape,
                arguments=tuple(
                    uses[argument] if isinstance(argument, str) else argument
                    for argument in resolved.arguments
                ),
                arguments_location=resolved.arguments_location,
                inputs=tuple(uses[binds.get(passed, passed)] for passed in one.recipe.inputs),
                outputs=tuple(uses[binds.get(passed, passed)] for passed in one.recipe.outputs),
                ranges=self._path,
                layer=layer,
            )
        )

    def _all_reduce(self, event: AllReduce) -> None:
        buffer = event.buffer
        copies = self.copies.get(buffer)
        if copies is None:
            raise event.location.error(f"sums {buffer}, which is passed to no launch of the step")
        if copies > 1:
            raise event.location.error(f"sums {buffer}, which has {copies} copies; give it one")
        if not self.launches:
            raise event.location.error("is ahead of all launches; list it behind what it sums")
        if self.launches[-1].ranges != self._path:
            raise event.location.error(
                "is not in the ranges of the launch ahead of it; list it right behind what it sums"
            )
        self.all_reduces.append(PlannedAllReduce(buffer=buffer, after=len(self.launches) - 1))

    def _next_copy(self, kernel: str, buffer: str) -> BufferUse:
        count = self._uses[kernel, buffer]
        self._uses[kernel, buffer] += 1
        return BufferUse(buffer=buffer, copy=count % self.copies[buffer])

    def _kernel(self, name: str) -> _KernelInStep:
        if name not in self._in_step:
            kernel = self.kernels[name]
            self._in_step[name] = _KernelInStep(
                kernel=kernel,
                recipe=recipe_under(kernel, self.arms),
                uses_layer=any(LAYER in formula.names for formula in formulas_of(kernel)),
            )
        return self._in_step[name]

    def _resolve(self, site: Site, one: _KernelInStep, layer: int) -> ResolvedLaunch | None:
        """The launch, worked out once for all repetitions that cannot differ; None: it is off."""
        key = (site, layer if one.uses_layer else 0)
        if key not in self._resolved:
            try:
                self._resolved[key] = self._worked_out(site, one, layer)
            except ManifestError as error:
                line = site.launch.location.line
                raise ManifestError(f"{error} (for the launch of line {line})") from error
        return self._resolved[key]

    @staticmethod
    def _worked_out(site: Site, one: _KernelInStep, layer: int) -> ResolvedLaunch | None:
        values: dict[str, SymbolValue] = {**site.environment.values, LAYER: layer}
        for name, formula in one.kernel.symbols.items():
            if name not in site.environment.given:
                values[name] = resolve_symbol(formula, values)
        if not is_enabled(one.recipe, values):
            return None
        return resolve_launch(one.kernel, one.recipe, values, site.launch.binds)
