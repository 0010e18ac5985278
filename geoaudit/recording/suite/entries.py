"""Kernels of a ready binary by the names that their sources give them.

An engine's kernels have mangled names, and those of an anonymous namespace hold a number that
changes with the folder they were built in. A manifest may write ``scale<32>`` instead.
"""

import re
from collections.abc import Iterable
from difflib import get_close_matches

from geoaudit.launches.names import demangle, shorten

_LISTED = 5


def named(names: Iterable[str], entry: str) -> list[str]:
    """The kernels of a module that an entry means.

    Args:
        names: of the module's kernels, mangled or not.
        entry: the part of a demangled name from the function's own name, or one of its namespaces,
            to the end of its template arguments.

    Returns:
        Those of ``names`` that it fits; empty where there is none.

    Examples:
        >>> named(["_Z5scaleILi32EEvPf", "_Z5scaleILi8EEvPf", "offset"], "scale<32>")
        ['_Z5scaleILi32EEvPf']
        >>> named(["_Z5scaleILi32EEvPf", "_Z5scaleILi8EEvPf"], "scale")
        ['_Z5scaleILi32EEvPf', '_Z5scaleILi8EEvPf']
    """
    tail = r"(?=\()" if entry.endswith(">") else r"(?=[<(])"
    pattern = re.compile(r"(?:^|[\s:])" + re.escape(entry) + tail)
    return [name for name in names if pattern.search(demangle(name))]


def listed(names: Iterable[str], entry: str) -> list[str]:
    """Lines: the demangled names of a module's kernels that are most like an entry."""
    whole = {demangle(name): shorten(demangle(name)) for name in names}
    near = get_close_matches(entry.partition("<")[0], whole.values(), n=_LISTED, cutoff=0.5)
    chosen = [name for name, short in whole.items() if short in near] or sorted(whole)
    shown = chosen[:_LISTED]
    more = len(whole) - len(shown)
    return [*shown, f"and {more:,} more"] if more else shown
