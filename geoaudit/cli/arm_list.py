"""The text of `geoaudit scan --list-arms`: arms and steps, and which arm changes which step."""

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Iterator

    from geoaudit.manifest.arm_steps import ArmSteps
    from geoaudit.manifest.model import Manifest
    from geoaudit.manifest.settings import ArmListing, Settings

WIDTH = 96


def arm_lines(manifest: "Manifest", settings: "Settings") -> list[str]:
    """The lines.

    Args:
        manifest: whose arms and steps they are.
        settings: whose symbols say how large the steps are.

    Raises:
        ManifestError: a step cannot be planned with every arm off.
    """
    from geoaudit.manifest.arm_steps import steps_changed
    from geoaudit.manifest.settings import list_arms, restore_set
    from geoaudit.quantities import plural

    listed = list_arms(manifest)
    title = f"{manifest.name}: {plural(len(listed), 'arm') if listed else 'no arms'}"
    effects = steps_changed(manifest, settings)
    lines = [title, *_wrapped(_steps(manifest)), ""]
    for one in listed:
        lines += [*_arm_text(one, effects[one.arm.name]), ""]
    if not listed:
        return lines[:-1]
    return [
        *lines,
        "the baseline, whatever the environment says:",
        *_wrapped(restore_set(manifest)),
    ]


def _steps(manifest: "Manifest") -> str:
    names = (f"{one} (default)" if one == manifest.default_step else one for one in manifest.steps)
    return f"steps: {', '.join(names)}"


def _arm_text(listing: "ArmListing", steps: "ArmSteps") -> "Iterator[str]":
    arm = listing.arm
    title = f"{arm.name}  {arm.arm_class}"
    yield title if arm.in_all else f"{title}, not one of --all-arms"
    details = [arm.reason]
    if arm.inert:
        details.append(f"changes nothing {arm.inert}.")
    if len(arm.values) > 1:
        details.append(f"values {', '.join(map(str, arm.values))}; {arm.values[0]} by itself.")
    if arm.excludes:
        details.append(f"never with {', '.join(sorted(arm.excludes))}.")
    details.append(f"kernels: {', '.join(listing.kernels) or 'none, it sizes a buffer'}")
    changed = ", ".join(steps.changed) or "no step with these settings"
    details.append(f"alone it changes: {changed}")
    details += steps.refused
    for text in details:
        yield from _wrapped(text)


def _wrapped(text: str) -> list[str]:
    return click.wrap_text(text, WIDTH, "  ", "  ").splitlines()
