"""Loops as they are written: what they change, and whether they are left early."""

from geoaudit.shardcheck.program import expressions as e
from geoaudit.shardcheck.program import statements as s
from geoaudit.shardcheck.program.walking import blocks_of
from geoaudit.shardcheck.slicing.frames import Frame
from geoaudit.shardcheck.slicing.points import Place, declares, targets


def runs_once(loop: s.Loop) -> bool:
    """Whether a loop is a block: ``do { ... } while (0)``."""
    return loop.body_first and loop.condition == e.Number(0)


def is_own(loop: s.Loop, place: Place, frame: Frame) -> bool:
    """Whether a variable is one that the loop declares, and that ends with it."""
    if frame.function.file.language != "c":
        return False
    is_declared = any(declares(block, place[0]) for block in (loop.initial, loop.body))
    return is_declared or is_target(loop, place)


def is_target(loop: s.Loop, place: Place) -> bool:
    """Whether a loop over elements gives them to a variable."""
    return loop.target is not None and place[0] in {one[0] for one in targets(loop.target)}


def changed_by(
    loop: s.Loop, known: dict[int, tuple[s.Loop, tuple[Place, ...]]]
) -> tuple[Place, ...]:
    """The places that are assigned in a round; `known` holds what was worked out, by identity."""
    before = known.get(id(loop))
    if before is None or before[0] is not loop:
        before = known[id(loop)] = loop, tuple(_changed(loop))
    return before[1]


def _changed(loop: s.Loop) -> list[Place]:
    found: dict[Place, None] = {}
    waiting: list[s.Statement] = [*loop.body, *loop.step]
    while waiting:
        statement = waiting.pop()
        if isinstance(statement, s.Assign):
            found.update(dict.fromkeys(targets(statement.target)))
        for block in blocks_of(statement):
            waiting.extend(block)
    return list(found)


def breaks(block: tuple[s.Statement, ...]) -> bool:
    """Whether a ``break`` or ``continue`` in a body leaves a round."""
    for statement in block:
        if isinstance(statement, s.Stop) and not statement.leaves_function:
            return True
        if isinstance(statement, s.Branch) and (
            breaks(statement.then) or breaks(statement.otherwise)
        ):
            return True
    return False
