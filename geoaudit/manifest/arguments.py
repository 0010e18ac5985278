"""What a manifest says that a kernel is passed."""

from dataclasses import dataclass

from geoaudit.manifest.formula import Formula
from geoaudit.manifest.location import Location


@dataclass(frozen=True, kw_only=True)
class BufferArgument:
    """A buffer passed by its address.

    Attributes:
        buffer: the buffer, unless a launch binds another.
    """

    buffer: str


@dataclass(frozen=True, kw_only=True)
class ScalarArgument:
    """A number passed by value.

    Attributes:
        dtype: its data type, one of ``data_types.SCALARS``.
        formula: its value.
    """

    dtype: str
    formula: Formula


Argument = BufferArgument | ScalarArgument


@dataclass(frozen=True, kw_only=True)
class ArgumentList:
    """What a kernel is passed.

    Attributes:
        location: where the list is written.
        entries: in the kernel's order.
    """

    location: Location
    entries: tuple[Argument, ...]
