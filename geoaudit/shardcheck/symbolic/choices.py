"""Numbers for what an evaluation cannot decide, so that equal things are decided together."""

from collections.abc import Hashable

from geoaudit.shardcheck.symbolic.extents import Arithmetic, Extent

_MIRRORED = {">": "<", "<=": ">="}
_NEGATED = {">=": "<", "!=": "=="}


class Choices:
    """Numbers for what is undecided: equal things have one number, whichever evaluation asks.

    An extent is compared by value once and then known by its identity, for which it is kept.
    """

    def __init__(self) -> None:
        self._by_identity: dict[int, tuple[Extent, int, bool]] = {}
        self._by_value: dict[Hashable, int] = {}

    def of(self, extent: Extent) -> tuple[int, bool]:
        """The number of a condition, a symbol or cases, and whether its opposite has it."""
        known = self._by_identity.get(id(extent))
        if known is None:
            asked, is_opposite = _canonical(extent)
            known = (extent, self.of_text(asked), is_opposite)
            self._by_identity[id(extent)] = known
        return known[1:]

    def of_text(self, text: Hashable) -> int:
        """The number of a condition that is known by its text alone."""
        return self._by_value.setdefault(text, len(self._by_value))


def _canonical(condition: Extent) -> tuple[Extent, bool]:
    """A condition or its opposite, so that ``a >= b`` and ``a < b`` are decided together."""
    is_opposite = False
    operands = condition.operands if isinstance(condition, Arithmetic) else ()
    operator = condition.operator if isinstance(condition, Arithmetic) else ""
    if operator in _MIRRORED:
        operator, operands = _MIRRORED[operator], operands[::-1]
    if operator in _NEGATED:
        operator, is_opposite = _NEGATED[operator], True
    if not operator:
        return condition, False
    return Arithmetic(operator=operator, operands=operands), is_opposite
