"""The documented example, and changes of it for tests."""

from pathlib import Path

from geoaudit.manifest.model import Manifest
from geoaudit.manifest.plan import plan
from geoaudit.manifest.planned import StepPlan
from geoaudit.manifest.reading import parse_manifest
from geoaudit.manifest.settings import resolve_settings

FILE = Path(__file__).parent / "example" / "manifest.toml"
TEXT = FILE.read_text(encoding="utf-8")


def changed(*changes: tuple[str, str]) -> str:
    """The example with some of its text replaced; what is to be replaced must be there once."""
    text = TEXT
    for old, new in changes:
        assert text.count(old) == 1, f"{text.count(old)} times in the example: {old}"
        text = text.replace(old, new)
    return text


def parsed(*changes: tuple[str, str]) -> Manifest:
    """The manifest of the changed example."""
    return parse_manifest(changed(*changes), file="m.toml")


def planned(
    *changes: tuple[str, str],
    arms: tuple[str, ...] = (),
    assignments: tuple[str, ...] = (),
    step: str | None = None,
) -> StepPlan:
    """The plan of the changed example."""
    manifest = parsed(*changes)
    return plan(manifest, resolve_settings(manifest, arms=arms, assignments=assignments), step)
