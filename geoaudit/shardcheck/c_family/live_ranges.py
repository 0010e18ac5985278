"""Where the definition of a macro ends: at its ``#undef``, or where it is defined anew."""

from collections import defaultdict

from geoaudit.shardcheck.c_family.conditionals import Conditional, conditionals
from geoaudit.shardcheck.c_family.source_text import SourceText

_Path = tuple[
    tuple[int, int], ...
]  # the branches of conditionals that a place is in, outermost first


def ends_of_definitions(source: SourceText) -> dict[int, int]:
    """Offset of a definition's name -> line from which on it does not hold.

    A definition that is missing here holds to the end of the file. What stands in a branch of an
    ``#if`` ends no definition outside of it, nor in another branch.
    """
    changes: dict[str, list[tuple[int, bool]]] = defaultdict(list)
    for define in source.defines:
        changes[define.name].append((define.start, True))
    for name, offset in source.undefinitions:
        changes[name].append((offset, False))
    several = [sorted(each) for each in changes.values() if len(each) > 1]
    if not several:
        return {}
    every = conditionals(source.code)
    ends: dict[int, int] = {}
    for each in several:
        paths = [_path(every, offset) for offset, _ in each]
        for index, (start, is_definition) in enumerate(each):
            for (offset, _), path in zip(each[index + 1 :], paths[index + 1 :], strict=True):
                if is_definition and paths[index][: len(path)] == path:
                    ends[start] = source.line(offset)
                    break
    return ends


def _path(every: list[Conditional], offset: int) -> _Path:
    return tuple(
        (number, branch)
        for number, conditional in enumerate(every)
        for branch, (start, end) in enumerate(conditional.branches)
        if start <= offset < end
    )
