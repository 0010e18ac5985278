"""Methods that change the list or the dictionary they are called on."""

from geoaudit.shardcheck.program import expressions as e
from geoaudit.shardcheck.slicing.points import Place, place_of

ADDING = frozenset({"append", "push_back", "emplace_back"})
_MUTATING = ADDING | {
    "extend",
    "insert",
    "update",
    "setdefault",
    "pop",
    "pop_back",
    "popitem",
    "clear",
    "remove",
    "sort",
    "reverse",
}


def mutated(node: e.Expression) -> Place | None:
    """The list or dictionary that a call changes, if it is one; None: it is no such call."""
    if not isinstance(node, e.Call) or not isinstance(node.function, e.Member):
        return None
    return place_of(node.function.value) if node.function.name in _MUTATING else None
