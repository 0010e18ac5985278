"""A launch site judged: blocks at every number of ranks, behaviour, findings."""

from collections.abc import Callable, Iterable

from geoaudit.diagnosis.finding import Finding
from geoaudit.diagnosis.rules.sharding import SHARD_RULES
from geoaudit.shardcheck.report import SiteReport
from geoaudit.shardcheck.sharding.options import ShardOptions
from geoaudit.shardcheck.sharding.roles import roles_of
from geoaudit.shardcheck.sharding.worth import Fixed, Roles
from geoaudit.shardcheck.slicing.sites import LaunchSite
from geoaudit.shardcheck.symbolic.walking import symbols
from geoaudit.shardcheck.verdicts.behaviour import condition_of, conduct_of
from geoaudit.shardcheck.verdicts.constants import (
    StaleConstant,
    binding_constant,
    telling_constants,
)
from geoaudit.shardcheck.verdicts.evidence import SiteEvidence
from geoaudit.shardcheck.verdicts.grids import Course, factors_of
from geoaudit.shardcheck.verdicts.limits import broken_limits

MOST_BLOCKS = 2**62
"""No grid has more: x up to 2**31 - 1, y and z up to 65,535 (CUDA C++ Programming Guide, compute
capabilities)."""


def judge(site: LaunchSite, options: ShardOptions) -> SiteReport:
    """What sharding does to the grid of a site, with the rules that fire."""
    if site.is_launcher:
        return SiteReport(
            site=site, behaviour="launcher", reason="the calls of its function are sites"
        )
    roles = roles_of(site, options)
    conduct = conduct_of(site, roles, options)
    stale = _stale(site, roles, options)
    is_capped = any(one.why == "binds" for one in stale)
    behaviour = "capped_by_constant" if is_capped else conduct.behaviour
    blocks = _over_courses(conduct.courses[:1], options, min)
    evidence = SiteEvidence(
        site=site,
        sharded=roles.sharded,
        options=options,
        blocks=blocks,
        most_blocks=_over_courses(conduct.courses, options, max),
        behaviour=behaviour,
        stale=stale,
        limits=broken_limits(site, roles, options),
        taken=_taken(site, roles),
    )
    is_open = not conduct.courses and behaviour in ("shrinks", "unknown")
    return SiteReport(
        site=site,
        sharded=roles.sharded,
        blocks=blocks,
        sm_fill={
            ranks: None if number is None else min(1.0, max(0, number) / options.sms)
            for ranks, number in blocks.items()
        },
        behaviour=behaviour,
        condition=condition_of(factors_of(site), roles, options) if is_open else "",
        reason="a constant binds" if is_capped else conduct.reason,
        findings=_findings(evidence),
    )


def _taken(site: LaunchSite, roles: Roles) -> tuple[str, ...]:
    in_grid = dict.fromkeys(one for axis in site.grid for one in symbols(axis.extent))
    return tuple(
        dict.fromkeys(
            f"{symbol.name} = {role.values[0]:,}"
            for symbol in in_grid
            if isinstance(role := roles.by_symbol.get(symbol), Fixed)
            and role.taken
            and len(role.values) == 1
            and symbol.kind != "rank"
        )
    )


def assumed_values(
    sites: Iterable[LaunchSite], options: ShardOptions
) -> dict[str, tuple[int, str]]:
    """Every value that was taken where nothing gives it: symbol -> value and why."""
    return {
        symbol.name: (role.values[0], role.taken)
        for site in sites
        for symbol, role in roles_of(site, options).by_symbol.items()
        if isinstance(role, Fixed) and role.taken
    }


def _stale(site: LaunchSite, roles: Roles, options: ShardOptions) -> tuple[StaleConstant, ...]:
    telling = tuple(telling_constants(site, options))
    binding = binding_constant(site, roles, options) if roles.sharded else None
    return (*(() if binding is None else (binding,)), *telling)


def _findings(evidence: SiteEvidence) -> tuple[Finding, ...]:
    found = (check(evidence) for check in SHARD_RULES)
    return tuple(finding for finding in found if finding is not None)


def _over_courses(
    found: tuple[Course, ...], options: ShardOptions, choose: Callable[[Iterable[int]], int]
) -> dict[int, int | None]:
    """Ranks -> the fewest or the most blocks of all courses; None: not known."""
    if not found:
        return dict.fromkeys(options.ranks)
    columns = zip(*(course.blocks for course in found), strict=True)
    chosen = {ranks: choose(column) for ranks, column in zip(options.ranks, columns, strict=True)}
    return {ranks: one if abs(one) < MOST_BLOCKS else None for ranks, one in chosen.items()}
