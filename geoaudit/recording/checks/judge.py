"""What was found on a machine, judged. Pure: no file, no clock, no environment."""

from collections.abc import Sequence

from geoaudit.recording.checks.check import Check
from geoaudit.recording.checks.judge_driver import check_devices, check_driver
from geoaudit.recording.checks.judge_recorder import check_cupti, check_recorder
from geoaudit.recording.checks.judge_surroundings import (
    check_container,
    check_disk,
    check_mig,
    check_mps,
    check_nvtx_slot,
    check_packages,
    check_permissions,
    check_slot,
    check_tool,
)
from geoaudit.recording.checks.machine import Machine

WITHOUT_GPU = (
    "scan TRACE",
    "scan (the shipped capture)",
    "rank",
    "report",
    "explain",
    "occupancy",
    "devices",
)


def judge(machine: Machine) -> tuple[Check, ...]:
    """Every check, what stops a recording in the order in which it would be met.

    Args:
        machine: what was found.
    """
    return (
        check_driver(machine),
        check_devices(machine),
        check_recorder(machine),
        *check_cupti(machine),
        *check_slot(machine),
        *check_nvtx_slot(machine),
        check_permissions(machine),
        check_mig(machine),
        check_mps(machine),
        check_container(machine),
        *check_packages(machine),
        *map(check_tool, machine.tools),
        check_disk(machine),
        Check(name="Python", status="ok", found=f"{machine.python}."),
    )


def verdict(checks: Sequence[Check]) -> str:
    """One sentence: whether a recording can be made here."""
    stopping = [check.name for check in checks if check.stops_recording]
    if not stopping:
        return "Nothing stops a recording: geoaudit scan -- COMMAND."
    names = ", ".join(dict.fromkeys(stopping))
    works = ", ".join(WITHOUT_GPU)
    return f"A command cannot be recorded here, see {names}. What works all the same: {works}."
