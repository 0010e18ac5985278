"""A function under evaluation: what its parameters are, and where its free names are looked up."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from geoaudit.shardcheck.slicing.functions import IndexedFunction
from geoaudit.shardcheck.slicing.points import Point
from geoaudit.shardcheck.slicing.values import Value


@dataclass(frozen=True, kw_only=True, eq=False)
class Frame:
    """A function, with its arguments where one call of it is looked at.

    Attributes:
        function: the function.
        arguments: parameter -> value, template parameters too; None: any call of it is meant.
        outer: frame and point in which free names are looked up; None: the file.
        made: of a lambda, the point of the outer frame where it was made: names that it has copies
            of are looked up there.
        receiver: what ``this`` or ``self`` is; None: any.
        depth: calls between here and the launch.
        overlay: places that a loop under evaluation changes -> their value as its round begins,
            by the identity of the loop's body.
    """

    function: IndexedFunction
    arguments: Mapping[str, Value] | None = None
    outer: "tuple[Frame, Point] | None" = None
    made: Point | None = None
    receiver: Value | None = None
    depth: int = 0
    overlay: Mapping[tuple[int, str], Value] = field(default_factory=dict)

    @property
    def path(self) -> str:
        """File of the function."""
        return self.function.path
