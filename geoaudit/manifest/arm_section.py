"""Reading the arms."""

import re
from collections.abc import Mapping
from dataclasses import replace
from itertools import combinations
from typing import cast, get_args

from geoaudit.manifest.document import Table, Value
from geoaudit.manifest.location import did_you_mean, shown
from geoaudit.manifest.model import Arm, ArmClass

_KEYS = ("class", "reason", "values", "inert", "excludes", "in_all")
_NAME = re.compile(r"[A-Z][A-Z0-9_]*")
# Of the recorder's own environment, GEOAUDIT_RECORDING and others: no arm may shadow them.
RECORDER_NAMES = frozenset({"CALIBRATIONS", "CUPTI", "DURATION_MS", "RECORDING", "YIELD"})


def read_arms(table: Table) -> dict[str, Arm]:
    """All arms, by name.

    Raises:
        ManifestError: a wrong name, key or value; an unknown or contradictory exclusion.
    """
    values = dict(table.named())
    arms = {name: _read_arm(name, value) for name, value in values.items()}
    for name, value in values.items():
        _check_excludes(name, value.table().get("excludes"), arms)
    both_ways = {name: replace(arm, excludes=_excludes(arm, arms)) for name, arm in arms.items()}
    _check_all_arms(both_ways)
    return both_ways


def _read_arm(name: str, value: Value) -> Arm:
    if not _NAME.fullmatch(name):
        raise value.location.error(
            "is no name of an arm; use capitals, digits and underscores: it becomes the "
            "environment variable GEOAUDIT_NAME"
        )
    if name in RECORDER_NAMES:
        raise value.location.error(f"GEOAUDIT_{name} is the recorder's own; choose another name")
    table = value.table()
    table.check_keys(_KEYS)
    return Arm(
        name=name,
        location=value.location,
        arm_class=cast("ArmClass", table["class"].choice(get_args(ArmClass))),
        reason=table["reason"].text(),
        values=_read_values(table.get("values")),
        inert=table["inert"].text() if "inert" in table else None,
        excludes=frozenset(table["excludes"].texts() if "excludes" in table else ()),
        in_all=table["in_all"].boolean() if "in_all" in table else True,
    )


def _check_excludes(name: str, value: Value | None, arms: Mapping[str, Arm]) -> None:
    for entry in value.entries() if value else ():
        if entry.text() == name:
            raise entry.location.error("an arm cannot exclude itself; name another")
        if entry.text() not in arms:
            hint = did_you_mean(entry.text(), arms) or "; declare it under [arms]"
            raise entry.location.error(f"unknown arm {shown(entry.text())}{hint}")


def _read_values(value: Value | None) -> tuple[int, ...]:
    if value is None:
        return (1,)
    values = tuple(entry.integer(minimum=1) for entry in value.entries())
    if not values or len(set(values)) < len(values):
        raise value.location.error("must list one or more different integers from 1 up")
    return values


def _excludes(arm: Arm, arms: Mapping[str, Arm]) -> frozenset[str]:
    """Those it names and those that name it."""
    return arm.excludes | {other.name for other in arms.values() if arm.name in other.excludes}


def _check_all_arms(arms: Mapping[str, Arm]) -> None:
    for first, second in combinations([arm for arm in arms.values() if arm.in_all], 2):
        if second.name in first.excludes:
            raise second.location.error(
                f"{first.name} and {second.name} exclude each other, but --all-arms switches both "
                "on; set in_all = false in one of them"
            )
