"""What a process of its own is told to run of a manifest."""

import os
from dataclasses import dataclass
from pathlib import Path

from geoaudit.manifest.plan import plan
from geoaudit.manifest.planned import StepPlan
from geoaudit.manifest.reading import read_manifest
from geoaudit.manifest.settings import resolve_settings


@dataclass(frozen=True, kw_only=True)
class DescribedRun:
    """A step of a manifest with its settings; arms of the environment count as they always do.

    Attributes:
        manifest: path.
        step: its name.
        arms, assignments: ``NAME=VALUE``, as on the command line.
        all_arms: every arm that is meant to stay on.
    """

    manifest: str
    step: str
    arms: tuple[str, ...] = ()
    assignments: tuple[str, ...] = ()
    all_arms: bool = False

    def planned(self) -> StepPlan:
        """One token of it.

        Raises:
            InputError: the manifest or a setting cannot be used.
        """
        manifest = read_manifest(Path(self.manifest))
        settings = resolve_settings(
            manifest,
            assignments=self.assignments,
            arms=self.arms,
            all_arms=self.all_arms,
            environment=os.environ,
        )
        return plan(manifest, settings, self.step)
