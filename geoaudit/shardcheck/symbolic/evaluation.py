"""The values an extent can have where its symbols have values."""

from collections.abc import Callable, Mapping, Sequence

from geoaudit.shardcheck.symbolic.choices import Choices
from geoaudit.shardcheck.symbolic.extents import (
    Arithmetic,
    Case,
    Cases,
    Extent,
    Integer,
    Repeated,
    Symbol,
)
from geoaudit.shardcheck.symbolic.operators import Quantity, applied
from geoaudit.shardcheck.symbolic.walking import standing_for

QUOTIENTS = ("//", "/", "%", "cdiv")
MOST_VALUES = 16
MOST_WORLDS = 256
MOST_ROUNDS = 10_000
"""Of one loop."""
MOST_STEPS = 200_000
"""Operators and symbols looked at in one evaluation."""

World = frozenset[tuple[int, int]]
"""What was chosen: for each number of `Choices` a value of a symbol, 0 or 1, or a case."""
ValueOf = Callable[[Symbol], frozenset[int] | int | None]


def evaluate(extent: Extent, value_of: ValueOf) -> frozenset[int] | None:
    """The values an extent can have; several where a guard is undecided or a symbol has several.

    One symbol has one value at a time, and equal conditions hold together, throughout the extent.

    Args:
        extent: what to evaluate.
        value_of: value or values of a symbol; None: not known. What is `Unknown` is asked for as
            `standing_for` it.

    Returns:
        None: a symbol that matters is not known, a quotient by 0, a fraction, more than 64 bits, a
        loop without end, or more than 16 values.
    """
    found = worlds((extent,), value_of)
    values = frozenset(value for (value,) in found.values()) if found else None
    return values if values is not None and len(values) <= MOST_VALUES else None


def worlds(
    extents: Sequence[Extent], value_of: ValueOf, choices: Choices | None = None
) -> Mapping[World, tuple[int, ...]] | None:
    """The values of several extents together, by what was chosen where something is undecided.

    Worlds of evaluations with the same `choices` can be held against each other.

    None: as of `evaluate`, or there are more than 256 choices.
    """
    choices = choices or Choices()
    found: dict[World, tuple[int, ...]] = {}
    pending: list[dict[int, int]] = [{}]
    remaining = MOST_STEPS
    while pending:
        chosen = pending.pop()
        evaluation = _Evaluation(value_of, choices, chosen, remaining)
        try:
            values = tuple(evaluation.value(extent) for extent in extents)
        except _Undecided as undecided:
            pending.extend({**chosen, undecided.key: one} for one in undecided.options)
        except _Impossible:
            pass
        except _NotKnown:
            return None
        else:
            whole = tuple(value for value in values if isinstance(value, int))
            if len(whole) < len(values):
                return None
            found[frozenset(chosen.items())] = whole
        remaining = evaluation.remaining
        if len(found) + len(pending) > MOST_WORLDS:
            return None
    return found or None


class _NotKnown(Exception):  # noqa: N818
    """The extent has no value that can be told."""


class _Impossible(Exception):  # noqa: N818
    """None of the cases holds under what was chosen."""


class _Undecided(Exception):  # noqa: N818
    """The value depends on something that has several: each is tried in a world of its own."""

    def __init__(self, key: int, options: Sequence[int]) -> None:
        super().__init__(key)
        self.key, self.options = key, options


class _Evaluation:
    """One choice of everything that is not decided: here an extent has at most one value."""

    def __init__(
        self, value_of: ValueOf, choices: Choices, chosen: Mapping[int, int], remaining: int
    ) -> None:
        self.value_of, self.choices, self.chosen = value_of, choices, chosen
        self.remaining = remaining
        self.variables: dict[Symbol, Quantity] = {}
        self.is_in_guard = False

    def value(self, extent: Extent) -> Quantity:
        self.remaining -= 1
        if self.remaining < 0:
            raise _NotKnown
        if isinstance(extent, Integer):
            return extent.value
        if isinstance(extent, Symbol):
            return self._symbol(extent)
        if isinstance(extent, Arithmetic):
            return self._arithmetic(extent)
        if isinstance(extent, Cases):
            return self._cases(extent)
        if isinstance(extent, Repeated) and extent.condition is not None:
            return self._repeated(extent, extent.condition)
        if self.is_in_guard:
            raise _NotKnown
        return self._symbol(standing_for(extent))

    def _symbol(self, symbol: Symbol) -> Quantity:
        if symbol in self.variables:
            return self.variables[symbol]
        options = _options(self.value_of(symbol))
        if not options:
            raise _NotKnown
        if len(options) == 1:
            return options[0]
        return self._chosen(self.choices.of(symbol)[0], options)

    def _arithmetic(self, extent: Arithmetic) -> Quantity:
        if extent.operator in ("&&", "||", "!"):
            return int(self._holds(extent))
        values = [self.value(operand) for operand in extent.operands]
        result = applied(extent.operator, values)
        if result is None:
            # What divides by 0 does not run: other choices may.
            raise _Impossible if extent.operator in QUOTIENTS and 0 in values[1:] else _NotKnown
        return result

    def _cases(self, extent: Cases) -> Quantity:
        for number, case in enumerate(extent.cases):
            if case.guard is None and not case.text:
                return self._any_of(extent, number)
            if (case.guard is None and case is extent.cases[-1]) or self._is_this(case):
                return self.value(case.value)
        raise _Impossible

    def _any_of(self, extent: Cases, first: int) -> Quantity:
        """The value of any case from a number on: nothing is known of their guards."""
        options = range(first, len(extent.cases))
        chosen = extent.cases[self._chosen(self.choices.of(extent)[0], options)]
        if chosen.guard is not None and not self._is_this(chosen):
            raise _Impossible
        return self.value(chosen.value)

    def _is_this(self, case: Case) -> bool:
        if case.guard is not None:
            return self._guarded(case.guard)
        return self._chosen(self.choices.of_text(case.text), (1, 0)) == 1

    def _guarded(self, guard: Extent) -> bool:
        outside, self.is_in_guard = self.is_in_guard, True
        try:
            return self._holds(guard)
        finally:
            self.is_in_guard = outside

    def _holds(self, condition: Extent) -> bool:
        """Whether a condition holds; in a guard both are tried where that cannot be told."""
        if isinstance(condition, Arithmetic):
            if condition.operator == "!":
                return not self._holds(condition.operands[0])
            if condition.operator == "&&":
                return all(self._holds(operand) for operand in condition.operands)
            if condition.operator == "||":
                return any(self._holds(operand) for operand in condition.operands)
            if condition.operator in ("!=", "==") and condition.operands[1] == Integer(value=0):
                return self._holds(condition.operands[0]) is (condition.operator == "!=")
        try:
            return self.value(condition) != 0
        except _NotKnown:
            if self.remaining < 0 or self.variables or not self.is_in_guard:
                raise
        key, is_opposite = self.choices.of(condition)
        return (self._chosen(key, (1, 0)) == 1) is not is_opposite

    def _repeated(self, extent: Repeated, condition: Extent) -> Quantity:
        outside = self.variables
        values = [self.value(initial) for initial in extent.initial]
        try:
            for _ in range(MOST_ROUNDS):
                self.variables = {**outside, **dict(zip(extent.variables, values, strict=True))}
                if not self._holds(condition):
                    return self.value(extent.result)
                after = [self.value(step) for step in extent.steps]
                if after == values:
                    raise _NotKnown
                values = after
        finally:
            self.variables = outside
        raise _NotKnown

    def _chosen(self, key: int, options: Sequence[int]) -> int:
        if key not in self.chosen:
            raise _Undecided(key, options)
        return self.chosen[key]


def _options(value: frozenset[int] | int | None) -> tuple[int, ...]:
    if value is None:
        return ()
    return tuple(sorted(value)) if isinstance(value, frozenset) else (int(value),)
