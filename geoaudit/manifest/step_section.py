"""Reading the steps: which launches one token is made of."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from geoaudit.manifest.document import Table, Value
from geoaudit.manifest.formula import Formula
from geoaudit.manifest.location import did_you_mean, shown
from geoaudit.manifest.model import AllReduce, Buffer, Kernel, Launch, Segment

_SEGMENT_KEYS = ("repeat", "range", "set", "launches", "segments", "segment")
_MEMBER_KEYS = ("launches", "segments", "segment")
_LAUNCH_KEYS = ("kernel", "set", "bind")
_ALL_REDUCE = "all_reduce"
_DEEPEST_NESTING = 20


@dataclass(frozen=True, kw_only=True)
class StepContext:
    """What the steps of a manifest may refer to.

    Attributes:
        known: the symbols that every formula may use.
        symbols: the symbols that a step may set.
        kernels: by name.
        buffers: by name.
    """

    known: frozenset[str]
    symbols: Collection[str]
    kernels: Mapping[str, Kernel]
    buffers: Mapping[str, Buffer]


def read_steps(steps: Table, named: Table | None, context: StepContext) -> dict[str, Segment]:
    """All steps, by name.

    Args:
        steps: the section of steps.
        named: the section of named segments, or None.
        context: what they may refer to.

    Raises:
        ManifestError: a wrong key, an unknown kernel, buffer, segment or symbol, a parameter
            that is not set, or segments that hold each other.
    """
    reader = _StepReader(context=context, named=dict(named.named()) if named else {})
    for name in reader.named:
        reader.segment_named(name)
    return {name: reader.step(name, value) for name, value in steps.named()}


@dataclass(frozen=True, kw_only=True)
class _StepReader:
    context: StepContext
    named: Mapping[str, Value]
    _finished: dict[str, Segment] = field(default_factory=dict)
    _open: list[str] = field(default_factory=list)

    def step(self, name: str, value: Value) -> Segment:
        table = value.table()
        table.check_keys(("range", *_MEMBER_KEYS))
        return self._segment(value, default_range=name)

    def segment_named(self, name: str) -> Segment:
        if name not in self._finished:
            self._open.append(name)
            self._finished[name] = self._segment(self.named[name])
            self._open.pop()
        return self._finished[name]

    def _segment(self, value: Value, *, default_range: str = "", depth: int = 1) -> Segment:
        table = value.table()
        table.check_keys(_SEGMENT_KEYS)
        if depth + len(self._open) > _DEEPEST_NESTING:
            raise value.location.error(
                f"segments are nested deeper than {_DEEPEST_NESTING}; flatten them"
            )
        return Segment(
            location=value.location,
            repeat=table["repeat"].formula(self.context.known) if "repeat" in table else None,
            range=_read_range(table, default_range),
            sets=self._sets(table, self.context.symbols),
            members=self._members(table, depth),
        )

    def _members(self, table: Table, depth: int) -> tuple[Segment | Launch | AllReduce, ...]:
        given = [key for key in _MEMBER_KEYS if key in table]
        if len(given) != 1:
            raise table.location.error(
                f"has {' and '.join(given) or 'nothing to launch'}; give one of launches, "
                "segments and segment"
            )
        value = table[given[0]]
        if given == ["segment"]:
            return (self._reference(value),)
        members = value.entries()
        if not members:
            raise value.location.error("is empty; list what is launched, or drop the segment")
        if given == ["launches"]:
            return tuple(self._launch(member) for member in members)
        return tuple(self._segment(member, depth=depth + 1) for member in members)

    def _reference(self, value: Value) -> Segment:
        name = value.text()
        if name not in self.named:
            hint = did_you_mean(name, self.named) or "; declare it under [segments]"
            raise value.location.error(f"unknown segment {shown(name)}{hint}")
        if name in self._open:
            raise value.location.error(f"{name} holds itself; break the circle")
        return self.segment_named(name)

    def _launch(self, value: Value) -> Launch | AllReduce:
        if value.is_a(str):
            return self._launch_of(value, value, None)
        table = value.table()
        if _ALL_REDUCE in table:
            table.check_keys((_ALL_REDUCE,))
            return self._all_reduce(value, table[_ALL_REDUCE])
        table.check_keys(_LAUNCH_KEYS)
        return self._launch_of(value, table["kernel"], table)

    def _launch_of(self, value: Value, named: Value, table: Table | None) -> Launch:
        name = named.text()
        if name not in self.context.kernels:
            hint = did_you_mean(name, self.context.kernels) or "; declare it under [kernels]"
            raise named.location.error(f"unknown kernel {shown(name)}{hint}")
        kernel = self.context.kernels[name]
        settable = {*self.context.symbols, *kernel.parameters, *kernel.symbols}
        launch = Launch(
            kernel=name,
            location=value.location,
            sets=self._sets(table, settable) if table else {},
            binds=self._binds(table, kernel) if table else {},
        )
        for parameter in kernel.parameters:
            if parameter not in launch.sets:
                raise value.location.error(
                    f"{name} needs {parameter}; add set = {{ {parameter} = ... }}"
                )
        return launch

    def _all_reduce(self, value: Value, named: Value) -> AllReduce:
        name = named.text()
        if name not in self.context.buffers:
            hint = did_you_mean(name, self.context.buffers) or "; declare it under [buffers]"
            raise named.location.error(f"unknown buffer {shown(name)}{hint}")
        return AllReduce(location=value.location, buffer=name)

    def _sets(self, table: Table, settable: Collection[str]) -> dict[str, Formula]:
        sets: dict[str, Formula] = {}
        for name, value in table["set"].table().named() if "set" in table else ():
            if name not in settable:
                hint = did_you_mean(name, settable) or "; declare it under [symbols]"
                raise value.location.error(f"{name} is no symbol that can be set here{hint}")
            sets[name] = value.formula(self.context.known)
        return sets

    def _binds(self, table: Table, kernel: Kernel) -> dict[str, str]:
        passed = {buffer for recipe in kernel.recipes for buffer in recipe.buffers}
        binds: dict[str, str] = {}
        for name, value in table["bind"].table().named() if "bind" in table else ():
            if name not in passed:
                hint = did_you_mean(name, passed) or f"; it is passed {', '.join(sorted(passed))}"
                raise value.location.error(f"{kernel.name} is passed no {name}{hint}")
            binds[name] = self._bound(name, value)
        return binds

    def _bound(self, name: str, value: Value) -> str:
        buffers = self.context.buffers
        bound = value.text()
        if bound not in buffers:
            hint = did_you_mean(bound, buffers) or "; declare it under [buffers]"
            raise value.location.error(f"unknown buffer {shown(bound)}{hint}")
        if buffers[bound].dtype != buffers[name].dtype:
            raise value.location.error(
                f"{bound} is {buffers[bound].dtype}, but {name} is {buffers[name].dtype}; bind a "
                "buffer of the same type"
            )
        return bound


def _read_range(table: Table, default: str) -> str:
    if "range" not in table:
        return default
    text = table["range"].text(may_be_empty=True)
    if "/" in text:
        raise table["range"].location.error(f"{shown(text)} holds a /, which parts ranges; use -")
    return text
