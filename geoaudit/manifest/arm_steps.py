"""What arms change of the steps, found by planning them with the arm on and off."""

from dataclasses import dataclass, replace

from geoaudit.manifest.location import ManifestError
from geoaudit.manifest.model import Manifest
from geoaudit.manifest.plan import plan
from geoaudit.manifest.planned import StepPlan
from geoaudit.manifest.settings import Settings


@dataclass(frozen=True, kw_only=True)
class ArmSteps:
    """What one arm alone does to the steps.

    Attributes:
        changed: the steps of which it changes a launch, with any of its values.
        refused: sentences on the steps that cannot be planned with it.
    """

    changed: tuple[str, ...]
    refused: tuple[str, ...]


def idle_arms(manifest: Manifest, settings: Settings, planned: StepPlan) -> tuple[str, ...]:
    """The arms that are on and change no launch of a step.

    Args:
        manifest: whose arms they are.
        settings: of the plan.
        planned: the step with these settings.

    Raises:
        ManifestError: the step cannot be planned without one of them.
    """
    return tuple(
        arm
        for arm in settings.arms_on
        if plan(manifest, _with_arm(settings, arm, 0), planned.step).launches == planned.launches
    )


def steps_changed(manifest: Manifest, settings: Settings) -> dict[str, ArmSteps]:
    """Arm -> what it alone does to each step.

    Args:
        manifest: whose arms and steps they are.
        settings: the symbols count, the arms do not.

    Raises:
        ManifestError: a step cannot be planned with every arm off.
    """
    off = replace(settings, arms=dict.fromkeys(manifest.arms, 0))
    baselines = [plan(manifest, off, step) for step in manifest.steps]
    return {arm: _arm_steps(manifest, off, arm, baselines) for arm in manifest.arms}


def _arm_steps(manifest: Manifest, off: Settings, arm: str, baselines: list[StepPlan]) -> ArmSteps:
    changed, refused = [], []
    for baseline in baselines:
        try:
            if _changes(manifest, off, arm, baseline):
                changed.append(baseline.step)
        except ManifestError as error:
            refused.append(f"{baseline.step} cannot be planned with it: {error}")
    return ArmSteps(changed=tuple(changed), refused=tuple(refused))


def _changes(manifest: Manifest, off: Settings, arm: str, baseline: StepPlan) -> bool:
    settings = (_with_arm(off, arm, value) for value in manifest.arms[arm].values)
    return any(plan(manifest, on, baseline.step).launches != baseline.launches for on in settings)


def _with_arm(settings: Settings, arm: str, value: int) -> Settings:
    return replace(settings, arms={**settings.arms, arm: value})
