"""Conditions that hold at a point because the branches around it were taken."""

from collections.abc import Mapping
from types import MappingProxyType

from geoaudit.shardcheck.program import expressions as e
from geoaudit.shardcheck.program import statements as s
from geoaudit.shardcheck.program.walking import within
from geoaudit.shardcheck.slicing.functions import IndexedFunction
from geoaudit.shardcheck.slicing.points import Point

Facts = Mapping[e.Expression, bool]
NONE_KNOWN: Facts = MappingProxyType({})


def facts_at(point: Point, function: IndexedFunction) -> Facts:
    """Conditions of the branches around a point -> whether they hold there.

    Only conditions whose parameters the function never assigns, and whose variables once at most:
    they meant the same before.
    """
    found: dict[e.Expression, bool] = {}
    at: Point | None = point
    while at is not None:
        if isinstance(at.holder, s.Branch):
            holds = at.block is at.holder.then
            condition = at.holder.condition
            while isinstance(condition, e.Operation) and condition.operator == "!":
                condition, holds = condition.operands[0], not holds
            if not isinstance(condition, e.Opaque) and _is_steady(condition, function):
                found[condition] = holds
        at = at.parent
    return found


def _is_steady(condition: e.Expression, function: IndexedFunction) -> bool:
    parameters = {one.name for one in function.function.parameters}
    return all(
        function.times_assigned.get(one.text, 0) <= (one.text not in parameters)
        for one in within(condition)
        if isinstance(one, e.Name)
    )
