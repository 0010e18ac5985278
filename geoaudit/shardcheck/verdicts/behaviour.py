"""What a grid does as ranks grow, from its course over them."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from geoaudit.quantities import plural
from geoaudit.shardcheck.report import Behaviour
from geoaudit.shardcheck.sharding.options import ShardOptions
from geoaudit.shardcheck.sharding.worth import Roles, Share
from geoaudit.shardcheck.slicing.sites import LaunchSite
from geoaudit.shardcheck.symbolic.evaluation import evaluate
from geoaudit.shardcheck.symbolic.extents import (
    Arithmetic,
    Extent,
    Integer,
    Repeated,
    Symbol,
    Unknown,
)
from geoaudit.shardcheck.symbolic.making import TOO_LARGE, product
from geoaudit.shardcheck.symbolic.walking import reasons, symbols, valued, walk
from geoaudit.shardcheck.symbolic.wording import as_text
from geoaudit.shardcheck.verdicts.grids import PROBES, Course, courses, factors_of, values_at
from geoaudit.shardcheck.verdicts.hidden import lost_parts
from geoaudit.shardcheck.verdicts.limits import begins_as_zero
from geoaudit.shardcheck.words import is_sm_count


@dataclass(frozen=True, kw_only=True)
class Conduct:
    """What a grid does, and what that rests on.

    Attributes:
        behaviour: as of `SiteReport`; a constant that binds is not looked for here.
        reason: one sentence.
        courses: the grid over the ranks where it is a number throughout, a course for each choice
            of what is undecided, those that behave so first; else none.
    """

    behaviour: Behaviour
    reason: str
    courses: tuple[Course, ...] = ()


def conduct_of(site: LaunchSite, roles: Roles, options: ShardOptions) -> Conduct:
    """What the grid of a site does as ranks grow."""
    factors = factors_of(site)
    found = courses(site, factors, roles, options)
    if not roles.sharded:
        return _unsharded(site, factors, roles, found)
    target = _target(factors)
    if found:
        kinds = [_numbered(one, options.sms, target) for one in found]
        behaviour = _over_choices(kinds)
        ordered = sorted(
            zip(found, kinds, strict=True),
            key=lambda one: (one[1] != behaviour, one[0].blocks[-1], one[0].blocks),
        )
        return Conduct(
            behaviour=behaviour,
            reason=_numbers_reason(behaviour, options),
            courses=tuple(course for course, _ in ordered),
        )
    hidden = _hidden(factors, roles)
    reason = _refilled_by(site, factors, hidden, target)
    if reason:
        return Conduct(behaviour="compensated", reason=reason)
    return _probed(site, factors, roles, options, hidden, target)


def condition_of(factors: tuple[Extent, ...], roles: Roles, options: ShardOptions) -> str:
    """When a grid that is not a number has fewer blocks than half the SMs at the most ranks.

    Empty: always as many, or nothing is unknown.
    """
    most = options.ranks[-1]
    half = -(-options.sms // 2)
    known, rest = 1, []
    for factor in factors:
        values = evaluate(factor, values_at(roles, options, most))
        known *= min(values) if values else 1
        rest += [] if values else [factor]
    if not rest or known >= half or known < 1:
        return ""
    text = as_text(product(*rest), 100)
    return f"below {half} blocks when {text} < {math.ceil(half / known)} at {most} ranks"


def reasons_of(extents: Iterable[Extent]) -> str:
    """Why parts of extents cannot be told, shortened."""
    found = dict.fromkeys(reason for extent in extents for reason in reasons(extent))
    return "; ".join(list(found)[:3]) or "a loop whose rounds are not known"


def _unsharded(
    site: LaunchSite, factors: tuple[Extent, ...], roles: Roles, found: tuple[Course, ...]
) -> Conduct:
    named = [one for factor in factors for one in symbols(factor) if one.kind != "constant"]
    lost = lost_parts(site, roles)
    is_lost = any(isinstance(one, Unknown) for factor in factors for one in valued(factor))
    if any(begins_as_zero(axis) for axis in site.grid):
        return Conduct(behaviour="unknown", reason="it begins as 0 and is set where none sees it")
    if not named and found:
        return Conduct(behaviour="constant", reason="the grid is a number", courses=found)
    if lost and not found and _target(factors) != "device":
        return Conduct(behaviour="unknown", reason=reasons_of(lost))
    if not named and not is_lost:
        return Conduct(behaviour="constant", reason="only constants are in the grid")
    return Conduct(behaviour="independent", reason="nothing in the grid is sharded", courses=found)


def _numbered(course: Course, sms: int, target: str) -> Behaviour:
    """The behaviour of one course, in blocks of a device with that many SMs."""
    first, last = course.blocks[0], course.blocks[-1]
    if len(set(course.blocks)) == 1:
        return _level(course, target)
    is_short = [blocks * 2 < sms for blocks in course.blocks]
    if not course.shrinks or (course.refills and last * 2 >= min(first, sms)):
        return "compensated"
    if is_short[0]:
        return "small"
    if any(is_short):
        return "collapses"
    return "shrinks"


def _over_choices(found: list[Behaviour]) -> Behaviour:
    """One behaviour of several: what refills under any choice refills; else the worst counts."""
    order: tuple[Behaviour, ...] = ("compensated", "collapses", "small", "shrinks", "independent")
    return next(one for one in order if one in found)


def _numbers_reason(behaviour: Behaviour, options: ShardOptions) -> str:
    first, last = (plural(ranks, "rank") for ranks in (options.ranks[0], options.ranks[-1]))
    return {
        "collapses": f"half of {options.sms} SMs have a block at {first} and fewer later",
        "small": f"fewer than half of {options.sms} SMs have a block at {first} already",
        "shrinks": f"there are fewer blocks at {last}, and still enough",
        "compensated": "what is sharded shrinks, and the rest of the grid makes up for it",
    }.get(behaviour, "what is sharded changes no number of blocks")


def _probed(
    site: LaunchSite,
    factors: tuple[Extent, ...],
    roles: Roles,
    options: ShardOptions,
    hidden: tuple[Extent, ...],
    target: str,
) -> Conduct:
    """The behaviour where numbers are missing: sizes are tried, the large ones first."""
    tried: list[Behaviour] = []
    for probe in PROBES:
        found = courses(site, factors, roles, options, probe)
        # Where some axis is 0, or less by sizes that do not go together, nothing is launched.
        launched = [course for course in found if min(course.blocks) > 0]
        kinds = [_shaped(course, target) for course in launched]
        tried += [_over_choices(kinds)] if kinds else []
    if not tried:
        return Conduct(behaviour="unknown", reason=_no_size(factors, roles, options))
    if tried[0] == "compensated" and (target == "device" or "shrinks" not in tried):
        return Conduct(behaviour="compensated", reason=_numbers_reason("compensated", options))
    if "shrinks" in tried:
        return Conduct(
            behaviour="shrinks", reason="there are fewer blocks for more ranks, by sizes tried"
        )
    if hidden and all(
        isinstance(one, Unknown) and one.reason.startswith(TOO_LARGE) for one in hidden
    ):
        reason = "what is sharded is in a part too large to be evaluated, and no SM count"
        return Conduct(behaviour="shrinks", reason=reason)
    if hidden:
        return Conduct(behaviour="unknown", reason=reasons_of(hidden))
    return Conduct(behaviour=tried[0], reason=_numbers_reason(tried[0], options))


def _no_size(factors: tuple[Extent, ...], roles: Roles, options: ShardOptions) -> str:
    """Why no size that is tried gives a grid: the symbols that nothing gives a value."""
    value_of = values_at(roles, options, options.ranks[0])
    names = dict.fromkeys(
        one.name for factor in factors for one in symbols(factor) if value_of(one) is None
    )
    shown = ", ".join(list(names)[:3])
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    told = f"nothing gives {shown}{more}, and " if names else ""
    return f"{told}no size that was tried gives a grid"


def _shaped(course: Course, target: str) -> Behaviour:
    """The behaviour of a course whose sizes are tried ones: how full the device is says nothing."""
    if len(set(course.blocks)) == 1:
        return _level(course, target)
    if course.shrinks and not (course.refills and course.blocks[-1] * 2 >= course.blocks[0]):
        return "shrinks"
    return "compensated"


def _hidden(factors: tuple[Extent, ...], roles: Roles) -> tuple[Extent, ...]:
    """Parts that are not followed and depend on something sharded."""
    return tuple(
        one
        for factor in factors
        for one in walk(factor)
        if isinstance(one, Unknown) or (isinstance(one, Repeated) and one.condition is None)
        if any(isinstance(roles.by_symbol.get(part), Share) for part in symbols(one))
    )


def _level(course: Course, target: str) -> Behaviour:
    """The behaviour of a grid of equally many blocks: refilled, or what is sharded cancels."""
    refills = target == "device" or (course.varies and target == "constant")
    return "compensated" if refills else "independent"


def _target(factors: tuple[Extent, ...]) -> str:
    """What may refill a grid: ``device``, by its SM count; ``constant``, a budget; else empty."""
    found = [one for factor in factors for one in walk(factor)]
    if any(isinstance(one, Symbol) and _is_of_device(one) for one in found):
        return "device"
    has_constant = any(
        (isinstance(one, Symbol) and one.kind == "constant")
        or (isinstance(one, Integer) and one.value > 1)
        for one in found
    )
    return "constant" if has_constant else ""


def _refilled_by(
    site: LaunchSite, factors: tuple[Extent, ...], hidden: tuple[Extent, ...], target: str
) -> str:
    """What of a grid that has no number throughout makes up for what shrinks; empty: nothing."""
    if hidden and any(_is_of_device(one) for part in hidden for one in symbols(part)):
        reason = "a part that is not followed depends on the SM count and on what is sharded"
        return f"{reason}: {reasons_of(hidden)}"
    names_sms = any(is_sm_count(name) for axis in site.grid for name in axis.symbols)
    lost = [one for factor in factors for one in walk(factor) if isinstance(one, Unknown)]
    if names_sms and lost and target != "device":
        return f"the SM count is on the way into a part that is not followed: {reasons_of(lost)}"
    refill = _refill(site, factors)
    if refill is None:
        return ""
    return f"{refill.name} divides the SM count beyond this file: it makes up for what shrinks"


def _refill(site: LaunchSite, factors: tuple[Extent, ...]) -> Symbol | None:
    """A factor that is, beyond the site's file, the SM count divided by something; None: none."""
    beyond = dict(site.bindings)
    for factor in factors:
        if isinstance(factor, Symbol) and factor in beyond and _divides_sms(beyond[factor]):
            return factor
    return None


def _divides_sms(extent: Extent) -> bool:
    return any(
        isinstance(one, Arithmetic)
        and one.operator in ("//", "cdiv")
        and not isinstance(one.operands[1], Integer)
        and any(_is_of_device(symbol) for symbol in symbols(one.operands[0]))
        for one in walk(extent)
    )


def _is_of_device(symbol: Symbol) -> bool:
    return symbol.kind in ("sm_count", "occupancy")
