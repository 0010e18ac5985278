"""What calls write through the addresses they are given."""

from typing import TYPE_CHECKING

from geoaudit.shardcheck.program import expressions as e
from geoaudit.shardcheck.program import statements as s
from geoaudit.shardcheck.program.spelling import spelled
from geoaudit.shardcheck.program.walking import expressions_of, last_name, within
from geoaudit.shardcheck.slicing import aliases, quantities
from geoaudit.shardcheck.slicing.definitions import callees, interfaces, reaching
from geoaudit.shardcheck.slicing.definitions.effects import effects_of
from geoaudit.shardcheck.slicing.frames import Frame
from geoaudit.shardcheck.slicing.points import Place, Point, place_of
from geoaudit.shardcheck.slicing.scopes import members
from geoaudit.shardcheck.slicing.values import Value, either, unknown

if TYPE_CHECKING:
    from geoaudit.shardcheck.slicing.slicer import Slicer


def after_calls(
    slicer: "Slicer",
    statement: s.Statement,
    place: Place,
    frame: Frame,
    point: Point,
    holds: bool | None = None,
) -> Value | None:
    """A place that the calls in a statement itself may change; None: they do not.

    Args:
        slicer: that evaluates.
        statement: in whose expressions the calls stand.
        place: what is read.
        frame: of the statement.
        point: of the statement.
        holds: whether its condition is known to have held.
    """
    if slicer.crosses_files and isinstance(statement, s.Branch | s.Loop):
        # A configuration is read by hundreds of checked calls: all of them are too many to follow.
        return None
    for one in effects_of(statement, slicer.program.effects).calls:
        found = _after_call(slicer, one, place, frame, point)
        if found is None:
            continue
        if all(_is_reached(node, one, holds) for node in expressions_of(statement)):
            return found
        return either([(None, found), (None, reaching.current(slicer, place, frame, point))])
    return None


def _is_reached(node: e.Expression, call: e.Call, holds: bool | None) -> bool:
    """Whether a call in an expression is made whenever the expression is asked, or not in it."""
    match node:
        case e.Operation(operator="!", operands=(inner,)):
            return _is_reached(inner, call, None if holds is None else not holds)
        case e.Operation(operator="&&" | "||" as operator, operands=(first, *others)):
            is_decided = holds is (operator == "&&")
            inner_holds = holds if is_decided else None
            is_skipped = not is_decided and any(_holds(one, call) for one in others)
            return not is_skipped and all(
                _is_reached(one, call, inner_holds) for one in (first, *others)
            )
        case e.Choice(then=then, otherwise=otherwise):
            return not _holds(then, call) and not _holds(otherwise, call)
        case _:
            return True


def _holds(node: e.Expression, call: e.Call) -> bool:
    return any(one is call for one in within(node))


def _after_call(
    slicer: "Slicer", call: e.Call, place: Place, frame: Frame, point: Point
) -> Value | None:
    found = callees.by_closure(slicer, call, place, frame, point)
    found = found or callees.by_method(slicer, call, place, frame, point)
    for number, argument in enumerate(call.arguments) if found is None else ():
        given = place_of(argument)
        if given is None:
            continue
        given = aliases.meant(frame.function.aliases, given)
        shared = min(len(given), len(place))
        if given[:shared] != place[:shared]:
            continue
        found = _given(slicer, call, number, max(given, place, key=len), len(given), frame, point)
        if found is not None and len(given) > len(place):
            before = reaching.current(slicer, place, frame, point)
            found = members.with_part(before, given[len(place) :], found)
        if found is not None:
            break
    return found


def _given(
    slicer: "Slicer",
    call: e.Call,
    number: int,
    place: Place,
    length: int,
    frame: Frame,
    point: Point,
) -> Value | None:
    """A place within an argument, of which the first part is given, as a call leaves it."""
    argument, tail = call.arguments[number], place[length:]
    is_address = isinstance(argument, e.Operation) and argument.operator == "&"
    alias = frame.function.aliases.get(argument.text) if isinstance(argument, e.Name) else None
    is_address = is_address or (alias is not None and alias.is_pointer)
    found = interfaces.written(call, number, spelled(argument), frame) if is_address else None
    if found is not None:
        return members.parts(slicer, found, tail)
    if last_name(call.function) == "swap" and len(call.arguments) == 2:
        value = slicer.value(call.arguments[1 - number], frame, point)
        return members.parts(slicer, value, tail)
    if not is_address and not tail and not _may_be_referred_to(slicer, call, number):
        return None
    is_followed, found = callees.by_argument(slicer, call, number, tail, frame, point)
    if is_followed or not is_address or interfaces.only_reads(call, number):
        return found
    return _unknown(slicer, call, place, frame, point)


def _may_be_referred_to(slicer: "Slicer", call: e.Call, number: int) -> bool:
    """Whether a function takes an argument by reference, so that it may change all of it."""
    every = slicer.program.functions.get(last_name(call.function), ())
    return any(
        one.file.language != "c"
        or number >= len(one.own_parameters)
        or one.own_parameters[number].type.endswith("&")
        for one in every
    )


def _unknown(slicer: "Slicer", call: e.Call, place: Place, frame: Frame, point: Point) -> Value:
    name, last = ".".join(place), last_name(call.function)
    reason = f"{name} is written by {last}, which is not followed"
    if len(place) == 1:
        return unknown(reason)
    before = reaching.current(slicer, place, frame, point)
    return unknown(reason, [quantities.as_quantity(slicer, before, name)])
