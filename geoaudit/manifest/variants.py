"""A step under other values of its arms, one arm changed at a time."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from geoaudit.manifest.location import ManifestError
from geoaudit.manifest.model import Arm, Manifest
from geoaudit.manifest.plan import plan
from geoaudit.manifest.planned import LaunchShape, PlannedLaunch, StepPlan
from geoaudit.manifest.settings import Settings


@dataclass(frozen=True, kw_only=True)
class Variants:
    """A step reshaped.

    Attributes:
        plans: setting, as ``--arm`` spells it, -> the step under it beside the arms that are on.
        refused: sentences on settings that the manifest cannot be planned with.
    """

    plans: Mapping[str, StepPlan]
    refused: tuple[str, ...] = ()


def reshaped_variants(manifest: Manifest, settings: Settings, base: StepPlan) -> Variants:
    """The step under each other value of each arm that changes the grid or block of a launch.

    Arms that only approximate the outputs are left out: they may skip work. So are those that an
    arm that is on excludes.

    Args:
        manifest: what to launch.
        settings: arms and symbols of the run.
        base: the step planned with them.
    """
    plans, refused = {}, []
    for name, value in _values(manifest, settings):
        setting = f"{name}={value}"
        changed = replace(settings, arms={**settings.arms, name: value})
        try:
            planned = plan(manifest, changed, base.step)
        except ManifestError as error:
            refused.append(f"{setting} is not tried: {error}")
            continue
        if reshaped_launches(base, planned):
            plans[setting] = planned
    return Variants(plans=plans, refused=tuple(refused))


def reshaped_launches(base: StepPlan, variant: StepPlan) -> dict[int, int]:
    """The launches that a variant gives another shape: index in the base -> index in the variant.

    A launch is the same where kernel and layer are. Left out are those with the same grid and
    block, and those that read fewer bytes than in the base: others do a part of their work.
    """
    places = {_site(launch): index for index, launch in enumerate(variant.launches)}
    return {
        index: places[_site(launch)]
        for index, launch in enumerate(base.launches)
        if _site(launch) in places
        and _is_same_work_reshaped(launch.shape, variant.launches[places[_site(launch)]].shape)
    }


def _site(launch: PlannedLaunch) -> tuple[str, int]:
    return launch.shape.kernel, launch.layer


def _values(manifest: Manifest, settings: Settings) -> Iterator[tuple[str, int]]:
    """The arms' values that may be tried, with their arms, in the manifest's order."""
    for name, arm in manifest.arms.items():
        if arm.arm_class != "approximate" and not _is_excluded(arm, settings):
            for value in (0, *arm.values):
                if value != settings.arms[name]:
                    yield name, value


def _is_excluded(arm: Arm, settings: Settings) -> bool:
    return bool(arm.excludes & settings.arms_on.keys())


def _is_same_work_reshaped(base: LaunchShape, other: LaunchShape) -> bool:
    if (base.grid, base.block) == (other.grid, other.block):
        return False
    known = base.bytes_read is not None and other.bytes_read is not None
    return not known or (other.bytes_read or 0) >= (base.bytes_read or 0)
