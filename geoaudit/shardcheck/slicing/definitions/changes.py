"""Where in a block a variable may be changed, worked out once for each block."""

from collections import defaultdict

from geoaudit.shardcheck.program import statements as s
from geoaudit.shardcheck.slicing.definitions.effects import Changes, Effects, effects_of
from geoaudit.shardcheck.slicing.functions import IndexedFunction
from geoaudit.shardcheck.slicing.index import ProgramIndex
from geoaudit.shardcheck.slicing.points import Block, leaves


def changes_in(program: ProgramIndex, block: Block, function: IndexedFunction) -> Changes:
    """The changes in a block of a function."""
    key = id(block), id(function)
    found = program.changes.get(key)
    if found is None or found.block is not block:
        found = program.changes[key] = _changes(program, block, function)
    return found


def _changes(program: ProgramIndex, block: Block, function: IndexedFunction) -> Changes:
    by_name: dict[str, list[int]] = defaultdict(list)
    anything: list[int] = []
    is_c = function.file.language == "c"
    for place, statement in enumerate(block):
        effects = effects_of(statement, program.effects)
        for name in _changed(program, effects, function):
            by_name[name].append(place)
        if is_c and _is_pasted(program, effects):
            anything.append(place)
    leaving = [
        place for place, one in enumerate(block) if isinstance(one, s.Branch) and leaves(one.then)
    ]
    return Changes(block=block, by_name=by_name, anything=anything, leaving=leaving)


def _changed(program: ProgramIndex, effects: Effects, function: IndexedFunction) -> set[str]:
    """Variables that a statement may change."""
    found = set(effects.assigned)
    if not effects.called:
        return found
    is_c = function.file.language == "c"
    if is_c:
        found |= effects.addressed
    if not program.writing.isdisjoint(effects.called) or "swap" in effects.called:
        found |= effects.passed
    if is_c and any(name in function.aliases for name in effects.passed):
        found |= effects.passed
    for name in effects.called:
        if is_c and name in program.macro_writes:
            found |= program.macro_writes[name] | effects.passed
        if name in function.nested:
            found |= program.written_around(function.file, function.nested[name])
        fields = program.field_writes.get(name)
        if fields:
            found |= effects.receivers
            found |= {"this", *fields} if is_c and function.function.owner else set()
    for number in effects.nested:
        found |= program.written_around(function.file, number)
    return found


def _is_pasted(program: ProgramIndex, effects: Effects) -> bool:
    """Whether a macro is used that assigns a variable whose name it puts together."""
    return any("##" in one for name in effects.called for one in program.macro_writes.get(name, ()))
